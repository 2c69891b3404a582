package content

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestFromPlain(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []string
	}{
		{"one line", "hello", []string{"hello"}},
		{"blank lines part paragraphs", "a\n\nb\n \t\n\nc", []string{"a", "b", "c"}},
		{"single line feeds stay", "a\nb\r\nc", []string{"a\nb\nc"}},
		{"indentation stays", "if x:\n    y  ", []string{"if x:\n    y"}},
		{"HTML is text", "<b>x</b>", []string{"<b>x</b>"}},
		{"blank", " \n\n ", []string{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			doc := FromPlain("EN-gb", test.text)
			got := []string{}
			for _, b := range doc.Locales["en-GB"].Blocks {
				got = append(got, b.Children[0].Text)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("paragraphs (-want +got):\n%s", diff)
			}
			if problems := doc.Validate(""); len(problems) > 0 {
				t.Errorf("problems: %v", problems)
			}
		})
	}
}

func plainTexts(s string) []Text { return []Text{{Text: s}} }

func marked(s string, marks ...Mark) Text { return Text{Text: s, Marks: marks} }

func TestFromMarkdown(t *testing.T) {
	t.Parallel()
	link := Mark{Type: Link, Href: "https://example.org/a%20b"}
	tests := []struct {
		name, src string
		want      []Block
	}{
		{"heading", "## Two", []Block{{Type: Heading, Level: 2, Children: plainTexts("Two")}}},
		{"line breaks", "soft\nbreak  \nhard", []Block{textParagraph("soft break\nhard")}},
		{"marks", "a **b *c*** ~~d~~", []Block{{Type: Paragraph, Children: []Text{
			marked("a "), marked("b ", Mark{Type: Bold}), marked("c", Mark{Type: Bold}, Mark{Type: Italic}),
			marked(" "), marked("d", Mark{Type: Strike})}}}},
		{"marks of neighbours", "**a *b ~~c `d` [e](http://e.org)~~***", []Block{{Type: Paragraph, Children: []Text{
			marked("a ", Mark{Type: Bold}),
			marked("b ", Mark{Type: Bold}, Mark{Type: Italic}),
			marked("c ", Mark{Type: Bold}, Mark{Type: Italic}, Mark{Type: Strike}),
			marked("d", Mark{Type: Bold}, Mark{Type: Italic}, Mark{Type: Strike}, Mark{Type: Code}),
			marked(" ", Mark{Type: Bold}, Mark{Type: Italic}, Mark{Type: Strike}),
			marked("e", Mark{Type: Bold}, Mark{Type: Italic}, Mark{Type: Strike}, Mark{Type: Link, Href: "http://e.org"})}}}},
		{"code span", "`a\\*b\nc`", []Block{textParagraph(`a\*b c`, Mark{Type: Code})}},
		{"code block", "```go\nx := 1\n\ny\n```", []Block{textParagraph("x := 1\n\ny", Mark{Type: Code})}},
		{"escapes and entities", `\*a\* &lt;b&gt; \&amp; "q"`, []Block{textParagraph(`*a* <b> &amp; "q"`)}},
		{"HTML is text", "a <b>c</b>\n\n<div>\nx\n</div>\n\n<!--\ny -->", []Block{
			textParagraph("a <b>c</b>"), textParagraph("<div>\nx\n</div>"), textParagraph("<!--\ny -->")}},
		{"link", `[*x*](<https://example.org/a b>)`, []Block{{Type: Paragraph,
			Children: []Text{marked("x", link, Mark{Type: Italic})}}}},
		{"unsafe link", `[x](javascript:alert(1))`, []Block{textParagraph("x")}},
		{"automatic links", "<https://example.org> <a@example.org>", []Block{{Type: Paragraph, Children: []Text{
			marked("https://example.org", Mark{Type: Link, Href: "https://example.org"}), marked(" "),
			marked("a@example.org", Mark{Type: Link, Href: "mailto:a@example.org"})}}}},
		{"image", "see ![a *leaf*](https://example.org/a.png)", []Block{{Type: Paragraph,
			Children: []Text{marked("see a "), marked("leaf", Mark{Type: Italic})}}}},
		{"image without text", "![](a.png)", []Block{}},
		{"quotation", "> a\n>\n> b", []Block{textParagraph("a"), textParagraph("b")}},
		{"rule", "a\n\n---\n\nb", []Block{textParagraph("a"), textParagraph("b")}},
		{"nested list", "- a\n  1. b\n- c\n\n  d", []Block{{Type: List, Items: []ListItem{
			{Children: plainTexts("a"), Ordered: true, Items: []ListItem{{Children: plainTexts("b")}}},
			{Children: plainTexts("c\nd")}}}}},
		{"table", "| a | b |\n|---|---|\n| 1 |\n", []Block{{Type: Table, Caption: DefaultCaption, HeaderRows: 1, Rows: []Row{
			{Cells: []Cell{{Children: plainTexts("a")}, {Children: plainTexts("b")}}},
			{Cells: []Cell{{Children: plainTexts("1")}, {}}}}}}},
		{"nothing", "", []Block{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			doc := FromMarkdown("en", test.src)
			if diff := cmp.Diff(test.want, doc.Locales["en"].Blocks); diff != "" {
				t.Errorf("blocks (-want +got):\n%s", diff)
			}
			if problems := doc.Validate(""); len(problems) > 0 {
				t.Errorf("problems: %v", problems)
			}
		})
	}
}

// A parser that tries these takes from ten seconds to hours and gigabytes.
func TestFromMarkdownEndsSoonOnMarkupAlone(t *testing.T) {
	t.Parallel()
	wide := strings.Repeat("a|", MaxLocaleBytes/16)
	tests := []struct{ name, src string }{
		{"quotations", strings.Repeat(">", MaxLocaleBytes)},
		{"brackets", strings.Repeat("[", MaxLocaleBytes)},
		{"numbered lists", strings.Repeat("1. ", MaxLocaleBytes/3)},
		{"emphasis", strings.Repeat("*a ", MaxLocaleBytes/3)},
		{"wide and long table", wide + "\n" + strings.Repeat("-|", MaxLocaleBytes/16) + strings.Repeat("\na", MaxLocaleBytes/16)},
		{"larger than a locale", strings.Repeat("- a ", MaxLocaleBytes)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			start := time.Now()
			doc := FromMarkdown("en", test.src)
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("took %s", took)
			}
			if diff := cmp.Diff(FromPlain("en", test.src), doc); diff != "" {
				t.Error("not taken as plain text")
			}
		})
	}
}

// FuzzFromMarkdown: what Markdown gives is valid, except for the limits and for text
// that cannot be stored in any form.
func FuzzFromMarkdown(f *testing.F) {
	for _, seed := range []string{"# a\n\n- b\n  - c\n\n| a | b |\n|--|--|\n| 1 | 2 |", "![x](y) [z](http://a) <b@c.d>", "&#0; `\\` **~~x~~**"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if !utf8.ValidString(src) || strings.ContainsRune(src, 0) {
			return
		}
		for _, problem := range FromMarkdown("en", src).Validate("") {
			switch problem.Code {
			case CodeTooDeep, CodeTooManyNodes, CodeTooLarge:
			default:
				t.Errorf("%s %s", problem.Path, problem.Code)
			}
		}
	})
}
