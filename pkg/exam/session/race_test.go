package session_test

import (
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
)

func TestParallelSubmitsMakeOneSubmission(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"), sample.Choice("B"))
	s := r.start(r.candidate)
	fresh := make(chan bool, 8)
	together(8, func(int) {
		result, err := r.submit(r.candidate, s.ID, nil)
		if err != nil {
			t.Error(err)
		}
		fresh <- !result.AlreadyComplete
	})
	close(fresh)
	n := 0
	for f := range fresh {
		if f {
			n++
		}
	}
	var submissions, items, outbox int
	r.scan(`select (select count(*) from submissions where tenant_id = $1 and id = $2),
		(select count(*) from submission_items where tenant_id = $1 and submission_id = $2),
		(select count(*) from projection_outbox where tenant_id = $1 and subject_id = $2 and kind = 'submission')`, s.ID,
		&submissions, &items, &outbox)
	if got, want := [4]int{n, submissions, items, outbox}, [4]int{1, 1, 2, 1}; got != want {
		t.Errorf("got fresh answers, submissions, items, outbox rows %v, want %v", got, want)
	}
}

// Every answer that was acknowledged is in the submission; every one that was not, is not.
func TestSaveAgainstSubmitLosesNoAcknowledgedAnswer(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	for range 12 {
		s := r.start(r.candidate)
		acknowledged := make(chan int64, 16)
		together(5, func(i int) {
			if i == 4 {
				_, err := r.submit(r.candidate, s.ID, nil)
				if err != nil {
					t.Error(err)
				}
				return
			}
			for n := range 4 {
				sequence := int64(4*n + i + 1)
				_, err := r.save(r.candidate, s.ID, answer(r.item(0), sequence, `{"optionIds":["`+string("ABCD"[sequence%4])+`"]}`))
				switch {
				case err == nil:
					acknowledged <- sequence
				case errs.Of(err).Code != errs.SessionNotOpen:
					t.Error(err)
				}
			}
		})
		close(acknowledged)
		var newest int64
		for sequence := range acknowledged {
			newest = max(newest, sequence)
		}
		want := ""
		if newest > 0 {
			want = string("ABCD"[newest%4])
		}
		var got string
		r.scan(`select coalesce(response->'optionIds'->>0, '') from submission_items where tenant_id = $1 and submission_id = $2`, s.ID, &got)
		if got != want {
			t.Fatalf("submitted %q, acknowledged last %q (sequence %d)", got, want, newest)
		}
	}
}

// More time that was given before the deadline counts, although the submit after it was there
// before the transaction that gives it had ended.
func TestLateSubmitKeepsTheTimeThatSomebodyGives(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{TimeLimitSeconds: ptr(600)}, sample.Choice("A"))
	s := r.start(r.candidate)
	r.overrun(s.ID)
	done := make(chan error, 1)
	sample.Write(t, r.store, r.operator, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update sessions set deadline_at = later_by(deadline_at, 3600) where tenant_id = $1 and id = $2", tx.Tenant(), s.ID)
		if err != nil {
			return err
		}
		go func() {
			_, err := r.submit(r.candidate, s.ID, nil)
			done <- err
		}()
		sample.AwaitBlocked(t, tx)
		return nil
	})
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	var method string
	r.scan("select completion_method from submissions where tenant_id = $1 and id = $2", s.ID, &method)
	if method != "submitted" {
		t.Errorf("the session ended as %s, at the deadline that it no longer had", method)
	}
}
