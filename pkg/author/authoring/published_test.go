package authoring_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/author/authoring"
	"assess/pkg/author/skill"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// versionTables are the tables of versions and snapshots, and the tables whose rows are
// deleted with a row of these. score_versions is not about content, and
// library_copied_versions says what an org unit has installed.
const versionTables = `
	with recursive content as (
		select oid from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
		and (relname like '%\_versions' or relname like '%\_snapshots') and relname not in ('score_versions', 'library_copied_versions')
		union
		select c.conrelid from pg_constraint c join content on content.oid = c.confrelid
		where c.contype = 'f' and c.confdeltype = 'c'
	)
	select 'public.' || relname from pg_class where oid in (select oid from content) order by 1`

// The statement is refused no matter who sends it, including superusers; also if temporary tables
// take the place of the tables that the triggers look into.
func TestPublishedVersionsNeverChange(t *testing.T) {
	t.Parallel()
	urls := dbtest.Fresh(t)
	b := bench{Store: dbtest.Open(t, db.Options{URL: urls.App})}
	b.scope = sample.Tenant(t, b.Store)
	leaf, _ := b.asset(t, 2)
	in := sample.QuestionInput("A")
	in.Stem = image(leaf)
	q := must(t, b, authoring.CreateQuestion, in)
	p := must(t, b, authoring.CreatePassage, sample.PassageInput())
	must(t, b, b.setQuestions(p.ID), []ids.ID{q.ID})
	must(t, b, sample.PublishPassage, p.ID)
	must(t, b, authoring.PublishQuestion, q.ID)
	e := sample.EvaluationInput(b.question(t, true, "A").ID)
	e.Sections[0].Items = append(e.Sections[0].Items, authoring.ItemInput{PassageID: p.ID})
	must(t, b, authoring.PublishEvaluation, must(t, b, authoring.CreateEvaluation, e).ID)
	sample.Write(t, b.Store, b.scope, func(tx *db.Tx) error {
		target := sample.Skill(t, tx, "Adds")
		set, version := sample.Mapping(t, tx, skill.RuleInput{RuleType: skill.ByFramework, Selector: skill.Selector{FrameworkID: target.FrameworkID}, TargetSkillID: target.ID})
		nothing := func(context.Context, *db.Tx, ids.ID) (map[ids.ID]int, error) { return nil, nil }
		_, err := skill.PublishMapping(t.Context(), tx, set, version, nothing)
		return err
	})

	conn := connect(t, urls.Super)
	for _, name := range []string{"assets", "questions", "passages", "evaluations", "evaluation_versions", "skills", "skill_mapping_sets", "skill_mapping_versions"} {
		if _, err := conn.Exec(t.Context(), "create temporary table "+name+" (like public."+name+")"); err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range tables(t, conn) {
		if rows := count(t, conn, table); rows == 0 {
			t.Errorf("%s has no rows to attack", table)
		}
		for _, attack := range []string{"update " + table + " set tenant_id = tenant_id", "delete from " + table, "truncate " + table + " cascade"} {
			_, err := conn.Exec(t.Context(), attack)
			if err == nil || !strings.Contains(err.Error(), "never") && !strings.Contains(err.Error(), "append-only") {
				t.Errorf("%s: got %v, want a refusal by a trigger", attack, err)
			}
		}
	}
}

// An item that is moved out of a published version would be missing there, and an item that is
// moved into it would be added.
func TestItemsNeitherLeaveNorEnterAPublishedVersion(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	e := must(t, b, authoring.CreateEvaluation, sample.EvaluationInput(b.question(t, true, "A").ID))
	published := must(t, b, authoring.PublishEvaluation, e.ID).Published.ID
	draft := must(t, b, b.updateEvaluation(e.ID), authoring.EvaluationPatch{Title: ref("Second")}).Draft.ID
	move := "update evaluation_items set evaluation_version_id = $2, position = 7 where evaluation_version_id = $1"
	wantCode(t, b.exec(t, move, published, draft), errs.VersionImmutable)
	wantCode(t, b.exec(t, move, draft, published), errs.VersionImmutable)
	wantCode(t, b.exec(t, "delete from evaluation_items where evaluation_version_id = $1", published), errs.VersionImmutable)
	wantCode(t, b.exec(t, "delete from evaluation_items where evaluation_version_id = $1", draft), "")
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) }) //nolint:errcheck // nothing hangs on it
	return conn
}

func tables(t *testing.T, conn *pgx.Conn) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), versionTables)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	for _, known := range []string{"asset_versions", "evaluation_items", "evaluation_pins", "version_snapshots"} {
		if !slices.Contains(got, "public."+known) {
			t.Errorf("%s is not among %v", known, got)
		}
	}
	return got
}

func count(t *testing.T, conn *pgx.Conn, table string) (n int) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), "select count(*) from "+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
