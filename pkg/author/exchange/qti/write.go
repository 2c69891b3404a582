package qti

import (
	"archive/zip"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"assess/pkg/author/exchange/bank"
	"assess/pkg/author/exchange/markup"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/scoring"
)

// The namespaces of QTI 3 and of its packages.
const (
	space3    = "http://www.imsglobal.org/xsd/imsqtiasi_v3p0"
	packaged3 = "http://www.imsglobal.org/xsd/qti/qtiv3p0/imscp_v1p1"
	templates = "https://purl.imsglobal.org/spec/qti/v3p0/rptemplates/"
)

// Writer writes a package of QTI 3.0, an item a file.
type Writer struct {
	zip *zip.Writer
	// resources are the resources of the manifest, items the written items by their ids.
	resources strings.Builder
	items     map[string]placed
	n, tests  int
}

// NewWriter writes to out, which stays open.
func NewWriter(out io.Writer) *Writer {
	return &Writer{zip: zip.NewWriter(out), items: map[string]placed{}}
}

// Add writes an item, and notes in it what QTI cannot say; an item that has no form there is left out.
func (w *Writer) Add(it *bank.Item) error {
	e := &entry{it: it, weight: 1, number: w.n + 1}
	if it.Weight != nil {
		e.weight = *it.Weight
	}
	text := e.item()
	if !it.Usable() {
		return nil
	}
	w.n++
	name := fmt.Sprintf("items/%d.xml", w.n)
	w.items[it.ID] = placed{name, e.weight}
	fmt.Fprintf(&w.resources, `<resource identifier="r%d" type="imsqti_item_xmlv3p0" href="%s">%s<file href="%s"/>`, w.n, name, metadata(it), name)
	for _, f := range it.Files {
		picture := pictureName(w.n, f.Name)
		if err := w.file(picture, f.Data); err != nil {
			return err
		}
		w.resources.WriteString(`<file href="` + escape(picture) + `"/>`)
	}
	w.resources.WriteString("</resource>\n")
	return w.file(name, []byte(text))
}

// metadata writes tags and category as LOM does.
func metadata(it *bank.Item) string {
	if len(it.Tags)+len(it.Category) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(`<metadata><lom xmlns="http://ltsc.ieee.org/xsd/LOM"><general>`)
	for _, tag := range it.Tags {
		b.WriteString("<keyword><string>" + escape(tag) + "</string></keyword>")
	}
	b.WriteString("</general>")
	if len(it.Category) > 0 {
		b.WriteString("<classification><taxonPath>")
		for _, name := range it.Category {
			b.WriteString("<taxon><entry><string>" + escape(name) + "</string></entry></taxon>")
		}
		b.WriteString("</taxonPath></classification>")
	}
	b.WriteString("</lom></metadata>")
	return b.String()
}

// pictureName keeps the pictures of items apart.
func pictureName(n int, name string) string { return fmt.Sprintf("items/pictures-%d/%s", n, name) }

func (w *Writer) file(name string, data []byte) error {
	f, err := w.zip.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return err
}

// Close writes the manifest and ends the archive.
func (w *Writer) Close() error {
	err := w.file("imsmanifest.xml", []byte(xml.Header+`<manifest xmlns="`+packaged3+`" identifier="manifest"><metadata><schema>QTI Package</schema><schemaversion>3.0.0</schemaversion></metadata><organizations/><resources>`+
		"\n"+w.resources.String()+"</resources></manifest>\n"))
	if err != nil {
		return err
	}
	return w.zip.Close()
}

