package pack_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/author/pack"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// reword gives the question of the library another stem, and its evaluation another title, and publishes a revision.
func (o *office) reword(question ids.ID, word string) pack.Revision {
	o.t.Helper()
	do(o, o.head, func(ctx context.Context, tx *db.Tx) (authoring.Evaluation, error) {
		o.restate(ctx, tx, question, word)
		title := "The " + word
		_, err := authoring.UpdateEvaluation(ctx, tx, o.evaluations[0], authoring.EvaluationPatch{Title: &title})
		if err != nil {
			return authoring.Evaluation{}, err
		}
		return authoring.PublishEvaluation(ctx, tx, o.evaluations[0])
	})
	return o.publish()
}

// restate publishes a question with another stem.
func (o *office) restate(ctx context.Context, tx *db.Tx, question ids.ID, word string) {
	o.t.Helper()
	_, err := authoring.UpdateQuestion(ctx, tx, question, authoring.QuestionPatch{Stem: sample.Content("Where is the "+word+"?", "Wo?")})
	if err == nil {
		_, err = authoring.PublishQuestion(ctx, tx, question)
	}
	if err != nil {
		o.t.Fatal(err)
	}
}

// wording is an office whose library was published with one word and then with another.
func wording(t *testing.T) (o *office, anchor, rudder pack.Revision) {
	t.Helper()
	o = newOffice(t)
	var question ids.ID
	do(o, o.head, func(ctx context.Context, tx *db.Tx) (int, error) {
		question = sample.Question(t, tx, "A").ID
		o.evaluations = []ids.ID{sample.Evaluation(t, tx, question).ID}
		o.library = sample.Library(t, tx, o.evaluations...).ID
		offered := true
		_, err := pack.UpdateLibrary(ctx, tx, pack.LibraryPatch{ByLibrary: pack.ByLibrary{LibraryID: o.library}, Offered: &offered})
		return 0, err
	})
	anchor = o.reword(question, "anchor")
	return o, anchor, o.reword(question, "rudder")
}

// finds gives the number of questions and evaluations of the school that search finds by each word.
func (o *office) finds() map[string]string {
	o.t.Helper()
	found := map[string]string{}
	do(o, o.school, func(ctx context.Context, tx *db.Tx) (int, error) {
		for _, word := range []string{"anchor", "rudder", "keel"} {
			questions, err := authoring.ListQuestions(ctx, tx, authoring.QuestionFilter{Search: word})
			if err != nil {
				return 0, err
			}
			evaluations, err := authoring.ListEvaluations(ctx, tx, authoring.EvaluationFilter{Search: word})
			if err != nil {
				return 0, err
			}
			if questions.Total+evaluations.Total > 0 {
				found[word] = fmt.Sprintf("%d questions, %d evaluations", questions.Total, evaluations.Total)
			}
		}
		return 0, nil
	})
	return found
}

// Search finds the version that is used, whichever way the revisions go.
func TestSearchFollowsTheRevision(t *testing.T) {
	t.Parallel()
	o, anchor, rudder := wording(t)
	both := "1 questions, 1 evaluations"
	for _, step := range []struct {
		revision pack.Revision
		want     map[string]string
	}{{anchor, map[string]string{"anchor": both}}, {rudder, map[string]string{"rudder": both}}, {anchor, map[string]string{"anchor": both}}} {
		done := o.mustInstall(step.revision, pack.InstallInput{})
		if diff := cmp.Diff(step.want, o.finds()); diff != "" {
			t.Errorf("revision %d: %s", step.revision.RevisionNumber, diff)
		}
		e := o.evaluation(done.Evaluations[0].InstalledEvaluationID)
		if e.Title != e.Published.Title || e.Published.ID != done.Evaluations[0].InstalledEvaluationVersionID {
			t.Errorf("the evaluation is %q in version %s, its version %q; installed %+v", e.Title, e.Published.ID, e.Published.Title, done.Evaluations[0])
		}
	}
	copied := o.frozen(o.school, o.evaluationCopied()).Pins[0].QuestionID
	do(o, o.school, func(ctx context.Context, tx *db.Tx) (authoring.Evaluation, error) {
		o.restate(ctx, tx, copied, "keel")
		title := "The keel"
		return authoring.UpdateEvaluation(ctx, tx, o.evaluationIn(ctx, tx), authoring.EvaluationPatch{Title: &title})
	})
	o.mustInstall(rudder, pack.InstallInput{OnConflict: pack.TakePack})
	if diff := cmp.Diff(map[string]string{"rudder": both}, o.finds()); diff != "" {
		t.Errorf("after taking the pack: %s", diff)
	}
	if e := o.evaluation(o.evaluationCopied()); e.Draft != nil {
		t.Errorf("the draft is still there: %+v", e.Draft)
	}
	if n := o.drafts(); n != 0 {
		t.Errorf("%d drafts are left", n)
	}
}

