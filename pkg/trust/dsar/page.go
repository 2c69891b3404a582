package dsar

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"assess/pkg/exam/submission"
	"assess/pkg/people/people"
)

// The page shows a person the data held about them. Its style is part of it, it loads nothing from the network and runs no script,
// and its content security policy says so. What is long goes into pages of its own (part), so that none is heavy, and memory stays
// flat however many attempts there are.

//go:embed page.html
var pageSource string

//go:embed page.css
var pageStyle string

// style is our own file.
var style = template.CSS(pageStyle) //nolint:gosec // our own file

var pageParts = template.Must(template.New("page").Parse(pageSource))

// pagePolicy allows the one style sheet of the page and nothing else.
var pagePolicy = func() string {
	sum := sha256.Sum256([]byte(pageStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}()

// page is the page with its parts that may be long.
type page struct{ attempts, records, evidence part }

func newPage(create func(string) (io.Writer, error)) *page {
	return &page{part{name: "attempts", title: "Your attempts", create: create}, part{name: "records", title: "What else is held", create: create},
		part{name: "evidence", title: "Files about your attempts", create: create}}
}

// write writes the first page, after the pages of its parts.
func (p *page) write(u people.User, domains []shownDomain, create func(string) (io.Writer, error)) error {
	var parts [3]template.HTML
	left := ofTheFirst
	for i, one := range []*part{&p.attempts, &p.records, &p.evidence} {
		text, err := one.finish(left - (len(parts)-1-i)*ofLinks)
		if err != nil {
			return err
		}
		left -= len(text)
		parts[i] = template.HTML(text) //nolint:gosec // made by our own templates
	}
	to, err := create("index.html")
	if err != nil {
		return err
	}
	err = pageParts.ExecuteTemplate(to, "first", map[string]any{"Policy": pagePolicy, "Style": style, "Title": "What is held about you", "Person": personOf(u),
		"Attempts": parts[0], "Records": parts[1], "Files": parts[2], "Domains": domains})
	if err != nil {
		return fmt.Errorf("draw the page of the export: %w", err)
	}
	return nil
}

// fact is a line about the person.
type fact struct{ Label, Value string }

// shownPerson is the person as the page begins.
type shownPerson struct {
	Called, Sentence string
	Facts            []fact
}

func personOf(u people.User) shownPerson {
	shown := shownPerson{Called: u.Name}
	if shown.Called == "" {
		shown.Called = u.Email
	}
	shown.Sentence = "You are known here since " + day(u.CreatedAt) + "."
	add := func(label, value string) {
		if value != "" {
			shown.Facts = append(shown.Facts, fact{label, value})
		}
	}
	add("Name", u.Name)
	add("E-mail address", u.Email)
	add("State of your account", u.Status)
	add("Your number here", u.ID.String())
	var units, roles []string
	for _, o := range u.OrgUnits {
		units = append(units, o.Slug)
	}
	for _, r := range u.Roles {
		roles = append(roles, r.Name)
	}
	add("Organisational units", cut(strings.Join(units, ", "), 2000))
	add("Roles", cut(strings.Join(roles, ", "), 2000))
	for _, key := range slices.Sorted(maps.Keys(u.Metadata)) {
		add(key, cut(inWords(u.Metadata[key]), 500))
	}
	return shown
}

// inWords writes a value of the metadata.
func inWords(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return text(raw)
}

// attempt adds one attempt.
func (p *page) attempt(t submission.Taken) error {
	shown := map[string]any{"ID": "attempt-" + t.ID.String(), "Title": t.Title, "When": fmt.Sprintf("From %s to %s.", moment(t.StartedAt), moment(t.CompletedAt)),
		"Outcome": outcome(t)}
	head, err := rendered("attempt", shown)
	if err != nil {
		return err
	}
	again, err := rendered("again", shown)
	if err != nil {
		return err
	}
	p.attempts.begin(head, again, "\n</ol>\n</article>\n")
	passage := ""
	for _, i := range t.Items {
		first, err := itemText(i)
		if err != nil {
			return err
		}
		text := first
		if i.Passage != "" && i.Passage == passage {
			i.Passage = "" // it is above the question before
			text, err = itemText(i)
		} else {
			passage = i.Passage
		}
		if err == nil {
			err = p.attempts.block(text, first)
		}
		if err != nil {
			return err
		}
	}
	p.attempts.end()
	return nil
}

// longest is the most bytes of a question with its answer that are shown whole.
const longest = 30 << 10

// itemText renders a question with its answer; where they are very long, the files alone have all of them.
func itemText(i submission.TakenItem) (string, error) {
	shown := shownItem{TakenItem: i, Result: resultOf(i)}
	text, err := rendered("item", shown)
	if err != nil || len(text) <= longest {
		return text, err
	}
	shown.Passage, shown.Stem, shown.Answer = cut(i.Passage, 2000), cut(i.Stem, 2000), cut(i.Answer, 4000)
	shown.Options = slices.Clone(i.Options)
	for n := range shown.Options {
		shown.Options[n].Text = cut(shown.Options[n].Text, 100)
	}
	return rendered("item", shown)
}

type shownItem struct {
	submission.TakenItem
	Result string
}

func outcome(t submission.Taken) string {
	said := fmt.Sprintf("%s: %s of %s.", t.Outcome, figure(t.Score), figure(t.MaxScore))
	if t.Pending {
		said += " Some answers wait for a person to score them."
	}
	if t.Status == "voided" {
		said += " The attempt was voided: it does not count."
	}
	return said
}

func resultOf(i submission.TakenItem) string {
	score := fmt.Sprintf("%s of %s.", figure(i.Score), figure(i.MaxScore))
	switch {
	case i.ScoreStatus == "PENDING":
		return "A person has yet to score this."
	case i.Omitted:
		return "You left this out: " + score
	case i.ScoreStatus == "INVALID":
		return "The answer broke a rule of the question: " + score
	case i.ScoreStatus == "EXEMPT":
		return "It was taken out of the scoring: " + score
	}
	return "Score: " + score
}

// shownTable is a table with few enough rows to be shown.
type shownTable struct {
	Title, Holds string
	Heads        []string
}

// table begins a table, whose rows follow.
func (p *page) table(t shownTable) error {
	head, err := rendered("table", t)
	p.records.begin(head, head, "\n</tbody>\n</table></div>\n")
	return err
}

func (p *page) row(t shownTable, cells []string) error {
	text, err := rendered("row", map[string]any{"Heads": t.Heads, "Cells": cells})
	if err != nil {
		return err
	}
	return p.records.block(text, text)
}

// files lists the files of evidence.
func (p *page) files(all []shownFile) error {
	if len(all) == 0 {
		return nil
	}
	p.evidence.begin("<ul>", "<ul>", "\n</ul>\n")
	for _, f := range all {
		text, err := rendered("file", f)
		if err == nil {
			err = p.evidence.block(text, text)
		}
		if err != nil {
			return err
		}
	}
	p.evidence.end()
	return nil
}

// shownFile is a file of evidence.
type shownFile struct {
	Name, Words, SHA256 string
	Missing             bool
}

// shownDomain says where the records of a domain are.
type shownDomain struct {
	Title, About, JSON string
	Rows               int64
	Tables             []shownSheet
}

type shownSheet struct {
	Title, CSV string
	Rows       int64
}

func figure(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func moment(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04") + " UTC" }

func day(t time.Time) string { return t.UTC().Format("2 January 2006") }
