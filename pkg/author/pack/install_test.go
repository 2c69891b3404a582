package pack_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"assess/pkg/author/authoring"
	"assess/pkg/author/pack"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// A copy has the content of its source, to the byte: the snapshots have the same hash once the ids of one are replaced by
// the ids of the other.
func TestTheCopyIsExact(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.furnish()
	done := o.mustInstall(o.publish(), pack.InstallInput{})
	if diff := cmp.Diff(pack.Counts{Evaluations: 2, Questions: 7, Passages: 1}, done.Created); diff != "" {
		t.Error(diff)
	}
	for n, e := range done.Evaluations {
		source, copied := o.frozen(o.head, o.evaluations[n]), o.frozen(o.school, e.InstalledEvaluationID)
		if e.InstalledEvaluationVersionID != copied.ID {
			t.Errorf("evaluation %d uses %s, not the installed version", n, copied.ID)
		}
		got, want := o.named(o.school, copied), o.named(o.head, source)
		if content.Hash([]byte(got)) != content.Hash([]byte(want)) {
			t.Errorf("evaluation %d (-source +copy):\n%s", n, cmp.Diff(indented(want), indented(got)))
		}
	}
}

func (o *office) frozen(as db.Scope, evaluation ids.ID) authoring.EvaluationVersionDetail {
	o.t.Helper()
	return do(o, as, func(ctx context.Context, tx *db.Tx) (authoring.EvaluationVersionDetail, error) {
		e, err := authoring.GetEvaluation(ctx, tx, evaluation)
		if err != nil {
			return authoring.EvaluationVersionDetail{}, err
		}
		return authoring.GetEvaluationVersion(ctx, tx, authoring.VersionInput{ID: evaluation, VersionID: e.Published.ID})
	})
}

// named gives a version in canonical JSON in which every record has the name of its place, every file its hash, and
// every content the hash of its portable form.
func (o *office) named(as db.Scope, v authoring.EvaluationVersionDetail) string {
	o.t.Helper()
	names := []string{v.EvaluationID.String(), "evaluation", v.ID.String(), "version", v.SnapshotHash, "snapshot"}
	for i, pin := range v.Pins {
		names = append(names, pin.QuestionID.String(), fmt.Sprintf("question %d", i), pin.QuestionVersionID.String(), fmt.Sprintf("question version %d", i))
		if pin.ItemID != pin.GroupID {
			names = append(names, pin.ItemID.String(), fmt.Sprintf("item %d", i))
		}
		if pin.PassageVersionID != nil {
			names = append(names, pin.PassageVersionID.String(), "passage version", v.Snapshot.Passages[pin.PassageVersionID.String()].PassageID.String(), "passage")
		}
		if q := v.Snapshot.Questions[pin.QuestionVersionID.String()]; strings.Contains(fmt.Sprint(q.Stem), "image") {
			names = append(names, q.ContentHash, "content with images")
		}
	}
	for asset, version := range v.Snapshot.Assets {
		var sha256 string
		do(o, as, func(ctx context.Context, tx *db.Tx) (int, error) {
			return 0, tx.QueryRow(ctx, "select sha256 from asset_versions where tenant_id = $1 and id = $2", tx.Tenant(), version).Scan(&sha256)
		})
		names = append(names, asset.String(), "asset "+sha256, version.String(), "file "+sha256)
	}
	for id, name := range o.termNames(as) {
		names = append(names, id.String(), name)
	}
	canonical, err := content.Canonical(map[string]any{"snapshot": v.Snapshot, "pins": v.Pins, "sections": v.Sections, "settings": v.Settings, "terms": v.TaxonomyTermIDs})
	if err != nil {
		o.t.Fatal(err)
	}
	var renamed any
	err = json.Unmarshal([]byte(strings.NewReplacer(names...).Replace(string(canonical))), &renamed)
	if err != nil {
		o.t.Fatal(err)
	}
	inOrderOfNames(renamed)
	again, err := content.Canonical(renamed) // names of records are keys, too
	if err != nil {
		o.t.Fatal(err)
	}
	return string(again)
}

// termNames are the terms of the tenant as facet:slug.
func (o *office) termNames(as db.Scope) map[ids.ID]string {
	o.t.Helper()
	return do(o, as, func(ctx context.Context, tx *db.Tx) (map[ids.ID]string, error) {
		rows, err := tx.Query(ctx, `select t.id, 'term ' || f.slug || ':' || t.slug from terms t
			join facets f on f.tenant_id = t.tenant_id and f.id = t.facet_id where t.tenant_id = $1`, tx.Tenant())
		if err != nil {
			return nil, err
		}
		names := map[ids.ID]string{}
		var id ids.ID
		var name string
		_, err = pgx.ForEachRow(rows, []any{&id, &name}, func() error {
			names[id] = name
			return nil
		})
		return names, err
	})
}

