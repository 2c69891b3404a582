package session_test

import (
	"testing"
	"time"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// Answers say when their item was begun, the earliest time counts, and it gives the time on the
// item where no other is known.
func TestAnswersSayWhenTheirItemWasBegun(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"), sample.Choice("A"))
	s := r.start(r.candidate)
	r.exec("update sessions set started_at = later_by(started_at, -3600) where id = $1", s.ID)
	r.desk = session.NewDesk()
	opened := s.StartedAt.Add(-time.Hour)
	began := func(sequence int64, after time.Duration) session.Answer {
		a, at := answer(r.item(0), sequence, choseA), opened.Add(after)
		a.StartedAt = &at
		return a
	}
	for _, a := range [][]session.Answer{{began(1, 20*time.Minute)}, {began(3, 12*time.Minute), began(2, 10*time.Minute)},
		{answer(r.item(0), 4, choseA)}, {began(5, 15*time.Minute)}, {answer(r.item(1), 1, choseA)}} {
		if _, err := r.save(r.candidate, s.ID, a...); err != nil {
			t.Fatal(err)
		}
	}
	want := opened.Add(10 * time.Minute)
	now, err := r.get(r.candidate, s.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range now.Answers {
		if known := a.ItemID == r.item(0); known != (a.StartedAt != nil) || known && !a.StartedAt.Equal(want) {
			t.Errorf("item %s was begun %v, want %v", a.ItemID, a.StartedAt, want)
		}
	}
	if _, err := r.submit(r.candidate, s.ID, nil); err != nil {
		t.Fatal(err)
	}
	var ms *int64
	sample.Write(t, r.store, r.operator, func(tx *db.Tx) error {
		record, err := submission.Get(t.Context(), tx, submission.GetInput{ID: s.ID})
		if err != nil {
			return err
		}
		if got := record.Items[0].StartedAt; got == nil || !got.Equal(want) || record.Items[1].StartedAt != nil {
			t.Errorf("the record says %v and %v, want %v and nothing", got, record.Items[1].StartedAt, want)
		}
		_, err = projection.ProjectBatch(t.Context(), tx, 100)
		if err != nil {
			return err
		}
		return tx.QueryRow(t.Context(), "select time_on_item_ms from report_item_attempts_flat where tenant_id = $1 and submission_item_id = $2",
			tx.Tenant(), record.Items[0].ID).Scan(&ms)
	})
	if ms == nil || *ms < (50*time.Minute).Milliseconds() || *ms > (60*time.Minute).Milliseconds() {
		t.Errorf("the reports say %v ms on the item", ms)
	}
}

// A clock that is wrong costs no answer: an item begins within its session.
func TestAWrongClockCostsNoAnswer(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"), sample.Choice("A"))
	s := r.start(r.candidate)
	early, future := answer(r.item(0), 1, choseA), answer(r.item(1), 1, choseA)
	dayBefore, dayAfter := s.StartedAt.AddDate(0, 0, -1), s.StartedAt.AddDate(0, 0, 1)
	early.StartedAt, future.StartedAt = &dayBefore, &dayAfter
	saved, err := r.save(r.candidate, s.ID, early, future)
	if err != nil {
		t.Fatal(err)
	}
	now, err := r.get(r.candidate, s.ID)
	if err != nil {
		t.Fatal(err)
	}
	want := map[ids.ID]time.Time{r.item(0): s.StartedAt, r.item(1): saved.SavedAt}
	for _, a := range now.Answers {
		if a.StartedAt == nil || a.StartedAt.Sub(want[a.ItemID]).Abs() > time.Millisecond {
			t.Errorf("item %s was begun %v, want %v", a.ItemID, a.StartedAt, want[a.ItemID])
		}
	}
}
