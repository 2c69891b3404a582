package inventory_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/author/taxonomy"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func (s *shop) merge(scope db.Scope, from, into ids.ID) (inventory.TermMerge, error) {
	return do(s, scope, func(ctx context.Context, tx *db.Tx) (inventory.TermMerge, error) {
		return inventory.MergeTerm(ctx, tx, from, inventory.TermMergeInput{IntoID: into})
	})
}

func (s *shop) whereUsed(scope db.Scope, term ids.ID) inventory.TermUses {
	s.t.Helper()
	uses, err := do(s, scope, func(ctx context.Context, tx *db.Tx) (inventory.TermUses, error) {
		return inventory.WhereUsed(ctx, tx, term, db.Page{})
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return uses
}

// drawn makes a draft of an evaluation that carries a term and draws by it.
func (s *shop) drawn(term, without ids.ID) authoring.Evaluation {
	s.t.Helper()
	var e authoring.Evaluation
	s.write(func(tx *db.Tx) {
		in := sample.EvaluationInput()
		in.TaxonomyTermIDs = []ids.ID{term}
		in.Sections[0].Items = []authoring.ItemInput{{Draw: &authoring.Draw{Count: 1, TaxonomyTermIDs: []ids.ID{term}, ExcludeTaxonomyTermIDs: []ids.ID{without}}}}
		var err error
		e, err = authoring.CreateEvaluation(s.t.Context(), tx, in)
		if err != nil {
			s.t.Fatal(err)
		}
	})
	return e
}

func (s *shop) view(visibility string, owner *ids.ID, term ids.ID) ids.ID {
	s.t.Helper()
	id := ids.New()
	s.write(func(tx *db.Tx) {
		_, err := tx.Exec(s.t.Context(), `
			insert into inventory_views (tenant_id, id, org_unit_id, kind, name, visibility, owner_id, filter, created_at, updated_at)
			values ($1, $2, $3, 'questions', 'V', $4, $5, jsonb_build_object('termsAny', jsonb_build_array($6::text), 'includeDescendants', true), now(), now())`,
			tx.Tenant(), id, tx.Scope().OrgUnit, visibility, owner, term.String())
		if err != nil {
			s.t.Fatal(err)
		}
	})
	return id
}

func TestMergeRewritesWhatNamesTheTerm(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	from, into, other := s.term("topic", "cels"), s.term("topic", "cells"), s.term("topic", "other")
	published, draft, both := s.tagged(from), s.draft(), s.tagged(from, into)
	s.assignTerms(draft, from, other)
	e := s.drawn(from, other)
	view := s.view("shared", nil, from)
	done, err := s.merge(s.operator, from, into)
	if err != nil {
		t.Fatal(err)
	}
	want := inventory.TermMerge{Term: done.Term, Questions: 1, Evaluations: 1, Draws: 1, Views: 1, Indexed: 4}
	if diff := cmp.Diff(want, done); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
	if done.Term.RetiredAt == nil || done.Term.MergedInto == nil || *done.Term.MergedInto != into {
		t.Errorf("the merged term: got %+v", done.Term)
	}
	for name, id := range map[string]ids.ID{"published": published, "both": both, "draft": draft} {
		_, _, index := s.newest(inventory.Questions, id)
		if id != draft {
			if diff := cmp.Diff([]ids.ID{into}, index); diff != "" {
				t.Errorf("%s is found by the survivor (-want +got):\n%s", name, diff)
			}
		}
	}
	_, terms, index := s.newest(inventory.Questions, draft)
	if diff := cmp.Diff([]ids.ID{into, other}, terms); diff != "" {
		t.Errorf("a draft (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(terms, index); diff != "" {
		t.Errorf("its index (-want +got):\n%s", diff)
	}
	_, terms, _ = s.newest(inventory.Questions, published)
	if diff := cmp.Diff([]ids.ID{from}, terms); diff != "" {
		t.Errorf("a published version never changes (-want +got):\n%s", diff)
	}
	_, terms, _ = s.newest(inventory.Evaluations, e.ID)
	if diff := cmp.Diff([]ids.ID{into}, terms); diff != "" {
		t.Errorf("an evaluation (-want +got):\n%s", diff)
	}
	var draws []ids.ID
	s.scan("select i.draw_terms from evaluation_items i join evaluations e on e.draft_id = i.evaluation_version_id where i.tenant_id = $1 and e.id = $2", e.ID, &draws)
	if diff := cmp.Diff([]ids.ID{into}, draws); diff != "" {
		t.Errorf("a draw (-want +got):\n%s", diff)
	}
	var filter string
	s.scan("select filter ->> 'termsAny' from inventory_views where tenant_id = $1 and id = $2", view, &filter)
	if want := fmt.Sprintf("[%q]", into); filter != want {
		t.Errorf("the view has %s, want %s", filter, want)
	}
}

func (s *shop) assignTerms(question ids.ID, terms ...ids.ID) {
	s.t.Helper()
	_, err := do(s, s.operator, func(ctx context.Context, tx *db.Tx) (authoring.AssignedTerms, error) {
		return authoring.SetQuestionTerms(ctx, tx, question, authoring.TermsInput{TaxonomyTermIDs: terms})
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// Vocabulary belongs to the whole tenant: who manages it in one org unit merges everywhere,
// and sees nothing more of the others than numbers.
func TestMergeReachesEveryOrgUnit(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	from, into := s.term("topic", "a"), s.term("topic", "b")
	question := s.draft()
	s.assignTerms(question, from)
	manager := s.user(capability.TaxonomyRead, capability.TaxonomyManage)
	s.write(func(tx *db.Tx) { manager.OrgUnit = sample.OrgUnit(t, tx, "next-door").ID })
	done, err := s.merge(manager, from, into)
	if err != nil || done.Questions != 1 {
		t.Fatalf("got %+v, %v", done, err)
	}
	if _, terms, _ := s.newest(inventory.Questions, question); !cmp.Equal(terms, []ids.ID{into}) {
		t.Errorf("got %v", terms)
	}
	if uses := s.whereUsed(manager, into); uses.Total != 0 {
		t.Errorf("the manager sees %+v", uses)
	}
}

func TestADryRunOfAMergeChangesNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	from, into := s.term("topic", "a"), s.term("topic", "b")
	s.assignTerms(s.draft(), from)
	var dry inventory.TermMerge
	err := s.store.DryRun(t.Context(), s.operator, func(tx *db.Tx) error {
		var err error
		dry, err = inventory.MergeTerm(t.Context(), tx, from, inventory.TermMergeInput{IntoID: into, DryRun: true})
		return err
	})
	if err != nil || !dry.DryRun || dry.Questions != 1 || dry.Indexed != 1 {
		t.Fatalf("got %+v, %v", dry, err)
	}
	if uses := s.whereUsed(s.operator, from); uses.Counts.Questions.Newest != 1 {
		t.Errorf("got %+v", uses.Counts)
	}
}

// Whichever operations meet, nothing names the merged term afterwards.
func TestAMergeAndAssignmentsAtOnceAgree(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for round := range 12 {
		from, into := s.term("topic", fmt.Sprint("from", round)), s.term("topic", fmt.Sprint("into", round))
		held, free := s.draft(), s.draft()
		s.assignTerms(held, from)
		var all sync.WaitGroup
		for _, step := range []func() error{
			func() error { _, err := s.merge(s.operator, from, into); return err },
			func() error { return s.try(free, from) },
			func() error { return s.try(held, from, s.term("topic", "third")) },
		} {
			all.Go(func() {
				err := step()
				if err != nil && !errors.Is(err, errs.ValidationFailed) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		var named int
		s.scan(`select (select count(*) from question_terms where tenant_id = $1 and term_id = $2)
			+ (select count(*) from question_versions where tenant_id = $1 and $2 = any(term_ids))`, from, &named)
		if named != 0 {
			t.Fatalf("round %d: the merged term is named %d times", round, named)
		}
	}
}

func (s *shop) try(question ids.ID, terms ...ids.ID) error {
	_, err := do(s, s.operator, func(ctx context.Context, tx *db.Tx) (authoring.AssignedTerms, error) {
		return authoring.SetQuestionTerms(ctx, tx, question, authoring.TermsInput{TaxonomyTermIDs: terms})
	})
	return err
}

// A new draft starts with the survivors of what the published version names.
func TestADraftOfAPublishedEvaluationFollowsMerges(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	from, into, other := s.term("topic", "a"), s.term("topic", "b"), s.term("topic", "c")
	s.tagged(from)
	e := s.drawn(from, other)
	_, err := do(s, s.operator, func(ctx context.Context, tx *db.Tx) (authoring.Evaluation, error) {
		return authoring.PublishEvaluation(ctx, tx, e.ID)
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = s.merge(s.operator, from, into); err != nil {
		t.Fatal(err)
	}
	changed, err := do(s, s.operator, func(ctx context.Context, tx *db.Tx) (authoring.Evaluation, error) {
		title := "New title"
		return authoring.UpdateEvaluation(ctx, tx, e.ID, authoring.EvaluationPatch{Title: &title})
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]ids.ID{into}, changed.Draft.TaxonomyTermIDs); diff != "" {
		t.Errorf("terms (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]ids.ID{into}, changed.Draft.Sections[0].Items[0].Draw.TaxonomyTermIDs); diff != "" {
		t.Errorf("draw (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]ids.ID{from}, changed.Published.TaxonomyTermIDs); diff != "" {
		t.Errorf("published (-want +got):\n%s", diff)
	}
}

func TestWhereUsedTellsNewestFromPublished(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	term, other := s.term("topic", "a"), s.term("topic", "b")
	both, gone, fresh := s.tagged(term), s.tagged(term), s.draft()
	s.assignTerms(gone)
	s.assignTerms(fresh, term)
	e := s.drawn(term, other)
	mine, theirs := s.user(capability.TaxonomyRead), s.user(capability.TaxonomyRead)
	s.view("personal", &theirs.Actor.ID, term)
	view := s.view("personal", &mine.Actor.ID, term)
	uses := s.whereUsed(mine, term)
	want := inventory.TermUseCounts{Questions: inventory.UseCount{Total: 3, Newest: 2, Published: 2},
		Evaluations: inventory.UseCount{Total: 1, Newest: 1}, Draws: inventory.UseCount{Total: 1, Newest: 1}, Views: inventory.UseCount{Total: 1, Newest: 1}}
	if diff := cmp.Diff(want, uses.Counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	type line struct {
		Kind              string
		ID                ids.ID
		Newest, Published bool
	}
	var got []line
	for _, use := range uses.Items {
		got = append(got, line{use.Kind, use.ID, use.Newest, use.Published})
	}
	lines := []line{{"question", both, true, true}, {"question", gone, false, true}, {"question", fresh, true, false},
		{"evaluation", e.ID, true, false}, {"draw", e.ID, true, false}, {"view", view, true, false}}
	if diff := cmp.Diff(lines, got); diff != "" || uses.Total != 6 {
		t.Errorf("total %d, items (-want +got):\n%s", uses.Total, diff)
	}
}

func TestMergesThatMakeNoSenseAreRefused(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, b, retired, far := s.term("topic", "a"), s.term("topic", "b"), s.term("topic", "retired"), s.term("level", "far")
	s.write(func(tx *db.Tx) {
		_, err := taxonomy.Retire(t.Context(), tx, retired)
		if err != nil {
			t.Fatal(err)
		}
	})
	for name, test := range map[string]struct {
		into ids.ID
		code string
	}{"itself": {a, "same_term"}, "nobody": {ids.New(), "unknown_term"}, "a retired one": {retired, "retired_term"}, "another facet": {far, "wrong_facet"}} {
		_, err := s.merge(s.operator, a, test.into)
		if !errors.Is(err, errs.ValidationFailed) || errs.Of(err).Fields[0].Code != test.code || errs.Of(err).Fields[0].Path != "intoId" {
			t.Errorf("%s: got %v, want %s", name, err, test.code)
		}
	}
	if _, err := s.merge(s.operator, a, b); err != nil {
		t.Fatal(err)
	}
	for name, try := range map[string]func() error{
		"merged again": func() error { _, err := s.merge(s.operator, a, b); return err },
		"restored": func() error {
			_, err := do(s, s.operator, func(ctx context.Context, tx *db.Tx) (taxonomy.Term, error) { return taxonomy.Restore(ctx, tx, a) })
			return err
		},
	} {
		err := try()
		if !errors.Is(err, errs.TermMerged) || errs.Of(err).Details["mergedInto"] != b {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
