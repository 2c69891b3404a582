package idp_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/models"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/idp"
	"assess/pkg/people/people"
)

func TestWhoseAddressCounts(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]struct {
		input  func(*idp.Input)
		claims map[string]any
		code   errs.Code
		reason string
		email  string
	}{
		"verified, of the domain": {claims: map[string]any{"email": "ADA@north.example", "email_verified": true}, email: "ADA@north.example"},
		"unverified":              {claims: map[string]any{"email": "ada@north.example", "email_verified": false}, code: errs.SignInRefused, reason: "email_unverified"},
		"nobody says":             {claims: map[string]any{"email": "ada@north.example"}, code: errs.SignInRefused, reason: "email_unverified"},
		"another domain":          {claims: map[string]any{"email": "ada@evil.example", "email_verified": true}, code: errs.SignInRefused, reason: "domain_not_allowed"},
		"a domain below":          {claims: map[string]any{"email": "ada@x.north.example", "email_verified": true}, code: errs.SignInRefused, reason: "domain_not_allowed"},
		"none at all":             {claims: map[string]any{}},
		"none is believed": {input: func(in *idp.Input) { in.EmailTrust = idp.TrustNever },
			claims: map[string]any{"email": "ada@north.example", "email_verified": true}},
		"only people who are here": {input: func(in *idp.Input) { in.Provisioning = idp.ProvisionOff },
			claims: map[string]any{"email": "ada@north.example", "email_verified": true}, code: errs.SignInRefused, reason: "no_account"},
		"only who was invited": {input: func(in *idp.Input) { in.Provisioning = idp.ProvisionInvited },
			claims: map[string]any{"email": "ada@north.example", "email_verified": true}, code: errs.SignInRefused, reason: "no_account"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change := step.input
			if change == nil {
				change = func(*idp.Input) {}
			}
			c := newCollege(t, change)
			c.provider.claims, c.provider.userInfo = step.claims, map[string]any{"sub": "s-1"}
			c.provider.claims["sub"], c.provider.claims["name"] = "s-1", "Ada"
			s, err := c.signIn()
			if step.code != "" {
				want(t, err, step.code, step.reason)
				return
			}
			if err != nil || s.User.Email != step.email {
				t.Errorf("got %+v, %v", s.User, err)
			}
		})
	}
}

func TestWhoIsHereIsLinkedByAddress(t *testing.T) {
	t.Parallel()
	c := newCollege(t, func(in *idp.Input) { in.Provisioning = idp.ProvisionOff })
	ada := c.user(people.UserInput{Email: "Ada@north.example", Roles: []string{capability.Candidate}})
	if s := c.mustSignIn(); s.User.ID != ada.ID {
		t.Errorf("got %s, want %s", s.User.ID, ada.ID)
	}
	// The address was given to somebody else.
	c.provider.claims["sub"] = "s-2"
	_, err := c.signIn()
	want(t, err, errs.AccountLinkNeeded, "")
	for _, role := range []string{capability.Author, capability.TenantAdmin} {
		c.user(people.UserInput{Email: role + "@north.example", Roles: []string{capability.Candidate, role}})
		c.provider.claims["sub"], c.provider.claims["email"] = role, role+"@north.example"
		_, err = c.signIn()
		want(t, err, errs.AccountLinkNeeded, "")
		c.provider.claims["email_verified"] = false
		_, err = c.signIn()
		want(t, err, errs.SignInRefused, "email_unverified")
		c.provider.claims["email_verified"] = true
	}
	// An administrator links them.
	admin := c.user(people.UserInput{Email: "boss@north.example", Roles: []string{capability.TenantAdmin}})
	c.write(func(tx *db.Tx) error {
		_, err := people.LinkAccount(t.Context(), tx, admin.ID, people.AccountInput{Provider: &c.idp.ID, Subject: "boss"})
		return err
	})
	c.provider.claims["sub"] = "boss"
	if s := c.mustSignIn(); s.User.ID != admin.ID {
		t.Errorf("got %s, want %s", s.User.ID, admin.ID)
	}
}

func TestASignInRevivesNobody(t *testing.T) {
	t.Parallel()
	c := newCollege(t)
	ada := c.mustSignIn().User
	bo := c.user(people.UserInput{Email: "bo@north.example"})
	c.write(func(tx *db.Tx) error {
		_, err := people.DeactivateUser(t.Context(), tx, ada.ID)
		if err == nil {
			_, err = people.DeactivateUser(t.Context(), tx, bo.ID)
		}
		return err
	})
	_, err := c.signIn()
	want(t, err, errs.SignInRefused, "deactivated")
	c.provider.claims["sub"], c.provider.claims["email"] = "s-2", "bo@north.example"
	_, err = c.signIn()
	want(t, err, errs.SignInRefused, "deactivated")
}

