package qti

import (
	"bytes"
	"fmt"
	"image"
	_ "image/gif"  // the formats of pictures; of the others the size is not known
	_ "image/jpeg" // the same
	_ "image/png"  // the same
	"math"
	"slices"
	"strconv"
	"strings"

	"assess/pkg/author/exchange/bank"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/scoring"
)

// choice writes options to select.
func (e *entry) choice() {
	it := e.it
	attributes := `max-choices="1"`
	if it.Kind != scoring.MCQ {
		attributes = fmt.Sprintf(`max-choices="%d" min-choices="%d"`, it.MaxSelections, it.MinSelections)
	}
	e.after.WriteString(`<qti-choice-interaction response-identifier="RESPONSE" ` + attributes + ">")
	for _, o := range it.Options {
		e.after.WriteString(`<qti-simple-choice identifier="` + spell(o.ID) + `">` + e.flat(o.Content) + "</qti-simple-choice>")
	}
	e.after.WriteString("</qti-choice-interaction>")
	e.selected()
}

// selected writes the key of options.
func (e *entry) selected() {
	it := e.it
	cardinality := "multiple"
	if it.Kind == scoring.MCQ {
		cardinality = "single"
	}
	var correct []string
	for _, o := range it.Options {
		if o.Correct {
			correct = append(correct, spell(o.ID))
		}
	}
	switch {
	case len(correct) == 0:
		e.declare("RESPONSE", cardinality, "identifier")
	case it.Kind != scoring.MCQ && it.Method == scoring.Partial:
		share := e.weight / float64(len(correct))
		var entries []entryOf
		for _, o := range it.Options {
			points := -share
			if o.Correct {
				points = share
			}
			entries = append(entries, entryOf{spell(o.ID), points})
		}
		e.mapped("RESPONSE", cardinality, "identifier", entries, "", 0)
		e.template("map_response")
	default:
		e.declare("RESPONSE", cardinality, "identifier", correct...)
		e.right()
	}
}

// hotspots writes areas of the first picture, which is taken out of the stem.
func (e *entry) hotspots() {
	it := e.it
	at := slices.IndexFunc(it.Stem, func(b content.Block) bool { return b.Type == content.Image })
	if at < 0 || at != len(it.Stem)-1 {
		it.Lose(bank.UnsupportedInteraction, "areas of a picture that does not end the text")
		return
	}
	picture := it.Stem[at]
	most := 1
	if it.Kind != scoring.MCQ {
		most = it.MaxSelections
	}
	width, height := e.size(picture.AssetID)
	size := fmt.Sprintf(` width="%d" height="%d"`, width, height)
	if it.Options[0].Area != nil && it.Options[0].Area.Pixels {
		size, width, height = "", 1000, 1000
	}
	source := strings.TrimPrefix(pictureName(e.number, picture.AssetID), "items/")
	fmt.Fprintf(&e.after, `<qti-hotspot-interaction response-identifier="RESPONSE" max-choices="%d" min-choices="%d"><img src="%s" alt="%s"%s/>`, most, it.MinSelections, escape(source), escape(picture.Alt), size)
	for _, o := range it.Options {
		if o.Area == nil {
			it.Lose(bank.UnsupportedInteraction, "an option without its area")
			return
		}
		coords := make([]string, len(o.Area.Coords))
		for i, c := range o.Area.Coords {
			along := width
			if i%2 > 0 {
				along = height
			}
			coords[i] = strconv.Itoa((c*along + 500) / 1000)
		}
		fmt.Fprintf(&e.after, `<qti-hotspot-choice identifier="%s" shape="%s" coords="%s" hotspot-label="%s"/>`, spell(o.ID), o.Area.Shape, strings.Join(coords, ","), escape(bank.Plain(o.Content)))
	}
	e.after.WriteString("</qti-hotspot-interaction>")
	e.it.Stem = it.Stem[:at]
	e.selected()
}

// size gives the size in which a picture is shown: its own, or larger in the same proportion where pixels would be too coarse for
// thousandths.
func (e *entry) size(name string) (width, height int) {
	const least = 1001
	for _, f := range e.it.Files {
		if f.Name != name {
			continue
		}
		c, _, err := image.DecodeConfig(bytes.NewReader(f.Data))
		if err != nil || c.Width < 1 || c.Height < 1 {
			break
		}
		scale := max(1, least/float64(min(c.Width, c.Height)))
		return int(math.Round(scale * float64(c.Width))), int(math.Round(scale * float64(c.Height)))
	}
	return least, least
}

// match writes two sets and their pairs.
func (e *entry) match() {
	it := e.it
	class := ""
	if it.Layout == "grid" {
		class = ` class="qti-match-tabular"`
	}
	e.after.WriteString(`<qti-match-interaction response-identifier="RESPONSE" max-associations="0"` + class + ">")
	set := func(options []bank.Option, most int) {
		e.after.WriteString("<qti-simple-match-set>")
		for _, o := range options {
			fmt.Fprintf(&e.after, `<qti-simple-associable-choice identifier="%s" match-max="%d">%s</qti-simple-associable-choice>`, spell(o.ID), most, e.flat(o.Content))
		}
		e.after.WriteString("</qti-simple-match-set>")
	}
	set(it.Prompts, max(it.MaxPerPrompt, 1))
	set(it.Options, it.MaxPerOption)
	e.after.WriteString("</qti-match-interaction>")
	var pairs []string
	var entries []entryOf
	share := e.weight / float64(max(len(it.Pairs), 1))
	for _, p := range it.Pairs {
		pair := spell(p[0]) + " " + spell(p[1])
		pairs, entries = append(pairs, pair), append(entries, entryOf{pair, share})
	}
	switch {
	case len(pairs) == 0:
		e.declare("RESPONSE", "multiple", "directedPair")
	case it.Method == scoring.AllOrNothing:
		e.declare("RESPONSE", "multiple", "directedPair", pairs...)
		e.right()
	default:
		wrong := 0.0
		if it.MaxPerPrompt > 1 {
			wrong = -share
		}
		e.mapped("RESPONSE", "multiple", "directedPair", entries, "", wrong)
		e.template("map_response")
	}
}

