package access_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"assess/config"
	"assess/pkg/dev/await"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/mail"
	"assess/pkg/people/access"
	"assess/pkg/people/people"
)

// change updates the user of the house.
func (h *house) change(t *testing.T, patch people.UserPatch) {
	t.Helper()
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		_, err := people.UpdateUser(t.Context(), tx, h.user.ID, patch)
		return err
	})
}

func (h *house) proof(t *testing.T) ids.ID {
	t.Helper()
	var p access.Proof
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		var err error
		p, err = h.authority.IssueProof(t.Context(), tx, h.user.ID, access.ByOperator)
		return err
	})
	return p.ID
}

func TestANewAddressAndDeactivatingEndTokensLinksAndProofs(t *testing.T) {
	t.Parallel()
	address, deactivated, active := ids.New().String()+"@example.org", "deactivated", "active"
	for name, change := range map[string]func(*testing.T, *house){
		"address": func(t *testing.T, h *house) { h.change(t, people.UserPatch{Email: &address}) },
		"deactivated, and active again": func(t *testing.T, h *house) {
			h.change(t, people.UserPatch{Status: &deactivated})
			h.change(t, people.UserPatch{Status: &active})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, capability.Author)
			other := h.process(t)
			token, link, proof := h.token(t), h.mailed(t), h.proof(t)
			holds := func(a *access.Authority) bool {
				_, err := a.Authenticate(t.Context(), token)
				return err == nil
			}
			await.Until(t, "the processes follow", func() bool { return holds(h.authority) && holds(other) })
			change(t, h)
			await.Until(t, "the processes follow", func() bool { return !holds(h.authority) && !holds(other) })
			if _, err := h.authority.Redeem(t.Context(), link, ""); !errors.Is(err, errs.LinkInvalid) {
				t.Errorf("the link of before: got %v, want link_invalid", err)
			}
			scope := sample.As(h.scope, h.user.ID)
			scope.Proof = proof
			err := h.store.Write(t.Context(), scope, func(tx *db.Tx) error { return consume(t, tx) })
			if !errors.Is(err, errs.StepUpRequired) {
				t.Errorf("the proof of before: got %v, want step_up_required", err)
			}
			if _, err := h.authority.Authenticate(t.Context(), h.token(t)); err != nil {
				t.Errorf("a token of after: %v", err)
			}
		})
	}
}

// What changes neither address nor whether somebody may sign in leaves them signed in.
func TestOtherChangesSignNobodyOut(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	token, link := h.token(t), h.mailed(t)
	name, same := "Other", h.user.Email
	h.change(t, people.UserPatch{Name: &name, Email: &same, Metadata: &map[string]any{"team": "a"}})
	if _, err := access.NewAuthority(h.store, options()).Authenticate(t.Context(), token); err != nil {
		t.Error(err)
	}
	if _, err := h.authority.Redeem(t.Context(), link, ""); err != nil {
		t.Error(err)
	}
}

// A link that is requested while somebody is being signed out waits for that: otherwise it
// would be made behind the back of the code that deletes links.
func TestLinksWaitForSomebodyBeingSignedOut(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	deactivated, active := "deactivated", "active"
	var asked <-chan error
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		_, err := people.UpdateUser(t.Context(), tx, h.user.ID, people.UserPatch{Status: &deactivated})
		if err != nil {
			return err
		}
		asked = sample.Blocked(t, tx, func() error {
			return h.authority.RequestLink(t.Context(), access.LoginInput{Tenant: h.slug, Email: h.user.Email}, t.Name())
		})
		_, err = people.UpdateUser(t.Context(), tx, h.user.ID, people.UserPatch{Status: &active})
		return err
	})
	if err := <-asked; err != nil {
		t.Error(err)
	}
}

func TestTheFormerAddressIsToldOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	former, address := h.user.Email, ids.New().String()+"@example.org"
	h.change(t, people.UserPatch{Email: &address})
	told := h.tell(t)
	if len(told) != 1 {
		t.Fatalf("%d addresses to tell, want 1", len(told))
	}
	files, err := filepath.Glob(filepath.Join(h.mails, "*.eml"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%d mails, want 1: %v", len(files), err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), former) || strings.Contains(string(text), address) {
		t.Errorf("the mail goes elsewhere, or gives the new address away:\n%s", text)
	}
	if left := h.tell(t); len(left) != 0 {
		t.Errorf("%d addresses are still kept, want none", len(left))
	}
	h.work(t, told[0])
	if again, _ := filepath.Glob(filepath.Join(h.mails, "*.eml")); len(again) != 1 {
		t.Errorf("a second run of the job mails again: %d mails", len(again))
	}
}

// tell works on the jobs of all addresses that are kept.
func (h *house) tell(t *testing.T) []ids.ID {
	t.Helper()
	var kept []ids.ID
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		rows, err := tx.Query(t.Context(), "select id from former_addresses where tenant_id = $1", tx.Tenant())
		if err != nil {
			return err
		}
		kept, err = pgx.CollectRows(rows, pgx.RowTo[ids.ID])
		return err
	})
	for _, address := range kept {
		h.work(t, address)
	}
	return kept
}

func (h *house) work(t *testing.T, address ids.ID) {
	t.Helper()
	sender, err := mail.New(config.Mail{Mode: config.MailFolder, Folder: h.mails, From: "a@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	worker := &people.AddressTeller{Store: h.store, Sender: sender}
	err = worker.Work(t.Context(), &river.Job[people.TellFormerAddress]{Args: people.TellFormerAddress{Tenant: h.scope.Tenant, Address: address}})
	if err != nil {
		t.Fatal(err)
	}
}
