package authoring

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"assess/pkg/kernel/content"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// CheckedQuestion is a question that was read and checked as far as this is possible
// without the database; only a check makes one. Its terms may still change.
type CheckedQuestion struct {
	TaxonomyTermIDs []ids.ID

	external string
	qtype    scoring.QType
	// body cannot be used if there are problems.
	body  QuestionBody
	found problems
}

// MadeQuestion is a question whose documents were made in Go: the documents of its input
// are empty. They are checked like any others. Without documents it is its input.
type MadeQuestion struct {
	QuestionInput
	Documents *QuestionDocuments
	// Draft says that it may lack what only a published version needs.
	Draft bool
}

// QuestionDocuments are the documents of a question; Options[i] is the content of its option i, Prompts[i] of its prompt i. There
// are none for gaps.
type QuestionDocuments struct {
	Stem        content.Document
	Explanation *content.Document
	Options     []content.Document
	Prompts     []content.Document
}

func (in QuestionInput) unmade() MadeQuestion { return MadeQuestion{QuestionInput: in} }

// CheckQuestions reads questions on all processors; they must be complete unless they are marked as drafts.
func CheckQuestions(inputs []MadeQuestion) []CheckedQuestion {
	checked := make([]CheckedQuestion, len(inputs))
	onAllCores(len(inputs), func(i int) { checked[i] = inputs[i].check(inputs[i].Documents, !inputs[i].Draft) })
	return checked
}

// onAllCores calls do for 0 to n-1. Nothing that it does may depend on the order.
func onAllCores(n int, do func(i int)) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wait.Wait()
}

// Problems names everything that keeps a question from being published, as far as this can be seen
// without the database; paths start at path. A draft that is written by hand may be incomplete.
func (q MadeQuestion) Problems(path string) []errs.Field {
	return q.check(q.Documents, true).problems(path)
}

// Problems is MadeQuestion.Problems for a question whose documents are JSON.
func (in QuestionInput) Problems(path string) []errs.Field { return in.unmade().Problems(path) }

// check reads an input and names everything that cannot be stored. made has its documents
// if they were made in Go; whole requires everything that a published version must have.
func (in QuestionInput) check(made *QuestionDocuments, whole bool) CheckedQuestion {
	c := CheckedQuestion{TaxonomyTermIDs: in.TaxonomyTermIDs, external: in.ExternalID, qtype: in.QType}
	p, body := &c.found, QuestionBody{Weight: 1, ContributesToScore: true}
	p.text("externalId", in.ExternalID, maxExternalID)
	body.Stem, body.Explanation = p.asked(in, made)
	body.Options = p.options(in, made)
	body.Prompts, body.Layout = p.prompts(in, made), in.Layout
	body.Gaps, body.Pool, body.Reuse = p.gaps(in), p.pool(in), in.Reuse
	p.addIf(in.Layout != "" && !slices.Contains(layouts, in.Layout), "layout", "out_of_range", "expected "+strings.Join(layouts, " or "))
	set(&body.Scoring, in.Scoring)
	set(&body.Weight, in.Weight)
	set(&body.ContributesToScore, in.ContributesToScore)
	p.weight("weight", &body.Weight)
	p.typed("", in.QType, body)
	c.body = body
	if !whole || len(in.Options) > maxOptions || len(in.Prompts) > maxOptions || len(in.Gaps) > maxOptions || len(in.Pool) > maxOptions {
		return c
	}
	stored := slices.Clone(c.found)
	for _, lack := range body.lacks("", in.QType) {
		p.addIf(!stored.below(lack.Path), lack.Path, lack.Code, lack.Message)
	}
	return c
}

// Lacks names the parts that the question still needs before it can be published. Nothing else is wrong with it.
func (c CheckedQuestion) Lacks() []errs.Field {
	if len(c.found) > 0 {
		return nil
	}
	return c.body.lacks("", c.qtype)
}

// asked gives the stem and the explanation.
func (p *problems) asked(in QuestionInput, made *QuestionDocuments) (content.Document, *content.Document) {
	if made != nil {
		p.valid("stem", made.Stem)
		if made.Explanation != nil {
			p.valid("explanation", *made.Explanation)
		}
		return made.Stem, made.Explanation
	}
	stem := p.document("stem", in.Stem)
	if isNull(in.Explanation) {
		return stem, nil
	}
	explanation := p.document("explanation", in.Explanation)
	return stem, &explanation
}

// document reads a content document.
func (p *problems) document(path string, raw []byte) content.Document {
	d, found := content.Parse(path, raw)
	*p = append(*p, found...)
	return d
}

// valid checks a document that was made in Go in the same way as document checks JSON.
func (p *problems) valid(path string, d content.Document) { *p = append(*p, d.Validate(path)...) }

func (p *problems) options(in QuestionInput, made *QuestionDocuments) []Option {
	options := make([]Option, 0, len(in.Options))
	if len(in.Options) > maxOptions {
		p.add("options", "too_many", "at most 100 options")
		return options
	}
	named := in.optionIDs()
	seen := map[string]bool{}
	for i, o := range in.Options {
		at, id := element("", "options", i), named[i]
		p.addIf(!optionID.MatchString(id), at+".id", "invalid_option_id", "1 to 32 letters, digits, hyphens or underscores")
		p.addIf(seen[id], at+".id", "duplicate_option", "another option has this id")
		seen[id] = true
		p.weight(at+".weight", o.Weight)
		p.area(at+".area", o.Area)
		option := Option{ID: id, IsCorrect: o.IsCorrect, Weight: o.Weight, Area: o.Area}
		if made == nil {
			option.Content = p.document(at+".content", o.Content)
		} else {
			option.Content = made.Options[i]
			p.valid(at+".content", option.Content)
		}
		options = append(options, option)
	}
	return options
}

// layouts are the ways to show prompts and options, the default first.
var layouts = []string{"list", "grid"}

func (p *problems) prompts(in QuestionInput, made *QuestionDocuments) []Prompt {
	if len(in.Prompts) > maxOptions {
		p.add("prompts", "too_many", "at most 100 prompts")
		return nil
	}
	var prompts []Prompt
	seen := map[string]bool{}
	for _, id := range in.optionIDs() {
		seen[id] = true
	}
	for i, one := range in.Prompts {
		at, prompt := element("", "prompts", i), Prompt{ID: one.ID}
		if one.ID == "" {
			prompt.ID = "p" + strconv.Itoa(i+1)
		}
		p.addIf(!optionID.MatchString(prompt.ID), at+".id", "invalid_option_id", "1 to 32 letters, digits, hyphens or underscores")
		p.addIf(seen[prompt.ID], at+".id", "duplicate_prompt", "another prompt, or an option, has this id")
		seen[prompt.ID] = true
		if made == nil {
			prompt.Content = p.document(at+".content", one.Content)
		} else {
			prompt.Content = made.Prompts[i]
			p.valid(at+".content", prompt.Content)
		}
		prompts = append(prompts, prompt)
	}
	return prompts
}
