package hold

import (
	"regexp"
	"slices"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
)

// The kinds of holds.
const (
	Processing = "processing"
	Legal      = "legal"
)

// Kinds are all of them; the first one is meant where none is named.
var Kinds = []string{Processing, Legal}

// Reason is why there is a hold. There is no free text, since it would hold names.
type Reason struct {
	Code string
	// Kind is the kind of hold that it is a reason for.
	Kind    string
	Meaning string
}

// Reasons are all that there are.
var Reasons = []Reason{
	{"accuracy_contested", Processing, "The person contests that the data are right, until that is checked (GDPR, article 18(1)(a))."},
	{"unlawful_processing", Processing, "The processing is unlawful, and the person does not want the data erased (18(1)(b))."},
	{"needed_for_claims", Processing, "We need the data no longer, the person does, for legal claims (18(1)(c))."},
	{"objection_pending", Processing, "The person has objected, until it is clear whose grounds weigh more (18(1)(d))."},
	{"litigation", Legal, "A dispute before a court, or one that is to be expected."},
	{"investigation", Legal, "Misconduct is looked into."},
	{"appeal", Legal, "A result is appealed against."},
	{"regulatory_request", Legal, "An authority asks for the records."},
	{"audit", Legal, "The records are audited."},
}

// reasonsFor lists the codes of a kind.
func reasonsFor(kind string) []string {
	var codes []string
	for _, r := range Reasons {
		if r.Kind == kind {
			codes = append(codes, r.Code)
		}
	}
	return codes
}

// check fills in the kind and names the mistakes. With placing, the reason is required too.
func (in *Input) check(placing bool) error {
	if in.Kind == "" {
		in.Kind = Processing
	}
	bad := errs.OneOf("kind", in.Kind, Kinds)
	known := len(bad) == 0
	switch {
	case in.ReasonCode == "" && placing:
		bad = append(bad, errs.Field{Path: "reason_code", Code: "required", Message: "say why, by a code"})
	case known:
		bad = append(bad, errs.OneOf("reason_code", in.ReasonCode, reasonsFor(in.Kind))...)
	}
	if placing {
		bad = append(bad, in.Case.check()...)
	}
	if known && in.SubmissionID != nil && in.Kind != Legal {
		bad = append(bad, errs.Field{Path: "submission_id", Code: "not_allowed", Message: "a processing restriction concerns the whole person"})
	}
	return errs.Invalid(bad...)
}

var matterCode = regexp.MustCompile(`^[A-Za-z0-9._-]{0,64}$`)

func (c Case) check() []errs.Field {
	if !matterCode.MatchString(c.Matter) {
		return []errs.Field{{Path: "matter", Code: "invalid", Message: "a code of up to 64 letters, digits, dots, dashes and underscores"}}
	}
	return nil
}

// check names the mistakes in a filter.
func (f Filter) check() (db.Page, error) {
	page, err := f.Check()
	var bad []errs.Field
	if err != nil {
		bad = errs.Of(err).Fields
	}
	codes := slices.Concat(reasonsFor(Processing), reasonsFor(Legal))
	bad = append(bad, errs.OneOf("kind", f.Kind, Kinds)...)
	bad = append(bad, errs.OneOf("state", f.State, States)...)
	bad = append(bad, errs.OneOf("reasonCode", f.ReasonCode, codes)...)
	return page, errs.Invalid(bad...)
}
