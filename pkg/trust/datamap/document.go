package datamap

import (
	"fmt"
	"strings"
)

// domains says what the domains are, in the order of the document.
var domains = []struct{ name, what string }{
	{Users, "Who uses the service"}, {Access, "Signing in, and calls that may be repeated"}, {Assignments, "What was handed out to whom"},
	{Sessions, "Exams while they are taken"}, {Telemetry, "What the exam window reported"}, {Submissions, "Attempts, answers, scores and decisions"},
	{Evidence, "Files, findings, claims and disputes"}, {Exports, "What was exported"}, {Reports, "Figures"}, {Readiness, "How attempts stand"}, {Skills, "What people can do"},
	{Ledger, "What was done"},
	{Compliance, "Jobs about a person's data"}, {Content, "Questions, passages, evaluations"}, {Settings, "How a tenant is set up"},
}

const head = `# Data map

This page is the record of processing (GDPR, article 30) and is written from the map that the service itself
goes by (` + "`pkg/trust/datamap`" + `): forgetting, data exports, retention and the search for residue read the same
lines. A test fails as long as a column of the database is not in it.

- **identifier** names somebody; **free text** may; a **pseudonym** is the id of a user, which names nobody
  once the user record is erased; a **secret** proves who somebody is and is never exported.
- *When forgotten* says what becomes of a row about the person: it is deleted, or columns of it are erased, or it
  stays, because it names nobody. Columns without personal data are not listed.
- *Exported* says whether a data export holds the rows: those about the person (subject), those that the person
  wrote about others or about nobody (author), and those about nobody whose text names the person (named).
- Each domain has a **purpose**. ` + "`assessctl compliance record-of-processing`" + ` prints the purposes of a tenant with their legal
  bases, recipients and periods.
- A **run label** (` + "`run_label`, `run_label_pattern`, `recent_runs`" + `) is free text that stays, because figures are counted by it. So
  it ought to name a run and nobody; imports warn where it names the person, and the search for residue finds it.

The queue of jobs (schema ` + "`river`" + `, tables of that library) holds ids and codes. Files lie in the blob store under the hash
of their content; ` + "`media_blobs`, `evidence_blobs` and `compliance_blobs`" + ` list them.
`

// Document writes the map as a page in Markdown.
func Document() string {
	var page strings.Builder
	page.WriteString(head)
	for _, d := range domains {
		p := PurposeOf(d.name)
		fmt.Fprintf(&page, "\n## %s\n\n`%s`, for the purpose `%s`: %s. Legal basis, as long as the tenant says no other: `%s` (article %s).\n\n| table | a row is | columns with personal data | when forgotten | exported |\n|---|---|---|---|---|\n", d.what, d.name, p.Code, lower(p.What), p.Basis, Articles[p.Basis])
		for _, t := range Tables {
			if t.Domain == d.name {
				fmt.Fprintf(&page, "| `%s` | %s | %s | %s | %s |\n", t.Name, t.Holds, t.personal(), t.whenForgotten(), t.exported())
			}
		}
	}
	return page.String()
}

func lower(text string) string { return strings.ToLower(text[:1]) + text[1:] }

// Line is what the map says of one column.
type Line struct {
	Table     string `json:"table"`
	Domain    string `json:"domain"`
	Holds     string `json:"holds"`
	Column    string `json:"column"`
	Class     Class  `json:"class"`
	Forgotten string `json:"whenForgotten"`
	Exported  string `json:"exported"`
	Purpose   string `json:"purpose"`
	Basis     string `json:"legalBasis"`
}

// Lines gives the map column by column.
func Lines() []Line {
	var all []Line
	for _, t := range Tables {
		for _, c := range t.Columns {
			l := Line{Table: t.Name, Domain: t.Domain, Purpose: PurposeOf(t.Domain).Code, Basis: PurposeOf(t.Domain).Basis, Holds: t.Holds, Column: c.Name, Class: c.Class}
			switch {
			case t.Subject == "":
			case t.Row == Delete:
				l.Forgotten = string(Delete)
			case c.Erased != "":
				l.Forgotten = string(Redact)
			default:
				l.Forgotten = string(Keep)
			}
			if !c.Hidden {
				l.Exported = t.exported()
			}
			all = append(all, l)
		}
	}
	return all
}

func (t Table) personal() string {
	var all []string
	for _, class := range []Class{Identifier, FreeText, Pseudonym, Secret} {
		var names []string
		for _, c := range t.Columns {
			if c.Class == class {
				names = append(names, "`"+c.Name+"`")
			}
		}
		if len(names) > 0 {
			all = append(all, strings.ReplaceAll(string(class), "_", " ")+": "+strings.Join(names, ", "))
		}
	}
	return strings.Join(all, "; ")
}

func (t Table) whenForgotten() string {
	switch {
	case t.Subject == "":
		return ""
	case t.Row == Delete:
		return "deleted"
	case t.Row == Keep:
		return "stays"
	}
	var names []string
	for _, c := range t.Redacted() {
		names = append(names, "`"+c.Name+"`")
	}
	said := strings.Join(names, ", ") + " erased"
	if t.Own != "" {
		said += "; the row is deleted where `" + t.Own + "`"
	}
	return said
}

func (t Table) exported() string {
	if !t.InExport() {
		return ""
	}
	var who []string
	if t.Subject != "" {
		who = append(who, "subject")
	}
	if t.Author != "" {
		who = append(who, "author")
	}
	if t.Named != "" {
		who = append(who, "named")
	}
	return strings.Join(who, ", ")
}
