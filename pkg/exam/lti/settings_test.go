package lti_test

import (
	"strings"
	"testing"

	"assess/models"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/lms"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/lti"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func TestAPlatformRegistersItselfOnce(t *testing.T) {
	t.Parallel()
	c := newCampus(t, func(input *lti.PlatformInput) { input.ClientID = "older" })
	ticket := func() string {
		t.Helper()
		var r lti.Registration
		c.write(func(tx *db.Tx) error {
			var err error
			r, err = lti.CreateRegistration(t.Context(), tx)
			return err
		})
		return query(t, strings.TrimPrefix(r.URL, base)).Get("ticket")
	}
	at := c.lms.URL + "/.well-known/openid-configuration"
	register := func(input lti.RegisterInput) (lti.Platform, error) {
		return c.desk.Register(t.Context(), input, "192.0.2.1")
	}
	mine := ticket()
	for name, wrong := range map[string]struct {
		input lti.RegisterInput
		code  errs.Code
	}{
		"no ticket":           {lti.RegisterInput{Configuration: at, Token: lms.RegistrationToken}, errs.LinkInvalid},
		"no configuration":    {lti.RegisterInput{Ticket: mine, Token: lms.RegistrationToken}, errs.LTIPlatformUnavailable},
		"not by HTTPS":        {lti.RegisterInput{Ticket: mine, Configuration: "http://127.0.0.1/", Token: lms.RegistrationToken}, errs.LTIPlatformUnavailable},
		"another's addresses": {lti.RegisterInput{Ticket: mine, Configuration: "https://169.254.169.254/latest", Token: lms.RegistrationToken}, errs.LTIPlatformUnavailable},
		"no token":            {lti.RegisterInput{Ticket: mine, Configuration: at}, errs.LTIPlatformUnavailable},
	} {
		t.Log(name)
		_, err := register(wrong.input)
		want(t, err, wrong.code, "")
	}
	for _, change := range []map[string]any{{"issuer": "https://evil.example"}, {"token_endpoint": "http://evil.example/"}, {"jwks_uri": ""}} {
		c.lms.Configuration = change
		_, err := register(lti.RegisterInput{Ticket: mine, Configuration: at, Token: lms.RegistrationToken})
		want(t, err, errs.LTIPlatformUnavailable, "")
	}
	c.lms.Configuration = nil
	made, err := register(lti.RegisterInput{Ticket: mine, Configuration: at, Token: lms.RegistrationToken})
	if err != nil || made.ClientID != lms.ClientID || made.Issuer != c.lms.URL || made.Audience != c.lms.URL || made.Identity != lti.IdentityCreate {
		t.Fatalf("got %+v, %v", made, err)
	}
	if got := c.lms.Registered; got["initiate_login_uri"] != base+"/api/v1/lti/login/"+c.tenant || got["jwks_uri"] != base+"/api/v1/lti/keys/"+c.tenant ||
		got["token_endpoint_auth_method"] != "private_key_jwt" {
		t.Errorf("it says %+v", got)
	}
	_, err = register(lti.RegisterInput{Ticket: mine, Configuration: at, Token: lms.RegistrationToken})
	want(t, err, errs.LinkInvalid, "")
	// The deployment waits for an administrator.
	c.allow()
	c.mustLaunch(ada)
	late := ticket()
	c.write(func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update lti_registrations set expires_at = now() - interval '1 second' where tenant_id = $1", tx.Tenant())
		return err
	})
	_, err = register(lti.RegisterInput{Ticket: late, Configuration: at, Token: lms.RegistrationToken})
	want(t, err, errs.LinkInvalid, "")
}

func TestDeploymentsAreAllowedAndBlocked(t *testing.T) {
	t.Parallel()
	c := newCampus(t).allow()
	c.mustLaunch(ada)
	c.write(func(tx *db.Tx) error {
		all, err := lti.ListDeployments(t.Context(), tx, lti.DeploymentFilter{PlatformID: c.platform.ID})
		if err != nil || len(all.Items) != 1 {
			t.Fatalf("got %+v, %v", all.Items, err)
		}
		other := sample.OrgUnit(t, tx, "west-"+ids.New().String())
		id := all.Items[0].ID
		_, err = lti.AllowDeployment(t.Context(), tx, id, lti.AllowInput{OrgUnitID: other.ID})
		want(t, err, errs.ValidationFailed, "")
		_, err = lti.AllowDeployment(t.Context(), tx, id, lti.AllowInput{OrgUnitID: ids.New()})
		want(t, err, errs.ValidationFailed, "")
		_, err = lti.BlockDeployment(t.Context(), tx, id)
		return err
	})
	_, err := c.launch(ada)
	want(t, err, errs.LTILaunchRefused, "unknown_deployment")
}

