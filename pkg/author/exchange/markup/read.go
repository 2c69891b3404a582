package markup

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"assess/pkg/author/exchange/bank"
	"assess/pkg/kernel/content"
)

// Reader reads markup into the content of one item.
type Reader struct {
	Item *bank.Item
	// File gives the bytes of a picture by its address; false if the file does not have it.
	File func(address string) ([]byte, bool)
	// Element, if there is one, is called for each element first: it may give text in its place, or leave it out.
	Element func(n *html.Node) (texts []content.Text, done bool)
}

// HTML reads a piece of HTML.
func (r *Reader) HTML(source string) []content.Block {
	if !strings.ContainsAny(source, "<&") {
		return r.Nodes(&html.Node{Type: html.TextNode, Data: source})
	}
	nodes, err := ParseHTML(source)
	if err != nil { // nested too deep for a tree: html reads anything else
		r.Item.Refuse(bank.Malformed, "the HTML is nested too deep")
		return nil
	}
	return r.Nodes(nodes...)
}

// ParseHTML gives the nodes of a piece of HTML.
func ParseHTML(source string) ([]*html.Node, error) {
	return html.ParseFragment(strings.NewReader(source), &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
}

// Nodes reads neighbouring nodes.
func (r *Reader) Nodes(nodes ...*html.Node) []content.Block {
	w := &walk{Reader: r}
	for _, n := range nodes {
		w.node(n, nil)
	}
	w.flush()
	return w.blocks
}

// Below reads the children of an element.
func (r *Reader) Below(n *html.Node) []content.Block {
	if n == nil {
		return nil
	}
	return r.Nodes(slices.Collect(n.ChildNodes())...)
}

// walk is the state of a reader: texts are the texts of the open paragraph, and level makes it a heading.
// space says that white space may end the text so far, which is lost before a line break. pre keeps white
// space. held are pictures from a list or table, which follow it.
type walk struct {
	*Reader
	blocks []content.Block
	texts  []content.Text
	level  int
	space  bool
	pre    bool
	inline bool
	held   []content.Block
	depth  int
}

// special handles an element that is more than its children.
func (w *walk) special(n *html.Node, marks []content.Mark) bool {
	switch n.Data {
	case "br":
		w.line(marks)
	case "img":
		w.picture(Attr(n, "src"), Attr(n, "alt"))
	case "object":
		w.object(n, marks)
	case "math":
		w.math(n, marks)
	case "pre":
		w.preformatted(n)
	case "table":
		w.table(n)
	case "ul", "ol":
		w.list(n, marks)
	case "a":
		w.link(n, marks)
	case "q":
		w.quote(n, marks)
	case "blockquote", "hr", "font", "marquee", "form":
		w.Item.Lose(bank.StyleDropped)
		w.children(n, marks)
	case "style", "script", "link", "stylesheet", "input", "select", "button", "textarea":
		w.Item.Lose(bank.StyleDropped)
	case "audio", "video", "iframe", "embed", "svg", "canvas", "applet", "map":
		w.Item.Lose(bank.MediaDropped)
	case "title", "template", "rt", "rp":
	default:
		return false
	}
	return true
}

// marked gives the mark of an element.
var marked = map[string]content.MarkType{
	"b": content.Bold, "strong": content.Bold, "i": content.Italic, "em": content.Italic, "cite": content.Italic, "dfn": content.Italic, "var": content.Italic,
	"u": content.Underline, "ins": content.Underline, "s": content.Strike, "strike": content.Strike, "del": content.Strike,
	"code": content.Code, "tt": content.Code, "kbd": content.Code, "samp": content.Code, "sub": content.Subscript, "sup": content.Superscript,
}

// apart are the elements that begin and end a paragraph.
var apart = map[string]bool{"p": true, "div": true, "section": true, "article": true, "header": true, "footer": true, "aside": true, "main": true,
	"nav": true, "address": true, "figure": true, "figcaption": true, "dl": true, "dt": true, "dd": true, "blockquote": true, "hr": true, "center": true,
	"fieldset": true, "legend": true, "li": true, "details": true, "summary": true, "form": true, "caption": true, "tr": true,
	"prompt": true, "rubricBlock": true, "feedbackBlock": true, "templateBlock": true, "infoControl": true, "itemBody": true}

func (w *walk) node(n *html.Node, marks []content.Mark) {
	switch n.Type {
	case html.TextNode:
		w.text(n.Data, marks)
		return
	case html.ElementNode:
	case html.DocumentNode:
		w.children(n, marks)
		return
	default:
		return
	}
	if w.depth++; w.depth > maxNesting {
		w.depth--
		return
	}
	defer func() { w.depth-- }()
	if w.Element != nil {
		if texts, done := w.Element(n); done {
			for _, t := range texts {
				w.add(t.Text, t.Marks, false)
			}
			return
		}
	}
	w.element(n, marks)
}

// maxNesting bounds the walk through HTML, whose parser stops at 512 by itself.
const maxNesting = 600

func (w *walk) element(n *html.Node, marks []content.Mark) {
	w.styles(n)
	mark, isMark := marked[n.Data]
	level := headingLevel(n.Data)
	switch {
	case apart[n.Data] || level > 0:
		w.flush()
		w.level = level
		if !w.special(n, marks) {
			w.children(n, marks)
		}
		w.flush()
		w.level = 0
	case isMark:
		w.children(n, with(marks, content.Mark{Type: mark}))
	case n.Data == "span" && keepsSpace(n) && !w.pre:
		w.pre = true
		w.children(n, marks)
		w.pre = false
	case !w.special(n, marks):
		w.children(n, marks)
	}
}

func headingLevel(name string) int {
	if len(name) == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6' {
		return int(name[1] - '0')
	}
	return 0
}