func TestWhoWasInvitedComesIn(t *testing.T) {
	t.Parallel()
	c := newCollege(t, func(in *idp.Input) { in.Provisioning = idp.ProvisionInvited })
	var invited []ids.ID
	c.write(func(tx *db.Tx) error {
		var err error
		invited, err = people.InviteAll(t.Context(), tx, []string{"ada@north.example"})
		return err
	})
	if s := c.mustSignIn(); s.User.ID != invited[0] || s.User.Status != models.UserActive || len(s.User.OrgUnits) != 1 {
		t.Errorf("got %+v", s.User)
	}
}

func TestClaimsPutPeopleIntoGroups(t *testing.T) {
	t.Parallel()
	c := newCollege(t)
	var red, blue, hand people.GroupDetail
	c.write(func(tx *db.Tx) error {
		for name, to := range map[string]*people.GroupDetail{"red": &red, "blue": &blue, "hand": &hand} {
			var err error
			*to, err = people.CreateGroup(t.Context(), tx, people.GroupInput{Name: name})
			if err != nil {
				return err
			}
		}
		return nil
	})
	c.update(idp.Patch{Groups: &[]models.ClaimedGroup{{Value: "R", GroupID: red.ID}, {Value: "B", GroupID: blue.ID}}})
	c.provider.claims["groups"] = []string{"R", "other"}
	ada := c.mustSignIn().User
	c.write(func(tx *db.Tx) error {
		_, err := people.AddMembers(t.Context(), tx, hand.ID, people.MembersInput{UserIDs: []ids.ID{ada.ID}})
		return err
	})
	in := func() (names []string) {
		c.write(func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), `select array(select g.name from group_members m join groups g on g.tenant_id = m.tenant_id and g.id = m.group_id
				where m.tenant_id = $1 and m.user_id = $2 order by g.name)`, tx.Tenant(), ada.ID).Scan(&names)
		})
		return names
	}
	if diff := cmp.Diff([]string{"hand", "red"}, in()); diff != "" {
		t.Error(diff)
	}
	c.provider.claims["groups"] = "B"
	c.mustSignIn()
	if diff := cmp.Diff([]string{"blue", "hand"}, in()); diff != "" {
		t.Error(diff)
	}
	delete(c.provider.claims, "groups")
	c.provider.userInfo = map[string]any{"sub": "s-1"}
	c.mustSignIn()
	if diff := cmp.Diff([]string{"hand"}, in()); diff != "" {
		t.Error(diff)
	}
}

func TestAccountsAreListedLinkedAndUnlinked(t *testing.T) {
	t.Parallel()
	c := newCollege(t)
	s := c.mustSignIn()
	list := func(user ids.ID) (all db.List[people.Account], err error) {
		err = c.store.Read(context.Background(), c.scope, func(tx *db.Tx) error {
			all, err = people.ListAccounts(t.Context(), tx, user, db.Page{})
			return err
		})
		return all, err
	}
	all, err := list(s.User.ID)
	if err != nil || len(all.Items) != 1 || all.Items[0].Subject != "s-1" || all.Items[0].SourceName != "North College" || all.Items[0].LastSeenAt == nil {
		t.Fatalf("got %+v, %v", all, err)
	}
	bo := c.user(people.UserInput{Email: "bo@north.example", Roles: []string{capability.Author}})
	few := sample.As(c.scope, ids.New(), capability.UsersManage, capability.SessionsTake)
	for name, step := range map[string]struct {
		scope db.Scope
		user  ids.ID
		input people.AccountInput
		code  errs.Code
	}{
		"taken":                          {c.scope, bo.ID, people.AccountInput{Provider: &c.idp.ID, Subject: "s-1"}, errs.AccountTaken},
		"of somebody mightier":           {few, bo.ID, people.AccountInput{Provider: &c.idp.ID, Subject: "s-9"}, errs.Forbidden},
		"of no provider":                 {c.scope, bo.ID, people.AccountInput{Provider: new(ids.New()), Subject: "s-9"}, errs.ValidationFailed},
		"without a subject":              {c.scope, bo.ID, people.AccountInput{Provider: &c.idp.ID}, errs.ValidationFailed},
		"of nobody":                      {c.scope, ids.New(), people.AccountInput{Provider: &c.idp.ID, Subject: "s-9"}, errs.NotFound},
		"by who does not manage anybody": {sample.As(c.scope, ids.New(), capability.UsersRead), bo.ID, people.AccountInput{Provider: &c.idp.ID, Subject: "s-9"}, errs.Forbidden},
	} {
		t.Log(name)
		err := c.store.Write(t.Context(), step.scope, func(tx *db.Tx) error {
			_, err := people.LinkAccount(t.Context(), tx, step.user, step.input)
			return err
		})
		want(t, err, step.code, "")
	}
	c.write(func(tx *db.Tx) error { return people.UnlinkAccount(t.Context(), tx, s.User.ID, all.Items[0].ID) })
	if _, err := c.authority.Authenticate(t.Context(), s.Token.Token); !errors.Is(err, errs.Unauthenticated) {
		t.Errorf("the token still holds: %v", err)
	}
	if all, err := list(s.User.ID); err != nil || len(all.Items) != 0 {
		t.Errorf("got %+v, %v", all, err)
	}
}