func TestWhoMayConnectPlatforms(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	var author, admin ids.ID
	c.write(func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), "select (select id from roles where tenant_id = $1 and system_key = 'author'), (select id from roles where tenant_id = $1 and system_key = 'tenant_admin')",
			tx.Tenant()).Scan(&author, &admin)
	})
	as := func(holds ...capability.Capability) db.Scope { return sample.As(c.scope, ids.New(), holds...) }
	for name, try := range map[string]struct {
		scope  db.Scope
		change func(*lti.PlatformInput)
		code   errs.Code
	}{
		"nobody":             {as(), func(*lti.PlatformInput) {}, errs.Forbidden},
		"who only reads":     {as(capability.IntegrationsRead), func(*lti.PlatformInput) {}, errs.Forbidden},
		"a role they lack":   {as(capability.IntegrationsManage), func(i *lti.PlatformInput) { i.Roles = []models.LTIRole{{Role: "Instructor", RoleID: author}} }, errs.ValidationFailed},
		"an administrator":   {as(everything()...), func(i *lti.PlatformInput) { i.Roles = []models.LTIRole{{Role: "Instructor", RoleID: admin}} }, errs.ValidationFailed},
		"no such role":       {c.scope, func(i *lti.PlatformInput) { i.Roles = []models.LTIRole{{Role: "Instructor", RoleID: ids.New()}} }, errs.ValidationFailed},
		"not by HTTPS":       {c.scope, func(i *lti.PlatformInput) { i.KeysURL = "http://evil.example" }, errs.ValidationFailed},
		"a password in it":   {c.scope, func(i *lti.PlatformInput) { i.TokenURL = "https://a:b@evil.example" }, errs.ValidationFailed},
		"identity of a kind": {c.scope, func(i *lti.PlatformInput) { i.Identity = "email" }, errs.ValidationFailed},
	} {
		t.Log(name)
		input := c.input()
		input.ClientID = "another"
		try.change(&input)
		err := c.store.Write(t.Context(), try.scope, func(tx *db.Tx) error {
			_, err := lti.CreatePlatform(t.Context(), tx, input)
			return err
		})
		want(t, err, try.code, "")
	}
	c.write(func(tx *db.Tx) error {
		same, err := lti.UpdatePlatform(t.Context(), tx, c.platform.ID, lti.PlatformPatch{Name: new("Moodle")})
		if err != nil || !same.UpdatedAt.Equal(c.platform.UpdatedAt) {
			t.Errorf("got %+v, %v", same, err)
		}
		changed, err := lti.UpdatePlatform(t.Context(), tx, c.platform.ID, lti.PlatformPatch{Name: new("Canvas"), UpdatedAt: &c.platform.UpdatedAt})
		if err != nil || changed.Name != "Canvas" {
			t.Errorf("got %+v, %v", changed, err)
		}
		_, err = lti.UpdatePlatform(t.Context(), tx, c.platform.ID, lti.PlatformPatch{Name: new("Sakai"), UpdatedAt: &c.platform.UpdatedAt})
		want(t, err, errs.StaleUpdate, "")
		return nil
	})
}

func everything() []capability.Capability {
	var all []capability.Capability
	for _, e := range capability.All {
		all = append(all, e.Capability)
	}
	return all
}

func TestKeysRotate(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	first := c.keys()
	if len(first) != 1 || len(c.keys()) != 1 {
		t.Fatalf("got %d keys, want 1", len(first))
	}
	rotate := func() {
		t.Helper()
		c.write(func(tx *db.Tx) error {
			_, err := lti.RotateKey(t.Context(), tx)
			return err
		})
	}
	rotate()
	if both := c.keys(); len(both) != 2 || string(both[1]) != string(first[0]) {
		t.Errorf("the keys are %s", both)
	}
	// A day after the new one signs, the old one is gone.
	c.write(func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "delete from lti_keys where tenant_id = $1 and signs_from > now()", tx.Tenant())
		return err
	})
	rotate()
	c.write(func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), `
			with gone as (delete from lti_keys where tenant_id = $1 returning *)
			insert into lti_keys select tenant_id, id, sealed_key, public_key, created_at, signs_from - interval '26 hours' from gone`, tx.Tenant())
		return err
	})
	if one := c.keys(); len(one) != 1 || string(one[0]) == string(first[0]) {
		t.Errorf("the keys are %s", one)
	}
	_, err := c.desk.Keys(t.Context(), "nobody")
	want(t, err, errs.NotFound, "")
}

// A link for platforms begins with the public address of the service, or there is none.
func TestALinkForARegistrationNeedsAPublicAddress(t *testing.T) {
	t.Parallel()
	scope := sample.Tenant(t, sample.Store(t))
	for _, address := range []string{"", "http://127.0.0.1:8080"} {
		store := dbtest.Open(t, db.Options{URL: dbtest.Clone(t).App, MaxConns: 2, KeySecret: sample.KeySecret, BaseURL: address})
		err := store.Write(t.Context(), scope, func(tx *db.Tx) error {
			_, err := lti.CreateRegistration(t.Context(), tx)
			return err
		})
		want(t, err, errs.ValidationFailed, "")
		if fields := errs.Of(err).Fields; len(fields) != 1 || fields[0].Path != "http.base_url" || !strings.Contains(fields[0].Message, "https://") {
			t.Errorf("got %+v", fields)
		}
	}
}
