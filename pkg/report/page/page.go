package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
)

// Page is one report as it is shown.
type Page struct {
	// Kind says what kind of report it is, Name what it is about.
	Kind, Name string
	// Lines are sentences below the name, AsOf tells how fresh the figures are.
	Lines   []string
	AsOf    string
	Tiles   []Tile
	Notices []Notice
	Parts   []Part
	// Foot is the text at the end; empty: the usual one of reports.
	Foot string
	// Details are the ids that a program or a support request needs; the ids of the rows are added by themselves.
	Details []Detail
	// Crumbs are the pages above this one, Links others about the same; Paging and Choices say what part of a list it is, in
	// what order. They are drawn where Browse says how to get there.
	Crumbs, Links []Link
	Paging        Paging
	Choices       []Choice
	Browse        *Browse
}

// Detail is an id with what it identifies.
type Detail struct{ Label, Value string }

// Tile is a figure that everybody looks for first.
type Tile struct {
	Label, Value, Note string
	Tone               Tone
}

// Tone is the meaning of a colour. Words always say the same: colour is only added.
type Tone string

// The tones.
const (
	Plain   Tone = ""
	Good    Tone = "good"
	Warning Tone = "warning"
	Bad     Tone = "bad"
	Faint   Tone = "faint"
)

// Notice is a sentence that should not be missed.
type Notice struct {
	Tone        Tone
	Label, Text string
}

// Part is a section of the page: a chart, a table with the same figures, or both.
type Part struct {
	Heading, Note string
	Columns       *Columns
	Stack         *Stack
	Line          *Line
	Table         *Table
	// Wide gives the table the whole width, below its chart.
	Wide bool
}

// Chart says whether the part has one.
func (p Part) Chart() bool { return p.Columns != nil || p.Stack != nil || p.Line != nil }

// Table is a table. Empty is shown instead when it has no rows.
type Table struct {
	Caption string
	Header  []Head
	Rows    [][]Cell
	Empty   string
}

// Cards says whether a phone shows each row as a card: more than three columns do not fit side by side.
func (t Table) Cards() bool { return len(t.Header) > 3 }

// settle gives cells the heads of their columns, and gathers the ids.
func (p *Page) settle() []Detail {
	all := p.Details
	for _, part := range p.Parts {
		if part.Table == nil {
			continue
		}
		for _, row := range part.Table.Rows {
			for i := range row {
				if part.Table.Cards() && i < len(part.Table.Header) {
					row[i].Head = part.Table.Header[i].Text
				}
				if row[i].ID != "" {
					all = append(all, Detail{short(row[i].Text, 80), row[i].ID})
				}
			}
		}
	}
	return all
}

// Head is the head of a column.
type Head struct {
	Text  string
	Right bool
}

// Cell is one cell.
type Cell struct {
	Text string
	// Note is small print below the text.
	Note string
	Tone Tone
	// Right aligns figures, Code is for ids, Label marks what names the row.
	Right, Code, Label bool
	// Href makes the text a link. At is the page about what the cell names, where somebody browses; Carry are the parameters
	// of this page's address that it keeps.
	Href, At string
	Carry    []string
	Needs    Reach
	// ID is the id of the thing that the cell names; it is listed below the page, where it can be copied.
	ID string
	// Head is the head of the column, for phones, which show a row as a card.
	Head string
	// Bar draws a share of 0 to 1 behind the text; nil draws none.
	Bar *Bar
}

//go:embed page.html
var source string

//go:embed page.css
var style string

// policy allows the one style sheet of the page and nothing else.
var policy = func() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}()

// ContentPolicy is the policy that a server sends with a page, on top of the one in the page itself
// (Content-Security-Policy).
func ContentPolicy() string { return policy }

var page = template.Must(template.New("page").Parse(source))

// heaviest is the most bytes that a page may have.
const heaviest = 60 << 10

// weight is how many bytes a page has, without what is around it.
func weight(p Page) int {
	var out bytes.Buffer
	_ = Write(&out, p) // what fails is told when the page is written
	return out.Len()
}

// Write writes a page.
func Write(w io.Writer, p Page) error {
	var out bytes.Buffer
	err := page.Execute(&out, struct {
		Page
		Trail  *trail
		IDs    []Detail
		Policy string
		Style  template.CSS
	}{p, p.led(), p.settle(), policy, template.CSS(style)}) //nolint:gosec // our own file
	if err != nil {
		return fmt.Errorf("draw the page: %w", err)
	}
	_, err = w.Write(out.Bytes())
	return err
}
