package content

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// DefaultCaption is the caption of a table that comes from Markdown, which has none.
const DefaultCaption = "Table"

var markdownParser = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough)).Parser()

// FromMarkdown makes a document of CommonMark with tables and strikethrough. Code
// blocks become paragraphs of code; quotations lose their frame; an image becomes its
// alternative text, since only managed assets are allowed; links keep allowed schemes
// only; HTML is text. A source with more markup than a document can hold is taken as
// plain text.
func FromMarkdown(locale, src string) Document {
	document, _ := ReadMarkdown(locale, src)
	return document
}

// ReadMarkdown is FromMarkdown, and says what the document does not keep.
func ReadMarkdown(locale, src string) (Document, []Loss) {
	if tooMuchMarkup(src) {
		return FromPlain(locale, src), []Loss{{1, LostMarkup}}
	}
	m := &markdown{src: []byte(src)}
	context := parser.NewContext()
	tree := markdownParser.Parse(text.NewReader(m.src), parser.WithContext(context))
	document := newDocument(locale, m.blocks(tree))
	m.references(tree, context)
	return document, m.sorted()
}

// markdown turns a tree of goldmark into blocks; src is the source that its segments point into, at where the reader is.
type markdown struct {
	src    []byte
	at     int
	losses []Loss
}

func (m *markdown) blocks(parent ast.Node) []Block {
	var blocks []Block
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		blocks = append(blocks, m.block(n)...)
	}
	return blocks
}

func (m *markdown) block(n ast.Node) []Block {
	at := m.place(n)
	switch n := n.(type) {
	case *ast.Heading:
		return []Block{{Type: Heading, Level: n.Level, Children: m.inlines(n, nil)}}
	case *ast.Paragraph, *ast.TextBlock:
		return m.paragraph(n)
	case *ast.List:
		m.start(n, at)
		return []Block{{Type: List, Ordered: n.IsOrdered(), Items: m.items(n)}}
	case *ast.FencedCodeBlock:
		m.fence(n, at)
		return verbatim(m.lines(n), Mark{Type: Code})
	case *ast.CodeBlock:
		return verbatim(m.lines(n), Mark{Type: Code})
	case *ast.HTMLBlock:
		return verbatim(m.html(n))
	case *extast.Table:
		return []Block{m.table(n, at)}
	case *ast.Blockquote:
		m.lose(LostQuote, at)
		return m.blocks(n)
	case *ast.ThematicBreak:
		m.rule()
		return nil
	default:
		return m.blocks(n)
	}
}

// paragraph leaves out a paragraph in which nothing stays, such as an image without an
// alternative text.
func (m *markdown) paragraph(n ast.Node) []Block {
	texts := m.inlines(n, nil)
	if len(texts) == 0 {
		return nil
	}
	return []Block{{Type: Paragraph, Children: texts}}
}

func verbatim(s string, marks ...Mark) []Block {
	s = strings.TrimRight(s, "\n")
	if s == "" {
		return nil
	}
	return []Block{textParagraph(s, marks...)}
}

func (m *markdown) lines(n ast.Node) string {
	var b strings.Builder
	for _, segment := range n.Lines().Sliced(0, n.Lines().Len()) {
		b.Write(segment.Value(m.src))
	}
	return b.String()
}

// html includes the closing line, which goldmark keeps apart from the others.
func (m *markdown) html(n *ast.HTMLBlock) string {
	if !n.HasClosure() {
		return m.lines(n)
	}
	return m.lines(n) + string(n.ClosureLine.Value(m.src))
}

func (m *markdown) items(list ast.Node) []ListItem {
	var items []ListItem
	for n := list.FirstChild(); n != nil; n = n.NextSibling() {
		items = append(items, m.item(n))
	}
	return items
}

// item keeps nested lists as nested items; anything else in an item becomes lines of its text.
func (m *markdown) item(n ast.Node) ListItem {
	var item ListItem
	lists := 0
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		list, nested := child.(*ast.List)
		if nested {
			at := m.place(list)
			m.start(list, at)
			if lists++; lists > 1 {
				m.lose(LostListOfItem, at)
			}
			item.Ordered = item.Ordered || list.IsOrdered()
			item.Items = append(item.Items, m.items(list)...)
			continue
		}
		at := m.place(child)
		for _, b := range m.block(child) {
			if b.Type != Paragraph {
				m.lose(LostItemBlock, at)
			}
			item.Children = appendLine(item.Children, b)
		}
	}
	return item
}

func appendLine(texts []Text, b Block) []Text {
	line := b.Children
	if len(line) == 0 {
		line = []Text{{Text: b.plainText()}}
	}
	if len(texts) > 0 {
		texts = appendText(texts, "\n", nil)
	}
	for _, t := range line {
		texts = appendText(texts, t.Text, t.Marks)
	}
	return texts
}

// start notes where a list begins, if that is not with 1.
func (m *markdown) start(n *ast.List, at int) {
	if n.IsOrdered() && n.Start != 1 {
		m.lose(LostListStart, at)
	}
}

var fenceLine = regexp.MustCompile("(?m)^[ \t>]*(```|~~~)")

// fence notes the language of a block of code, and a block that has no line.
func (m *markdown) fence(n *ast.FencedCodeBlock, at int) {
	if n.Info != nil && len(n.Info.Segment.Value(m.src)) > 0 {
		m.lose(LostCode, n.Info.Segment.Start)
	}
	if strings.TrimRight(m.lines(n), "\n") == "" {
		if found := fenceLine.FindIndex(m.src[at:]); found != nil {
			at += found[0]
		}
		m.lose(LostCode, at)
	}
	if last := n.Lines().Len() - 1; last >= 0 { // the next text comes after the closing fence
		end := n.Lines().At(last).Stop
		closing, _, _ := bytes.Cut(m.src[end:], []byte("\n"))
		m.at = max(m.at, end+len(closing))
	}
}

// surplus notes text after the last cell of a row, which belongs to no column.
func (m *markdown) surplus(row ast.Node) {
	last := row.LastChild()
	if last == nil || last.Lines().Len() == 0 {
		return
	}
	end := last.Lines().At(last.Lines().Len() - 1).Stop
	line, _, _ := bytes.Cut(m.src[end:], []byte("\n"))
	if len(bytes.Trim(line, "| \t\r")) > 0 {
		m.lose(LostCells, end)
	}
}

func (m *markdown) table(n *extast.Table, at int) Block {
	if slices.ContainsFunc(n.Alignments, func(a extast.Alignment) bool { return a != extast.AlignNone }) {
		m.lose(LostAlignment, at)
	}
	table := Block{Type: Table, Caption: DefaultCaption, HeaderRows: 1}
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []Cell
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, Cell{Children: m.inlines(cell, nil)})
		}
		m.surplus(row)
		table.Rows = append(table.Rows, Row{Cells: cells})
	}
	return table
}
