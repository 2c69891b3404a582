package erasure

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/people/people"
)

// A call that made or changed a person, and comes again with its key after they were forgotten, makes and changes
// nobody; a call with a key of its own makes somebody new.
func TestACallThatIsRepeatedDoesNotMakeAPersonAnew(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in := people.UserInput{Email: "otto.zaehringer@example.org", Name: "Otto Zähringer"}
	send := func(key string, do func(tx *db.Tx) (people.User, error)) (people.User, error) {
		var made people.User
		_, err := o.store.WriteOnce(t.Context(), o.operator, db.Key{Key: key, Method: "POST", Path: "/users"}, func(tx *db.Tx) (*db.Answer, error) {
			var err error
			made, err = do(tx)
			if err != nil {
				return nil, err
			}
			body, err := json.Marshal(made)
			return &db.Answer{Status: 201, Body: body}, err
		})
		return made, err
	}
	create := func(tx *db.Tx) (people.User, error) { return people.CreateUser(t.Context(), tx, in) }
	bring := func(tx *db.Tx) (people.User, error) {
		all, err := people.UpsertUsers(t.Context(), tx, []people.UserInput{in})
		if err != nil {
			return people.User{}, err
		}
		return people.User{ID: all[0].ID}, nil
	}
	otto, err := send("otto.zaehringer@example.org", create) // a key that names him, too
	if err == nil {
		_, err = send("a file", bring)
	}
	if err != nil {
		t.Fatal(err)
	}
	if done := o.forget(&person{User: otto}); done.Status != models.ComplianceCompleted || done.Partial {
		t.Fatalf("the job: %+v", done)
	}
	for key, call := range map[string]func(*db.Tx) (people.User, error){"otto.zaehringer@example.org": create, "a file": bring} {
		if again, err := send(key, call); !errors.Is(err, errs.SubjectErased) {
			t.Errorf("%s again: %+v, %v", key, again, err)
		}
	}
	if left := o.marks("otto.zaehringer"); len(left) > 0 {
		t.Errorf("the address stays in %v", left)
	}
	if other, err := send("of another year", create); err != nil || other.ID == otto.ID {
		t.Errorf("another call: %+v, %v", other, err)
	}
}

// A person without an address is forgotten by name, and by the address that they had before. Mail to others stays.
func TestSomebodyWithoutAnAddressIsForgotten(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	p, other := o.newPerson("Zoe"), o.newPerson("Ada")
	o.post(p)
	o.post(other)
	o.write(o.operator, func(tx *db.Tx) error {
		nothing := ""
		_, err := people.UpdateUser(t.Context(), tx, p.ID, people.UserPatch{Email: &nothing})
		return err
	})
	if done := o.forget(p); done.Status != models.ComplianceCompleted {
		t.Fatalf("got %+v", done)
	}
	if found := o.marks(p.word); len(found) > 0 {
		t.Errorf("left behind: %v", found)
	}
	if o.inFolders(p.word) {
		t.Error("a mail to the person is left")
	}
	if !o.inFolders(other.word) {
		t.Error("the mail to somebody else is gone")
	}
	var email string
	o.write(o.operator, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), "select email from users where tenant_id = $1 and id = $2", tx.Tenant(), p.ID).Scan(&email)
	})
	if !strings.HasSuffix(email, people.ErasedDomain) {
		t.Errorf("the record has %q, by which nobody sees that it was erased", email)
	}
}
