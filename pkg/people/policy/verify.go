package policy

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// The kinds of a context: the caller's session as it is, or one that a proof has stepped up.
const (
	BySession = "auth.session"
	ByStepUp  = "auth.step_up"
)

// contextPath names the header of the context in the list of problems.
const contextPath = "X-Verification-Context"

const maxField = 500

// verify holds the call to rules and records how it met them. A context of the kind
// auth.step_up needs its proof, whether or not the rules do. A rehearsal is held to nothing.
func verify(ctx context.Context, tx *db.Tx, rules Rules, level string, v models.Verification) (Authority, error) {
	if !rules.asks() || tx.Rehearsing() {
		return Authority{}, nil
	}
	said := tx.Scope().Context
	if err := checkContext(rules, said); err != nil {
		return Authority{}, err
	}
	v.TenantID, v.ID, v.Kind, v.Actor, v.VerifiedAt = tx.Tenant(), ids.New(), BySession, tx.Actor().String(), tx.Now()
	v.Fields = map[string]string{}
	if said != nil && said.Fields != nil {
		v.Fields = said.Fields
	}
	if v.PolicyRef == "" {
		var err error
		v.PolicyRef, err = rules.Ref(level)
		if err != nil {
			return Authority{}, err
		}
	}
	if rules.RequireStepUp || (said != nil && said.Kind == ByStepUp) {
		method, err := consume(ctx, tx, rules.Methods)
		if err != nil {
			return Authority{}, err
		}
		proof := tx.Scope().Proof
		v.Kind, v.Method, v.ProofID = ByStepUp, &method, &proof
	}
	_, err := tx.NewInsert().Model(&v).Returning("NULL").Exec(ctx)
	if err != nil {
		return Authority{}, fmt.Errorf("record verification: %w", err)
	}
	a := Authority{VerificationID: v.ID, PolicyRef: v.PolicyRef, Kind: v.Kind}
	if v.Method != nil {
		a.Method = *v.Method
	}
	return a, nil
}

// checkContext names everything that is missing or wrong in a context.
func checkContext(rules Rules, said *db.Context) error {
	var bad []errs.Field
	add := func(path, code, message string) {
		bad = append(bad, errs.Field{Path: path, Code: code, Message: message})
	}
	if rules.RequireContext && said == nil {
		add(contextPath, "required", `state the context: {"kind":"auth.session","fields":{}}`)
	}
	if said == nil {
		said = &db.Context{}
	}
	if said.Kind != "" && said.Kind != BySession && said.Kind != ByStepUp {
		add(contextPath+".kind", "out_of_range", "auth.session or auth.step_up")
	}
	for _, name := range rules.RequiredContextFields {
		if strings.TrimSpace(said.Fields[name]) == "" {
			add(contextPath+".fields."+name, "required", "the policy asks for this field")
		}
	}
	if len(said.Fields) > maxFields {
		add(contextPath+".fields", "too_many", "at most 20 fields")
	}
	for name, value := range said.Fields {
		if !fieldName.MatchString(name) || strings.ContainsRune(value, 0) || !utf8.ValidString(value) || utf8.RuneCountInString(value) > maxField {
			add(contextPath+".fields", "invalid", "names are letters and digits; values have at most 500 characters")
			break
		}
	}
	return errs.Invalid(bad...)
}
