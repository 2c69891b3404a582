package session_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// preview runs in a read-only transaction, as its route does.
func (r *room) preview(as db.Scope, in session.PreviewInput) (session.Preview, error) {
	r.t.Helper()
	var p session.Preview
	err := r.store.Read(r.t.Context(), as, func(tx *db.Tx) error {
		var err error
		p, err = session.PreviewEvaluation(r.t.Context(), tx, in)
		return err
	})
	return p, err
}

// A preview with the seed of a session shows what the session shows, and earns what it earns.
func TestPreviewIsWhatASessionWouldBe(t *testing.T) {
	t.Parallel()
	r := drawnRoom(t)
	s := r.start(r.candidate)
	r.exec("update sessions set seed = 4711 where id = $1", s.ID)
	r.desk = session.NewDesk()
	open, err := r.get(r.candidate, s.ID)
	if err != nil {
		t.Fatal(err)
	}
	var answers []session.Answer
	for _, item := range open.Sections[0].Items {
		answers = append(answers, answer(item.ItemID, 1, `{"optionIds":["A"]}`))
	}
	seed := int64(4711)
	in := session.PreviewInput{EvaluationID: r.snapshot.EvaluationID, Version: "published", Seed: &seed, Answers: answers[1:]}
	before := r.rows()
	p, err := r.preview(r.operator, in)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, r.rows()); diff != "" {
		t.Errorf("rows by table (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(open.Sections, p.Session.Sections); diff != "" || p.Session.ID != ids.None {
		t.Errorf("session %s (-session +preview):\n%s", p.Session.ID, diff)
	}
	if diff := cmp.Diff(open.Passages, p.Session.Passages); diff != "" {
		t.Errorf("passages (-session +preview):\n%s", diff)
	}
	_, err = r.save(r.candidate, s.ID, answers[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	result, err := r.submit(r.candidate, s.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.Result.Score != *result.Score || p.Result.MaxScore != *result.MaxScore || string(p.Result.OutcomeCode) != result.OutcomeCode || len(p.Result.Items) != 5 {
		t.Errorf("preview %+v, submission %v of %v, %s", p.Result, *result.Score, *result.MaxScore, result.OutcomeCode)
	}
}

// rows counts the rows of every table.
func (r *room) rows() map[string]int {
	r.t.Helper()
	counts := map[string]int{}
	err := r.store.Read(r.t.Context(), r.operator, func(tx *db.Tx) error {
		dbtest.AllNodes(r.t, tx)
		tables, err := tx.Query(r.t.Context(), "select table_name::text from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'")
		if err != nil {
			return err
		}
		names, err := pgx.CollectRows(tables, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, name := range names {
			var n int
			err := tx.QueryRow(r.t.Context(), "select count(*) from "+pgx.Identifier{name}.Sanitize()).Scan(&n)
			if err != nil {
				return err
			}
			counts[name] = n
		}
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return counts
}

// A draft shows what could be published, and says what could not.
func TestPreviewOfADraft(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	var e authoring.Evaluation
	sample.Write(t, r.store, r.operator, func(tx *db.Tx) error {
		in := sample.EvaluationInput(sample.Question(t, tx, "A").ID, sample.Draft(t, tx, "A").ID)
		var err error
		e, err = authoring.CreateEvaluation(t.Context(), tx, in)
		return err
	})
	p, err := r.preview(r.operator, session.PreviewInput{EvaluationID: e.ID, LangQuery: authoring.LangQuery{Lang: "de"}})
	if err != nil {
		t.Fatal(err)
	}
	if p.Version != "draft" || len(p.Session.Sections[0].Items) != 1 || p.Result != nil || p.Session.Sections[0].Items[0].Stem.Locale != "de" {
		t.Errorf("got %+v", p)
	}
	if len(p.Problems) != 1 || p.Problems[0].Code != "question_not_published" || p.Problems[0].Path != "sections[0].items[1].questionId" {
		t.Errorf("problems: got %+v", p.Problems)
	}
}

func TestPreviewRefuses(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	published := r.snapshot.EvaluationID
	low, high := int64(-1), int64(1<<53)
	reader := r.person(capability.EvaluationsRead, capability.QuestionsRead)
	tests := []struct {
		name string
		as   db.Scope
		in   session.PreviewInput
		want errs.Code
	}{
		{"without questions.read", r.person(capability.EvaluationsRead), session.PreviewInput{EvaluationID: published}, errs.Forbidden},
		{"without evaluations.read", r.person(capability.QuestionsRead), session.PreviewInput{EvaluationID: published}, errs.Forbidden},
		{"no such evaluation", reader, session.PreviewInput{EvaluationID: ids.New()}, errs.NotFound},
		{"no draft", reader, session.PreviewInput{EvaluationID: published, Version: "draft"}, errs.NothingToPublish},
		{"unknown version", reader, session.PreviewInput{EvaluationID: published, Version: "old"}, errs.ValidationFailed},
		{"seed below", reader, session.PreviewInput{EvaluationID: published, Seed: &low}, errs.ValidationFailed},
		{"seed above", reader, session.PreviewInput{EvaluationID: published, Seed: &high}, errs.ValidationFailed},
		{"unknown item", reader, session.PreviewInput{EvaluationID: published, Answers: []session.Answer{answer(ids.New(), 1, "null")}}, errs.ValidationFailed},
		{"good", reader, session.PreviewInput{EvaluationID: published, Answers: []session.Answer{}}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := r.preview(test.as, test.in)
			if test.want == "" && err != nil || test.want != "" && !errors.Is(err, test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
