package content

import (
	"bufio"
	"bytes"
	"html"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	markdownhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

// inlines gives the text nodes below a node, all with at least the given marks.
func (m *markdown) inlines(parent ast.Node, marks []Mark) []Text {
	var texts []Text
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		for _, t := range m.inline(n, marks) {
			texts = appendText(texts, t.Text, t.Marks)
		}
	}
	return texts
}

func (m *markdown) inline(n ast.Node, marks []Mark) []Text {
	switch n := n.(type) {
	case *ast.Text:
		m.at = max(m.at, n.Segment.Start)
		return []Text{{Text: m.segment(n), Marks: marks}}
	case *ast.String:
		return []Text{{Text: string(n.Value), Marks: marks}}
	case *ast.CodeSpan:
		return m.codeSpan(n, marks)
	case *ast.Emphasis:
		return m.inlines(n, withMark(marks, emphasis(n.Level)))
	case *extast.Strikethrough:
		return m.inlines(n, withMark(marks, Mark{Type: Strike}))
	case *ast.Link:
		return m.link(n, marks)
	case *ast.Image:
		m.lose(LostImage, m.place(n))
		return m.inlines(n, marks)
	case *ast.AutoLink:
		if !safeLink(autoLink(n, m.src)) {
			m.lose(LostLink, m.at)
		}
		return []Text{{Text: string(n.Label(m.src)), Marks: withLink(marks, autoLink(n, m.src))}}
	case *ast.RawHTML:
		return []Text{{Text: string(n.Segments.Value(m.src)), Marks: marks}}
	default:
		return m.inlines(n, marks)
	}
}

func (m *markdown) link(n *ast.Link, marks []Mark) []Text {
	at, address := m.place(n), string(util.URLEscape(n.Destination, true))
	if len(n.Title) > 0 {
		m.lose(LostTitle, at)
	}
	texts := m.inlines(n, withLink(marks, address))
	if !safeLink(address) || len(texts) == 0 {
		m.lose(LostLink, at)
	}
	return texts
}

// segment resolves escapes and entities. goldmark does so only while it writes HTML, in
// one pass over both; so let it write, and take the HTML away again.
func (m *markdown) segment(n *ast.Text) string {
	var escaped bytes.Buffer
	w := bufio.NewWriter(&escaped)
	markdownhtml.DefaultWriter.Write(w, n.Segment.Value(m.src))
	_ = w.Flush() // a bytes.Buffer takes everything
	s := html.UnescapeString(escaped.String())
	switch {
	case n.HardLineBreak():
		return s + "\n"
	case n.SoftLineBreak():
		return s + " "
	default:
		return s
	}
}

// codeSpan takes the text as it is; line feeds in it become spaces (CommonMark, section 6.1).
func (m *markdown) codeSpan(span *ast.CodeSpan, marks []Mark) []Text {
	var b strings.Builder
	for n := span.FirstChild(); n != nil; n = n.NextSibling() {
		t, ok := n.(*ast.Text)
		if ok {
			b.Write(t.Segment.Value(m.src))
		}
	}
	code := strings.ReplaceAll(b.String(), "\n", " ")
	return []Text{{Text: code, Marks: withMark(marks, Mark{Type: Code})}}
}

func emphasis(level int) Mark {
	if level == 2 {
		return Mark{Type: Bold}
	}
	return Mark{Type: Italic}
}

func autoLink(n *ast.AutoLink, src []byte) string {
	address := string(n.URL(src))
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(address), "mailto:") {
		return "mailto:" + address
	}
	return address
}

// withLink adds the link when its address is allowed; else the text stays without.
func withLink(marks []Mark, href string) []Mark {
	if !safeLink(href) {
		return marks
	}
	return withMark(marks, Mark{Type: Link, Href: href})
}

// withMark adds a mark unless the text has one of its kind; marks itself stays as it is.
func withMark(marks []Mark, mark Mark) []Mark {
	for _, m := range marks {
		if m.Type == mark.Type {
			return marks
		}
	}
	return append(slices.Clip(marks), mark)
}

// appendText adds a run to the last text node when both have the same marks, so that one
// run is one node even if the parser cut it into several. Empty runs are left out.
func appendText(texts []Text, s string, marks []Mark) []Text {
	if s == "" {
		return texts
	}
	last := len(texts) - 1
	if last >= 0 && slices.Equal(texts[last].Marks, marks) {
		texts[last].Text += s
		return texts
	}
	return append(texts, Text{Text: s, Marks: marks})
}
