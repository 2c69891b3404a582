package pack_test

import (
	"context"
	"strings"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/author/pack"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// strangers is the number of rows in each table around the pack of the test: of the same org unit, of others, of other packs.
const strangers = 20_000

// Among twenty thousand records of a tenant and as many copies of other packs, every operation on a pack reads only its own rows.
func TestPacksReadTheirOwnRows(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	urls := dbtest.Fresh(t)
	o := officeOn(t, dbtest.Open(t, db.Options{URL: urls.App}))
	o.furnish()
	r1 := o.publish()
	installed := o.mustInstall(r1, pack.InstallInput{})
	all := o.head
	all.All = true
	beside := o.school
	sample.Write(t, o.store, all, func(tx *db.Tx) error {
		beside.OrgUnit = sample.OrgUnit(t, tx, "beside").ID
		return nil
	})
	do(o, o.head, func(ctx context.Context, tx *db.Tx) (authoring.Evaluation, error) {
		e, err := authoring.GetEvaluation(ctx, tx, o.evaluations[1])
		if err != nil {
			return e, err
		}
		o.restate(ctx, tx, e.Published.Sections[0].Items[0].QuestionID, "rudder")
		_, err = authoring.CreateEvaluationVersion(ctx, tx, o.evaluations[1])
		if err != nil {
			return e, err
		}
		return authoring.PublishEvaluation(ctx, tx, o.evaluations[1])
	})
	r2 := o.publish()
	copied := o.frozen(o.school, installed.Evaluations[1].InstalledEvaluationID).Pins[0].QuestionID
	do(o, o.school, func(ctx context.Context, tx *db.Tx) (int, error) {
		o.restate(ctx, tx, copied, "keel")
		return 0, nil
	})
	do(o, o.head, func(ctx context.Context, tx *db.Tx) (pack.Library, error) {
		items, err := pack.GetLibrary(ctx, tx, pack.ByLibrary{LibraryID: o.library})
		if err != nil {
			return items, err
		}
		return pack.UpdateItem(ctx, tx, pack.ItemPatch{ByItem: pack.ByItem{ByLibrary: pack.ByLibrary{LibraryID: o.library}, ItemID: items.Items[0].ID}, Metadata: []byte(`{"grade":6}`)})
	})
	o.crowd(urls)
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		install := func(as db.Scope, r pack.Revision, in pack.InstallInput) func(context.Context, *db.Tx) error {
			return func(ctx context.Context, tx *db.Tx) error {
				in.LibraryID, in.RevisionID, in.OrgUnitID = r.LibraryID, r.ID, as.OrgUnit
				done, err := pack.Install(ctx, tx, in)
				if err == nil && len(done.Evaluations) != 2 {
					t.Errorf("installed %+v", done)
				}
				return err
			}
		}
		of := pack.ByRevision(r2.LibraryID, r2.ID)
		for _, work := range []struct {
			what string
			as   db.Scope
			do   func(context.Context, *db.Tx) error
		}{
			{"an install", beside, install(beside, r1, pack.InstallInput{})},
			{"a reinstall", o.school, install(o.school, r1, pack.InstallInput{})},
			{"an upgrade that keeps", o.school, install(o.school, r2, pack.InstallInput{OnConflict: pack.KeepLocal})},
			{"an upgrade that takes", o.school, install(o.school, r2, pack.InstallInput{OnConflict: pack.TakePack})},
			{"an uninstall", o.school, func(ctx context.Context, tx *db.Tx) error {
				_, err := pack.Uninstall(ctx, tx, pack.UninstallInput{ByLibrary: pack.ByLibrary{LibraryID: o.library}, OrgUnitID: o.school.OrgUnit}, inventory.ArchiveEvaluations)
				return err
			}},
			{"publishing", o.head, func(ctx context.Context, tx *db.Tx) error {
				_, err := pack.Publish(ctx, tx, pack.ByLibrary{LibraryID: o.library})
				return err
			}},
			{"lineage", o.head, func(ctx context.Context, tx *db.Tx) error {
				l, err := pack.GetLineage(ctx, tx, pack.LineageInput{RevisionInput: pack.ByRevision(r1.LibraryID, r1.ID)})
				if err == nil && l.Total != 2 {
					t.Errorf("lineage %+v", l)
				}
				return err
			}},
			{"a diff", o.school, func(ctx context.Context, tx *db.Tx) error {
				d, err := pack.Diff(ctx, tx, pack.DiffInput{RevisionInput: pack.ByRevision(r2.LibraryID, r2.ID)})
				if err == nil && d.Total != 2 {
					t.Errorf("diff %+v", d)
				}
				return err
			}},
			{"lists", o.school, func(ctx context.Context, tx *db.Tx) error {
				_, err := pack.ListLibraries(ctx, tx, pack.LibraryFilter{})
				if err == nil {
					_, err = pack.ListRevisions(ctx, tx, pack.RevisionsInput{ByLibrary: pack.ByLibrary{LibraryID: o.library}})
				}
				if err == nil {
					_, err = pack.GetLibrary(ctx, tx, pack.ByLibrary{LibraryID: o.library})
				}
				return err
			}},
			{"a revision", o.school, func(ctx context.Context, tx *db.Tx) error {
				_, err := pack.GetRevision(ctx, tx, of)
				return err
			}},
			{"where an evaluation comes from", o.school, func(ctx context.Context, tx *db.Tx) error {
				e, err := pack.GetEvaluation(ctx, tx, installed.Evaluations[0].InstalledEvaluationID)
				if err == nil && e.Pack == nil {
					t.Error("the evaluation comes from nowhere")
				}
				return err
			}},
		} {
			err := o.store.DryRun(t.Context(), work.as, func(tx *db.Tx) error {
				plans.Force(t, tx)
				// Some twenty statements look up each record of a pack of a dozen.
				tables := []string{"questions", "question_versions", "question_terms", "question_search", "passages", "passage_versions", "passage_questions",
					"evaluation_pins", "evaluation_items", "assets", "asset_versions", "terms", "term_relations",
					"library_items", "library_revisions", "library_entries", "library_contents", "library_files", "library_installs", "library_installed",
					"library_copies", "library_copied_versions", "report_evaluation_rollup"}
				if strings.Contains(t.Name(), "/statistics") { // the evaluations themselves are published and archived as authors do it
					tables = append(tables, "evaluations", "evaluation_versions")
				}
				dbtest.ByIndex(t, tx, work.what, 1000, func() error { return work.do(t.Context(), tx) }, tables...)
				return nil
			})
			if err != nil {
				t.Fatalf("%s: %v", work.what, err)
			}
		}
	}, urls)
}

