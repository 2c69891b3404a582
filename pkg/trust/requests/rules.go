package requests

import (
	"strings"

	"assess/pkg/trust/compliance"
)

// The kinds of requests.
const (
	Access        = "access"
	Erasure       = "erasure"
	Restriction   = "restriction"
	Objection     = "objection"
	Rectification = "rectification"
	Portability   = "portability"
)

// Kinds are all of them.
var Kinds = []string{Access, Erasure, Restriction, Objection, Rectification, Portability}

// jobs are the job types that carry out a request of a kind, and what they are told. A kind without one is carried out by hand.
var jobs = map[string]struct {
	jobType   string
	arguments map[string]any
}{
	Access:      {compliance.DSARExport, map[string]any{"force": true}},
	Portability: {compliance.DSARExport, map[string]any{"force": true}},
	Erasure:     {compliance.Forget, nil},
	Restriction: {compliance.Restrict, map[string]any{"action": "place", "kind": "processing", "reason_code": "accuracy_contested"}},
	Objection:   {compliance.Restrict, map[string]any{"action": "place", "kind": "processing", "reason_code": "objection_pending"}},
}

// The states.
const (
	Received        = "received"
	IdentityPending = "identity_pending"
	Verified        = "verified"
	Decided         = "decided"
	CarriedOut      = "carried_out"
	Answered        = "answered"
	Withdrawn       = "withdrawn"
)

// States are all of them.
var States = []string{Received, IdentityPending, Verified, Decided, CarriedOut, Answered, Withdrawn}

// The decisions.
const (
	Granted = "granted"
	Partly  = "partly"
	Refused = "refused"
)

var decisions = []string{Granted, Partly, Refused}

// Reason is a reason that is given by its code: words would name people.
type Reason struct{ Code, Meaning string }

// Refusals are the reasons not to do what the request wants, or only in part.
var Refusals = []Reason{
	{"manifestly_unfounded", "The request is manifestly unfounded (GDPR, article 12(5))."},
	{"excessive", "The request is excessive, as one that comes again and again (12(5))."},
	{"identity_not_proven", "Nobody could tell that the request is the person's own (12(2) and 12(6))."},
	{"nothing_held", "Nothing is held about the person."},
	{"legal_obligation", "A law asks for the data (17(3)(b))."},
	{"public_interest", "Archiving, research or statistics would suffer (17(3)(d))."},
	{"legal_claims", "The data are needed for legal claims (17(3)(e), 21(1))."},
	{"rights_of_others", "It would harm the rights of others (15(4), 20(4))."},
	{"compelling_grounds", "Compelling grounds weigh more than the objection (21(1))."},
	{"data_accurate", "The data are accurate (16)."},
	{"right_not_applicable", "The conditions of the right are not met."},
}

// Extensions are the reasons to take two months more (12(3)).
var Extensions = []Reason{
	{"complexity", "The request is complex."},
	{"number_of_requests", "There are many requests at once."},
}

// Identities are how a person has shown that the request is theirs.
var Identities = []Reason{
	{"step_up", "They had just signed in."},
	{"mail_link", "They opened a link that was mailed to the address of their record."},
	{"document", "They showed a document, of which no copy is kept."},
	{"known", "Somebody who knows them vouches for them."},
	{"call_back", "They were called back at a number that was on record."},
}

// Channels are the ways in which a request comes that an officer records; users who are signed in come by account.
var Channels = []string{"letter", "mail", "phone", "in_person", "other"}

func codes(all []Reason) []string {
	var words []string
	for _, r := range all {
		words = append(words, r.Code)
	}
	return words
}

// Explained lists reasons for a help text.
func Explained(all []Reason) string {
	var lines strings.Builder
	for _, r := range all {
		lines.WriteString("\n  " + r.Code + strings.Repeat(" ", max(1, 22-len(r.Code))) + r.Meaning)
	}
	return lines.String()
}
