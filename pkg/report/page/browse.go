package page

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Browse is what a page needs to link to others: the service draws it for a browser that is signed in. Pages in files,
// pages behind a link to one report and pages for programs link to nothing.
type Browse struct {
	// Root is where addresses of the service begin, At is the address of the page itself.
	Root string
	At   *url.URL
	// Nav are the pages that the reader can open.
	Nav []Link
	// May says whether the reader may open a page of a kind; nil: each.
	May func(Reach) bool
}

// Reach is what a reader needs for the pages that a link leads to.
type Reach string

// The values of Reach.
const (
	Everybody  Reach = ""
	Named      Reach = "named"
	Skilled    Reach = "skilled"
	HandingOn  Reach = "handing on"
	Correcting Reach = "correcting"
)

// Link leads to a page of the service; At is its address behind Root. Href is empty until the page is drawn.
type Link struct {
	Text, At, Href string
	Needs          Reach
	Here           bool
	// Carry are the parameters of this page's address that its address keeps.
	Carry []string
}

// Paging says which page of a list this is.
type Paging struct{ Page, Limit, Total int }

// Choice is a parameter of the address with what it can be; the first is the default.
type Choice struct {
	Label, Param string
	Values       []Value
}

// Value is one value of a choice.
type Value struct{ Text, Value string }

// The addresses of pages, behind the root.
const (
	reportsAt      = "/reporting/evaluations"
	healthAt       = "/reporting/question-health"
	exceptionsAt   = "/defensibility/exceptions/submissions"
	attemptsAt     = "/reporting/session-attempts"
	remediationsAt = "/remediations"
	// shareAt is not a route of the interface, so it is not behind the root.
	shareAt = "/share"
)

func ofVersion(at, version string) string {
	return at + "?evaluationVersionId=" + url.QueryEscape(version)
}

func summaryAt(list, version string) string {
	return ofVersion("/reporting/evaluation-summary"+list, version)
}
func questionAt(version string) string { return "/reporting/question-versions/" + version + "/health" }
func attemptAt(submission string) string {
	return attemptsAt + "/" + submission
}
func profileAt(user string) string { return "/users/" + user + "/skills-profile" }

// Pages are the pages in the navigation bar.
func Pages() []Link {
	return []Link{{Text: "Reports", At: reportsAt}, {Text: "Questions", At: healthAt}, {Text: "Exceptions", At: exceptionsAt}, {Text: "Remediations", At: remediationsAt}}
}

// The parameters that links to the same attempts keep: links from reports on questions, links from reports on evaluations,
// and links that keep only the period.
var (
	sameQuestions = []string{"evaluationVersionId", "run_label", "from", "to", "tag"}
	sameAttempts  = []string{"evaluationVersionId", "run_label", "groupId", "from", "to"}
	samePeriod    = []string{"from", "to"}
)

// trail makes the links of a page.
type trail struct {
	Nav, Crumbs, Links, Around []Link
	Choices                    []chosen
	Of                         string
}

type chosen struct {
	Label string
	Links []Link
}

// led builds the links around a page and sets the links of its cells.
func (p *Page) led() *trail {
	b := p.Browse
	if b == nil {
		return nil
	}
	t := &trail{}
	for _, l := range b.Nav {
		l.Href, l.Here = b.Root+l.At, b.At.Path == b.Root+l.At
		t.Nav = append(t.Nav, l)
	}
	t.Crumbs, t.Links = b.open(p.Crumbs), b.open(p.Links)
	for _, c := range p.Choices {
		t.Choices = append(t.Choices, b.choose(c))
	}
	t.Of, t.Around = b.around(p.Paging)
	for i := range p.Parts {
		if p.Parts[i].Table != nil {
			b.lead(p.Parts[i].Table)
		}
	}
	return t
}

func (b *Browse) may(r Reach) bool { return r == Everybody || b.May == nil || b.May(r) }

func (b *Browse) open(links []Link) []Link {
	var all []Link
	for _, l := range links {
		if b.may(l.Needs) {
			l.Href = b.carry(b.href(l.At), l.Carry)
			all = append(all, l)
		}
	}
	return all
}

// lead turns cells into links if they name something that has a page.
func (b *Browse) lead(t *Table) {
	for _, row := range t.Rows {
		for i := range row {
			c := &row[i]
			if c.At == "" || !b.may(c.Needs) {
				continue
			}
			c.Href = b.carry(b.href(c.At), c.Carry)
		}
	}
}

func (b *Browse) href(at string) string {
	if strings.HasPrefix(at, shareAt+"?") {
		return at
	}
	return b.Root + at
}

func (b *Browse) carry(href string, names []string) string {
	with, said := url.Values{}, b.At.Query()
	for _, name := range names {
		if said.Has(name) && !strings.Contains(href, name+"=") {
			with[name] = said[name]
		}
	}
	if len(with) == 0 {
		return href
	}
	if strings.Contains(href, "?") {
		return href + "&" + with.Encode()
	}
	return href + "?" + with.Encode()
}

// with gives the address of the page with a parameter changed.
func (b *Browse) with(name, value string, without ...string) string {
	query := b.At.Query()
	for _, w := range without {
		query.Del(w)
	}
	if query.Set(name, value); value == "" {
		query.Del(name)
	}
	return b.At.Path + "?" + query.Encode()
}

func (b *Browse) choose(c Choice) chosen {
	said := b.At.Query().Get(c.Param)
	if said == "" {
		said = c.Values[0].Value
	}
	made := chosen{Label: c.Label}
	for _, v := range c.Values {
		made.Links = append(made.Links, Link{Text: v.Text, Href: b.with(c.Param, v.Value, "page"), Here: v.Value == said})
	}
	return made
}

func (b *Browse) around(p Paging) (string, []Link) {
	if p.Limit == 0 || p.Total <= p.Limit && p.Page <= 1 {
		return "", nil
	}
	last := max(1, (p.Total+p.Limit-1)/p.Limit)
	var all []Link
	if p.Page > 1 {
		all = append(all, Link{Text: "Previous page", Href: b.with("page", strconv.Itoa(min(p.Page-1, last)))})
	}
	if p.Page < last {
		all = append(all, Link{Text: "Next page", Href: b.with("page", strconv.Itoa(p.Page+1))})
	}
	return fmt.Sprintf("Page %d of %d", p.Page, last), all
}
