package policy_test

import (
	"slices"
	"sync"
	"testing"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
)

// Two submits of two sessions with one proof: it proves one of them, and the other session
// stays open until somebody proves themselves again.
func TestOneProofSubmitsOneSession(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for range 5 {
		as := o.proof(says(o.candidate, nil), access.ByMagicLink)
		one, two := o.session("L3", ""), o.session("L3", "")
		found, sessions := atOnce(as, one, two)
		refused := slices.IndexFunc(found, func(err error) bool { return err != nil })
		if refused < 0 || found[1-refused] != nil || !slices.Equal(wants(found[refused]), []string{"step_up_required"}) {
			t.Fatalf("got %v, want one of them refused", found)
		}
		if n := o.count("select count(*) from submissions where id = any($1)", sessions); n != 1 {
			t.Errorf("%d submissions, want 1", n)
		}
		if n := o.count("select count(*) from verifications where subject_id = any($1)", sessions); n != 1 {
			t.Errorf("%d verifications, want 1", n)
		}
		again := []func(db.Scope) (ids.ID, error){one, two}[refused]
		if _, err := again(o.proof(says(o.candidate, nil), access.ByMagicLink)); err != nil {
			t.Errorf("with another proof: %v", err)
		}
	}
}

// Pressing submit twice with the one proof that there is: both hear that the session is
// submitted.
func TestOneProofSubmitsASessionTwice(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for range 5 {
		as := o.proof(says(o.candidate, nil), access.ByMagicLink)
		submit := o.session("L3", "")
		found, sessions := atOnce(as, submit, submit)
		if found[0] != nil || found[1] != nil {
			t.Fatalf("got %v", found)
		}
		if n := o.count("select count(*) from verifications where subject_id = any($1)", sessions); n != 1 {
			t.Errorf("%d verifications, want 1", n)
		}
	}
}

// atOnce submits in parallel.
func atOnce(as db.Scope, submits ...func(db.Scope) (ids.ID, error)) ([]error, []ids.ID) {
	found, sessions := make([]error, len(submits)), make([]ids.ID, len(submits))
	var wg sync.WaitGroup
	for i, submit := range submits {
		wg.Go(func() { sessions[i], found[i] = submit(as) })
	}
	wg.Wait()
	return found, sessions
}
