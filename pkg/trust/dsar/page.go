package dsar

import (
	"bufio"
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

// The page shows a person the data held about them. It is one file: its style is part of it, it
// loads nothing from the network and runs no script, and its content security policy says so. It is
// written piece by piece, so that memory stays flat however many attempts there are.

//go:embed page.html
var pageSource string

//go:embed page.css
var pageStyle string

var pageParts = template.Must(template.New("page").Parse(pageSource))

// pagePolicy allows the one style sheet of the page and nothing else.
var pagePolicy = func() string {
	sum := sha256.Sum256([]byte(pageStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}()

// page writes the page.
type page struct {
	to       *bufio.Writer
	attempts int
}

func newPage(to io.Writer) *page { return &page{to: bufio.NewWriter(to)} }

func (p *page) part(name string, data any) error {
	err := pageParts.ExecuteTemplate(p.to, name, data)
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

func (p *page) head(u people.User) error {
	return p.part("head", map[string]any{"Policy": pagePolicy, "Style": template.CSS(pageStyle), //nolint:gosec // our own file
		"Person": personOf(u), "Marks": "A filled circle marks what you chose."})
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
	add("Organisational units", strings.Join(units, ", "))
	add("Roles", strings.Join(roles, ", "))
	for _, key := range slices.Sorted(maps.Keys(u.Metadata)) {
		add(key, inWords(u.Metadata[key]))
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

// attempt writes one attempt.
func (p *page) attempt(t submission.Taken) error {
	p.attempts++
	shown := map[string]any{"ID": "attempt-" + t.ID.String(), "Title": t.Title, "When": fmt.Sprintf("From %s to %s.", moment(t.StartedAt), moment(t.CompletedAt)),
		"Outcome": outcome(t)}
	var items []shownItem
	passage := ""
	for _, i := range t.Items {
		item := shownItem{TakenItem: i, Result: resultOf(i)}
		if item.Passage == passage {
			item.Passage = "" // it stands above the question before
		}
		passage = i.Passage
		items = append(items, item)
	}
	shown["Items"] = items
	return p.part("attempt", shown)
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

// records ends the attempts and begins the tables.
func (p *page) records() error {
	said := ""
	if p.attempts == 0 {
		said = "You have handed in nothing."
	}
	return p.part("records", map[string]any{"NoAttempts": said})
}

// shownTable is a table with few enough rows to be shown.
type shownTable struct {
	Title, Holds string
	Heads        []string
	Rows         [][]string
}

func (p *page) table(t shownTable) error { return p.part("table", t) }

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

// foot ends the page.
func (p *page) foot(files []shownFile, domains []shownDomain) error {
	err := p.part("foot", map[string]any{"Files": files, "Domains": domains})
	if err != nil {
		return err
	}
	return p.to.Flush()
}

func figure(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func moment(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04") + " UTC" }

func day(t time.Time) string { return t.UTC().Format("2 January 2006") }
