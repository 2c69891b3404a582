package idp_test

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"

	"assess/models"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/idp"
	"assess/pkg/people/people"
)

func TestTheSecretIsSealedAndUsed(t *testing.T) {
	t.Parallel()
	c := newCollege(t)
	c.provider.secret = "hunter2hunter2"
	_, err := c.signIn()
	want(t, err, errs.SignInRefused, "provider_answer")
	var row []byte
	c.write(func(tx *db.Tx) error {
		_, err := idp.SetSecret(t.Context(), tx, c.authority, c.idp.ID, idp.Secret{Secret: "hunter2hunter2"})
		if err != nil {
			return err
		}
		return tx.QueryRow(t.Context(), "select sealed_secret from identity_providers where tenant_id = $1", tx.Tenant()).Scan(&row)
	})
	if len(row) == 0 || strings.Contains(string(row), "hunter2") {
		t.Errorf("stored as %q", row)
	}
	c.mustSignIn()
	// Changing something else keeps it.
	c.update(idp.Patch{Name: ptr("South College")})
	c.mustSignIn()
}

func TestWhatAProviderMayGive(t *testing.T) {
	t.Parallel()
	c := newCollege(t)
	roles := map[string]ids.ID{}

	c.write(func(tx *db.Tx) error {
		for _, key := range []string{capability.Candidate, capability.Author, capability.TenantAdmin, capability.BillingAdmin} {
			role, err := people.FindRole(t.Context(), tx, key)
			if err != nil {
				return err
			}
			roles[key] = role.ID
		}
		return nil
	})

	all := make([]capability.Capability, len(capability.All))
	for i, e := range capability.All {
		all[i] = e.Capability
	}
	admin := sample.As(c.scope, c.user(people.UserInput{Name: "Admin"}).ID, all...)
	few := sample.As(c.scope, c.user(people.UserInput{Name: "Few"}).ID, capability.IntegrationsManage, capability.SessionsTake, capability.GroupsJoin)
	make := func(scope db.Scope, change func(*idp.Input)) error {
		input := idp.Input{Slug: "x" + strings.ToLower(rand.Text()), Name: "X", Issuer: c.provider.URL, ClientID: "assess", OrgUnitID: c.scope.OrgUnit}
		change(&input)
		return c.store.Write(t.Context(), scope, func(tx *db.Tx) error {
			_, err := idp.Create(t.Context(), tx, input)
			return err
		})
	}
	role := func(key string) func(*idp.Input) { return func(in *idp.Input) { in.RoleIDs = []ids.ID{roles[key]} } }
	for name, step := range map[string]struct {
		scope  db.Scope
		change func(*idp.Input)
		path   string
	}{
		"a role that one holds":   {few, role(capability.Candidate), ""},
		"a role beyond one's own": {few, role(capability.Author), "roleIds[0]"},
		"Tenant Admin":            {admin, role(capability.TenantAdmin), "roleIds[0]"},
		"Billing Admin":           {admin, role(capability.BillingAdmin), "roleIds[0]"},
		"by an operator":          {c.scope, role(capability.TenantAdmin), ""},
		"no such role":            {admin, func(in *idp.Input) { in.RoleIDs = []ids.ID{ids.New()} }, "roleIds[0]"},
		"no such org unit":        {admin, func(in *idp.Input) { in.OrgUnitID = ids.New() }, "orgUnitId"},
		"no such group":           {admin, func(in *idp.Input) { in.Groups = []models.ClaimedGroup{{Value: "x", GroupID: ids.New()}} }, "groups[0].groupId"},
		"everybody of Microsoft":  {admin, func(in *idp.Input) { in.Issuer = "https://login.microsoftonline.com/common/v2.0" }, "issuer"},
		"one tenant of Microsoft": {admin, func(in *idp.Input) {
			in.Issuer = "https://login.microsoftonline.com/8a3e0000-0000-4000-8000-000000000000/v2.0"
		}, ""},
		"without encryption":        {admin, func(in *idp.Input) { in.Issuer = "http://login.example.org" }, "issuer"},
		"trust without a domain":    {admin, func(in *idp.Input) { in.EmailTrust = idp.TrustVerified }, "domains"},
		"a domain that is none":     {admin, func(in *idp.Input) { in.Domains = []string{"a b"} }, "domains[0]"},
		"a slug that is none":       {admin, func(in *idp.Input) { in.Slug = "A b" }, "slug"},
		"a scope that is none":      {admin, func(in *idp.Input) { in.Scopes = []string{"a b"} }, "scopes[1]"},
		"a word that is no choice":  {admin, func(in *idp.Input) { in.Provisioning = "always" }, "provisioning"},
		"a trust that is no choice": {admin, func(in *idp.Input) { in.EmailTrust = "always" }, "emailTrust"},
	} {
		t.Log(name)
		err := make(step.scope, step.change)
		switch {
		case step.path == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case step.path != "" && (!errors.Is(err, errs.ValidationFailed) || !strings.Contains(mention(err), step.path)):
			t.Errorf("%s: got %v, want a problem of %s", name, mention(err), step.path)
		}
	}
	want(t, make(sample.As(c.scope, ids.New(), capability.IntegrationsRead), func(*idp.Input) {}), errs.Forbidden, "")
}

