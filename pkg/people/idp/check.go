package idp

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

// How far an address of a provider is believed, and who may come by it.
const (
	TrustVerified = "verified"
	TrustNever    = "never"

	ProvisionOff     = "off"
	ProvisionInvited = "invited"
	ProvisionJIT     = "jit"
)

var (
	slugForm  = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)
	scopeForm = regexp.MustCompile(`^[\x21\x23-\x5B\x5D-\x7E]+$`) // RFC 6749, section 3.3
)

// settle fills in the defaults and checks the whole.
func settle(ctx context.Context, tx *db.Tx, row *models.IdentityProvider) error {
	row.Name, row.ClientID = strings.TrimSpace(row.Name), strings.TrimSpace(row.ClientID)
	row.EmailTrust, row.Provisioning = cmp.Or(row.EmailTrust, TrustNever), cmp.Or(row.Provisioning, ProvisionOff)
	if len(row.Scopes) == 0 {
		row.Scopes = []string{"openid", "email", "profile"}
	}
	row.Claims = models.ProviderClaims{Email: cmp.Or(row.Claims.Email, "email"), Name: cmp.Or(row.Claims.Name, "name"), Groups: cmp.Or(row.Claims.Groups, "groups")}
	if !slices.Contains(row.Scopes, "openid") {
		row.Scopes = append([]string{"openid"}, row.Scopes...)
	}
	row.Domains, row.RoleIDs, row.Groups = orEmpty(row.Domains), orEmpty(row.RoleIDs), orEmpty(row.Groups)
	bad := slices.Concat(checkForm(*row), settleStepUp(&row.StepUp), checkIssuer(row.Issuer), checkDomains(row))
	worse, err := people.CheckGrants(ctx, tx, row.OrgUnitID, row.RoleIDs)
	if err != nil {
		return err
	}
	more, err := checkGroups(ctx, tx, row.Groups)
	if err != nil {
		return err
	}
	return errs.Invalid(slices.Concat(bad, worse, more)...)
}

// oneWord is a value of acr or amr: acr_values separates them by spaces (OpenID Connect Core, section 3.1.2.1).
var oneWord = regexp.MustCompile(`^[^\s\x00-\x1f\x7f]{1,200}$`)

// longestMaxAge is how old a sign-in may be at most that is good for a step-up, in seconds.
const longestMaxAge = 3600

// settleStepUp checks what a step-up takes; without acr and amr it is empty.
func settleStepUp(s *models.ProviderStepUp) []errs.Field {
	var bad []errs.Field
	for path, values := range map[string][]string{"stepUpAcr": s.ACR, "stepUpAmr": s.AMR} {
		for i, value := range values {
			if !oneWord.MatchString(value) {
				bad = append(bad, errs.Field{Path: fmt.Sprintf("%s[%d]", path, i), Code: "invalid", Message: "it is no value of acr or amr: they have no spaces"})
			}
		}
	}
	if s.MaxAge < 0 || s.MaxAge > longestMaxAge {
		bad = append(bad, errs.Field{Path: "stepUpMaxAge", Code: "out_of_range", Message: "0 to 3600 seconds"})
	}
	if !stepsUp(*s) {
		*s = models.ProviderStepUp{}
		return bad
	}
	s.MaxAge = cmp.Or(s.MaxAge, defaultMaxAge)
	return bad
}

func checkForm(row models.IdentityProvider) []errs.Field {
	bad := errs.Line("name", row.Name, 200, true)
	bad = append(bad, errs.Line("clientId", row.ClientID, 300, true)...)
	if !slugForm.MatchString(row.Slug) {
		bad = append(bad, errs.Field{Path: "slug", Code: "invalid_slug", Message: "1 to 63 lower-case letters, digits and hyphens, the first no hyphen"})
	}
	for i, scope := range row.Scopes {
		if !scopeForm.MatchString(scope) {
			bad = append(bad, errs.Field{Path: fmt.Sprintf("scopes[%d]", i), Code: "invalid", Message: "it is no scope"})
		}
	}
	for _, claim := range [][2]string{{"emailClaim", row.Claims.Email}, {"nameClaim", row.Claims.Name}, {"groupsClaim", row.Claims.Groups}} {
		bad = append(bad, errs.Line(claim[0], claim[1], 100, false)...)
	}
	bad = append(bad, oneOf("emailTrust", row.EmailTrust, TrustVerified, TrustNever)...)
	bad = append(bad, oneOf("provisioning", row.Provisioning, ProvisionOff, ProvisionInvited, ProvisionJIT)...)
	return append(bad, oneOf("status", row.Status, models.ProviderActive, models.ProviderDisabled)...)
}