func keepsSpace(n *html.Node) bool {
	return strings.Contains(strings.ReplaceAll(Attr(n, "style"), " ", ""), "white-space:pre")
}

// styles notes colours, sizes and the like.
func (w *walk) styles(n *html.Node) {
	if style := Attr(n, "style"); style != "" && !keepsSpace(n) {
		w.Item.Lose(bank.StyleDropped)
	}
}

func (w *walk) children(n *html.Node, marks []content.Mark) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.node(c, marks)
	}
}

func (w *walk) quote(n *html.Node, marks []content.Mark) {
	w.add("“", marks, false)
	w.children(n, marks)
	w.add("”", marks, false)
}

func (w *walk) link(n *html.Node, marks []content.Mark) {
	mark := content.Mark{Type: content.Link, Href: Attr(n, "href")}
	if !safe(mark.Href) {
		w.children(n, marks)
		return
	}
	w.children(n, with(marks, mark))
}

// safe is the rule of content for links.
func safe(href string) bool {
	u, err := url.Parse(href)
	return err == nil && len(href) <= content.MaxHref &&
		((u.Scheme == "http" || u.Scheme == "https") && u.Host != "" || u.Scheme == "mailto" && u.Opaque != "")
}

func with(marks []content.Mark, mark content.Mark) []content.Mark {
	if slices.ContainsFunc(marks, func(m content.Mark) bool { return m.Type == mark.Type }) {
		return marks
	}
	return append(slices.Clip(marks), mark)
}

// text adds the text of a node, with the formulas in it.
func (w *walk) text(s string, marks []content.Mark) {
	if w.pre {
		w.add(strings.ReplaceAll(s, "\r\n", "\n"), marks, false)
		return
	}
	if slices.Contains(marks, content.Mark{Type: content.Code}) {
		w.words(s, marks)
		return
	}
	for part := range formulas(s) {
		if part.math {
			w.add(part.text, []content.Mark{{Type: content.Math}}, false)
			continue
		}
		w.words(part.text, marks)
	}
}

const blanks = " \t\r\n\f"