// inOrderOfNames sorts lists of terms: sets, which are stored in the order of ids.
func inOrderOfNames(value any) {
	switch value := value.(type) {
	case map[string]any:
		for _, v := range value {
			inOrderOfNames(v)
		}
	case []any:
		for _, v := range value {
			inOrderOfNames(v)
		}
		slices.SortStableFunc(value, func(a, b any) int {
			x, _ := a.(string)
			y, _ := b.(string)
			if !strings.HasPrefix(x, "term ") || !strings.HasPrefix(y, "term ") {
				return 0
			}
			return strings.Compare(x, y)
		})
	}
}

func indented(canonical string) string {
	return strings.NewReplacer(",", ",\n", "{", "{\n").Replace(canonical)
}

// Installing the revision that is installed already changes nothing at all.
func TestReinstallChangesNothing(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.furnish()
	r := o.publish()
	first := o.mustInstall(r, pack.InstallInput{})
	before := o.everything()
	again := o.mustInstall(r, pack.InstallInput{})
	if !again.Unchanged || again.ID != first.ID || len(again.Evaluations) != 2 {
		t.Errorf("got %+v", again)
	}
	if diff := cmp.Diff(before, o.everything()); diff != "" {
		t.Errorf("reinstalling changed rows (-before +after):\n%s", diff)
	}
}

// A dry run does all that installing does, and leaves nothing behind.
func TestDryRunIsTheInstallRolledBack(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.furnish()
	r := o.publish()
	before := o.everything()
	var dry pack.Installation
	err := o.store.DryRun(t.Context(), o.school, func(tx *db.Tx) error {
		var err error
		dry, err = pack.Install(t.Context(), tx, pack.InstallInput{RevisionInput: pack.ByRevision(r.LibraryID, r.ID), OrgUnitID: o.school.OrgUnit, DryRun: true})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, o.everything()); diff != "" {
		t.Errorf("the dry run changed rows:\n%s", diff)
	}
	done := o.mustInstall(r, pack.InstallInput{})
	if dry.Created != done.Created || dry.CreatedAssets != done.CreatedAssets || !dry.DryRun {
		t.Errorf("dry run %+v, install %+v", dry, done)
	}
}

// everything gives the number of rows and a hash of the content of each table that holds rows of the tenant.
func (o *office) everything() map[string]string {
	o.t.Helper()
	all := o.head
	all.All = true
	return do(o, all, func(ctx context.Context, tx *db.Tx) (map[string]string, error) {
		rows, err := tx.Query(ctx, `select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
			where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and has_table_privilege(c.oid, 'select') order by 1`)
		if err != nil {
			return nil, err
		}
		tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return nil, err
		}
		found := map[string]string{}
		for _, table := range tables {
			var n int
			var hash string
			err = tx.QueryRow(ctx, "select count(*), coalesce(md5(string_agg(r::text, '|' order by r::text)), '') from "+table+" r where tenant_id = $1", tx.Tenant()).Scan(&n, &hash)
			if err != nil {
				return nil, err
			}
			found[table] = fmt.Sprintf("%d rows, %s", n, hash)
		}
		return found, nil
	})
}

// Of two installs of one revision at once, one copies and the other finds it there.
func TestTwoInstallsAtOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.furnish()
	r := o.publish()
	var wait sync.WaitGroup
	done, failed := make([]pack.Installation, 2), make([]error, 2)
	for n := range 2 {
		wait.Go(func() { done[n], failed[n] = o.install(r, pack.InstallInput{}) })
	}
	wait.Wait()
	if err := errors.Join(failed...); err != nil {
		t.Fatal(err)
	}
	if done[0].Unchanged == done[1].Unchanged || done[0].ID != done[1].ID {
		t.Errorf("got %+v and %+v", done[0], done[1])
	}
	if diff := cmp.Diff(map[string]int{"evaluations": 2, "questions": 7, "passages": 1, "library_installs": 1}, o.count()); diff != "" {
		t.Error(diff)
	}
}

// count counts the school's records.
func (o *office) count() map[string]int {
	o.t.Helper()
	return do(o, o.school, func(ctx context.Context, tx *db.Tx) (map[string]int, error) {
		dbtest.AllNodes(o.t, tx)
		found := map[string]int{}
		for _, table := range []string{"evaluations", "questions", "passages", "library_installs"} {
			var n int
			err := tx.QueryRow(ctx, "select count(*) from "+table).Scan(&n)
			if err != nil {
				return nil, err
			}
			found[table] = n
		}
		return found, nil
	})
}

