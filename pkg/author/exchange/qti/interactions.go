package qti

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"

	"assess/pkg/author/exchange/bank"
	"assess/pkg/author/exchange/markup"
	"assess/pkg/kernel/scoring"
)

func whole(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// optionsOf reads the options of a name.
func (r *reader2) optionsOf(n *html.Node, names ...string) []bank.Option {
	var options []bank.Option
	for o := range markup.All(n, names...) {
		options = append(options, bank.Option{ID: unspell(attr(o, "identifier")), Content: r.Below(o)})
	}
	return options
}

func (r *reader2) choice(n *html.Node, d *declaration) {
	r.choose(n, d, r.optionsOf(n, "simpleChoice"))
}

// choose reads an interaction in which options are selected.
func (r *reader2) choose(n *html.Node, d *declaration, options []bank.Option) {
	it := r.it
	it.Options = options
	single := d.cardinality == "single"
	it.Kind = scoring.MCQ
	if !single {
		it.Kind = scoring.MRQ
	}
	for i, o := range it.Options {
		it.Options[i].Correct = slices.Contains(d.correct, o.ID)
	}
	if r.scored(d, !single) {
		r.mappedChoice(d, single)
	}
	if single {
		return
	}
	most := attr(n, "maxChoices")
	if it.MaxSelections = whole(most); most == "" {
		it.MaxSelections = 1
	}
	it.MinSelections = whole(attr(n, "minChoices"))
	if it.MaxSelections == len(it.Options) {
		it.MaxSelections = 0
	}
}

// mappedChoice turns the mapping into shares of the points.
func (r *reader2) mappedChoice(d *declaration, single bool) {
	it := r.it
	all, most := 0.0, 0.0
	shares := make([]float64, len(it.Options))
	for i, o := range it.Options {
		value, known := d.mapped[o.ID]
		if !known {
			value = d.other
		}
		shares[i] = value
		all += max(value, 0)
		most = max(most, value)
	}
	if single {
		all = most
	}
	if all <= 0 {
		it.Unscored = true
		return
	}
	for i := range shares {
		shares[i] *= 100 / all
	}
	it.Fractions(single, shares)
	r.bounds(d, all)
}

// bounds takes the weight of a mapping, and notes what its bounds change.
func (r *reader2) bounds(d *declaration, all float64) {
	it := r.it
	if d.upper != nil && *d.upper < all {
		it.Lose(bank.MappingChanged, "fewer answers than all give all points")
		all = *d.upper
	}
	negative := d.other < 0
	for _, value := range d.mapped {
		negative = negative || value < 0
	}
	if negative && (d.lower == nil || *d.lower < 0) {
		it.Lose(bank.MappingChanged, "points below 0")
	}
	if all > 0 && it.Passage == "" {
		it.Weigh(math.Round(all*1e9) / 1e9)
	}
}

func numericBase(base string) bool { return base == "integer" || base == "float" }

// textEntry reads one field: its text or number is the answer.
func (r *reader2) textEntry(n *html.Node, d *declaration) {
	it := r.it
	if attr(n, "class") == "gap" { // one gap is a question with one field, unless the file says so
		r.fields([]*html.Node{n})
		return
	}
	if numericBase(d.base) {
		it.Kind = scoring.Numeric
		mapped := r.scored(d, false)
		r.number(d, mapped)
		return
	}
	it.Kind = scoring.ShortText
	answers, shares := d.correct, slices.Repeat([]float64{100}, len(d.correct))
	if r.scored(d, false) {
		answers, shares = d.shares()
		r.bounds(d, d.best())
	}
	it.Accept(answers, shares)
	r.letterCase(d, it.Accepted)
}

// letterCase notes that case matters to QTI, if there are letters.
func (r *reader2) letterCase(d *declaration, answers []string) {
	if d.mapped != nil && !d.caseMatters || r.ignoresCase() {
		return
	}
	if slices.ContainsFunc(answers, func(s string) bool {
		return strings.ContainsFunc(s, func(c rune) bool { return unicode.ToUpper(c) != unicode.ToLower(c) })
	}) {
		r.it.Lose(bank.CaseIgnored)
	}
}

func (r *reader2) ignoresCase() bool {
	match := markup.First(r.processing.root, "stringMatch")
	return match != nil && attr(match, "caseSensitive") == "false"
}

// best gives the most points that one answer of the mapping gives.
func (d *declaration) best() float64 {
	best := 0.0
	for _, value := range d.mapped {
		best = max(best, value)
	}
	return best
}

// shares gives the answers of a mapping with their shares of the points, in hundredths.
func (d *declaration) shares() ([]string, []float64) {
	shares := make([]float64, len(d.order))
	for i, key := range d.order {
		shares[i] = d.mapped[key] * 100 / max(d.best(), 1e-9)
	}
	return d.order, shares
}

// number reads the right number with its tolerance, which only the processing has.
func (r *reader2) number(d *declaration, mapped bool) {
	it := r.it
	values := d.correct
	if mapped {
		answers, shares := d.shares()
		values = nil
		for i, a := range answers {
			switch {
			case shares[i] >= 99.99:
				values = append(values, a)
			case shares[i] > 0:
				it.Lose(bank.PartialAnswer)
			}
		}
		r.bounds(d, d.best())
	}
	if len(values) == 0 {
		return
	}
	if len(values) > 1 {
		it.Lose(bank.SeveralValues)
	}
	value, err := strconv.ParseFloat(strings.TrimSpace(values[0]), 64)
	if err != nil {
		it.Refuse(bank.Malformed, "the right answer is no number")
		return
	}
	low, high, ok := r.tolerance(value, r.processing.root)
	if !ok {
		it.Lose(bank.OwnProcessing)
	}
	it.Number(value, 0)
	if low != value || high != value {
		it.Between(low, high)
	}
}

// within gives the first element with a name, which may be the given one itself.
func within(n *html.Node, name string) *html.Node {
	if n != nil && n.Data == name {
		return n
	}
	return markup.First(n, name)
}

// tolerance gives the range of right answers in a comparison; false for one that is not understood.
func (r *reader2) tolerance(value float64, in *html.Node) (low, high float64, ok bool) {
	low, high, ok = value, value, true
	if r.processing.kind == ownProcessing {
		return low, high, ok
	}
	if n := within(in, "equal"); n != nil {
		parts := strings.Fields(attr(n, "tolerance"))
		if len(parts) == 0 {
			return low, high, true
		}
		below, above := decimalOf(parts[0]), decimalOf(parts[len(parts)-1])
		switch attr(n, "toleranceMode") {
		case "relative":
			return value - math.Abs(value)*below/100, value + math.Abs(value)*above/100, true
		case "absolute":
			return value - below, value + above, true
		}
		return low, high, true
	}
	if n := within(in, "equalRounded"); n != nil {
		half := math.Pow(10, -decimalOf(attr(n, "figures"))) / 2
		return value - half, value + half, attr(n, "roundingMode") == "decimalPlaces"
	}
	for n := range markup.All(in, "gte", "lte", "gt", "lt") {
		limit := markup.Child(n, "baseValue")
		switch {
		case limit == nil, n.Data == "gt", n.Data == "lt":
			ok = false
		case n.Data == "gte":
			low = decimalOf(markup.Text(limit))
		default:
			high = decimalOf(markup.Text(limit))
		}
	}
	return low, high, ok
}

// fields reads the fields of a text as its gaps.
func (r *reader2) fields(all []*html.Node) {
	it := r.it
	r.gapIDs = map[string]string{}
	weights := 0.0
	for _, n := range all {
		d := r.declared[attr(n, "responseIdentifier")]
		if d == nil {
			d = &declaration{}
		}
		g := bank.GapKey{ID: bank.Numbered("g", len(it.Gaps)+1)}
		r.gapIDs[d.id] = g.ID
		worth := r.processing.points[d.id]
		switch {
		case n.Data == "inlineChoiceInteraction":
			r.inlineChoice(&g, n, d)
		case numericBase(d.base):
			g.Kind = bank.GapNumber
			if len(d.correct) > 0 {
				value := decimalOf(d.correct[0])
				g.Value = &value
				if low, high, ok := r.tolerance(value, r.processing.tests[d.id]); ok && (low != value || high != value) {
					value, g.Tolerance = bank.Middle(low, high)
				}
			}
		default:
			answers, shares := d.correct, slices.Repeat([]float64{100}, len(d.correct))
			if d.mapped != nil && (r.mapped(d) || len(answers) == 0) {
				answers, shares = d.shares()
			}
			it.FillGap(&g, answers, shares)
			r.letterCase(d, g.Accepted)
		}
		if worth == 0 && r.mapped(d) {
			worth = d.best()
		}
		weights += worth
		g.Weight = &worth
		it.Gaps = append(it.Gaps, g)
	}
	r.relative()
	it.GapsDone()
	switch r.processing.kind {
	case byKey:
		it.Lose(bank.ScoredByKey)
	case comparison:
		if len(r.processing.tests) == 0 {
			it.Lose(bank.OwnProcessing)
		} else {
			it.Weigh(math.Round(weights*1e9) / 1e9)
		}
	case ownProcessing:
		it.Lose(bank.OwnProcessing)
	case sumOfParts, mapResponse:
		if weights > 0 && it.Passage == "" {
			it.Weigh(math.Round(weights*1e9) / 1e9)
		}
	case matchCorrect:
		it.Method = scoring.AllOrNothing
		if r.processing.whole > 0 {
			it.Weigh(r.processing.whole)
		}
	}
}

// mapped says that the points of a response come from its mapping.
func (r *reader2) mapped(d *declaration) bool {
	if test := r.processing.tests[d.id]; test != nil {
		return test.Data == "gte"
	}
	return d.mapped != nil && (r.processing.kind == mapResponse || r.processing.kind == sumOfParts)
}

// relative takes the points of gaps as multiples of the smallest; if all are the same, it sets none.
func (r *reader2) relative() {
	gaps := r.it.Gaps
	least := 0.0
	for _, g := range gaps {
		if g.Weight != nil && *g.Weight > 0 && (least == 0 || *g.Weight < least) {
			least = *g.Weight
		}
	}
	for i := range gaps {
		if gaps[i].Weight == nil {
			continue
		}
		times := 1.0
		if least > 0 {
			times = math.Round(*gaps[i].Weight/least*1e6) / 1e6
		}
		gaps[i].Weight = nil
		if times != 1 && times > 0 {
			gaps[i].Weight = &times
		}
	}
}

func (r *reader2) inlineChoice(g *bank.GapKey, n *html.Node, d *declaration) {
	options := r.optionsOf(n, "inlineChoice")
	shares := make([]float64, len(options))
	for i, o := range options {
		if slices.Contains(d.correct, o.ID) {
			shares[i] = 100
		}
		if value, known := d.mapped[o.ID]; known && r.mapped(d) {
			shares[i] = value * 100 / max(d.best(), 1e-9)
		}
	}
	r.it.ChooseGap(g, options, shares)
}

// hotspot reads areas of a picture as options, named by their labels.
func (r *reader2) hotspot(n *html.Node, d *declaration) {
	picture := markup.First(n, "object", "img")
	width, height := decimalOf(markup.Attr(picture, "width")), decimalOf(markup.Attr(picture, "height"))
	var options []bank.Option
	for h := range markup.All(n, "hotspotChoice") {
		label := attr(h, "hotspotLabel")
		if label == "" {
			label = attr(h, "identifier")
		}
		options = append(options, bank.Option{ID: attr(h, "identifier"), Content: bank.Paragraph(label), Area: areaOf(h, width, height)})
	}
	r.choose(n, d, options)
}

func areaOf(n *html.Node, width, height float64) *bank.Area {
	a := &bank.Area{Shape: attr(n, "shape"), Pixels: width <= 0 || height <= 0}
	for i, part := range strings.Split(attr(n, "coords"), ",") {
		x := decimalOf(part)
		switch {
		case a.Pixels:
		case i%2 == 0:
			x *= 1000 / width
		default:
			x *= 1000 / height
		}
		if !a.Pixels {
			x = min(max(x, 0), 1000)
		}
		a.Coords = append(a.Coords, int(math.Round(x)))
	}
	if a.Shape == "default" {
		a.Shape, a.Coords = "rect", []int{0, 0, 1000, 1000}
	}
	if c := a.Coords; a.Shape == "rect" && len(c) == 4 { // some programs write the corners the other way round
		a.Coords = []int{min(c[0], c[2]), min(c[1], c[3]), max(c[0], c[2]), max(c[1], c[3])}
	}
	return a
}

func (r *reader2) hottext(n *html.Node, d *declaration) {
	r.it.Lose(bank.HottextAsList)
	r.choose(n, d, r.optionsOf(n, "hottext"))
}

func (r *reader2) slider(_ *html.Node, d *declaration) {
	r.it.Lose(bank.SliderAsNumber)
	r.it.Kind = scoring.Numeric
	r.number(d, r.scored(d, false))
}
