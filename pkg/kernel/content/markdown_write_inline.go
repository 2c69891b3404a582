package content

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// inlineMarkdown writes text nodes as CommonMark. Marks open and close as they are listed,
// the outermost first; marks that neighbours share stay open.
func inlineMarkdown(texts []Text) string {
	w := inlineWriter{}
	for _, t := range texts {
		w.turnTo(t.Marks)
		if len(t.Marks) > 0 && t.Marks[len(t.Marks)-1].Type == Code {
			w.add(piece{codeSpan(t.Text), span})
			continue
		}
		w.add(piece{t.Text, words})
	}
	w.turnTo(nil)
	return w.join()
}

// piece is a run of text, still to be escaped, or markup as it is.
type piece struct {
	s    string
	kind pieceKind
}

type pieceKind int

const (
	words pieceKind = iota
	opens
	closes
	span
)

// inlineWriter collects pieces; open are the marks around the next one.
type inlineWriter struct {
	pieces []piece
	open   []Mark
}

func (w *inlineWriter) add(p piece) { w.pieces = append(w.pieces, p) }

// turnTo closes and opens marks until exactly these are open. Code is no such mark: its
// span is written as one.
func (w *inlineWriter) turnTo(marks []Mark) {
	if n := len(marks); n > 0 && marks[n-1].Type == Code {
		marks = marks[:n-1]
	}
	shared := 0
	for shared < min(len(marks), len(w.open)) && marks[shared] == w.open[shared] {
		shared++
	}
	for _, m := range slices.Backward(w.open[shared:]) {
		w.add(piece{closing(m), closes})
	}
	for _, m := range marks[shared:] {
		w.add(piece{opening(m), opens})
	}
	w.open = marks
}

func opening(m Mark) string {
	if m.Type == Link {
		return "["
	}
	return delimiter(m)
}

func closing(m Mark) string {
	if m.Type == Link {
		return "](<" + escapeHref(m.Href) + ">)"
	}
	return delimiter(m)
}

// delimiter differs from mark to mark, so that the delimiters of neighbours never run
// together. Underlined, subscript and superscript text has no form in Markdown.
func delimiter(m Mark) string {
	return map[MarkType]string{Bold: "**", Italic: "_", Strike: "~~"}[m.Type]
}

func escapeHref(href string) string {
	return strings.NewReplacer(`\`, `\\`, "<", `\<`, ">", `\>`, "&", "&amp;").Replace(href)
}

// codeSpan fences code with more backticks than it has in a row. One space at either end
// is the fence's own where both ends have one, or where a backtick is next.
func codeSpan(code string) string {
	fence := strings.Repeat("`", longestRun(code, '`')+1)
	padded := strings.HasPrefix(code, "`") || strings.HasSuffix(code, "`") ||
		(strings.HasPrefix(code, " ") && strings.HasSuffix(code, " ") && strings.Trim(code, " \t\f\v") != "")
	if padded {
		code = " " + code + " "
	}
	return fence + code + fence
}

// join escapes the text. At either end of a line and inside of a delimiter, a space is written
// as a character reference, since otherwise it would be lost there or keep the delimiter from
// being one. So is a letter outside of a delimiter that has no letter inside: such a delimiter
// opens or closes only next to punctuation, and a reference counts as punctuation.
func (w *inlineWriter) join() string {
	var b strings.Builder
	for i, p := range w.pieces {
		if p.kind != words {
			b.WriteString(p.s)
			continue
		}
		e := escaper{text: p.s, lineStart: i == 0,
			tightFirst: i > 0 && w.pieces[i-1].kind == opens,
			tightLast:  i+1 == len(w.pieces) || w.pieces[i+1].kind == closes,
			guardFirst: i > 0 && w.pieces[i-1].kind == closes && w.needsPunctuation(i-1, -1),
			guardLast:  i+1 < len(w.pieces) && w.pieces[i+1].kind == opens && w.needsPunctuation(i+1, 1)}
		b.WriteString(e.escape())
	}
	return b.String()
}

// needsPunctuation says whether the delimiter at a place needs punctuation on its outer
// side; step leads to its inner side.
func (w *inlineWriter) needsPunctuation(at, step int) bool {
	inner := w.pieces[at+step]
	switch d := w.pieces[at].s; {
	case d != "**" && d != "~~":
		return d == "_"
	case inner.kind != words:
		return true
	}
	r, _ := utf8.DecodeRuneInString(inner.s)
	if step < 0 {
		r, _ = utf8.DecodeLastRuneInString(inner.s)
	}
	return !isLetter(r)
}

func reference(r rune) string { return fmt.Sprintf("&#%d;", r) }
