package people

import (
	"encoding/json"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

const maxDomains = 100

// GroupInput describes a new group; a rule makes it dynamic.
type GroupInput struct {
	Name           string   `json:"name" minLength:"1" maxLength:"200" example:"Apprentices 2031"`
	Description    string   `json:"description,omitempty" maxLength:"2000"`
	IsDynamic      *bool    `json:"is_dynamic,omitempty" doc:"Whether membership_rule makes the members; default: whether there is a rule"`
	MembershipRule *Rule    `json:"membership_rule,omitempty"`
	AllowedDomains []string `json:"allowed_domains,omitempty" maxItems:"100" maxLength:"253" nullable:"false" example:"[\"example.org\"]" doc:"Who joins by token must have an address in one of these domains; empty: any"`
}

// GroupPatch changes what it names and leaves the rest.
type GroupPatch struct {
	Name           *string    `json:"name,omitempty" minLength:"1" maxLength:"200"`
	Description    *string    `json:"description,omitempty" maxLength:"2000"`
	IsDynamic      *bool      `json:"is_dynamic,omitempty" doc:"false ends the rule; the members stay and are kept by hand from then on"`
	MembershipRule *Rule      `json:"membership_rule,omitempty" doc:"A new rule, which holds at once and ends the join token"`
	AllowedDomains *[]string  `json:"allowed_domains,omitempty" maxItems:"100" maxLength:"253" doc:"The whole new list"`
	UpdatedAt      *time.Time `json:"updated_at,omitempty" doc:"The updated_at that was read; stale_update when the group has changed since"`
}

// Group is a set of users of one org unit.
type Group struct {
	ID             ids.ID    `json:"id"`
	TenantID       ids.ID    `json:"tenant_id"`
	OrgUnitID      ids.ID    `json:"org_unit_id"`
	Name           string    `json:"name"`
	Description    string    `json:"description"`
	IsDynamic      bool      `json:"is_dynamic"`
	MembershipRule *Rule     `json:"membership_rule,omitempty"`
	RuleVersion    int       `json:"ruleVersion" doc:"Counts the changes of the rule; 0 for a group that never had one"`
	HasJoinToken   bool      `json:"hasJoinToken"`
	AllowedDomains []string  `json:"allowed_domains" nullable:"false"`
	CreatedAt      time.Time `json:"created_at"`
	UpdatedAt      time.Time `json:"updated_at"`
}

// GroupDetail is a group with the number of its members.
type GroupDetail struct {
	Group
	MemberCount int `json:"memberCount"`
}

func newGroup(row models.Group) (Group, error) {
	g := Group{ID: row.ID, TenantID: row.TenantID, OrgUnitID: row.OrgUnitID, Name: row.Name, Description: row.Description, IsDynamic: row.IsDynamic,
		RuleVersion: row.RuleVersion, HasJoinToken: row.JoinToken != nil, AllowedDomains: row.AllowedDomains,
		CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC()}
	if g.AllowedDomains == nil {
		g.AllowedDomains = []string{}
	}
	if !row.IsDynamic {
		return g, nil
	}
	err := json.Unmarshal(row.MembershipRule, &g.MembershipRule)
	if err != nil {
		return g, fmt.Errorf("decode membership rule: %w", err)
	}
	return g, nil
}

// checkGroup also gives the domains in canonical form (IDNA A-labels).
func checkGroup(name, description string, allowed []string) ([]string, []errs.Field) {
	bad := errs.Line("name", name, maxNameChars, true)
	bad = append(bad, errs.Prose("description", description, maxDescriptionChars, false)...)
	if len(allowed) > maxDomains {
		bad = append(bad, errs.Field{Path: "allowed_domains", Code: "too_many", Message: fmt.Sprintf("at most %d", maxDomains)})
	}
	canonical := make([]string, len(allowed))
	for i, d := range allowed {
		ascii, err := domains.ToASCII(fold(d))
		if err != nil || ascii == "" {
			bad = append(bad, errs.Field{Path: fmt.Sprintf("allowed_domains[%d]", i), Code: "invalid_domain", Message: "it is no domain name"})
		}
		canonical[i] = ascii
	}
	return canonical, bad
}

func noSuchGroup() error { return errs.New(errs.NotFound, "There is no such group in your scope.") }
