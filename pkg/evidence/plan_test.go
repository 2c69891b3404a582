package evidence

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/db"
	"assess/pkg/dbtest"
	"assess/pkg/ids"
)

// Among twenty thousand rows of a tenant each list and lookup comes out of an index, without
// a sort and without a look at rows of other submissions.
func TestListsUseIndexes(t *testing.T) {
	t.Parallel()
	urls := dbtest.Fresh(t)
	store, err := db.Open(t.Context(), db.Options{URL: urls.App})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	tenant, org := ids.New(), ids.New()
	fill(t, urls, tenant, org)
	for name, query := range map[string]string{
		"evidence of a submission": "select * from evidence e where e.tenant_id = $1 and e.org_unit_id = $2 and e.submission_id = $3 order by e.id desc limit 25",
		"evidence of an item": `select * from evidence e where e.tenant_id = $1 and e.org_unit_id = $2 and e.submission_id = $3
			and e.submission_item_id = $3 order by e.id desc limit 25`,
		"evidence to check":           "select id, sha256 from evidence e where e.tenant_id = $1 and e.org_unit_id = $2 and e.id > $3 order by e.id limit 50",
		"evidence by id":              "select * from evidence e where e.tenant_id = $1 and e.org_unit_id = $2 and e.id = $3",
		"findings of a submission":    "select * from findings f where f.tenant_id = $1 and f.org_unit_id = $2 and f.submission_id = $3 order by f.id desc limit 25",
		"evidence of findings":        "select * from finding_evidence where tenant_id = $1 and org_unit_id = $2 and submission_id = $3 and finding_id = any(array[$3]::uuid[])",
		"cases of a submission":       "select * from submission_cases c where c.tenant_id = $1 and c.org_unit_id = $2 and c.submission_id = $3 order by c.id desc limit 25",
		"findings of cases":           "select * from case_findings where tenant_id = $1 and org_unit_id = $2 and submission_id = $3 and case_id = any(array[$3]::uuid[])",
		"findings in the reports":     "select * from report_findings f where f.tenant_id = $1 and f.org_unit_id = $2 and f.submission_id = $3 order by f.finding_id desc limit 25",
		"what a sweep asks of a file": "select exists (select from evidence where tenant_id = $1 and org_unit_id = $2 and sha256 = $3::text)",
	} {
		err := store.Read(t.Context(), db.Scope{Tenant: tenant, OrgUnit: org}, func(tx *db.Tx) error {
			rows, err := tx.Query(t.Context(), "explain "+query, tenant, org, ids.New())
			if err != nil {
				return err
			}
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			plan := strings.Join(lines, "\n")
			if strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "Bitmap") && strings.Contains(query, "limit 50") {
				t.Errorf("%s:\n%s", name, plan)
			}
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// fill writes rows past all foreign keys and policies, and gathers statistics.
func fill(t *testing.T, urls dbtest.URLs, tenant, org ids.ID) {
	t.Helper()
	super, err := pgx.Connect(t.Context(), urls.Super)
	if err != nil {
		t.Fatal(err)
	}
	defer super.Close(t.Context())
	_, err = super.Exec(t.Context(), "set session_replication_role = replica")
	if err != nil {
		t.Fatal(err)
	}
	for _, insert := range []string{
		`insert into evidence (tenant_id, id, org_unit_id, submission_id, submission_item_id, item_id, kind, media_type, size_bytes, sha256,
			storage_tier, integrity, added_by, created_at)
		select $1, gen_random_uuid(), $2, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'log', 'text/plain', 1, md5(n::text),
			'HOT', 'unchecked', 'x', now() from generate_series(1, 20000) n`,
		`insert into findings (tenant_id, id, org_unit_id, submission_id, code, severity, detected_by, detected_at, ledger_event_id)
		select $1, gen_random_uuid(), $2, gen_random_uuid(), 'X', 'info', 'x', now(), gen_random_uuid() from generate_series(1, 20000)`,
		`insert into finding_evidence (tenant_id, finding_id, evidence_id, org_unit_id, submission_id)
		select $1, gen_random_uuid(), gen_random_uuid(), $2, gen_random_uuid() from generate_series(1, 20000)`,
		`insert into submission_cases (tenant_id, id, org_unit_id, submission_id, kind, state, statement, raised_by, raised_at)
		select $1, gen_random_uuid(), $2, gen_random_uuid(), 'claim', 'open', 'x', 'x', now() from generate_series(1, 20000)`,
		`insert into case_findings (tenant_id, case_id, finding_id, org_unit_id, submission_id)
		select $1, gen_random_uuid(), gen_random_uuid(), $2, gen_random_uuid() from generate_series(1, 20000)`,
		`insert into report_findings (tenant_id, org_unit_id, submission_id, finding_id, code, severity, detected_at, ledger_event_id)
		select $1, $2, gen_random_uuid(), gen_random_uuid(), 'X', 'info', now(), gen_random_uuid() from generate_series(1, 20000)`,
	} {
		_, err := super.Exec(t.Context(), insert, tenant, org)
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err = super.Exec(t.Context(), "analyze evidence, findings, finding_evidence, submission_cases, case_findings, report_findings")
	if err != nil {
		t.Fatal(err)
	}
}
