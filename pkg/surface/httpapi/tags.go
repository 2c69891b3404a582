package httpapi

import (
	"fmt"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"assess/pkg/kernel/errs"
)

// tag is a chapter of the description. It has the routes whose path begins with one of its beginnings; of
// several that fit, the longest counts.
type tag struct {
	name, about string
	begins      []string
}

// tags are the chapters in the order of the work: who may come in, the questions, the people who answer
// them, the results, what these are worth, how that is proved.
var tags = []tag{
	{"Sign-in", "A link by mail, and the token that it gives. All other routes take the token as `Authorization: Bearer`.", []string{"/auth"}},
	{"People", "Users, org units, roles and what they allow; and records by what people call them.", []string{"/users", "/names", "/org-units", "/roles", "/capabilities"}},
	{"Identity providers", "With whom people sign in besides a link by mail.", []string{"/identity-providers"}},
	{"Groups", "Whom an evaluation is assigned to together: listed by hand, or by a rule.", []string{"/groups"}},
	{"Policies", "What a submit must prove, and how long results are kept.", []string{"/verification-policies", "/retention-policies"}},
	{"Taxonomy", "The words by which content is found and reported.", []string{"/taxonomy"}},
	{"Media and languages", "Files that content shows, and the languages of a tenant.", []string{"/media", "/locales"}},
	{"Questions", "Questions, version by version. A draft changes, a published version never does.", []string{"/questions"}},
	{"Passages", "Texts that several questions are about.", []string{"/passages"}},
	{"Evaluations", "Exams: sections, settings, scoring. Publishing freezes all of it in a snapshot.", []string{"/evaluations"}},
	{"Content packs", "Evaluations for others: libraries, their revisions, and how to install them.", []string{"/libraries", "/content-packs"}},
	{"Programmes", "What an assignment is for: subjects, requirements, engagements.", []string{"/subjects", "/engagements", "/programme-requirements"}},
	{"Assignments", "Who takes an evaluation, when, and how often.", []string{"/assignments"}},
	{"Sessions", "Taking an exam: start, save answers, submit.", []string{"/evaluations/{id}/sessions"}},
	{"Submissions", "Results, and what reviewers decide about them.", []string{"/submissions", "/evaluations/{id}/submissions"}},
	{"Evidence", "What belongs to a submission besides its answers: files, findings, claims and disputes.",
		[]string{"/evidence", "/findings", "/claims", "/disputes", "/submissions/{id}/evidence", "/submissions/{id}/findings", "/submissions/{id}/claims", "/submissions/{id}/disputes"}},
	{"Remediations", "A key that was wrong, put right for everybody who took it.", []string{"/remediations"}},
	{"Reports", "Figures of evaluations, questions and attempts.", []string{"/reporting"}},
	{"Skills", "Frameworks of skills, the rules that map questions to them, and who has which.",
		[]string{"/skills", "/skill-", "/taxonomy/skill-", "/evaluations/{id}/versions/{versionId}/competency-coverage"}},
	{"Exceptions", "Submissions that would not stand up to questions, and what was done about them.", []string{"/defensibility"}},
	{"Ledger", "Proofs that nothing was changed afterwards.", []string{"/ledger", "/submissions/{id}/proof", "/submissions/{id}/hash"}},
	{"Learning platforms", "Moodle, Canvas and others launch exams in their courses by LTI 1.3, and get the grades.", []string{"/lti"}},
	{"Webhooks", "Other systems that are told what happens; what they get is under webhooks.", []string{"/webhooks"}},
	{"Glass box", "One submission for somebody without an account, by a link.", []string{"/glassbox", "/glass-box", "/submissions/{id}/glass-box-links"}},
	{"Compliance", "What people may ask about their data: export, erasure, holds, retention.", []string{"/compliance"}},
}

// tagOf gives the chapter of a path; empty for one that belongs nowhere.
func tagOf(path string) string {
	name, longest := "", 0
	for _, t := range tags {
		for _, begin := range t.begins {
			if strings.HasPrefix(path, begin) && len(begin) > longest {
				name, longest = t.name, len(begin)
			}
		}
	}
	return name
}

// chapters lists the tags. The last one has no routes: it is for looking things up.
func chapters() []*huma.Tag {
	all := make([]*huma.Tag, 0, len(tags)+1)
	for _, t := range tags {
		all = append(all, &huma.Tag{Name: t.name, Description: t.about})
	}
	return append(all, &huma.Tag{Name: "Error codes", Description: errorCodes()})
}

// introduction is the text for people who come for the first time.
const introduction = `Authoring, delivery, scoring, reporting and compliance of assessments.

## Getting started

1. Ask for a sign-in link: ` + "`POST /api/v1/auth/login`" + `. In development the mail shows a token; ` + "`assessctl token issue`" + ` makes one on the server.
2. Send it with each call: ` + "`Authorization: Bearer <token>`" + `. ` + "`GET /api/v1/users/me`" + ` says who you are and what you may do.
3. Send a new ` + "`Idempotency-Key`" + ` with each write, and the same one when you try again: it happens once.
4. The chapters are in the order of the work: a question, an evaluation that asks it, an assignment, a session, its result, the report.

## Answers

Moments are in UTC, ids are UUIDs. A name that ends in ` + "`Pct`" + ` is a share: 1 is 100 %. Lists come in pages: ` + "`{items, total, page, limit}`" + `.
Every answer that is not 2xx carries ` + "`{code, message, details}`" + `; the last chapter lists the codes.
`

func errorCodes() string {
	var b strings.Builder
	b.WriteString("Every answer that is not 2xx carries `{code, message, details}`. The codes:\n\n| code | status | meaning |\n|---|---|---|\n")
	for _, e := range errs.Catalogue {
		fmt.Fprintf(&b, "| `%s` | %d | %s |\n", e.Code, e.Status, e.Meaning)
	}
	return b.String()
}
