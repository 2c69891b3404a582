package session_test

import (
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
)

// From the author's question to the durable record, with nothing written past the
// operations.
func TestAuthoredEvaluationIsDelivered(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{})
	sample.Write(t, r.store, r.operator, func(tx *db.Tx) error {
		e := sample.Evaluation(t, tx, sample.Question(t, tx, "B").ID, sample.Question(t, tx, "A", "C").ID)
		published, err := authoring.PublishedVersion(t.Context(), tx, e.ID)
		if err != nil {
			return err
		}
		snapshot, err := authoring.LoadSnapshot(t.Context(), tx, published.EvaluationVersionID)
		r.snapshot = *snapshot
		return err
	})
	s := r.start(r.candidate)
	_, err := r.save(r.candidate, s.ID, sample.Answers(r.snapshot, `{"optionIds":["B"]}`, `{"optionIds":["C","A"]}`)...)
	if err != nil {
		t.Fatal(err)
	}
	result, err := r.submit(r.candidate, s.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	var record submission.Submission
	err = r.store.Read(t.Context(), r.operator, func(tx *db.Tx) error {
		record, err = submission.Get(t.Context(), tx, submission.GetInput{ID: s.ID})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if *result.Score != 2 || *record.Score != 2 || len(record.Items) != 2 || record.VersionSnapshot.EvaluationID != r.snapshot.EvaluationID {
		t.Errorf("answered %+v, recorded %+v", result, record)
	}
}

// A published version never changes, but a new one may be published while people sit at
// the old one.
func TestSessionKeepsItsVersion(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	s := r.start(r.candidate)
	old := r.snapshot
	sample.Write(t, r.store, r.operator, func(tx *db.Tx) error {
		r.snapshot = sample.Published(t, tx, authoring.Settings{}, sample.Choice("B"))
		_, err := tx.Exec(t.Context(), "update evaluations set published_id = $3 where tenant_id = $1 and id = $2", tx.Tenant(), old.EvaluationID, r.snapshot.EvaluationVersionID)
		return err
	})
	r.snapshot = old
	r.desk = session.NewDesk()
	_, err := r.save(r.candidate, s.ID, answer(r.item(0), 1, `{"optionIds":["A"]}`))
	if err != nil {
		t.Fatal(err)
	}
	result, err := r.submit(r.candidate, s.ID, nil)
	if err != nil || *result.Score != 1 {
		t.Errorf("got %+v, %v; want the score of the old key", result, err)
	}
}
