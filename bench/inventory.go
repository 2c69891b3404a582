package main

import (
	"context"
	"fmt"
	"time"

	"assess/pkg/author/authoring"
	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// inventoryReads is how often each page is read, after warmUp reads that fill caches.
const (
	inventoryReads = 100
	warmUp         = 20
)

// looking is a page of the inventory that is read again and again.
type looking struct {
	name string
	call func(ctx context.Context, tx *db.Tx, b *stock, i int) error
}

func listing(name string, filter func(b *stock, i int) authoring.QuestionFilter) looking {
	return looking{"questions, " + name, func(ctx context.Context, tx *db.Tx, b *stock, i int) error {
		_, err := authoring.ListQuestions(ctx, tx, filter(b, i))
		return err
	}}
}

func (b *stock) term(i int) ids.ID { return b.terms[len(b.terms)/2+i%(len(b.terms)/2)] }

var yes = true

var lookings = []looking{
	listing("all", func(*stock, int) authoring.QuestionFilter { return authoring.QuestionFilter{} }),
	listing("page 100", func(*stock, int) authoring.QuestionFilter {
		return authoring.QuestionFilter{Page: db.Page{Page: 100, Limit: 25}}
	}),
	listing("published mrq, oldest first", func(*stock, int) authoring.QuestionFilter {
		return authoring.QuestionFilter{Status: "published", QType: "mrq", ContributesToScore: &yes, Sort: "createdAt"}
	}),
	listing("a common word", func(*stock, int) authoring.QuestionFilter { return authoring.QuestionFilter{Search: "word3"} }),
	listing("a rare word", func(_ *stock, i int) authoring.QuestionFilter {
		return authoring.QuestionFilter{Search: vocabulary[1900+i%100]}
	}),
	listing("three words, drafts", func(_ *stock, i int) authoring.QuestionFilter {
		return authoring.QuestionFilter{Status: "draft", Search: fmt.Sprintf("word%d word%d word%d", i%20, i%30, i%50)}
	}),
	listing("a term", func(b *stock, i int) authoring.QuestionFilter {
		return authoring.QuestionFilter{TermsFilter: authoring.TermsFilter{TermsAny: []ids.ID{b.term(i)}}}
	}),
	listing("a top term and all below", func(b *stock, _ int) authoring.QuestionFilter {
		return authoring.QuestionFilter{TermsFilter: authoring.TermsFilter{TermsAny: b.terms[:1], IncludeDescendants: true}}
	}),
	listing("two terms at once, and all below", func(b *stock, i int) authoring.QuestionFilter {
		return authoring.QuestionFilter{TermsFilter: authoring.TermsFilter{TermsAll: []ids.ID{b.terms[i%2], b.terms[2+i%6]}, IncludeDescendants: true}}
	}),
	listing("term, word, type and state", func(b *stock, _ int) authoring.QuestionFilter {
		return authoring.QuestionFilter{TermsFilter: authoring.TermsFilter{TermsAny: b.terms[:1], IncludeDescendants: true}, Search: "word7", QType: "mcq", Status: "published"}
	}),
	{"evaluations, all", func(ctx context.Context, tx *db.Tx, _ *stock, _ int) error {
		_, err := authoring.ListEvaluations(ctx, tx, authoring.EvaluationFilter{})
		return err
	}},
	{"usage of a question", func(ctx context.Context, tx *db.Tx, b *stock, i int) error {
		_, err := inventory.UsageOfQuestion(ctx, tx, b.questions[(i*97)%len(b.questions)])
		return err
	}},
	{"usage of an evaluation", func(ctx context.Context, tx *db.Tx, b *stock, i int) error {
		_, err := inventory.UsageOfEvaluation(ctx, tx, b.evaluations[i%len(b.evaluations)])
		return err
	}},
	{"where a term is used", func(ctx context.Context, tx *db.Tx, b *stock, i int) error {
		_, err := inventory.WhereUsed(ctx, tx, b.term(i), db.Page{})
		return err
	}},
}

// measureInventory reads each page of a large bank and of a small one in turns.
func measureInventory(ctx context.Context, h *house) ([]result, error) {
	few, err := h.writeStock(ctx, "small-bank", h.size.fewQuestions, 500, 20)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	many, err := h.writeStock(ctx, "large-bank", h.size.manyQuestions, 5000, 500)
	if err != nil {
		return nil, err
	}
	all := []result{{Name: "bank of questions, written and published", Unit: "questions/s",
		Value: float64(h.size.manyQuestions) / time.Since(start).Seconds()}}
	for _, l := range lookings {
		t, err := l.measure(ctx, h, few, many)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.name, err)
		}
		for _, q := range []struct {
			name string
			at   float64
		}{{"p50", 0.5}, {"p95", 0.95}} {
			all = append(all, result{Name: fmt.Sprintf("%s, %d and %d questions, %s", l.name, h.size.manyQuestions, h.size.fewQuestions, q.name),
				Unit: "ms", Value: quantile(t.many, q.at), Beside: quantile(t.few, q.at)})
		}
	}
	return all, nil
}

func (l looking) measure(ctx context.Context, h *house, few, many *stock) (times, error) {
	var t times
	for i := range inventoryReads + warmUp {
		for _, one := range []struct {
			b    *stock
			into *[]float64
		}{{few, &t.few}, {many, &t.many}} {
			scope := one.b.operator
			scope.All = false
			start := time.Now()
			err := h.store.Read(ctx, scope, func(tx *db.Tx) error { return l.call(ctx, tx, one.b, i) })
			if err != nil {
				return t, err
			}
			if i >= warmUp {
				*one.into = append(*one.into, float64(time.Since(start).Microseconds())/1000)
			}
		}
	}
	return t, nil
}
