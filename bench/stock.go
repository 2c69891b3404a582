package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"assess/pkg/author/authoring"
	"assess/pkg/author/taxonomy"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/people/people"
)

// stock is a tenant with many questions, published and tagged, and evaluations that use
// them.
type stock struct {
	operator    db.Scope
	terms       []ids.ID
	questions   []ids.ID
	evaluations []ids.ID
}

// chunk is how many records are written at a time.
const chunk = 1000

// vocabulary are the words of the stems: word i comes about every i-th time.
var vocabulary = func() []string {
	all := make([]string, 2000)
	for i := range all {
		all[i] = fmt.Sprintf("word%d", i)
	}
	return all
}()

// writeStock writes questions through the library, as an import does. The random order is fixed.
func (h *house) writeStock(ctx context.Context, name string, questions, terms, evaluations int) (*stock, error) {
	b := &stock{operator: db.Scope{Tenant: ids.New(), All: true, Actor: db.Actor{Kind: db.OperatorActor, Name: "bench"}}}
	chance := rand.New(rand.NewPCG(1, 2))
	steps := []func(*db.Tx) error{
		func(tx *db.Tx) error { return b.found(ctx, tx, name) },
		func(tx *db.Tx) error { return b.grow(ctx, tx, terms) },
	}
	for n := 0; n < questions; n += chunk {
		steps = append(steps, func(tx *db.Tx) error { return b.author(ctx, tx, chance, n, min(chunk, questions-n)) })
	}
	for i := range evaluations {
		steps = append(steps, func(tx *db.Tx) error { return b.assemble(ctx, tx, chance, i) })
	}
	for i, step := range steps {
		err := h.store.Write(ctx, b.operator, step)
		if err == nil && i < 5 {
			// As autovacuum does in a tenant that grows more slowly.
			_, err = h.super.Exec(ctx, "analyze")
		}
		if err != nil {
			return nil, fmt.Errorf("write the bank %s: %w", name, err)
		}
	}
	return b, h.calm(ctx)
}

func (b *stock) found(ctx context.Context, tx *db.Tx, name string) error {
	_, err := people.CreateTenant(ctx, tx, people.TenantInput{Slug: name, Name: "Bench " + name})
	if err != nil {
		return err
	}
	unit, err := people.CreateOrgUnit(ctx, tx, people.OrgUnitInput{Slug: "main", Name: "Main"})
	b.operator.OrgUnit = unit.ID
	return err
}

// grow makes a tree of terms: two at the top, three below each, eight levels with 5,000.
func (b *stock) grow(ctx context.Context, tx *db.Tx, n int) error {
	facet, err := taxonomy.CreateFacet(ctx, tx, taxonomy.FacetInput{Label: "Topic", Domain: "content"})
	if err != nil {
		return err
	}
	for i := range n {
		in := taxonomy.TermInput{FacetID: facet.ID, Label: fmt.Sprintf("Term %d", i)}
		if i >= 2 {
			in.ParentID = &b.terms[(i-2)/3]
		}
		term, err := taxonomy.CreateTerm(ctx, tx, in)
		if err != nil {
			return err
		}
		b.terms = append(b.terms, term.ID)
	}
	return nil
}

func (b *stock) author(ctx context.Context, tx *db.Tx, chance *rand.Rand, from, n int) error {
	inputs := make([]authoring.QuestionInput, n)
	for i := range inputs {
		inputs[i] = b.question(chance, from+i)
	}
	written, err := sample.UpsertQuestions(ctx, tx, inputs)
	if err != nil {
		return err
	}
	fresh := make([]ids.ID, n)
	for i, w := range written {
		fresh[i] = w.ID
	}
	b.questions = append(b.questions, fresh...)
	// One in ten stays a draft.
	_, err = authoring.PublishQuestions(ctx, tx, fresh[n/10:])
	return err
}

func (b *stock) question(chance *rand.Rand, i int) authoring.QuestionInput {
	stem := ""
	for range 30 {
		// The product makes low numbers common and high ones rare, as words are.
		stem += vocabulary[int(float64(len(vocabulary))*chance.Float64()*chance.Float64()*chance.Float64())] + " "
	}
	in := authoring.QuestionInput{ExternalID: fmt.Sprintf("Q%d", i), QType: scoring.MCQ, Stem: document(stem)}
	correct := 1
	if i%4 == 0 {
		in.QType, correct = scoring.MRQ, 2
	}
	for j, id := range []string{"A", "B", "C", "D"} {
		in.Options = append(in.Options, authoring.OptionInput{ID: id, Content: document(vocabulary[(i+j)%len(vocabulary)]), IsCorrect: j < correct})
	}
	for range 2 {
		term := b.terms[chance.IntN(len(b.terms))]
		if len(in.TaxonomyTermIDs) == 0 || in.TaxonomyTermIDs[0] != term {
			in.TaxonomyTermIDs = append(in.TaxonomyTermIDs, term)
		}
	}
	return in
}

// assemble publishes an evaluation of twenty published questions.
func (b *stock) assemble(ctx context.Context, tx *db.Tx, chance *rand.Rand, i int) error {
	var section authoring.SectionInput
	used := map[int]bool{}
	for len(section.Items) < items {
		q := chance.IntN(len(b.questions))
		if used[q] || q%chunk < chunk/10 {
			continue
		}
		used[q] = true
		id := b.questions[q]
		section.Items = append(section.Items, authoring.ItemInput{QuestionID: id})
	}
	made, err := authoring.CreateEvaluation(ctx, tx, authoring.EvaluationInput{Title: fmt.Sprintf("Evaluation %d", i),
		Sections: []authoring.SectionInput{section}})
	if err != nil {
		return err
	}
	b.evaluations = append(b.evaluations, made.ID)
	_, err = authoring.PublishEvaluation(ctx, tx, made.ID)
	return err
}
