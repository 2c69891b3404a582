package pack_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/author/pack"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// twoVersions publishes a library of two evaluations of a question each, changes the first question, and publishes it again.
func twoVersions(t *testing.T) (*office, pack.Revision, pack.Revision) {
	t.Helper()
	o := newOffice(t)
	var first ids.ID
	do(o, o.head, func(ctx context.Context, tx *db.Tx) (int, error) {
		first = sample.Question(t, tx, "A").ID
		o.evaluations = []ids.ID{sample.Evaluation(t, tx, first).ID, sample.Evaluation(t, tx, sample.Question(t, tx, "B").ID).ID}
		o.library = sample.Library(t, tx, o.evaluations...).ID
		offered := true
		_, err := pack.UpdateLibrary(ctx, tx, pack.LibraryPatch{ByLibrary: pack.ByLibrary{LibraryID: o.library}, Offered: &offered})
		return 0, err
	})
	r1 := o.publish()
	do(o, o.head, func(ctx context.Context, tx *db.Tx) (authoring.Evaluation, error) {
		weight := 3.0
		_, err := authoring.UpdateQuestion(ctx, tx, first, authoring.QuestionPatch{Weight: &weight})
		if err == nil {
			_, err = authoring.PublishQuestion(ctx, tx, first)
		}
		if err == nil {
			_, err = authoring.CreateEvaluationVersion(ctx, tx, o.evaluations[0])
		}
		if err != nil {
			return authoring.Evaluation{}, err
		}
		return authoring.PublishEvaluation(ctx, tx, o.evaluations[0])
	})
	return o, r1, o.publish()
}

// An upgrade gives new versions to the records that differ, and changes nothing else.
func TestUpgradeChangesWhatDiffersAlone(t *testing.T) {
	t.Parallel()
	o, r1, r2 := twoVersions(t)
	before := o.mustInstall(r1, pack.InstallInput{})
	after := o.mustInstall(r2, pack.InstallInput{})
	if diff := cmp.Diff(pack.Counts{Evaluations: 1, Questions: 1}, after.Changed); diff != "" || after.Created != (pack.Counts{}) {
		t.Errorf("changed %+v, created %+v", after.Changed, after.Created)
	}
	for n := range before.Evaluations {
		if before.Evaluations[n].InstalledEvaluationID != after.Evaluations[n].InstalledEvaluationID {
			t.Errorf("evaluation %d is another record", n)
		}
	}
	if before.Evaluations[0].InstalledEvaluationVersionID == after.Evaluations[0].InstalledEvaluationVersionID ||
		before.Evaluations[1].InstalledEvaluationVersionID != after.Evaluations[1].InstalledEvaluationVersionID {
		t.Errorf("versions before %+v and after %+v", before.Evaluations, after.Evaluations)
	}
	copied := o.frozen(o.school, after.Evaluations[0].InstalledEvaluationID)
	if key := copied.Snapshot.Sections[0].Items[0].Key; key.Weight != 3 {
		t.Errorf("the new version has the weight %v", key.Weight)
	}
	back := o.mustInstall(r1, pack.InstallInput{})
	if back.Evaluations[0].InstalledEvaluationVersionID != before.Evaluations[0].InstalledEvaluationVersionID {
		t.Error("going back makes another version")
	}
	differences := do(o, o.school, func(ctx context.Context, tx *db.Tx) (db.List[pack.Difference], error) {
		return pack.Diff(ctx, tx, pack.DiffInput{RevisionInput: pack.ByRevision(r2.LibraryID, r2.ID)})
	})
	if differences.Total != 2 || differences.Items[0].Kind != "evaluation" || differences.Items[1].Change != "changed" || !differences.Items[1].IsContent {
		t.Errorf("differences %+v", differences)
	}
}

// If both sides changed a question, nothing happens until somebody decides; then the decision holds.
func TestConflicts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		take   string
		weight float64
	}{{pack.KeepLocal, 7}, {pack.TakePack, 3}} {
		t.Run(tt.take, func(t *testing.T) {
			t.Parallel()
			o, r1, r2 := twoVersions(t)
			installed := o.mustInstall(r1, pack.InstallInput{})
			copied := o.frozen(o.school, installed.Evaluations[0].InstalledEvaluationID).Pins[0].QuestionID
			do(o, o.school, func(ctx context.Context, tx *db.Tx) (authoring.Question, error) {
				weight := 7.0
				_, err := authoring.UpdateQuestion(ctx, tx, copied, authoring.QuestionPatch{Weight: &weight})
				if err != nil {
					return authoring.Question{}, err
				}
				return authoring.PublishQuestion(ctx, tx, copied)
			})
			before := o.everything()
			_, err := o.install(r2, pack.InstallInput{})
			if !errors.Is(err, errs.PackConflicts) {
				t.Fatalf("undecided: %v", err)
			}
			if diff := cmp.Diff(before, o.everything()); diff != "" {
				t.Errorf("an undecided install changed rows:\n%s", diff)
			}
			done := o.mustInstall(r2, pack.InstallInput{OnConflict: tt.take})
			if done.ConflictsTotal != 1 || done.Conflicts[0].CopyID != copied || done.Conflicts[0].Local != "published" {
				t.Errorf("conflicts %+v", done.Conflicts)
			}
			got := o.frozen(o.school, installed.Evaluations[0].InstalledEvaluationID)
			if weight := got.Snapshot.Sections[0].Items[0].Key.Weight; weight != tt.weight {
				t.Errorf("the evaluation shows the question with weight %v, want %v", weight, tt.weight)
			}
			again := o.mustInstall(r2, pack.InstallInput{})
			if !again.Unchanged {
				t.Errorf("again: %+v", again)
			}
		})
	}
}

// Uninstalling archives, and installing takes it into use again.
func TestUninstall(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.furnish()
	r := o.publish()
	installed := o.mustInstall(r, pack.InstallInput{})
	gone := do(o, o.school, func(ctx context.Context, tx *db.Tx) (pack.Uninstallation, error) {
		return pack.Uninstall(ctx, tx, pack.UninstallInput{ByLibrary: pack.ByLibrary{LibraryID: o.library}, OrgUnitID: o.school.OrgUnit}, inventory.ArchiveEvaluations)
	})
	if diff := cmp.Diff(pack.Counts{Evaluations: 2, Questions: 7, Passages: 1}, gone.Archived); diff != "" {
		t.Error(diff)
	}
	_, err := try(o, o.school, func(ctx context.Context, tx *db.Tx) (pack.Uninstallation, error) {
		return pack.Uninstall(ctx, tx, pack.UninstallInput{ByLibrary: pack.ByLibrary{LibraryID: o.library}, OrgUnitID: o.school.OrgUnit}, inventory.ArchiveEvaluations)
	})
	if !errors.Is(err, errs.NotFound) {
		t.Errorf("again: %v", err)
	}
	again := o.mustInstall(r, pack.InstallInput{})
	if diff := cmp.Diff(installed.Evaluations, again.Evaluations); diff != "" || again.Created != (pack.Counts{}) {
		t.Errorf("installed again: %+v\n%s", again.Created, diff)
	}
	e := do(o, o.school, func(ctx context.Context, tx *db.Tx) (pack.Evaluation, error) {
		return pack.GetEvaluation(ctx, tx, again.Evaluations[0].InstalledEvaluationID)
	})
	if e.Status != "published" || e.Pack == nil || e.Pack.RevisionNumber != 1 || e.Pack.State != "current" {
		t.Errorf("the evaluation is %s, from %+v", e.Status, e.Pack)
	}
}