// words adds text whose white space is one space, and none at the beginning of a line.
func (w *walk) words(s string, marks []content.Mark) {
	words := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(blanks, r) })
	if s == "" {
		return
	}
	begins := strings.IndexByte(blanks, s[0]) >= 0
	ends := strings.IndexByte(blanks, s[len(s)-1]) >= 0
	joined := strings.Join(words, " ")
	if begins && !w.space && !w.fresh() {
		joined = " " + joined
	}
	if ends && len(words) > 0 {
		joined += " "
	}
	w.add(joined, marks, joined != "" && strings.HasSuffix(joined, " "))
}

// fresh says that a line begins.
func (w *walk) fresh() bool {
	last := len(w.texts) - 1
	return last < 0 || strings.HasSuffix(w.texts[last].Text, "\n")
}

// add adds text unchanged; space says that it ends in white space that counts as one space.
func (w *walk) add(s string, marks []content.Mark, space bool) {
	if s == "" {
		return
	}
	w.space = space
	last := len(w.texts) - 1
	if last >= 0 && slices.Equal(w.texts[last].Marks, marks) && !standsAlone(marks) {
		w.texts[last].Text += s
		return
	}
	w.texts = append(w.texts, content.Text{Text: s, Marks: marks})
}

// standsAlone says that two texts of this kind next to each other are not one.
func standsAlone(marks []content.Mark) bool {
	return slices.ContainsFunc(marks, func(m content.Mark) bool { return m.Type == content.Math || m.Type == content.Gap })
}

func (w *walk) line(marks []content.Mark) {
	w.trim()
	w.add("\n", marks, false)
}

// trim removes white space that the next thing makes invisible.
func (w *walk) trim() {
	if !w.space {
		return
	}
	last := len(w.texts) - 1
	w.texts[last].Text = strings.TrimSuffix(w.texts[last].Text, " ")
	if w.texts[last].Text == "" {
		w.texts = w.texts[:last]
	}
	w.space = false
}

// flush ends the paragraph; an empty one is dropped.
func (w *walk) flush() {
	w.trim()
	texts := trimLines(w.texts)
	w.texts, w.space = nil, false
	if len(texts) > 0 {
		b := content.Block{Type: content.Paragraph, Children: texts}
		if w.level > 0 {
			b.Type, b.Level = content.Heading, w.level
		}
		w.blocks = append(w.blocks, b)
	}
	if !w.inline {
		w.blocks = append(w.blocks, w.held...)
		w.held = nil
	}
}

// trimLines removes line breaks at both ends of a paragraph, where nobody sees them.
func trimLines(texts []content.Text) []content.Text {
	for len(texts) > 0 {
		t := &texts[0]
		if t.Text = strings.TrimLeft(t.Text, "\n"); t.Text != "" {
			break
		}
		texts = texts[1:]
	}
	for len(texts) > 0 {
		t := &texts[len(texts)-1]
		if t.Text = strings.TrimRight(t.Text, "\n"); t.Text != "" {
			break
		}
		texts = texts[:len(texts)-1]
	}
	if len(texts) == 1 && texts[0].Marks == nil && strings.Trim(texts[0].Text, " \u00a0\n") == "" {
		return nil
	}
	return texts
}

func (w *walk) preformatted(n *html.Node) {
	w.flush()
	text := strings.Trim(strings.ReplaceAll(RawText(n), "\r\n", "\n"), "\n")
	if strings.TrimSpace(text) != "" {
		w.texts = []content.Text{{Text: text, Marks: []content.Mark{{Type: content.Code}}}}
	}
	w.flush()
}

func (w *walk) math(n *html.Node, marks []content.Mark) {
	tex, ok := TeX(n)
	if !ok {
		w.Item.Lose(bank.MathAsText)
		w.words(tex, marks)
		return
	}
	w.add(tex, []content.Mark{{Type: content.Math}}, false)
}

