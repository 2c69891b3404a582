package inventory

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/author/taxonomy"
	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Five thousand terms nine levels deep and a hundred thousand assignments: an index finds
// where a term is used, and nothing is read through.
func TestWhereUsedReadsNoLargeTableThrough(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	urls := dbtest.Fresh(t)
	store := dbtest.Open(t, db.Options{URL: urls.App})
	tenant, org, term := ids.New(), ids.New(), ids.ID{}
	grow(t, urls, tenant, org, &term)
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		err := store.Read(t.Context(), db.Scope{Tenant: tenant, OrgUnit: org}, func(tx *db.Tx) error {
			plans.Force(t, tx)
			return whereUsed(t, tx, term)
		})
		if err != nil {
			t.Fatal(err)
		}
	}, urls)
}

func whereUsed(t *testing.T, tx *db.Tx, term ids.ID) error {
	below, err := taxonomy.Descendants(t.Context(), tx, []ids.ID{term})
	if err != nil || len(below) != 5000 {
		t.Errorf("%d terms stand below the top, %v", len(below), err)
	}
	for name, sql := range map[string]string{"count": countUsesSQL, "list": listUsesSQL} {
		args := useArgs(tx, below[len(below)-1])
		if name == "list" {
			args = append(args, 25, 0)
		}
		rows, err := tx.Query(t.Context(), "explain "+sql, args...)
		if err != nil {
			return err
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		plan := strings.Join(lines, "\n")
		for _, large := range []string{"question_terms", "questions", "evaluation_items"} {
			if strings.Contains(plan, "Seq Scan on "+large) {
				t.Errorf("%s reads %s through:\n%s", name, large, plan)
			}
		}
		if !strings.Contains(plan, "question_terms_by_term") {
			t.Errorf("%s does not go by the term:\n%s", name, plan)
		}
	}
	return err
}

// grow writes past the constraints, as the superuser: what the rows refer to is of no
// matter to the plans.
func grow(t *testing.T, urls dbtest.URLs, tenant, org ids.ID, top *ids.ID) {
	t.Helper()
	super := dbtest.Heap(t, urls)
	*top = ids.New()
	for _, sql := range []string{
		`create temporary table made as select n, case when n = 1 then '` + top.String() + `'::uuid else gen_random_uuid() end as id from generate_series(1, 5000) n`,
		`insert into terms (tenant_id, id, facet_id, slug, label, created_at, updated_at)
			select '` + tenant.String() + `', id, gen_random_uuid(), 't' || n, 'T' || n, now(), now() from made`,
		// Each term has three below it, so that the last of five thousand are nine levels deep.
		`insert into term_relations (tenant_id, term_id, parent_id, created_at)
			select '` + tenant.String() + `', c.id, p.id, now() from made c join made p on p.n = (c.n + 1) / 3 where c.n > 1`,
		`insert into question_terms (tenant_id, question_id, term_id, org_unit_id)
			select '` + tenant.String() + `', gen_random_uuid(), id, '` + org.String() + `' from made, generate_series(1, 20)`,
		`insert into questions select copy.* from question_terms t, jsonb_populate_record(null::questions, jsonb_build_object('tenant_id', t.tenant_id, 'id', t.question_id,
			'org_unit_id', t.org_unit_id, 'status', 'draft', 'qtype', 'mcq', 'contributes_to_score', true, 'created_at', now(), 'updated_at', now())) copy`,
		`insert into evaluation_items (tenant_id, evaluation_version_id, id, org_unit_id, section_id, position, question_id)
			select '` + tenant.String() + `', gen_random_uuid(), gen_random_uuid(), '` + org.String() + `', gen_random_uuid(), n, gen_random_uuid()
			from generate_series(1, 50000) n`,
	} {
		_, err := super.Exec(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
	}
}
