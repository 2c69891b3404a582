package inventory

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"assess/pkg/author/authoring"
	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// Filter is the canonical filter of a view (specification, section 2.7). A key that is absent or
// false does not narrow the list; several statuses are alternatives.
type Filter struct {
	TermsAny           []ids.ID      `json:"termsAny,omitempty" nullable:"false" maxItems:"50" doc:"At least one of these terms"`
	TermsAll           []ids.ID      `json:"termsAll,omitempty" nullable:"false" maxItems:"50" doc:"All of these terms"`
	IncludeDescendants *bool         `json:"includeDescendants,omitempty" doc:"A term stands for everything below it, too"`
	Draft              bool          `json:"status.draft,omitempty"`
	Published          bool          `json:"status.published,omitempty"`
	Archived           bool          `json:"status.archived,omitempty"`
	Focus              bool          `json:"taxonomy.focus,omitempty" doc:"Needs terms; includeDescendants is true unless given"`
	Search             string        `json:"q,omitempty" maxLength:"200" doc:"Full-text query"`
	QType              scoring.QType `json:"qtype,omitempty" doc:"Questions: those of a type"`
	ContributesToScore *bool         `json:"contributesToScore,omitempty" doc:"Questions: false for survey items"`
	Sort               string        `json:"sort,omitempty" shape:"sort"`
}

// FilterInput is a filter as it is sent: with the keys of Filter or of legacy.
type FilterInput = json.RawMessage

// legacy gives the canonical name of the keys that may also be written in snake_case.
var legacy = map[string]string{"terms_any": "termsAny", "terms_all": "termsAll",
	"include_descendants": "includeDescendants", "contributes_to_score": "contributesToScore"}

// ofQuestions are the keys that filters of evaluations do not have.
var ofQuestions = []string{"qtype", "contributesToScore"}

const (
	maxTerms  = 50
	maxSearch = 200
)

// places says where the value of each key belongs.
func (f *Filter) places() map[string]any {
	return map[string]any{"termsAny": &f.TermsAny, "termsAll": &f.TermsAll, "includeDescendants": &f.IncludeDescendants,
		"status.draft": &f.Draft, "status.published": &f.Published, "status.archived": &f.Archived, "taxonomy.focus": &f.Focus,
		"q": &f.Search, "qtype": (*string)(&f.QType), "contributesToScore": &f.ContributesToScore, "sort": &f.Sort}
}

// parseFilter makes a filter canonical, or says everything that is wrong with it. Terms are
// checked against the tenant's own; a retired one may be looked for.
func parseFilter(ctx context.Context, tx *db.Tx, k *Kind, in FilterInput, p *problems) (Filter, error) {
	var f Filter
	var sent map[string]json.RawMessage
	err := json.Unmarshal(in, &sent)
	if err != nil || sent == nil {
		p.addIf(true, "filter", "wrong_type", "expected an object")
		return f, nil
	}
	f.read(k, sent, p)
	p.addIf(f.QType != "" && !f.QType.Known(), "filter.qtype", "not_allowed", "expected "+strings.Join(scoring.QTypes(), ", "))
	p.addIf(f.Sort != "" && !slices.Contains(authoring.Sorts, f.Sort), "filter.sort", "not_allowed", "expected "+strings.Join(authoring.Sorts, ", "))
	p.text("filter.q", f.Search, maxSearch)
	if f.Focus {
		p.addIf(len(f.TermsAny)+len(f.TermsAll) == 0, "filter.taxonomy.focus", "terms_required", "taxonomy.focus needs termsAny or termsAll")
		if f.IncludeDescendants == nil {
			below := true
			f.IncludeDescendants = &below
		}
	}
	return f, f.checkTerms(ctx, tx, p)
}

// read takes the values of known keys, in the order of the alphabet.
func (f *Filter) read(k *Kind, sent map[string]json.RawMessage, p *problems) {
	places := f.places()
	for _, key := range slices.Sorted(maps.Keys(sent)) {
		name := key
		if canonical, old := legacy[key]; old {
			name = canonical
		}
		path := "filter." + key
		_, twice := sent[name]
		place, known := places[name]
		switch {
		case !known || (k == Evaluations && slices.Contains(ofQuestions, name)):
			p.addIf(true, path, "unknown_field", "there is no such key")
		case name != key && twice:
			p.addIf(true, path, "duplicate", "the same key stands here as "+name)
		default:
			p.addIf(!decode(sent[key], place), path, "wrong_type", expected(place))
		}
	}
}

// decode leaves a place as it was unless the whole value fits.
func decode(raw json.RawMessage, place any) bool {
	if bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
		return false
	}
	err := json.Unmarshal(raw, place)
	if terms, ok := place.(*[]ids.ID); ok && err != nil {
		*terms = nil
	}
	return err == nil
}

func expected(place any) string {
	switch place.(type) {
	case *[]ids.ID:
		return "expected an array of term ids"
	case *string:
		return "expected a string"
	}
	return "expected true or false"
}

// text checks a one-line text.
func (p *problems) text(path, s string, most int) {
	*p = append(*p, errs.Prose(path, s, most, false)...)
}

func (f *Filter) checkTerms(ctx context.Context, tx *db.Tx, p *problems) error {
	names, err := taxonomy.Names(ctx, tx, slices.Concat(f.TermsAny, f.TermsAll))
	if err != nil {
		return err
	}
	for _, list := range []struct {
		path  string
		terms []ids.ID
	}{{"filter.termsAny", f.TermsAny}, {"filter.termsAll", f.TermsAll}} {
		p.addIf(len(list.terms) > maxTerms, list.path, "too_many", fmt.Sprintf("at most %d terms", maxTerms))
		p.duplicates(list.path, list.terms)
		for i, id := range list.terms {
			_, known := names[id]
			p.addIf(!known, fmt.Sprintf("%s[%d]", list.path, i), "unknown_term", "there is no such term")
		}
	}
	return nil
}