// crowd copies a row of each table very often: half of the copies belong to the school, half to an org unit that does not exist.
func (o *office) crowd(urls dbtest.URLs) {
	o.t.Helper()
	super := dbtest.Heap(o.t, urls)
	run := func(sql string, args ...any) {
		o.t.Helper()
		if _, err := super.Exec(o.t.Context(), sql, args...); err != nil {
			o.t.Fatalf("%v\n%s", err, sql)
		}
	}
	run("create temp table crowd as select n, gen_random_uuid() as id, gen_random_uuid() as version, gen_random_uuid() as other from generate_series(1, $1::int) n", strangers)
	unit := "case when n % 2 = 0 then '" + o.school.OrgUnit.String() + "' else '" + ids.New().String() + "' end"
	for _, c := range []struct{ table, with string }{
		{"questions", "'id', id, 'published_id', version, 'external_id', null, 'org_unit_id', " + unit},
		{"question_versions", "'id', version, 'question_id', id, 'org_unit_id', " + unit},
		{"question_search", "'question_id', id, 'org_unit_id', " + unit},
		{"question_terms", "'question_id', id, 'org_unit_id', " + unit},
		{"passages", "'id', id, 'published_id', version, 'external_id', null, 'org_unit_id', " + unit},
		{"passage_versions", "'id', version, 'passage_id', id, 'org_unit_id', " + unit},
		{"passage_questions", "'passage_id', id, 'question_id', id, 'org_unit_id', " + unit},
		{"evaluations", "'id', id, 'published_id', version, 'external_id', null, 'org_unit_id', " + unit},
		{"evaluation_versions", "'id', version, 'evaluation_id', id, 'org_unit_id', " + unit},
		{"evaluation_pins", "'evaluation_version_id', version, 'question_id', id, 'question_version_id', version, 'org_unit_id', " + unit},
		{"evaluation_items", "'evaluation_version_id', version, 'question_id', id, 'org_unit_id', " + unit},
		{"assets", "'id', id, 'current_id', version, 'name_key', 'x' || n, 'org_unit_id', " + unit},
		{"asset_versions", "'id', version, 'asset_id', id, 'sha256', encode(sha256(n::text::bytea), 'hex'), 'org_unit_id', " + unit},
		{"terms", "'id', id, 'slug', 't' || n, 'label', 'T' || n, 'label_key', 't' || n"},
		{"term_relations", "'term_id', id, 'parent_id', version"},
		{"library_items", "'library_id', id, 'id', version, 'evaluation_id', id, 'org_unit_id', " + unit},
		{"library_revisions", "'id', version, 'library_id', id"},
		{"library_entries", "'revision_id', version, 'kind', 'question', 'source_id', id, 'ref', id"},
		{"library_contents", "'hash', encode(sha256(n::text::bytea), 'hex')"},
		{"library_files", "'sha256', encode(sha256(n::text::bytea), 'hex')"},
		{"library_installs", "'id', other, 'library_id', id, 'revision_id', version"},
		{"library_installed", "'install_id', other, 'evaluation_id', id, 'evaluation_version_id', version"},
		{"library_copies", "'library_id', id, 'copy_id', id, 'org_unit_id', " + unit},
		{"library_copies", "'source_id', id, 'copy_id', id, 'org_unit_id', '" + ids.New().String() + "'"}, // of the same library, elsewhere
		{"library_copied_versions", "'library_id', id, 'version_id', version, 'org_unit_id', " + unit},
		{"report_evaluation_rollup", "'evaluation_id', id, 'evaluation_version_id', version, 'org_unit_id', " + unit},
	} {
		if c.table == "report_evaluation_rollup" {
			run(`insert into report_evaluation_rollup (tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id, evaluation_id)
				select $1, $2, version, 'all', '', $3, id from crowd`, o.school.Tenant, o.school.OrgUnit, ids.None)
			continue
		}
		var columns string // the ones that are not generated
		err := super.QueryRow(o.t.Context(), `select string_agg(attname, ', ' order by attnum) from pg_attribute
			where attrelid = $1::text::regclass and attnum > 0 and not attisdropped and attgenerated = ''`, c.table).Scan(&columns)
		if err != nil {
			o.t.Fatal(err)
		}
		run("insert into " + c.table + " (" + columns + ") select " + columns + " from (select copy.* from crowd, (select t as row from " + c.table + " t limit 1) one, jsonb_populate_record(one.row, jsonb_build_object(" + c.with + ")) copy) copies")
	}
}