func (w *walk) object(n *html.Node, marks []content.Mark) {
	if kind := Attr(n, "type"); !strings.HasPrefix(kind, "image/") {
		w.Item.Lose(bank.MediaDropped)
		w.children(n, marks)
		return
	}
	w.picture(Attr(n, "data"), strings.TrimSpace(RawText(n)))
}

// picture ends the paragraph; text after it begins another.
func (w *walk) picture(address, alt string) {
	name, ok := w.keep(address)
	if !ok {
		w.words(alt, nil)
		return
	}
	alt = strings.Join(strings.Fields(alt), " ")
	if alt == "" {
		w.Item.Lose(bank.AltMissing)
		alt = path.Base(name)
	}
	image := content.Block{Type: content.Image, AssetID: name, Alt: alt}
	if w.inline {
		w.held = append(w.held, image)
		return
	}
	w.flush()
	w.blocks = append(w.blocks, image)
}

// kept are the types of pictures that are taken.
var kept = map[string]string{"\x89PNG\r\n": "image/png", "\xff\xd8\xff": "image/jpeg", "GIF8": "image/gif", "RIFF": "image/webp"}

// PictureType gives the type of a picture by its first bytes; empty for types that are not taken.
func PictureType(data []byte) string {
	for begin, kind := range kept {
		if strings.HasPrefix(string(data[:min(len(data), 16)]), begin) && (begin != "RIFF" || len(data) > 12 && string(data[8:12]) == "WEBP") {
			return kind
		}
	}
	return ""
}

// keep adds a picture to the files of the item.
func (w *walk) keep(address string) (name string, ok bool) {
	data, name, ok := w.fetch(address)
	if !ok {
		w.Item.Lose(bank.RemoteImage, short(address))
		return "", false
	}
	kind := PictureType(data)
	if kind == "" {
		w.Item.Lose(bank.MediaDropped, name)
		return "", false
	}
	name = path.Base(name)
	for i := 0; i < len(w.Item.Files); i++ {
		f := w.Item.Files[i]
		if f.Name == name && bytes.Equal(f.Data, data) {
			return name, true
		}
		if f.Name == name { // another picture of this name
			name, i = "_"+name, -1
		}
	}
	w.Item.Files = append(w.Item.Files, bank.File{Name: name, Type: kind, Data: data})
	return name, true
}

// fetch finds the bytes of a picture, in the file or in the address itself.
func (w *walk) fetch(address string) (data []byte, name string, ok bool) {
	if inside, is := strings.CutPrefix(address, "data:"); is {
		kind, text, _ := strings.Cut(inside, ",")
		data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
		return data, w.inlineName(kind), err == nil
	}
	if w.File == nil {
		return nil, "", false
	}
	data, ok = w.File(address)
	return data, NameOf(address), ok
}

// inlineName gives the name in a data address, or makes one.
func (w *walk) inlineName(kind string) string {
	kind, parameters, _ := strings.Cut(kind, ";")
	for p := range strings.SplitSeq(parameters, ";") {
		if name, ok := strings.CutPrefix(p, "name="); ok {
			return NameOf(name)
		}
	}
	_, ending, _ := strings.Cut(kind, "/")
	return bank.Numbered("inline", len(w.Item.Files)+1) + "." + ending
}

// NameOf gives the file name in an address.
func NameOf(address string) string {
	address, _, _ = strings.Cut(address, "?")
	address, _, _ = strings.Cut(address, "#")
	for _, variable := range []string{"@@PLUGINFILE@@/", "$IMS-CC-FILEBASE$/", "%24IMS-CC-FILEBASE%24/", "$IMS_CC_FILE_BASE$"} {
		address = strings.TrimPrefix(address, variable)
	}
	if plain, err := url.PathUnescape(address); err == nil {
		address = plain
	}
	return path.Clean(strings.ReplaceAll(address, `\`, "/"))
}

func short(address string) string {
	const shown = 80
	if len(address) > shown {
		return strings.ToValidUTF8(address[:shown], "") + "…"
	}
	return address
}
