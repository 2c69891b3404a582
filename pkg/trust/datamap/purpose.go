package datamap

import "slices"

// Purpose is why data of people are processed (GDPR, article 30(1)(b)).
type Purpose struct {
	Code, What string
	// People are whose data it is, and Data says in a phrase what they are.
	People, Data string
	// Domains names domains of the map. Each belongs to one purpose.
	Domains []string
	// Basis is the legal basis (article 6(1)) as long as the tenant says no other.
	Basis string
}

// The legal bases of article 6(1).
const (
	Consent             = "consent"
	Contract            = "contract"
	LegalObligation     = "legal_obligation"
	VitalInterests      = "vital_interests"
	PublicTask          = "public_task"
	LegitimateInterests = "legitimate_interests"
)

// Bases are all of them, in the order of the article.
var Bases = []string{Consent, Contract, LegalObligation, VitalInterests, PublicTask, LegitimateInterests}

// Articles say where in article 6 each basis is.
var Articles = map[string]string{Consent: "6(1)(a)", Contract: "6(1)(b)", LegalObligation: "6(1)(c)", VitalInterests: "6(1)(d)", PublicTask: "6(1)(e)", LegitimateInterests: "6(1)(f)"}

// Purposes are all that the service processes data of people for.
var Purposes = []Purpose{
	{"accounts", "Let people sign in, and say what they may do", "Everybody who uses the service", "Names, e-mail addresses, metadata, roles, sign-ins", []string{Users, Access}, Contract},
	{"exams", "Hand out exams and let people take them", "Candidates, proctors", "Assignments, invitations, sessions, saved answers", []string{Assignments, Sessions}, Contract},
	{"results", "Score exams, decide about them, and tell what people can do", "Candidates, reviewers", "Answers, scores, decisions, corrections, skills",
		[]string{Submissions, Readiness, Skills}, Contract},
	{"integrity", "See that exams are taken fairly", "Candidates, proctors", "Events of the exam window, evidence, findings, claims", []string{Telemetry, Evidence}, LegitimateInterests},
	{"improvement", "See how good questions and exams are", "Candidates", "Figures of attempts, by pseudonym", []string{Reports}, LegitimateInterests},
	{"proof", "Show what was done, and answer what people ask about their data", "Everybody who uses the service", "Events by pseudonym, requests, jobs, holds, exports",
		[]string{Ledger, Compliance, Exports}, LegalObligation},
	{"authoring", "Write questions and run the service", "Authors, administrators", "Who made what, by pseudonym", []string{Content, Settings}, Contract},
}

// PurposeCodes are their codes.
func PurposeCodes() []string {
	var all []string
	for _, p := range Purposes {
		all = append(all, p.Code)
	}
	return all
}

// PurposeOf gives the purpose of a domain.
func PurposeOf(domain string) Purpose {
	i := slices.IndexFunc(Purposes, func(p Purpose) bool { return slices.Contains(p.Domains, domain) })
	if i < 0 {
		return Purpose{}
	}
	return Purposes[i]
}