func oneOf(path, got string, allowed ...string) []errs.Field {
	if slices.Contains(allowed, got) {
		return nil
	}
	return []errs.Field{{Path: path, Code: "invalid_choice", Message: "expected " + strings.Join(allowed, " or ")}}
}

// entraForMany are the addresses of Microsoft under which every tenant of theirs signs in: their tokens name another issuer.
var entraForMany = regexp.MustCompile(`^https://login\.microsoftonline\.[a-z]+/(common|organizations|consumers)(/|$)`)

func checkIssuer(issuer string) []errs.Field {
	u, err := url.Parse(issuer)
	switch {
	case err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || strings.ContainsAny(issuer, "?# "):
		return []errs.Field{{Path: "issuer", Code: "invalid_issuer", Message: "expected an address such as https://login.example.org/realms/campus"}}
	case entraForMany.MatchString(issuer):
		return []errs.Field{{Path: "issuer", Code: "names_no_tenant",
			Message: "everybody with an account of Microsoft could sign in here: name your tenant, https://login.microsoftonline.com/TENANT-ID/v2.0"}}
	}
	return nil
}

func checkDomains(row *models.IdentityProvider) []errs.Field {
	var bad []errs.Field
	for i, domain := range row.Domains {
		key, ok := people.EmailKey("a@" + domain)
		if !ok {
			bad = append(bad, errs.Field{Path: fmt.Sprintf("domains[%d]", i), Code: "invalid_domain", Message: "expected a domain such as example.org"})
			continue
		}
		row.Domains[i] = strings.TrimPrefix(key, "a@")
	}
	if row.EmailTrust == TrustVerified && len(row.Domains) == 0 {
		bad = append(bad, errs.Field{Path: "domains", Code: "required", Message: "say for the addresses of which domains the provider vouches"})
	}
	return bad
}

// checkGroups refuses groups that the caller does not reach, and groups that a rule makes.
func checkGroups(ctx context.Context, tx *db.Tx, groups []models.ClaimedGroup) ([]errs.Field, error) {
	if len(groups) == 0 {
		return nil, nil
	}
	wanted := make([]ids.ID, len(groups))
	for i, g := range groups {
		wanted[i] = g.GroupID
	}
	found, err := tx.Query(ctx, "select id, is_dynamic from groups where tenant_id = $1 and id = any($2) and ($3 or org_unit_id = $4)",
		tx.Tenant(), wanted, tx.Scope().All, tx.Scope().OrgUnit)
	if err != nil {
		return nil, fmt.Errorf("find groups: %w", err)
	}
	defer found.Close()
	dynamic := map[ids.ID]bool{}
	for found.Next() {
		var id ids.ID
		var is bool
		err = found.Scan(&id, &is)
		if err != nil {
			return nil, fmt.Errorf("find groups: %w", err)
		}
		dynamic[id] = is
	}
	var bad []errs.Field
	for i, g := range groups {
		is, known := dynamic[g.GroupID]
		if !known {
			bad = append(bad, errs.Field{Path: fmt.Sprintf("groups[%d].groupId", i), Code: "unknown_group", Message: "there is no such group in your scope"})
		}
		if is {
			bad = append(bad, errs.Field{Path: fmt.Sprintf("groups[%d].groupId", i), Code: "group_is_dynamic", Message: "a rule makes the members of this group"})
		}
		bad = append(bad, errs.Line(fmt.Sprintf("groups[%d].value", i), g.Value, 300, true)...)
	}
	return bad, found.Err()
}
