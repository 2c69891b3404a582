package authoring_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/author/taxonomy"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// assignable is a published question or evaluation to which terms are assigned.
type assignable struct {
	name string
	id   ids.ID
	get  func(context.Context, *db.Tx, ids.ID) (authoring.AssignedTerms, error)
	set  func(context.Context, *db.Tx, ids.ID, authoring.TermsInput) (authoring.AssignedTerms, error)
	// publish makes the draft the published version.
	publish func(t *testing.T)
}

func assignables(t *testing.T, b bench) []assignable {
	t.Helper()
	q := b.question(t, true, "A")
	var e authoring.Evaluation
	sample.Write(t, b.Store, b.scope, func(tx *db.Tx) error {
		e = sample.Evaluation(t, tx, q.ID)
		return nil
	})
	return []assignable{
		{"question", q.ID, authoring.GetQuestionTerms, authoring.SetQuestionTerms, func(t *testing.T) { must(t, b, authoring.PublishQuestion, q.ID) }},
		{"evaluation", e.ID, authoring.GetEvaluationTerms, authoring.SetEvaluationTerms, func(t *testing.T) { must(t, b, authoring.PublishEvaluation, e.ID) }},
	}
}

func (a assignable) assign(t *testing.T, b bench, in authoring.TermsInput) (authoring.AssignedTerms, error) {
	t.Helper()
	return write(t, b, func(ctx context.Context, tx *db.Tx, in authoring.TermsInput) (authoring.AssignedTerms, error) {
		return a.set(ctx, tx, a.id, in)
	}, in)
}

func (b bench) terms(t *testing.T, facet string, slugs ...string) []ids.ID {
	t.Helper()
	var found []ids.ID
	sample.Write(t, b.Store, b.scope, func(tx *db.Tx) error {
		for _, slug := range slugs {
			found = append(found, sample.Term(t, tx, facet, slug))
		}
		return nil
	})
	return found
}

func each(t *testing.T, check func(t *testing.T, b bench, a assignable)) {
	t.Helper()
	for i, name := range []string{"question", "evaluation"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			check(t, b, assignables(t, b)[i])
		})
	}
}

// Terms are part of a version: a published one keeps its own, and a draft begins.
func TestAssigningTermsChangesTheDraft(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b bench, a assignable) {
		terms := b.terms(t, "topic", "cells", "genes")
		got, err := a.assign(t, b, authoring.TermsInput{TaxonomyTermIDs: terms})
		if err != nil {
			t.Fatal(err)
		}
		if got.Newest.Status != "draft" || got.Newest.Number != 2 || len(got.Newest.Terms) != 2 || len(got.Published.Terms) != 0 {
			t.Errorf("got %+v and %+v", got.Newest, got.Published)
		}
		if diff := cmp.Diff(map[string][]string{"topic": {"cells", "genes"}}, got.Newest.StructuredTags); diff != "" {
			t.Errorf("structured tags (-want +got):\n%s", diff)
		}
		again, err := a.assign(t, b, authoring.TermsInput{UpdatedAt: &got.UpdatedAt, TaxonomyTermIDs: []ids.ID{terms[1], terms[0]}})
		if diff := cmp.Diff(got, again); diff != "" || err != nil {
			t.Errorf("%v, the same set again (-want +got):\n%s", err, diff)
		}
		a.publish(t)
		read := must(t, b, a.get, a.id)
		if read.Published == nil || read.Newest.VersionID != read.Published.VersionID || len(read.Published.Terms) != 2 {
			t.Errorf("published: got %+v", read)
		}
		none, err := a.assign(t, b, authoring.TermsInput{TaxonomyTermIDs: []ids.ID{}})
		if err != nil || none.Newest.Number != 3 || len(none.Newest.Terms) != 0 || len(none.Published.Terms) != 2 {
			t.Errorf("none: got %+v, %v", none, err)
		}
	})
}

// Specification, section 2.6: "assignments of content-domain terms only"; "Can be retired
// (not selectable for new assignment)". All problems come at once.
func TestOnlyActiveTermsOfTheContentDomainAreAssigned(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b bench, a assignable) {
		held, fresh := b.terms(t, "topic", a.name+"-held")[0], b.terms(t, "topic", a.name+"-fresh")[0]
		skill := b.terms(t, a.name+"-level", "deep")[0]
		if _, err := a.assign(t, b, authoring.TermsInput{TaxonomyTermIDs: []ids.ID{held}}); err != nil {
			t.Fatal(err)
		}
		must(t, b, taxonomy.Retire, held)
		must(t, b, taxonomy.Retire, fresh)
		if err := b.exec(t, "update facets set domain = 'skills' where slug = $1", a.name+"-level"); err != nil {
			t.Fatal(err)
		}
		_, err := a.assign(t, b, authoring.TermsInput{TaxonomyTermIDs: []ids.ID{held, fresh, skill, ids.New(), held}})
		wantFields(t, err, errs.ValidationFailed, "taxonomyTermIds[4] duplicate_term", "taxonomyTermIds[1] retired_term",
			"taxonomyTermIds[2] wrong_domain", "taxonomyTermIds[3] unknown_term")
		other := b.terms(t, "topic", a.name+"-other")[0]
		got, err := a.assign(t, b, authoring.TermsInput{TaxonomyTermIDs: []ids.ID{held, other}})
		if err != nil || len(got.Newest.Terms) != 2 {
			t.Fatalf("a retired term stays where it is: got %+v, %v", got, err)
		}
		if _, err = a.assign(t, b, authoring.TermsInput{TaxonomyTermIDs: []ids.ID{other}}); err != nil {
			t.Fatal(err)
		}
		_, err = a.assign(t, b, authoring.TermsInput{TaxonomyTermIDs: []ids.ID{held}})
		wantFields(t, err, errs.ValidationFailed, "taxonomyTermIds[0] retired_term")
		must(t, b, taxonomy.Restore, held)
		if _, err = a.assign(t, b, authoring.TermsInput{TaxonomyTermIDs: []ids.ID{held}}); err != nil {
			t.Errorf("restored: %v", err)
		}
	})
}

func TestStaleAndForeignAssignmentsAreRefused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b bench, a assignable) {
		_, err := a.assign(t, b, authoring.TermsInput{UpdatedAt: ref(time.Unix(0, 0)), TaxonomyTermIDs: []ids.ID{}})
		wantCode(t, err, errs.StaleUpdate)
		reader := b
		reader.scope = sample.As(b.scope, ids.New(), capability.TaxonomyRead)
		must(t, reader, a.get, a.id)
		_, err = a.assign(t, reader, authoring.TermsInput{TaxonomyTermIDs: []ids.ID{}})
		wantCode(t, err, errs.Forbidden)
		for name, stranger := range strangers(t, b) {
			_, err = write(t, stranger, a.get, a.id)
			if !errors.Is(err, errs.NotFound) {
				t.Errorf("%s: got %v", name, err)
			}
			_, err = a.assign(t, stranger, authoring.TermsInput{TaxonomyTermIDs: []ids.ID{}})
			wantCode(t, err, errs.NotFound)
		}
	})
}
