package policy

import (
	"fmt"
	"regexp"
	"slices"

	"assess/pkg/kernel/errs"
	"assess/pkg/people/access"
)

// Levels are the verification levels, the lowest first.
var Levels = []string{"L1", "L2", "L3", "L4"}

// L4 needs a proof for everything and, for a submit, a proctor.
const L4 = "L4"

// What verification policies apply to (specification, section 5.7).
const (
	Submissions       = "submissions"
	Evidence          = "evidence"
	ReviewActions     = "review_actions"
	Claims            = "claims"
	Disputes          = "disputes"
	EvaluationPublish = "evaluation_publish"
)

// Actions lists them.
var Actions = []string{Submissions, Evidence, ReviewActions, Claims, Disputes, EvaluationPublish}

// Methods are the methods of step-up proofs, in order: the user redeemed a link, their identity provider vouched, or an operator did.
var Methods = []string{access.ByMagicLink, access.ByOIDC, access.ByOperator}

// Rules are what a policy asks.
type Rules struct {
	RequireContext        bool     `json:"requireContext" doc:"The call states a context in X-Verification-Context"`
	RequireStepUp         bool     `json:"requireStepUp" doc:"The call carries a step-up proof in X-Step-Up-Proof"`
	RequiredContextFields []string `json:"requiredContextFields" nullable:"false" maxItems:"20" maxLength:"64" doc:"Fields that the context must have"`
	Methods               []string `json:"methods" nullable:"false" maxItems:"3" enum:"magic_link,operator,oidc" doc:"Methods of proof that count; all of them when empty"`
}

// asks says whether there is anything to verify.
func (r Rules) asks() bool { return r.RequireContext || r.RequireStepUp }

// Default gives the rules of a tenant that set none.
func Default(level, action string) Rules {
	r := Rules{RequiredContextFields: []string{}, Methods: slices.Clone(Methods)}
	r.RequireContext = level != "L1" && action != EvaluationPublish
	r.RequireStepUp = level == "L3" || mustProve(level, action)
	return r
}

// mustProve says where no tenant can do without a proof (specification, section 5.6).
func mustProve(level, action string) bool { return level == L4 || action == EvaluationPublish }

var fieldName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)

const maxFields = 20

// check names the mistakes in the rules of a level and action.
func (r Rules) check(path, level, action string) []errs.Field {
	var bad []errs.Field
	add := func(name, code, message string) {
		bad = append(bad, errs.Field{Path: path + "." + name, Code: code, Message: message})
	}
	if !r.RequireStepUp && mustProve(level, action) {
		add("requireStepUp", "required", "L4 and publishing always need a step-up proof")
	}
	if !r.RequireContext && len(r.RequiredContextFields) > 0 {
		add("requireContext", "required", "fields can be required of a required context only")
	}
	if len(r.RequiredContextFields) > maxFields {
		add("requiredContextFields", "too_many", "at most 20 fields")
	}
	for i, name := range r.RequiredContextFields {
		at := fmt.Sprintf("requiredContextFields[%d]", i)
		switch {
		case !fieldName.MatchString(name):
			add(at, "invalid", "a letter, then up to 63 letters, digits, dots, hyphens and underscores")
		case slices.Contains(r.RequiredContextFields[:i], name):
			add(at, "duplicate", "the field is named twice")
		}
	}
	for i, method := range r.Methods {
		if !slices.Contains(Methods, method) {
			add(fmt.Sprintf("methods[%d]", i), "out_of_range", "there is no such method")
		}
	}
	return bad
}

// normal brings rules into the form in which they are stored.
func (r Rules) normal() Rules {
	r.RequiredContextFields = append([]string{}, slices.Sorted(slices.Values(r.RequiredContextFields))...)
	if len(r.Methods) == 0 {
		r.Methods = Methods
	}
	r.Methods = slices.Compact(slices.Sorted(slices.Values(r.Methods)))
	return r
}
