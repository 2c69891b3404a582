package pack_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/author/pack"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/surface/intake"
)

// The real bank, with questions in five other languages and pictures, goes out, into a second server and back.
func TestTheSharedBankTravels(t *testing.T) {
	t.Parallel()
	const english, foreign, pictures = 1841, 431, 3
	here, key := newOffice(t), newKey(t)
	total := 0
	wanted := here.bank("bank.csv", "bank_i18n.csv")
	do(here, here.head, func(_ context.Context, tx *db.Tx) (int, error) {
		for range pictures {
			wanted["en"] = append(wanted["en"], sample.Pictured(t, tx, sample.Image(t, tx, here.files).ID, ids.None).ID)
		}
		for _, language := range slices.Sorted(maps.Keys(wanted)) {
			here.evaluations, total = append(here.evaluations, sample.Evaluation(t, tx, wanted[language]...).ID), total+len(wanted[language])
		}
		here.library = sample.Library(t, tx, here.evaluations...).ID
		return 0, nil
	})
	others := total - len(wanted["en"])
	if total != english+foreign+pictures || others != foreign || len(wanted) != 6 {
		t.Errorf("%d questions, %d of them in other languages: %d languages", total, others, len(wanted))
	}
	r := here.publish()
	if r.Questions != total || r.Assets != pictures {
		t.Fatalf("the revision holds %d questions and %d files, want %d and %d", r.Questions, r.Assets, total, pictures)
	}
	file := here.export(here.head, pack.ByRevision(r.LibraryID, r.ID), key)
	there := officeOn(t, dbtest.Open(t, db.Options{URL: dbtest.Fresh(t).App}))
	got, err := there.take(there.school, file, key)
	if err != nil {
		t.Fatal(err)
	}
	done := do(there, there.school, func(ctx context.Context, tx *db.Tx) (pack.Installation, error) {
		return pack.Install(ctx, tx, pack.InstallInput{RevisionInput: pack.ByRevision(got.LibraryID, got.RevisionID), OrgUnitID: there.school.OrgUnit, CreateTerms: true})
	})
	if done.Created.Questions != total || done.Created.Evaluations != len(here.evaluations) || done.LostExternal != 0 {
		t.Errorf("installed %+v, %d without their external id", done.Created, done.LostExternal)
	}
	for n, e := range done.Evaluations {
		source, copied := here.named(here.head, here.frozen(here.head, here.evaluations[n])), there.named(there.school, there.frozen(there.school, e.InstalledEvaluationID))
		if source != copied {
			t.Errorf("evaluation %d (-source +copy):\n%.2000s", n, cmp.Diff(indented(source), indented(copied)))
		}
	}
	back := there.export(there.school, pack.ByRevision(got.LibraryID, got.RevisionID), key)
	home, err := here.take(here.school, back, key)
	if err != nil || home.ManifestHash != r.ManifestHash || got.ManifestHash != r.ManifestHash {
		t.Errorf("out %s, in %s, back %s, %v", r.ManifestHash, got.ManifestHash, home.ManifestHash, err)
	}
}

// bank imports files of the shared bank and publishes their questions, which it gives by language.
func (o *office) bank(files ...string) map[string][]ids.ID {
	o.t.Helper()
	dir := os.Getenv("ASSESS_TESTDATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "data")
	}
	var all []ids.ID
	byLanguage := map[string][]ids.ID{}
	for _, name := range files {
		data, err := os.ReadFile(filepath.Join(dir, "bank", name))
		if err != nil && os.Getenv("CI") == "" {
			o.t.Skipf("no real data: set ASSESS_TESTDATA to the folder that holds bank/%s", name)
		}
		if err != nil {
			o.t.Fatal(err)
		}
		do(o, o.head, func(ctx context.Context, tx *db.Tx) (intake.Commit, error) {
			return intake.CommitQuestions(ctx, tx, intake.Input{Data: data, CreateTerms: true})
		})
	}
	do(o, o.head, func(ctx context.Context, tx *db.Tx) (int, error) {
		rows, err := tx.Query(ctx, "select question_id, body -> 'stem' ->> 'defaultLocale' from question_versions where tenant_id = $1 and status = 'draft' order by 1", tx.Tenant())
		if err != nil {
			return 0, err
		}
		for rows.Next() {
			var id ids.ID
			var language string
			if err := rows.Scan(&id, &language); err != nil {
				return 0, err
			}
			all, byLanguage[language] = append(all, id), append(byLanguage[language], id)
		}
		rows.Close()
		_, err = authoring.PublishQuestions(ctx, tx, all)
		return 0, err
	})
	return byLanguage
}