func (o *office) drafts() int {
	o.t.Helper()
	return do(o, o.school, func(ctx context.Context, tx *db.Tx) (int, error) {
		var n int
		return n, tx.QueryRow(ctx, `select (select count(*) from question_versions where tenant_id = $1 and status = 'draft')
			+ (select count(*) from passage_versions where tenant_id = $1 and status = 'draft')
			+ (select count(*) from evaluation_versions where tenant_id = $1 and status = 'draft')`, tx.Tenant()).Scan(&n)
	})
}

func (o *office) evaluation(id ids.ID) pack.Evaluation {
	o.t.Helper()
	return do(o, o.school, func(ctx context.Context, tx *db.Tx) (pack.Evaluation, error) { return pack.GetEvaluation(ctx, tx, id) })
}

// evaluationCopied is the one evaluation of the school.
func (o *office) evaluationCopied() ids.ID {
	o.t.Helper()
	return do(o, o.school, func(ctx context.Context, tx *db.Tx) (ids.ID, error) { return o.evaluationIn(ctx, tx), nil })
}

func (o *office) evaluationIn(ctx context.Context, tx *db.Tx) ids.ID {
	o.t.Helper()
	all, err := authoring.ListEvaluations(ctx, tx, authoring.EvaluationFilter{})
	if err != nil || len(all.Items) != 1 {
		o.t.Fatalf("%d evaluations, %v", len(all.Items), err)
	}
	return all.Items[0].ID
}

// A question that was kept and is given up later is shown in the evaluation as in the pack, although the evaluation was
// installed in this version before.
func TestGivingUpWhatWasKept(t *testing.T) {
	t.Parallel()
	o, anchor, rudder := wording(t)
	o.mustInstall(anchor, pack.InstallInput{})
	copied := o.frozen(o.school, o.evaluationCopied()).Pins[0].QuestionID
	do(o, o.school, func(ctx context.Context, tx *db.Tx) (int, error) {
		o.restate(ctx, tx, copied, "keel")
		return 0, nil
	})
	kept := o.mustInstall(rudder, pack.InstallInput{OnConflict: pack.KeepLocal})
	if kept.Kept.Questions != 1 || !o.shows("keel") {
		t.Errorf("kept %+v", kept.Kept)
	}
	o.mustInstall(anchor, pack.InstallInput{OnConflict: pack.TakePack})
	if !o.shows("anchor") {
		t.Error("the evaluation does not show the earlier revision")
	}
	again := o.mustInstall(rudder, pack.InstallInput{})
	if again.Kept != (pack.Counts{}) || !o.shows("rudder") {
		t.Errorf("the evaluation does not show what the pack says, kept %+v", again.Kept)
	}
	if back := o.mustInstall(anchor, pack.InstallInput{}); back.Changed.Evaluations != 1 || !o.shows("anchor") {
		t.Errorf("back: %+v", back.Changed)
	}
}

// shows says whether the evaluation of the school has a word in its questions.
func (o *office) shows(word string) bool {
	o.t.Helper()
	raw, err := json.Marshal(o.frozen(o.school, o.evaluationCopied()).Snapshot.Questions)
	if err != nil {
		o.t.Fatal(err)
	}
	return strings.Contains(string(raw), word)
}

// If a later revision brings an older version, for an evaluation that pins it, it does not replace the newer one.
func TestAnOlderVersionComesLater(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	var question, first ids.ID
	do(o, o.head, func(ctx context.Context, tx *db.Tx) (int, error) {
		question = sample.Draft(t, tx, "A").ID
		o.restate(ctx, tx, question, "anchor")
		e := sample.Evaluation(t, tx, question)
		o.evaluations, first = []ids.ID{e.ID}, e.Published.ID
		o.restate(ctx, tx, question, "rudder")
		newer := sample.Evaluation(t, tx, question)
		o.library = sample.Library(t, tx, newer.ID).ID
		offered := true
		_, err := pack.UpdateLibrary(ctx, tx, pack.LibraryPatch{ByLibrary: pack.ByLibrary{LibraryID: o.library}, Offered: &offered})
		return 0, err
	})
	o.mustInstall(o.publish(), pack.InstallInput{})
	do(o, o.head, func(ctx context.Context, tx *db.Tx) (pack.Library, error) {
		return pack.AddItem(ctx, tx, pack.ItemInput{ByLibrary: pack.ByLibrary{LibraryID: o.library}, EvaluationID: o.evaluations[0], SourceEvaluationVersionID: &first})
	})
	done := o.mustInstall(o.publish(), pack.InstallInput{})
	if diff := cmp.Diff(pack.Counts{Evaluations: 1}, done.Created); diff != "" || done.Changed != (pack.Counts{}) {
		t.Errorf("created %+v, changed %+v", done.Created, done.Changed)
	}
	if diff := cmp.Diff(map[string]string{"rudder": "1 questions, 0 evaluations"}, o.finds()); diff != "" {
		t.Error(diff)
	}
	older := o.frozen(o.school, done.Evaluations[1].InstalledEvaluationID)
	if raw, err := json.Marshal(older.Snapshot.Questions); err != nil || !strings.Contains(string(raw), "anchor") {
		t.Errorf("the evaluation that pins the older version shows %s, %v", raw, err)
	}
}