// entry writes one item.
type entry struct {
	it     *bank.Item
	number int
	weight float64
	// declared, after and processing are the responses, the text after the stem, and the response processing.
	declared, after, processing strings.Builder
	// fields has the text for each gap.
	fields map[string]string
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder takes everything
	return b.String()
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func (e *entry) html(blocks []content.Block) string {
	w := markup.Writer{MathML: true, Gap: func(id string) string { return e.fields[id] },
		Source: func(name string) string { return strings.TrimPrefix(pictureName(e.number, name), "items/") }}
	return w.Blocks(blocks)
}

// flat writes the content that an option may have: the text of one paragraph without its frame.
func (e *entry) flat(blocks []content.Block) string {
	if len(blocks) == 1 && blocks[0].Type == content.Paragraph {
		var w markup.Writer
		w.MathML = true
		if text := w.Inline(blocks[0].Children); !strings.Contains(blocks[0].Children[0].Text, "\n") {
			return text
		}
	}
	return e.html(blocks)
}

func (e *entry) item() string {
	it := e.it
	e.key()
	var b strings.Builder
	b.WriteString(xml.Header + `<qti-assessment-item xmlns="` + space3 + `" identifier="` + spell(it.ID) + `" title="` + escape(it.Name) + `" adaptive="false" time-dependent="false"`)
	if it.Locale != "" {
		b.WriteString(` xml:lang="` + escape(it.Locale) + `"`)
	}
	b.WriteString(">\n" + e.declared.String())
	b.WriteString(`<qti-outcome-declaration identifier="SCORE" cardinality="single" base-type="float" normal-minimum="0" normal-maximum="` + decimal(e.weight) + `"><qti-default-value><qti-value>0</qti-value></qti-default-value></qti-outcome-declaration>` + "\n")
	if len(it.Explanation) > 0 {
		b.WriteString(`<qti-outcome-declaration identifier="FEEDBACK" cardinality="single" base-type="identifier"><qti-default-value><qti-value>EXPLANATION</qti-value></qti-default-value></qti-outcome-declaration>` + "\n")
	}
	b.WriteString("<qti-item-body>" + e.stem() + "</qti-item-body>\n" + e.processing.String())
	if len(it.Explanation) > 0 {
		b.WriteString(`<qti-modal-feedback outcome-identifier="FEEDBACK" show-hide="show" identifier="EXPLANATION"><qti-content-body>` + e.html(it.Explanation) + "</qti-content-body></qti-modal-feedback>\n")
	}
	b.WriteString("</qti-assessment-item>\n")
	return b.String()
}

// stem writes the text and what comes after it; a pool surrounds it.
func (e *entry) stem() string {
	if e.it.Kind == bank.Gap && e.it.Pooled() {
		return e.after.String() + e.html(e.it.Stem) + "</qti-gap-match-interaction>"
	}
	return e.html(e.it.Stem) + e.after.String()
}

func (e *entry) key() {
	it := e.it
	switch {
	case slices.ContainsFunc(it.Options, func(o bank.Option) bool { return o.Area != nil }):
		e.hotspots()
	case it.Kind == bank.Passage:
	case it.Kind == scoring.Essay:
		e.declared.WriteString(`<qti-response-declaration identifier="RESPONSE" cardinality="single" base-type="string"/>` + "\n")
		e.after.WriteString(`<qti-extended-text-interaction response-identifier="RESPONSE"/>`)
	case it.Kind.Type().Chooses():
		e.choice()
	case it.Kind == scoring.ShortText && len(it.Accepted) > 0:
		e.mapped("RESPONSE", "single", "string", e.accepted(it.Accepted, e.weight), ` case-sensitive="false"`, 0)
		e.after.WriteString(`<p><qti-text-entry-interaction response-identifier="RESPONSE"/></p>`)
		e.template("map_response")
	case it.Kind == scoring.Numeric && it.Value != nil:
		e.declare("RESPONSE", "single", "float", decimal(*it.Value))
		e.after.WriteString(`<p><qti-text-entry-interaction response-identifier="RESPONSE"/></p>`)
		e.process(e.when(near("RESPONSE", it.Tolerance), e.weight))
	case it.Kind == bank.Match:
		e.match()
	case it.Kind == bank.Order:
		e.order()
	case it.Kind == bank.Gap && it.Pooled():
		e.pool()
	case it.Kind == bank.Gap && len(it.Pool) == 0:
		e.gaps()
	default:
		it.Lose(bank.UnsupportedInteraction, "QTI has no such "+string(it.Kind))
	}
}

// entryOf is a key of a mapping with its points.
type entryOf struct {
	key    string
	points float64
}

func (e *entry) accepted(answers []string, points float64) []entryOf {
	all := make([]entryOf, len(answers))
	for i, a := range answers {
		all[i] = entryOf{escape(a), points}
	}
	return all
}

// declare writes a response with its key.
func (e *entry) declare(id, cardinality, base string, correct ...string) {
	fmt.Fprintf(&e.declared, `<qti-response-declaration identifier="%s" cardinality="%s" base-type="%s">%s</qti-response-declaration>`+"\n", id, cardinality, base, correctResponse(correct))
}

func correctResponse(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return "<qti-correct-response><qti-value>" + strings.Join(values, "</qti-value><qti-value>") + "</qti-value></qti-correct-response>"
}

// mapped writes a response with points for each answer; other is the points for any other answer.
func (e *entry) mapped(id, cardinality, base string, entries []entryOf, attributes string, other float64) {
	var correct []string
	var all strings.Builder
	for _, m := range entries {
		if m.points > 0 && (cardinality != "single" || len(correct) == 0) {
			correct = append(correct, m.key)
		}
		fmt.Fprintf(&all, `<qti-map-entry map-key="%s" mapped-value="%s"%s/>`, m.key, decimal(m.points), attributes)
	}
	fmt.Fprintf(&e.declared, `<qti-response-declaration identifier="%s" cardinality="%s" base-type="%s">%s<qti-mapping default-value="%s" lower-bound="0">%s</qti-mapping></qti-response-declaration>`+"\n",
		id, cardinality, base, correctResponse(correct), decimal(other), all.String())
}

func (e *entry) template(name string) {
	e.processing.WriteString(`<qti-response-processing template="` + templates + name + `.xml"/>` + "\n")
}

func (e *entry) process(conditions ...string) {
	e.processing.WriteString("<qti-response-processing>" + strings.Join(conditions, "") + "</qti-response-processing>\n")
}

// when writes a condition that adds points.
func (e *entry) when(test string, points float64) string {
	return "<qti-response-condition><qti-response-if>" + test + `<qti-set-outcome-value identifier="SCORE"><qti-sum><qti-variable identifier="SCORE"/><qti-base-value base-type="float">` +
		decimal(points) + "</qti-base-value></qti-sum></qti-set-outcome-value></qti-response-if></qti-response-condition>"
}

func isKey(id string) string {
	return `<qti-match><qti-variable identifier="` + id + `"/><qti-correct identifier="` + id + `"/></qti-match>`
}

func near(id string, tolerance float64) string {
	t := decimal(tolerance)
	return `<qti-equal tolerance-mode="absolute" tolerance="` + t + " " + t + `"><qti-variable identifier="` + id + `"/><qti-correct identifier="` + id + `"/></qti-equal>`
}

// right gives all points for the key.
func (e *entry) right() {
	if e.weight == 1 {
		e.template("match_correct")
		return
	}
	e.process(e.when(isKey("RESPONSE"), e.weight))
}
