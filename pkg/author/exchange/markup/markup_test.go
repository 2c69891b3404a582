package markup_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"assess/pkg/author/exchange/bank"
	"assess/pkg/author/exchange/markup"
	"assess/pkg/kernel/content"
)

func read(source string) ([]content.Block, *bank.Item) {
	it := &bank.Item{}
	r := markup.Reader{Item: it, File: func(address string) ([]byte, bool) { return []byte("\x89PNG\r\n\x1a\n"), address == "leaf.png" }}
	return r.HTML(source), it
}

func para(texts ...content.Text) content.Block {
	return content.Block{Type: content.Paragraph, Children: texts}
}

func text(s string, marks ...content.MarkType) content.Text {
	t := content.Text{Text: s}
	for _, m := range marks {
		t.Marks = append(t.Marks, content.Mark{Type: m})
	}
	return t
}

func TestHTMLBecomesBlocks(t *testing.T) {
	t.Parallel()
	for source, want := range map[string][]content.Block{
		"one":                                  {para(text("one"))},
		"<p>a <b>b</b> c</p>":                  {para(text("a "), text("b", content.Bold), text(" c"))},
		"<p>a<br>b</p><p>&nbsp;</p>":           {para(text("a\nb"))},
		"<div>a<div>b</div>c</div>":            {para(text("a")), para(text("b")), para(text("c"))},
		"<p> much \n white <i> space</i> </p>": {para(text("much white "), text("space", content.Italic))},
		"<h2>Title</h2>text":                   {{Type: content.Heading, Level: 2, Children: []content.Text{text("Title")}}, para(text("text"))},
		"<ol><li>a<ul><li>b</li></ul></li></ol>": {{Type: content.List, Ordered: true, Items: []content.ListItem{
			{Children: []content.Text{text("a")}, Items: []content.ListItem{{Children: []content.Text{text("b")}}}}}}},
		"<pre>a\n  b</pre>": {para(text("a\n  b", content.Code))},
		`<p>see <img src="leaf.png" alt="A leaf"> there</p>`: {para(text("see")),
			{Type: content.Image, AssetID: "leaf.png", Alt: "A leaf"}, para(text("there"))},
		`<p>\(x^2\) and $$y$$</p>`:                         {para(text("x^2", content.Math), text(" and "), text("y", content.Math))},
		`<math><mfrac><mi>a</mi><mn>2</mn></mfrac></math>`: {para(text(`\frac{a}{2}`, content.Math))},
		`<table><tr><th>a</th></tr><tr><td>b</td></tr></table>`: {{Type: content.Table, Caption: content.DefaultCaption, HeaderRows: 1,
			Rows: []content.Row{{Cells: []content.Cell{{Children: []content.Text{text("a")}}}}, {Cells: []content.Cell{{Children: []content.Text{text("b")}}}}}}},
	} {
		got, _ := read(source)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", source, diff)
		}
	}
}

func TestWhatHTMLLosesIsSaid(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]bank.Code{
		`<p style="color:red">x</p>`:                            bank.StyleDropped,
		`<blockquote>x</blockquote>`:                            bank.StyleDropped,
		`<img src="https://example.org/a.png" alt="x">`:         bank.RemoteImage,
		`<img src="leaf.png">`:                                  bank.AltMissing,
		`<video src="a.mp4"></video>x`:                          bank.MediaDropped,
		`<svg></svg>x`:                                          bank.MediaDropped,
		`<table><tr><td>a</td></tr></table>`:                    bank.TableCaptionMade,
		`<math><mtable><mtr><mtd>1</mtd></mtr></mtable></math>`: bank.MathAsText,
	} {
		_, it := read(source)
		if len(it.Notices) != 1 || it.Notices[0].Code != want {
			t.Errorf("%s: got %v, want %s", source, it.Notices, want)
		}
	}
}

func TestContentIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	blocks := []content.Block{
		para(text("plain <b>no tag</b> & \"quotes\"")), para(text("  two  spaces "), text("bold", content.Bold), text("\nline", content.Bold, content.Italic)),
		para(text(`money $$ and \( no formula \) and \[neither\]`)), para(text("x < y", content.Math), text("z", content.Math), text(" and "), text("code  here", content.Code)),
		para(text("a\n b\n", content.Underline), text("end ")), para(text("line\n  two", content.Code)),
		para(content.Text{Text: "link", Marks: []content.Mark{{Type: content.Link, Href: "https://example.org/?a=b&c=d"}}}),
		{Type: content.Heading, Level: 3, Children: []content.Text{text("Head")}},
		{Type: content.List, Items: []content.ListItem{{Children: []content.Text{text("a\nb")}, Ordered: true, Items: []content.ListItem{{Children: []content.Text{text("c")}}}}}},
		{Type: content.Table, Caption: "Yields", HeaderRows: 1, Rows: []content.Row{{Cells: []content.Cell{{}, {Children: []content.Text{text("h")}}}}, {Cells: []content.Cell{{Children: []content.Text{text("1")}}, {}}}}},
		{Type: content.Image, AssetID: "leaf.png", Alt: `A "leaf"`},
	}
	for _, mathML := range []bool{false, true} {
		w := markup.Writer{Source: func(name string) string { return name }, MathML: mathML}
		got, it := read(w.Blocks(blocks))
		if diff := cmp.Diff(blocks, got); diff != "" || len(it.Notices) > 0 {
			t.Errorf("%v %s", it.Notices, diff)
		}
	}
}

func TestXMLIsBounded(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("<a>", 100) + strings.Repeat("</a>", 100)
	for source, want := range map[string]string{
		deep:                                 "nested more than 64 deep",
		"<a>\n<b></a>":                       "line 2",
		"":                                   "no XML element",
		`<!DOCTYPE a [<!ENTITY x "y">]><a/>`: "DOCTYPE",
		`<!DOCTYPE a SYSTEM "b.dtd" [<!ELEMENT a (b)>]><a>&y;</a>`: "line 1",
		"<a>&unknown;</a>": "line 1",
		`<?xml version="1.0" encoding="klingon"?><a/>`: "klingon",
		"<a>\xff</a>": "UTF-8",
	} {
		v := markup.Visitor{Whole: func(*html.Node) bool { return true }, Visit: func(*html.Node, int) error { return nil }}
		err := v.Read(strings.NewReader(source))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: got %v, want %s", source, err, want)
		}
	}
}

func TestXMLIsReadInItsEncoding(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"windows-1252": "<?xml version=\"1.0\" encoding=\"windows-1252\"?><a>caf\xe9 \x80</a>",
		"UTF-16":       "\xff\xfe<\x00a\x00>\x00c\x00a\x00f\x00\xe9\x00 \x00\xac\x20<\x00/\x00a\x00>\x00",
		"UTF-8":        "\xef\xbb\xbf<a>café €</a>",
	} {
		got := ""
		v := markup.Visitor{Whole: func(*html.Node) bool { return true }, Visit: func(n *html.Node, _ int) error { got = markup.Text(n); return nil }}
		err := v.Read(strings.NewReader(source))
		if err != nil || got != "café €" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
