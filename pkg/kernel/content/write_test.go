package content

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// markdownSource generates Markdown: fragments that mean something, and letters.
func markdownSource() *rapid.Generator[string] {
	fragments := []string{"a", "b", "word", " ", "  ", "\n", "\n\n", "*", "**", "_", "__", "~~", "`", "``", "```\n", "\\", "[", "](http://x.org/a)",
		"](mailto:a@b)", "# ", "## ", "- ", "  - ", "1. ", "> ", "|", "| a | b |\n|---|---|\n", "<b>", "<!-- x -->", "&amp;", "&#32;", "&nbsp;",
		"!", "\t", "    ", "---", "===", "=", "+", "-", "#", ".", "1", "é", "مرحبا", "\u200f", "$x^2$", "<http://e.org>", "\\\n", "{}", "\"", "'", ":", "\u00a0"}
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 25), func(all []string) string { return strings.Join(all, "") })
}

func TestMarkdownIsWrittenAsItIsRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		src := markdownSource().Draw(t, "source")
		read := FromMarkdown("en", src).Locales["en"]
		text, ok := ToMarkdown(read)
		if !ok {
			t.Fatalf("no Markdown for what %q means; tried %q:\n%s", src, text, cmp.Diff(read, FromMarkdown("en", text).Locales["en"]))
		}
	})
}

func TestToMarkdown(t *testing.T) {
	t.Parallel()
	bold, italic, code := Mark{Type: Bold}, Mark{Type: Italic}, Mark{Type: Code}
	paragraph := func(texts ...Text) []Block { return []Block{{Type: Paragraph, Children: texts}} }
	tests := []struct {
		name   string
		blocks []Block
		want   string
	}{
		{"heading", []Block{{Type: Heading, Level: 2, Children: plainTexts("Two")}}, "## Two"},
		{"marks", paragraph(marked("a "), marked("b ", bold), marked("c", bold, italic), marked(" d")), "a **b _c_** d"},
		{"what looks like markup", paragraph(marked("1. *a* <b> \\& [c] `d`")), "1\\. \\*a\\* \\<b\\> \\\\\\& \\[c\\] \\`d\\`"},
		{"bold punctuation in a word", paragraph(marked("a"), marked("(b)", bold), marked("c")), "&#97;**(b)**&#99;"},
		{"line break", paragraph(marked("a\nb")), "a\\\nb"},
		{"code", paragraph(marked("x := `y`", code)), "`` x := `y` ``"},
		{"code of two lines", paragraph(marked("x\n\n  y", code)), "```\nx\n\n  y\n```"},
		{"link", paragraph(marked("a", Mark{Type: Link, Href: "https://x.org/?a=1&b=(2)"})), "[a](<https://x.org/?a=1&amp;b=(2)>)"},
		{"list", []Block{{Type: List, Items: []ListItem{{Children: plainTexts("a"), Ordered: true,
			Items: []ListItem{{Children: plainTexts("b")}}}, {Children: plainTexts("c")}}}}, "- a\n  1) b\n- c"},
		{"two lists", []Block{{Type: List, Items: []ListItem{{Children: plainTexts("a")}}},
			{Type: List, Items: []ListItem{{Children: plainTexts("b")}}}}, "- a\n\n* b"},
		{"table", []Block{{Type: Table, Caption: DefaultCaption, HeaderRows: 1, Rows: []Row{
			{Cells: []Cell{{Children: plainTexts("a|b")}, {}}}, {Cells: []Cell{{}, {Children: plainTexts("c\nd")}}}}}},
			"| a\\|b |  |\n| --- | --- |\n|  | c&#10;d |"},
		{"right to left", paragraph(marked("مرحبا "), marked("بك", bold)), "مرحبا **بك**"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, ok := ToMarkdown(newDocument("en", test.blocks).Locales["en"])
			if got != test.want || !ok {
				t.Errorf("got %q, %v; want %q", got, ok, test.want)
			}
		})
	}
}

func TestWhatMarkdownCannotSayIsRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		block Block
	}{
		{"underline", textParagraph("a", Mark{Type: Underline})},
		{"subscript", textParagraph("a", Mark{Type: Subscript})},
		{"image", Block{Type: Image, AssetID: "0190b3c4-0000-7000-8000-000000000001", Alt: "A leaf"}},
		{"caption", Block{Type: Table, Caption: "Yields", HeaderRows: 1, Rows: []Row{{Cells: []Cell{{Children: plainTexts("a")}}}}}},
		{"table without header", Block{Type: Table, Caption: DefaultCaption, Rows: []Row{{Cells: []Cell{{Children: plainTexts("a")}}}}}},
		{"empty paragraph", Block{Type: Paragraph}},
		{"text in two nodes", Block{Type: Paragraph, Children: []Text{{Text: "a"}, {Text: "b"}}}},
		{"code around bold", textParagraph("a", Mark{Type: Code}, Mark{Type: Bold})},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newDocument("en", []Block{test.block}).Locales["en"]
			if text, ok := ToMarkdown(p); ok {
				t.Errorf("written as Markdown: %q", text)
			}
			if text, ok := ToPlain(p); ok {
				t.Errorf("written as plain text: %q", text)
			}
		})
	}
}

func TestPlainTextIsWrittenAsItIsRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		src := strings.TrimSpace(markdownSource().Draw(t, "source"))
		read := FromPlain("en", src).Locales["en"]
		text, ok := ToPlain(read)
		if !ok {
			t.Fatalf("no plain text for what %q means; tried %q", src, text)
		}
	})
}