// The database refuses changes of published revisions, and additions to them.
func TestRevisionsNeverChange(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.furnish()
	r := o.publish()
	for _, sql := range []string{
		"update library_revisions set manifest_hash = repeat('0', 64) where tenant_id = $1 and id = $2", "delete from library_revisions where tenant_id = $1 and id = $2",
		"update library_entries set line = '{}' where tenant_id = $1 and revision_id = $2", "delete from library_entries where tenant_id = $1 and revision_id = $2",
		"insert into library_entries (tenant_id, revision_id, kind, position, ref, line) select tenant_id, id, 'term', 1000, 'a:b', '{}' from library_revisions where tenant_id = $1 and id = $2",
		"update library_contents set body = '{}' where tenant_id = $1 and $2::uuid is not null", "delete from library_contents where tenant_id = $1 and $2::uuid is not null",
		"update library_files set name = '' where tenant_id = $1 and $2::uuid is not null",
	} {
		_, err := try(o, o.head, func(ctx context.Context, tx *db.Tx) (int64, error) { return tx.Exec(ctx, sql, tx.Tenant(), r.ID) })
		if !forbidden(err) && !errors.Is(err, errs.VersionImmutable) {
			t.Errorf("%s: the database let it happen: %v", sql, err)
		}
	}
	_, err := try(o, o.head, func(ctx context.Context, tx *db.Tx) (pack.Revision, error) {
		return pack.Publish(ctx, tx, pack.ByLibrary{LibraryID: o.library})
	})
	if !errors.Is(err, errs.NothingToPublish) {
		t.Errorf("publishing again: %v", err)
	}
}

// forbidden says whether the database refused a statement because a right is missing.
func forbidden(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == "42501"
}

// An org unit sees packs that it owns or that are offered; it changes only its own, and installs within its reach.
func TestScope(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.furnish()
	r := o.publish()
	foreign := sample.Tenant(t, o.store)
	name := "Mine"
	for _, tt := range []struct {
		name string
		as   db.Scope
		do   func(context.Context, *db.Tx) error
	}{
		{"into an org unit out of reach", o.school, func(ctx context.Context, tx *db.Tx) error {
			_, err := pack.Install(ctx, tx, pack.InstallInput{RevisionInput: pack.ByRevision(r.LibraryID, r.ID), OrgUnitID: o.head.OrgUnit})
			return err
		}},
		{"a foreign tenant installs", foreign, func(ctx context.Context, tx *db.Tx) error {
			_, err := pack.Install(ctx, tx, pack.InstallInput{RevisionInput: pack.ByRevision(r.LibraryID, r.ID), OrgUnitID: foreign.OrgUnit})
			return err
		}},
		{"a foreign tenant looks", foreign, func(ctx context.Context, tx *db.Tx) error {
			_, err := pack.GetLineage(ctx, tx, pack.LineageInput{RevisionInput: pack.ByRevision(r.LibraryID, r.ID)})
			return err
		}},
		{"another org unit changes what is offered", o.school, func(ctx context.Context, tx *db.Tx) error {
			_, err := pack.UpdateLibrary(ctx, tx, pack.LibraryPatch{ByLibrary: pack.ByLibrary{LibraryID: r.LibraryID}, Name: &name})
			return err
		}},
		{"another org unit publishes", o.school, func(ctx context.Context, tx *db.Tx) error {
			_, err := pack.Publish(ctx, tx, pack.ByLibrary{LibraryID: r.LibraryID})
			return err
		}},
	} {
		_, err := try(o, tt.as, func(ctx context.Context, tx *db.Tx) (int, error) { return 0, tt.do(ctx, tx) })
		if !errors.Is(err, errs.NotFound) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	_, err := try(o, o.school, func(ctx context.Context, tx *db.Tx) (int64, error) {
		return tx.Exec(ctx, "update libraries set name = 'Mine' where tenant_id = $1 and id = $2", tx.Tenant(), r.LibraryID)
	})
	if !forbidden(err) {
		t.Errorf("the database lets another org unit change an offered library: %v", err)
	}
	offered := false
	do(o, o.head, func(ctx context.Context, tx *db.Tx) (pack.Library, error) {
		return pack.UpdateLibrary(ctx, tx, pack.LibraryPatch{ByLibrary: pack.ByLibrary{LibraryID: r.LibraryID}, Offered: &offered})
	})
	_, err = o.install(r, pack.InstallInput{})
	if !errors.Is(err, errs.NotFound) {
		t.Errorf("no longer offered: %v", err)
	}
}
