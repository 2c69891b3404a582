package policy

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"assess/models"
	"assess/pkg/kernel/db"
)

// Frozen is the policy for submissions as publishing froze it (specification, section 2.1).
type Frozen struct {
	PolicyRef             string   `json:"policyRef"`
	RequireContext        bool     `json:"requireContext"`
	RequireStepUp         bool     `json:"requireStepUp"`
	RequiredContextFields []string `json:"requiredContextFields" nullable:"false"`
	RequiredLevel         string   `json:"requiredLevel" enum:"L1,L2,L3,L4"`
	Methods               []string `json:"methods,omitempty" enum:"magic_link,operator,oidc" doc:"The methods of proof that counted then, where they were not all; those of the day count at a submit"`
}

// Allowed are the methods of proof that counted.
func (f *Frozen) Allowed() []string {
	if len(f.Methods) == 0 {
		return Methods
	}
	return f.Methods
}

// freeze gives rules as a snapshot keeps them.
func (r Rules) freeze(ref, level string) *Frozen {
	f := &Frozen{PolicyRef: ref, RequireContext: r.RequireContext, RequireStepUp: r.RequireStepUp, RequiredContextFields: r.RequiredContextFields, RequiredLevel: level}
	if len(r.Methods) < len(Methods) {
		f.Methods = r.Methods
	}
	return f
}

// Asks says whether a submit has anything to prove.
func (f *Frozen) Asks() bool {
	return f != nil && (f.RequireContext || f.RequireStepUp || f.AsksForProctor())
}

// AsksForProctor says whether somebody who proctors has to submit, and for another person
// (specification, section 5.6).
func (f *Frozen) AsksForProctor() bool { return f != nil && f.RequiredLevel == L4 }

// Freeze gives the policy for submissions at a level, as a snapshot keeps it; an empty level
// is the lowest.
func Freeze(ctx context.Context, tx *db.Tx, level string) (*Frozen, error) {
	level = orLowest(level)
	rules, err := current(ctx, tx, level, Submissions)
	if err != nil {
		return nil, err
	}
	ref, err := rules.Ref(level)
	return rules.freeze(ref, level), err
}

// Legacy gives the policy of a snapshot that froze only the level.
func Legacy(level string) *Frozen {
	level = orLowest(level)
	return &Frozen{PolicyRef: LegacyRef(level), RequireStepUp: level == L4, RequiredContextFields: []string{}, RequiredLevel: level}
}

func orLowest(level string) string {
	if level == "" {
		return Levels[0]
	}
	return level
}

// current gives the rules in force.
func current(ctx context.Context, tx *db.Tx, level, action string) (Rules, error) {
	var row models.VerificationPolicy
	err := tx.NewSelect().Model(&row).Where("p.tenant_id = ? and p.level = ? and p.applies_to = ?", tx.Tenant(), level, action).Scan(ctx)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Default(level, action), nil
	case err != nil:
		return Rules{}, fmt.Errorf("find verification policy: %w", err)
	}
	return rulesOf(row), nil
}

// InForce gives the policies for submissions as publishing would freeze them now, by level.
func InForce(ctx context.Context, tx *db.Tx) (map[string]*Frozen, error) {
	all, err := allPolicies(ctx, tx)
	found := map[string]*Frozen{}
	for _, p := range all.Policies {
		if p.AppliesTo == Submissions {
			found[p.Level] = p.freeze(p.PolicyRef, p.Level)
		}
	}
	return found, err
}
