package content

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
)

// LossKind names what a document cannot keep of Markdown.
type LossKind string

// The kinds of losses.
const (
	LostQuote      LossKind = "quote"
	LostImage      LossKind = "image"
	LostRule       LossKind = "rule"
	LostCode       LossKind = "code"
	LostTitle      LossKind = "title"
	LostLink       LossKind = "link"
	LostReference  LossKind = "reference"
	LostListStart  LossKind = "list_start"
	LostItemBlock  LossKind = "item_block"
	LostAlignment  LossKind = "alignment"
	LostCells      LossKind = "cells"
	LostMarkup     LossKind = "markup"
	LostListOfItem LossKind = "item_lists"
)

// lossTexts say what becomes of each.
var lossTexts = map[LossKind]string{
	LostQuote:      "a quotation becomes plain paragraphs",
	LostImage:      "an image from outside is left out, but for its alternative text",
	LostRule:       "a horizontal rule is left out",
	LostCode:       "code loses the name of its language, and code without a line is left out",
	LostTitle:      "the title of a link is left out",
	LostLink:       "a link loses its address unless that is http, https or mailto, and is left out where it has no text",
	LostReference:  "an address that no link refers to is left out",
	LostListStart:  "a numbered list begins with 1",
	LostItemBlock:  "headings and tables within a list become lines of text",
	LostAlignment:  "the columns of a table lose their alignment",
	LostCells:      "cells beyond the head of a table are left out",
	LostMarkup:     "there is more markup than a document can hold, so all of it is taken as plain text",
	LostListOfItem: "several lists within one item become one",
}

// Loss is something that a document does not keep. Line counts from 1.
type Loss struct {
	Line int
	Kind LossKind
}

// String says what becomes of it.
func (l Loss) String() string { return lossTexts[l.Kind] }

// maxLosses bounds the report about one text: anyone who sees so many looks at all of it.
const maxLosses = 100

// lose notes a loss at an offset of the source, each once a line.
func (m *markdown) lose(kind LossKind, at int) {
	if len(m.losses) == maxLosses {
		return
	}
	one := Loss{1 + bytes.Count(m.src[:min(at, len(m.src))], []byte("\n")), kind}
	if !slices.Contains(m.losses, one) {
		m.losses = append(m.losses, one)
	}
}

// sorted gives the losses in the order of the source.
func (m *markdown) sorted() []Loss {
	slices.SortStableFunc(m.losses, func(a, b Loss) int { return cmp.Compare(a.Line, b.Line) })
	return m.losses
}

// place gives the offset at which a node begins in the source, if the node or its content has one;
// otherwise where the reader is.
func (m *markdown) place(n ast.Node) int {
	at := -1
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it ends without an error
		switch {
		case at >= 0:
			return ast.WalkStop, nil
		case !entering:
		case n.Type() == ast.TypeBlock && n.Lines().Len() > 0:
			at = n.Lines().At(0).Start
		case n.Kind() == ast.KindText:
			at = n.(*ast.Text).Segment.Start
		}
		return ast.WalkContinue, nil
	})
	if at < 0 {
		return m.at
	}
	m.at = max(m.at, at)
	return at
}

var ruleLine = regexp.MustCompile(`(?m)^[ \t>]*([-*_])[ \t]*([-*_][ \t]*){2,}$`)

// rule finds the line of a rule, which says nothing about its place.
func (m *markdown) rule() {
	at := m.at
	if found := ruleLine.FindIndex(m.src[at:]); found != nil {
		m.at = at + found[1]
		at += found[0]
	}
	m.lose(LostRule, at)
}

// references notes the definitions that no link uses: nothing of them is to be seen.
func (m *markdown) references(tree ast.Node, context parser.Context) {
	used := map[string]bool{}
	_ = ast.Walk(tree, func(n ast.Node, _ bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Link:
			used[string(n.Destination)] = true
		case *ast.Image:
			used[string(n.Destination)] = true
		}
		return ast.WalkContinue, nil
	})
	for _, r := range context.References() {
		if used[string(r.Destination())] || len(m.losses) == maxLosses {
			continue
		}
		label := regexp.QuoteMeta(strings.TrimSpace(string(r.Label())))
		at := regexp.MustCompile(fmt.Sprintf(`(?i)\[\s*%s\s*\]:`, label)).FindIndex(m.src)
		if at == nil {
			at = []int{0}
		}
		m.lose(LostReference, at[0])
	}
}
