package authoring_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func TestPublishFreezesTheDraft(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q := b.question(t, false, "A")
	got := must(t, b, authoring.PublishQuestion, q.ID)
	if got.Status != "published" || got.Draft != nil || got.Published.ID != q.Draft.ID || got.Published.PublishedAt == nil {
		t.Errorf("got %+v", got)
	}
	if diff := cmp.Diff(q.Draft.QuestionBody, got.Published.QuestionBody); diff != "" {
		t.Errorf("body changed (-draft +published):\n%s", diff)
	}
	if diff := cmp.Diff(got, must(t, b, authoring.GetQuestion, q.ID)); diff != "" {
		t.Errorf("read after publish (-published +read):\n%s", diff)
	}
	_, err := write(t, b, authoring.PublishQuestion, q.ID)
	wantCode(t, err, errs.NothingToPublish)
}

func TestTwoPublishesAtOnceMakeOneVersion(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q := b.question(t, true, "A")
	must(t, b, authoring.CreateQuestionVersion, q.ID)
	second := make(chan error, 1)
	sample.Write(t, b.Store, b.scope, func(tx *db.Tx) error {
		_, err := authoring.PublishQuestion(t.Context(), tx, q.ID)
		if err != nil {
			return err
		}
		go func() {
			_, err := write(t, b, authoring.PublishQuestion, q.ID)
			second <- err
		}()
		// Long enough for the second to read before the first has committed.
		time.Sleep(50 * time.Millisecond)
		return nil
	})
	wantCode(t, <-second, errs.NothingToPublish)
	if got := must(t, b, authoring.GetQuestion, q.ID); got.Published.Number != 2 || got.Draft != nil {
		t.Errorf("got %+v", got)
	}
}

func TestPublishWantsOptionsInTheLanguageOfTheStem(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	in := sample.QuestionInput("A")
	in.Options[2].Content = []byte(`{"defaultLocale":"fr","locales":{"fr":{"schemaVersion":"passage-rich-content/v1","type":"doc",
		"blocks":[{"type":"paragraph","children":[{"text":"Oui"}]}]}}}`)
	q := must(t, b, authoring.CreateQuestion, in)
	_, err := write(t, b, authoring.PublishQuestion, q.ID)
	wantFields(t, err, errs.PublishBlocked, "options[2].content missing_locale")
	_, err = write(t, b, authoring.PublishQuestions, []ids.ID{b.question(t, false, "A").ID, q.ID})
	wantFields(t, err, errs.PublishBlocked, "questions[1].options[2].content missing_locale")
}

func TestPublishQuestionsSkipsWhatHasNoDraft(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	draft, done := b.question(t, false, "A"), b.question(t, true, "B")
	got := must(t, b, authoring.PublishQuestions, []ids.ID{done.ID, draft.ID})
	if diff := cmp.Diff([]ids.ID{draft.ID}, got); diff != "" {
		t.Errorf("published (-want +got):\n%s", diff)
	}
	if now := must(t, b, authoring.GetQuestion, done.ID); now.Published.ID != done.Published.ID {
		t.Error("a question without a draft got another version")
	}
	_, err := write(t, b, authoring.PublishQuestions, []ids.ID{draft.ID, ids.New()})
	wantCode(t, err, errs.NotFound)
}

func TestAuthoringWritesLedgerEvents(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q := b.question(t, true, "A")
	must(t, b, b.updateQuestion(q.ID), authoring.QuestionPatch{Weight: ref(2.0)})
	e := must(t, b, authoring.CreateEvaluation, sample.EvaluationInput(q.ID))
	e = must(t, b, authoring.PublishEvaluation, e.ID)
	var got []string
	var hash string
	sample.Write(t, b.Store, b.scope, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), `
			select array_agg(event_type order by seq), max(payload ->> 'snapshotHash')
			from ledger_events where tenant_id = $1 and subject_id in ($2, $3)`, tx.Tenant(), q.ID, e.ID).Scan(&got, &hash)
	})
	want := []string{"question.created", "question.published", "question.updated", "evaluation.created", "evaluation.published"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if hash != e.Published.SnapshotHash {
		t.Errorf("the event says %q, the version %q", hash, e.Published.SnapshotHash)
	}
}
