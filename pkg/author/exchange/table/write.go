package table

import (
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"

	"assess/pkg/author/authoring"
	"assess/pkg/author/exchange/bank"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/scoring"
	"assess/pkg/kernel/sheet"
)

var header = []string{"externalId", "qtype", "stem", "correct", "terms", "tags", "content"}

// Writer writes a file.
type Writer struct {
	lines *sheet.Writer
	begun bool
}

// NewWriter writes to out, which stays open.
func NewWriter(out io.Writer) *Writer { return &Writer{lines: sheet.NewWriter(out)} }

func (w *Writer) begin() error {
	if w.begun {
		return nil
	}
	w.begun = true
	return w.lines.Write(header)
}

// Close ends the file.
func (w *Writer) Close() error {
	if err := w.begin(); err != nil {
		return err
	}
	w.lines.Flush()
	return w.lines.Error()
}

// Add writes an item, and notes in it what the service cannot say; a question that it would refuse is left out.
func (w *Writer) Add(it *bank.Item) error {
	question := Question(it, "en", nil)
	if !it.Usable() {
		return nil
	}
	whole, err := json.Marshal(question)
	if err != nil {
		return err
	}
	if err := w.begin(); err != nil {
		return err
	}
	terms := ""
	if len(it.Category) > 0 {
		terms = "category:" + word(strings.Join(it.Category, " / "))
	}
	tags := make([]string, len(it.Tags))
	for i, tag := range it.Tags {
		tags[i] = word(tag)
	}
	return w.lines.Write([]string{it.ID, string(it.Kind), "", "", terms, strings.Join(tags, "; "), string(whole)})
}

// word removes from a name the signs that separate names in a cell.
func word(name string) string { return strings.NewReplacer(";", ",", ":", " –").Replace(name) }

var optionID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)

// Question gives an item as the service takes it, and notes its losses; problems of the question become problems of the item.
// The language is for items that name none. picture gives the id of an asset for a file of the item; without it pictures are
// replaced by their texts.
func Question(it *bank.Item, locale string, picture func(name string) string) authoring.QuestionInput {
	var q authoring.QuestionInput
	switch {
	case !it.Usable():
	case !it.Kind.Known():
		it.Lose(bank.UnsupportedInteraction, "the service asks no "+string(it.Kind)+" yet")
	case it.Passage != "":
		it.Lose(bank.UnsupportedInteraction, "the question is about a passage")
	case slices.ContainsFunc(it.Options, func(o bank.Option) bool { return o.Area != nil && o.Area.Pixels }):
		it.Lose(bank.UnsupportedInteraction, "areas of a picture whose size the file does not say")
	case picture == nil && slices.ContainsFunc(it.Options, func(o bank.Option) bool { return o.Area != nil }):
		it.Lose(bank.UnsupportedInteraction, "areas of a picture, which this table cannot hold")
	}
	if !it.Usable() {
		return q
	}
	if said, ok := content.NormaliseLocale(it.Locale); ok {
		locale = said
	}
	document := func(blocks []content.Block) json.RawMessage {
		payload := content.Payload{SchemaVersion: content.SchemaVersion, Type: content.PayloadType, Blocks: plain(it, blocks, picture)}
		raw, _ := json.Marshal(content.Document{DefaultLocale: locale, Locales: map[string]content.Payload{locale: payload}}) // it is made of texts
		return raw
	}
	odd := slices.ContainsFunc(it.Options, func(o bank.Option) bool {
		return !optionID.MatchString(o.ID) || slices.ContainsFunc(it.Prompts, func(p bank.Option) bool { return p.ID == o.ID })
	})
	q = authoring.QuestionInput{ExternalID: it.ID, QType: it.Kind, Stem: document(it.Stem), Weight: it.Weight}
	if len(it.Explanation) > 0 {
		q.Explanation = document(it.Explanation)
	}
	letters := map[string]string{}
	for i, o := range it.Options {
		option := authoring.OptionInput{ID: o.ID, Content: document(o.Content), IsCorrect: o.Correct}
		if o.Area != nil {
			option.Area = &authoring.Area{Shape: o.Area.Shape, Coords: o.Area.Coords}
		}
		if odd {
			option.ID = bank.Letter(i)
			letters[o.ID] = option.ID
		}
		q.Options = append(q.Options, option)
	}
	for _, p := range it.Prompts {
		q.Prompts = append(q.Prompts, authoring.PromptInput{ID: p.ID, Content: document(p.Content)})
	}
	q.Layout, q.Scoring = it.Layout, scored(it)
	q.Gaps, q.Pool, q.Reuse = gaps(it, document), choices(it.Pool, document), it.Reuse
	if odd && q.Scoring != nil {
		q.Scoring.Order, q.Scoring.Pairs = slices.Clone(q.Scoring.Order), slices.Clone(q.Scoring.Pairs)
		for i, id := range q.Scoring.Order {
			q.Scoring.Order[i] = letters[id]
		}
		for i, p := range q.Scoring.Pairs {
			q.Scoring.Pairs[i][1] = letters[p[1]]
		}
	}
	if it.Unscored {
		no := false
		q.ContributesToScore = &no
	}
	for _, p := range q.Problems("") {
		it.Refuse(p.Code, strings.TrimSpace(p.Path+" "+p.Message))
	}
	return q
}

func choices(options []bank.Option, document func([]content.Block) json.RawMessage) []authoring.PromptInput {
	var all []authoring.PromptInput
	for _, o := range options {
		all = append(all, authoring.PromptInput{ID: o.ID, Content: document(o.Content)})
	}
	return all
}

func gaps(it *bank.Item, document func([]content.Block) json.RawMessage) []authoring.GapInput {
	var all []authoring.GapInput
	for _, g := range it.Gaps {
		gap := authoring.GapInput{ID: g.ID, Kind: g.Kind, Options: choices(g.Options, document), CorrectOptionIDs: g.Right, AcceptedAnswers: g.Accepted,
			Value: g.Value, Tolerance: g.Tolerance}
		if g.Weight != nil {
			gap.Weight = int(*g.Weight)
		}
		all = append(all, gap)
	}
	return all
}

func scored(it *bank.Item) *authoring.QuestionScoring {
	s := authoring.QuestionScoring{Order: it.Order, Pairs: it.Pairs, MaxPerPrompt: it.MaxPerPrompt, MaxPerOption: it.MaxPerOption, Method: it.Method, AcceptedAnswers: it.Accepted, Value: it.Value, Tolerance: it.Tolerance}
	if it.Kind.Type().Has(scoring.PartMaxSelections) {
		s.MinSelections, s.MaxSelections = it.MinSelections, it.MaxSelections
	}
	if s.Method == "" && len(s.AcceptedAnswers)+len(s.Order)+len(s.Pairs) == 0 && s.Value == nil && s.Tolerance == 0 && s.MinSelections+s.MaxSelections == 0 {
		return nil
	}
	return &s
}

// plain gives content as the service keeps it: pictures that are not assets become text.
func plain(it *bank.Item, blocks []content.Block, picture func(name string) string) []content.Block {
	kept := make([]content.Block, 0, len(blocks))
	for _, b := range blocks {
		switch {
		case b.Type == content.Image && picture != nil:
			b.AssetID = picture(b.AssetID)
		case b.Type == content.Image:
			it.Lose(bank.MediaDropped, "a picture: add it by hand where its text is not enough")
			b = bank.Paragraph("[" + b.Alt + "]")[0]
		}
		kept = append(kept, b)
	}
	return kept
}