// order writes options to put in order; points for a place each are a sum of comparisons.
func (e *entry) order() {
	it := e.it
	e.after.WriteString(`<qti-order-interaction response-identifier="RESPONSE">`)
	for _, o := range it.Options {
		e.after.WriteString(`<qti-simple-choice identifier="` + spell(o.ID) + `">` + e.flat(o.Content) + "</qti-simple-choice>")
	}
	e.after.WriteString("</qti-order-interaction>")
	ids := make([]string, len(it.Order))
	for i, id := range it.Order {
		ids[i] = spell(id)
	}
	e.declare("RESPONSE", "ordered", "identifier", ids...)
	if it.Method != scoring.Partial {
		e.right()
		return
	}
	var places []string
	for i := range it.Order {
		index := fmt.Sprintf(`<qti-index n="%d">`, i+1)
		places = append(places, e.when("<qti-match>"+index+`<qti-variable identifier="RESPONSE"/></qti-index>`+index+`<qti-correct identifier="RESPONSE"/></qti-index></qti-match>`, e.weight/float64(len(it.Order))))
	}
	e.process(places...)
}

// shares gives the points of each gap.
func (e *entry) shares() []float64 {
	all, weights := 0.0, make([]float64, len(e.it.Gaps))
	for i, g := range e.it.Gaps {
		weights[i] = 1
		if g.Weight != nil {
			weights[i] = *g.Weight
		}
		all += weights[i]
	}
	for i := range weights {
		weights[i] *= e.weight / all
	}
	return weights
}

// pool writes words to drag into gaps; the interaction surrounds the stem.
func (e *entry) pool() {
	it := e.it
	most := 1
	if it.Reuse {
		most = 0
	}
	e.after.WriteString(`<qti-gap-match-interaction response-identifier="RESPONSE">`)
	for _, o := range it.Pool {
		fmt.Fprintf(&e.after, `<qti-gap-text identifier="%s" match-max="%d">%s</qti-gap-text>`, spell(o.ID), most, e.flat(o.Content))
	}
	e.fields = map[string]string{}
	shares := e.shares()
	var pairs []string
	var entries []entryOf
	for i, g := range it.Gaps {
		e.fields[g.ID] = `<qti-gap identifier="` + spell(g.ID) + `"/>`
		for _, right := range g.Right {
			pair := spell(right) + " " + spell(g.ID)
			pairs, entries = append(pairs, pair), append(entries, entryOf{pair, shares[i]})
		}
	}
	if it.Method == scoring.AllOrNothing {
		e.declare("RESPONSE", "multiple", "directedPair", pairs...)
		e.right()
		return
	}
	e.mapped("RESPONSE", "multiple", "directedPair", entries, "", 0)
	e.template("map_response")
}

// gaps writes fields within the text, each with a response of its own.
func (e *entry) gaps() {
	it := e.it
	e.fields = map[string]string{}
	shares := e.shares()
	var tests, parts []string
	for i, g := range it.Gaps {
		id := "RESPONSE_" + strconv.Itoa(i+1)
		points := shares[i]
		if it.Method == scoring.AllOrNothing {
			points = 1
		}
		test := `<qti-gte><qti-map-response identifier="` + id + `"/><qti-base-value base-type="float">` + decimal(points) + "</qti-base-value></qti-gte>"
		e.fields[g.ID] = `<qti-text-entry-interaction class="gap" response-identifier="` + id + `"/>`
		switch g.Kind {
		case bank.GapNumber:
			e.declare(id, "single", "float", decimal(*g.Value))
			test = near(id, g.Tolerance)
		case bank.GapChoice:
			e.fields[g.ID] = e.inlineChoice(id, g)
			var entries []entryOf
			for _, right := range g.Right {
				entries = append(entries, entryOf{spell(right), points})
			}
			e.mapped(id, "single", "identifier", entries, "", 0)
		default:
			e.mapped(id, "single", "string", e.accepted(g.Accepted, points), ` case-sensitive="false"`, 0)
		}
		tests, parts = append(tests, test), append(parts, e.when(test, points))
	}
	if it.Method == scoring.AllOrNothing {
		e.process(e.when("<qti-and>"+strings.Join(tests, "")+"</qti-and>", e.weight))
		return
	}
	e.process(parts...)
}

func (e *entry) inlineChoice(id string, g bank.GapKey) string {
	var b strings.Builder
	b.WriteString(`<qti-inline-choice-interaction response-identifier="` + id + `">`)
	for _, o := range g.Options {
		b.WriteString(`<qti-inline-choice identifier="` + spell(o.ID) + `">` + e.flat(o.Content) + "</qti-inline-choice>")
	}
	b.WriteString("</qti-inline-choice-interaction>")
	return b.String()
}