func mention(err error) string {
	var paths []string
	if err != nil {
		for _, f := range errs.Of(err).Fields {
			paths = append(paths, f.Path)
		}
	}
	return strings.Join(paths, " ")
}

func TestTheIssuerStaysOnceSomebodyHasAnAccount(t *testing.T) {
	t.Parallel()
	c := newCollege(t)
	other := newIdentityProvider(t)
	change := func() error {
		return c.store.Write(t.Context(), c.scope, func(tx *db.Tx) error {
			_, err := idp.Update(t.Context(), tx, c.idp.ID, idp.Patch{Issuer: &other.URL})
			return err
		})
	}
	if err := change(); err != nil {
		t.Fatal(err)
	}
	c.update(idp.Patch{Issuer: &c.provider.URL})
	c.mustSignIn()
	want(t, change(), errs.ValidationFailed, "")
}

func TestTheTestSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	c := newCollege(t)
	tested := func(desk *idp.Desk) idp.Tested {
		t.Helper()
		got, err := desk.Test(t.Context(), c.scope, c.idp.ID)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := tested(c.desk); !got.OK || got.RedirectURI != "https://assess.example.org/api/v1/auth/oidc/callback" {
		t.Errorf("got %+v", got)
	}
	says := func(got idp.Tested, words string) {
		t.Helper()
		var all []string
		for _, check := range got.Checks {
			if !check.OK {
				all = append(all, check.Message)
			}
		}
		if got.OK || !strings.Contains(strings.Join(all, " "), words) {
			t.Errorf("got %q, want %q", all, words)
		}
	}
	c.provider.config = map[string]any{"issuer": c.provider.URL + "/"}
	says(tested(c.desk), "names another issuer")
	c.provider.config = map[string]any{"code_challenge_methods_supported": []string{"plain"}, "token_endpoint_auth_methods_supported": []string{"client_secret_post"}}
	says(tested(c.desk), "PKCE")
	says(tested(c.desk), "none is set")
	c.provider.config, c.provider.broken = map[string]any{}, map[string]int{"/keys": 404}
	says(tested(c.desk), "Its keys cannot be read: it answers with the status 404")
	c.provider.broken = map[string]int{"/.well-known/openid-configuration": 302}
	says(tested(c.desk), "redirect")
	c.provider.broken = nil
	strict := idp.NewDesk(c.store, c.authority, outgoingDefault(), "https://assess.example.org")
	says(tested(strict), "does not call its address")
	c.provider.Close()
	says(tested(c.desk), "cannot be reached")
}
