package pack_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/author/pack"
	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Schools install, upgrade, go back, uninstall and edit at once. No matter which comes first, the result is one whole revision,
// and there is no deadlock.
func TestRevisionsAtOnce(t *testing.T) {
	t.Parallel()
	o, anchor, rudder := wording(t)
	o.mustInstall(anchor, pack.InstallInput{})
	random := rand.New(rand.NewPCG(16, 18))
	for round := range 25 {
		var wait sync.WaitGroup
		failed := make([]error, 6)
		for n := range failed {
			revision, what := []pack.Revision{anchor, rudder}[random.IntN(2)], random.IntN(8)
			wait.Go(func() { failed[n] = o.oneOf(what, revision) })
		}
		wait.Wait()
		if err := errors.Join(failed...); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		o.mustInstall(anchor, pack.InstallInput{OnConflict: pack.TakePack}) // it may be installed already, with the school's changes
		o.mustInstall(rudder, pack.InstallInput{OnConflict: pack.TakePack})
		o.isWhole("rudder")
	}
	if n := o.deadlocks.Load(); n > 0 {
		t.Errorf("%d transactions waited for one another", n)
	}
}

// oneOf does something to the school's copy of the library. It is no failure if somebody else was faster.
func (o *office) oneOf(what int, revision pack.Revision) error {
	var err error
	switch what {
	case 0:
		_, err = try(o, o.school, func(ctx context.Context, tx *db.Tx) (pack.Uninstallation, error) {
			return pack.Uninstall(ctx, tx, pack.UninstallInput{ByLibrary: pack.ByLibrary{LibraryID: o.library}, OrgUnitID: o.school.OrgUnit}, inventory.ArchiveEvaluations)
		})
	case 1, 2:
		var e db.List[authoring.EvaluationSummary]
		err = o.store.Read(o.t.Context(), o.school, func(tx *db.Tx) error {
			e, err = authoring.ListEvaluations(o.t.Context(), tx, authoring.EvaluationFilter{})
			return err
		})
		if err != nil || len(e.Items) == 0 {
			return err
		}
		_, err = try(o, o.school, func(ctx context.Context, tx *db.Tx) (authoring.Evaluation, error) {
			title := "The keel"
			_, err = authoring.UpdateEvaluation(ctx, tx, e.Items[0].ID, authoring.EvaluationPatch{Title: &title})
			if err != nil || what == 2 {
				return authoring.Evaluation{}, err
			}
			return authoring.PublishEvaluation(ctx, tx, e.Items[0].ID)
		})
	case 3:
		var q db.List[authoring.QuestionSummary]
		err = o.store.Read(o.t.Context(), o.school, func(tx *db.Tx) error {
			q, err = authoring.ListQuestions(o.t.Context(), tx, authoring.QuestionFilter{})
			return err
		})
		if err != nil || len(q.Items) == 0 {
			return err
		}
		_, err = try(o, o.school, func(ctx context.Context, tx *db.Tx) (authoring.Question, error) {
			weight := 7.0
			_, err = authoring.UpdateQuestion(ctx, tx, q.Items[0].ID, authoring.QuestionPatch{Weight: &weight})
			if err != nil {
				return authoring.Question{}, err
			}
			return authoring.PublishQuestion(ctx, tx, q.Items[0].ID)
		})
	default:
		_, err = o.install(revision, pack.InstallInput{OnConflict: []string{"", pack.KeepLocal, pack.TakePack, pack.TakePack}[what-4]})
	}
	for _, code := range []errs.Code{errs.NotFound, errs.Archived, errs.PackConflicts, errs.NothingToPublish} {
		if errors.Is(err, code) {
			return nil
		}
	}
	return err
}

// isWhole says whether the school has one evaluation of one question, both as in the revision with the word, and one
// current install.
func (o *office) isWhole(word string) {
	o.t.Helper()
	want := map[string]int{"questions": 1, "evaluations": 1, "drafts": 0, "current": 1, "copies": 2, "strangers": 0}
	got := do(o, o.school, func(ctx context.Context, tx *db.Tx) (map[string]int, error) {
		found := map[string]int{}
		for name, sql := range map[string]string{
			"questions": "select count(*) from questions where tenant_id = $1 and status = 'published'", "evaluations": "select count(*) from evaluations where tenant_id = $1 and status = 'published'",
			"drafts":  "select (select count(*) from question_versions where tenant_id = $1 and status = 'draft') + (select count(*) from evaluation_versions where tenant_id = $1 and status = 'draft')",
			"current": "select count(*) from library_installs where tenant_id = $1 and state = 'current'", "copies": "select count(*) from library_copies where tenant_id = $1",
			"strangers": `select count(*) from library_copied_versions c where c.tenant_id = $1 and not exists (select from question_versions v where v.tenant_id = $1 and v.id = c.version_id)
				and not exists (select from evaluation_versions v where v.tenant_id = $1 and v.id = c.version_id)`,
		} {
			var n int
			err := tx.QueryRow(ctx, sql, tx.Tenant()).Scan(&n)
			if err != nil {
				return nil, err
			}
			found[name] = n
		}
		return found, nil
	})
	for name, n := range want {
		if got[name] != n {
			o.t.Errorf("%s: %d %s, want %d", word, got[name], name, n)
		}
	}
	if !o.shows(word) {
		o.t.Errorf("the evaluation does not show %s", word)
	}
	if e := o.evaluation(o.evaluationCopied()); e.Title != "The "+word || e.Draft != nil {
		o.t.Errorf("the evaluation is %q, draft %v", e.Title, e.Draft)
	}
}

// Of many installs of one revision at once one copies, and the others find it installed: in many rounds, for the first time
// and again after an uninstall.
func TestManyInstallsAtOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.furnish()
	r := o.publish()
	const callers = 6
	for round := range 10 {
		var wait sync.WaitGroup
		done, failed := make([]pack.Installation, callers), make([]error, callers)
		for n := range callers {
			wait.Go(func() { done[n], failed[n] = o.install(r, pack.InstallInput{}) })
		}
		wait.Wait()
		if err := errors.Join(failed...); err != nil {
			t.Fatal(err)
		}
		copied, installs := 0, map[ids.ID]bool{}
		for _, d := range done {
			installs[d.ID] = true
			if !d.Unchanged {
				copied++
			}
		}
		if copied != 1 || len(installs) != 1 {
			t.Errorf("round %d: %d installed, %d installs", round, copied, len(installs))
		}
		if got := o.count(); got["questions"] != 7 || got["evaluations"] != 2 || got["library_installs"] != 1 {
			t.Errorf("round %d: %v", round, got)
		}
		do(o, o.school, func(ctx context.Context, tx *db.Tx) (pack.Uninstallation, error) {
			return pack.Uninstall(ctx, tx, pack.UninstallInput{ByLibrary: pack.ByLibrary{LibraryID: o.library}, OrgUnitID: o.school.OrgUnit}, inventory.ArchiveEvaluations)
		})
	}
}
