package markup

import (
	"encoding/base64"
	"html"
	"net/url"
	"strconv"
	"strings"

	"assess/pkg/author/exchange/bank"
	"assess/pkg/kernel/content"
)

// Writer writes content as XHTML that a Reader reads as the same content.
type Writer struct {
	// Source gives the address of a picture by the name of its file.
	Source func(name string) string
	// Gap, if there is one, writes the text for a gap.
	Gap func(id string) string
	// MathML writes formulas as MathML together with their TeX; otherwise they are TeX in \( and \).
	MathML bool
	// Name, if there is one, gives an element its name.
	Name func(name string) string
}

// Blocks writes blocks.
func (w *Writer) Blocks(blocks []content.Block) string {
	var b strings.Builder
	for _, block := range blocks {
		w.block(&b, block)
	}
	return b.String()
}

func (w *Writer) block(b *strings.Builder, block content.Block) {
	switch block.Type {
	case content.Heading:
		level := strconv.Itoa(block.Level)
		b.WriteString("<h" + level + ">" + w.Inline(block.Children) + "</h" + level + ">")
	case content.List:
		w.list(b, block.Items, block.Ordered)
	case content.Table:
		w.table(b, block)
	case content.Image:
		b.WriteString(`<p><img src="` + html.EscapeString(w.Source(block.AssetID)) + `" alt="` + html.EscapeString(block.Alt) + `"/></p>`)
	default:
		if len(block.Children) == 1 && isCodeBlock(block.Children[0]) {
			b.WriteString("<pre>" + html.EscapeString(block.Children[0].Text) + "</pre>")
			return
		}
		b.WriteString("<p>" + w.Inline(block.Children) + "</p>")
	}
}

// isCodeBlock says whether text is code of several lines.
func isCodeBlock(t content.Text) bool {
	return strings.Contains(t.Text, "\n") && len(t.Marks) == 1 && t.Marks[0].Type == content.Code && strings.Trim(t.Text, "\n") == t.Text
}

func (w *Writer) list(b *strings.Builder, items []content.ListItem, ordered bool) {
	tag := "ul"
	if ordered {
		tag = "ol"
	}
	b.WriteString("<" + tag + ">")
	for _, item := range items {
		b.WriteString("<li>" + w.Inline(item.Children))
		if len(item.Items) > 0 {
			w.list(b, item.Items, item.Ordered)
		}
		b.WriteString("</li>")
	}
	b.WriteString("</" + tag + ">")
}

func (w *Writer) table(b *strings.Builder, t content.Block) {
	b.WriteString("<table><caption>" + html.EscapeString(t.Caption) + "</caption><tbody>")
	for i, row := range t.Rows {
		tag := "td"
		if i < t.HeaderRows {
			tag = "th"
		}
		b.WriteString("<tr>")
		for _, cell := range row.Cells {
			b.WriteString("<" + tag + ">" + w.Inline(cell.Children) + "</" + tag + ">")
		}
		b.WriteString("</tr>")
	}
	b.WriteString("</tbody></table>")
}

// tags are the elements of marks.
var tags = map[content.MarkType]string{content.Bold: "strong", content.Italic: "em", content.Underline: "u", content.Strike: "s", content.Code: "code",
	content.Subscript: "sub", content.Superscript: "sup"}

// Inline writes text nodes.
func (w *Writer) Inline(texts []content.Text) string {
	var b strings.Builder
	for i, t := range texts {
		begins := i == 0 || strings.HasSuffix(texts[i-1].Text, "\n") || strings.HasSuffix(texts[i-1].Text, " ")
		ends := i+1 == len(texts) || strings.HasPrefix(texts[i+1].Text, "\n")
		w.text(&b, t, begins && strings.HasPrefix(t.Text, " ") || ends && strings.HasSuffix(t.Text, " "))
	}
	return b.String()
}

func (w *Writer) text(b *strings.Builder, t content.Text, space bool) {
	var closing []string
	for _, m := range t.Marks {
		switch m.Type {
		case content.Math:
			b.WriteString(w.formula(t.Text))
			return
		case content.Gap:
			b.WriteString(w.gap(m.Ref))
			return
		case content.Link:
			b.WriteString(`<a href="` + html.EscapeString(m.Href) + `">`)
			closing = append(closing, "</a>")
		default:
			b.WriteString("<" + tags[m.Type] + ">")
			closing = append(closing, "</"+tags[m.Type]+">")
		}
	}
	b.WriteString(words(t.Text, space))
	for i := len(closing) - 1; i >= 0; i-- {
		b.WriteString(closing[i])
	}
}

func (w *Writer) gap(id string) string {
	if w.Gap == nil {
		return content.GapText
	}
	return w.Gap(id)
}

// words writes text. If its white space would not be visible (at its ends if space says so), it marks it to be kept.
func words(s string, space bool) string {
	escaped := strings.NewReplacer("\n", "<br/>", `\(`, `\<span></span>(`, `\[`, `\<span></span>[`, "$$", "$<span></span>$",
		"&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "\u00a0", "&#160;").Replace(s)
	if space || strings.Contains(s, "  ") || strings.ContainsAny(s, "\t\f\r") || strings.Contains(s, " \n") || strings.Contains(s, "\n ") {
		return `<span style="white-space:pre-wrap">` + escaped + `</span>`
	}
	return escaped
}

func (w *Writer) formula(tex string) string {
	escaped := html.EscapeString(tex)
	if !w.MathML {
		return `\(` + escaped + `\)`
	}
	drawn, known := presentation(tex)
	if !known {
		drawn = "<mtext>" + escaped + "</mtext>"
	}
	return `<math xmlns="http://www.w3.org/1998/Math/MathML" alttext="` + escaped + `"><semantics>` + drawn + `<annotation encoding="application/x-tex">` +
		escaped + `</annotation></semantics></math>`
}

// DataAddress is an address that contains a picture, with its name.
func DataAddress(f bank.File) string {
	return "data:" + f.Type + ";name=" + url.PathEscape(f.Name) + ";base64," + base64.StdEncoding.EncodeToString(f.Data)
}
