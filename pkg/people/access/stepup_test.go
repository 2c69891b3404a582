package access_test

import (
	"errors"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/people/people"
)

func TestStepUpProofIsConsumedByTheCallThatItAuthorises(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	proof := func(user ids.ID) ids.ID {
		var p access.Proof
		sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
			var err error
			p, err = h.authority.IssueProof(t.Context(), tx, user, access.ByOperator)
			return err
		})
		return p.ID
	}
	use := func(p ids.ID) error {
		scope := sample.As(h.scope, h.user.ID)
		scope.Proof = p
		return h.store.Write(t.Context(), scope, func(tx *db.Tx) error { return consume(t, tx) })
	}
	good := proof(h.user.ID)
	if err := use(good); err != nil {
		t.Errorf("valid: %v", err)
	}
	expired := proof(h.user.ID)
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update step_up_proofs set expires_at = now() - interval '1 s' where tenant_id = $1 and id = $2", tx.Tenant(), expired)
		return err
	})
	var another people.User
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		var err error
		another, err = people.CreateUser(t.Context(), tx, people.UserInput{Email: ids.New().String() + "@example.org"})
		return err
	})
	for name, p := range map[string]ids.ID{"used": good, "none": ids.None, "unknown": ids.New(), "expired": expired, "another's": proof(another.ID)} {
		if err := use(p); !errors.Is(err, errs.StepUpRequired) {
			t.Errorf("%s: got %v, want step_up_required", name, err)
		}
	}
	failed := proof(h.user.ID)
	scope := sample.As(h.scope, h.user.ID)
	scope.Proof = failed
	boom := errors.New("boom")
	err := h.store.Write(t.Context(), scope, func(tx *db.Tx) error { return errors.Join(consume(t, tx), boom) })
	if !errors.Is(err, boom) {
		t.Fatal(err)
	}
	if err := use(failed); err != nil {
		t.Errorf("a call that failed consumed its proof: %v", err)
	}
}

func consume(t *testing.T, tx *db.Tx) error {
	_, err := tx.ConsumeProof(t.Context(), []string{access.ByMagicLink, access.ByOperator})
	return err
}
