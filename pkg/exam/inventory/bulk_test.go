package inventory_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func (s *shop) bulk(k *inventory.Kind, in inventory.BulkInput) (inventory.BulkOutput, error) {
	return do(s, s.operator, func(ctx context.Context, tx *db.Tx) (inventory.BulkOutput, error) {
		return inventory.Bulk(ctx, tx, k, in)
	})
}

func (s *shop) mustBulk(k *inventory.Kind, in inventory.BulkInput) inventory.BulkOutput {
	s.t.Helper()
	out, err := s.bulk(k, in)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

func (s *shop) term(facet, name string) ids.ID {
	s.t.Helper()
	var id ids.ID
	s.write(func(tx *db.Tx) { id = sample.Term(s.t, tx, facet, name) })
	return id
}

// codes gives what became of each id, "ok changed" or an error code.
func codes(out inventory.BulkOutput) []string {
	var all []string
	for _, r := range out.Results {
		all = append(all, r.Code)
	}
	return all
}

// Results come in the order of the ids, and a failing item does not affect the others.
func TestBulkResultsAndSummary(t *testing.T) {
	t.Parallel()
	s, other := newShop(t), newShop(t)
	active, shelved, foreign, unknown := s.question(), s.question(), other.question(), ids.New()
	_, err := s.archive(inventory.Questions, shelved)
	wantCode(t, err, "")
	in := inventory.BulkInput{Action: "archive", IDs: []ids.ID{unknown, shelved, active, foreign}}
	want := inventory.BulkOutput{
		Results: []inventory.BulkResult{
			{ID: unknown, Code: "not_found", Message: "There is no such question in your scope."},
			{ID: shelved, OK: true, Code: "no_change", Message: "It was archived already."},
			{ID: active, OK: true, Code: "changed", Message: "Archived.", Changed: true},
			{ID: foreign, Code: "not_found", Message: "There is no such question in your scope."},
		},
		Summary: inventory.BulkSummary{Total: 4, Succeeded: 2, Failed: 2, Changed: 1},
	}
	if diff := cmp.Diff(want, s.mustBulk(inventory.Questions, in)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := other.status(inventory.Questions, foreign); got != "published" {
		t.Errorf("another tenant's question became %s", got)
	}
	in.Action = "restore"
	if diff := cmp.Diff([]string{"not_found", "changed", "changed", "not_found"}, codes(s.mustBulk(inventory.Questions, in))); diff != "" {
		t.Errorf("restore (-want +got):\n%s", diff)
	}
}

func TestBulkDryRunShowsTheSameAndChangesNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	e := s.evaluation(s.question())
	session := s.mustStart(e.ID)
	in := inventory.BulkInput{Action: "archive", IDs: []ids.ID{e.ID, ids.New()}, DryRun: true}
	var rehearsed inventory.BulkOutput
	err := s.store.DryRun(t.Context(), s.operator, func(tx *db.Tx) error {
		var err error
		rehearsed, err = inventory.Bulk(t.Context(), tx, inventory.Evaluations, in)
		return err
	})
	wantCode(t, err, "")
	if got := s.status(inventory.Evaluations, e.ID); got != "published" {
		t.Errorf("a dry run left %s", got)
	}
	wantCode(t, s.save(session), "")
	in.DryRun, rehearsed.DryRun = false, false
	if diff := cmp.Diff(s.mustBulk(inventory.Evaluations, in), rehearsed); diff != "" {
		t.Errorf("(-real +dry run):\n%s", diff)
	}
	wantCode(t, s.save(session), errs.SessionNotOpen)
}

func TestBulkRefusesTheWholeCall(t *testing.T) {
	t.Parallel()
	s, other := newShop(t), newShop(t)
	id, good, retired, skill, foreign := s.question(), s.term("topic", "good"), s.term("topic", "retired"), s.term("skill", "read"), other.term("topic", "good")
	s.exec("update terms set retired_at = now() where tenant_id = $1 and $2::uuid is not null and id = $3", retired)
	s.exec("update facets set domain = 'skills' where tenant_id = $1 and $2::uuid is not null and slug = 'skill'")
	terms := []ids.ID{good, retired, skill, foreign}
	for _, c := range []struct {
		name string
		in   inventory.BulkInput
		want []string
	}{
		{"no ids", inventory.BulkInput{Action: "archive"}, []string{"ids required"}},
		{"unknown action", inventory.BulkInput{Action: "burn", IDs: []ids.ID{id}}, []string{"action not_allowed"}},
		{"duplicates", inventory.BulkInput{Action: "archive", IDs: []ids.ID{id, good, id, id}}, []string{"ids[2] duplicate", "ids[3] duplicate"}},
		{"too many", inventory.BulkInput{Action: "archive", IDs: many(10_001)}, []string{"ids out_of_range"}},
		{"terms for another action", inventory.BulkInput{Action: "restore", IDs: []ids.ID{id}, AddTermIDs: []ids.ID{good}}, []string{"action not_allowed"}},
		{"no terms", inventory.BulkInput{Action: "taxonomyReplace", IDs: []ids.ID{id}}, []string{"taxonomyTermIds required"}},
		{"both ways", inventory.BulkInput{Action: "taxonomyReplace", IDs: []ids.ID{id}, TaxonomyTermIDs: &[]ids.ID{good}, AddTermIDs: []ids.ID{good}}, []string{"taxonomyTermIds not_allowed"}},
		{"unusable terms", inventory.BulkInput{Action: "taxonomyReplace", IDs: []ids.ID{id}, TaxonomyTermIDs: &terms},
			[]string{"taxonomyTermIds[1] retired_term", "taxonomyTermIds[2] wrong_domain", "taxonomyTermIds[3] unknown_term"}},
		{"unusable terms to add and remove", inventory.BulkInput{Action: "taxonomyReplace", IDs: []ids.ID{id}, AddTermIDs: []ids.ID{retired}, RemoveTermIDs: []ids.ID{retired, foreign}},
			[]string{"addTermIds[0] retired_term", "removeTermIds[1] unknown_term"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := s.bulk(inventory.Questions, c.in)
			wantFields(t, err, c.want...)
		})
	}
}

func many(n int) []ids.ID {
	all := make([]ids.ID, n)
	for i := range all {
		all[i] = ids.New()
	}
	return all
}

func wantFields(t *testing.T, err error, want ...string) {
	t.Helper()
	wantCode(t, err, errs.ValidationFailed)
	var got []string
	for _, f := range errs.Of(err).Fields {
		got = append(got, f.Path+" "+f.Code)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// An author's edit and a bulk change of the same question happen one after the other, and
// the author's stale state is refused.
func TestBulkBesideAnAuthorsEdit(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, b := s.term("topic", "a"), s.term("topic", "b")
	for range 10 {
		var q authoring.Question
		s.write(func(tx *db.Tx) { q = sample.Question(t, tx, "A") })
		weight := 7.0
		var edit error
		together(func() {
			_, edit = do(s, s.operator, func(ctx context.Context, tx *db.Tx) (authoring.Question, error) {
				return authoring.UpdateQuestion(ctx, tx, q.ID, authoring.QuestionPatch{Weight: &weight, UpdatedAt: &q.UpdatedAt, TaxonomyTermIDs: &[]ids.ID{a}})
			})
		}, func() {
			s.mustBulk(inventory.Questions, inventory.BulkInput{Action: "taxonomyReplace", IDs: []ids.ID{q.ID}, AddTermIDs: []ids.ID{b}})
		})
		want := []ids.ID{a, b}
		if edit != nil {
			wantCode(t, edit, errs.StaleUpdate)
			want = []ids.ID{b}
		}
		var number int
		var terms []ids.ID
		s.scan("select v.number, v.term_ids from questions q join question_versions v on v.id = q.draft_id where q.tenant_id = $1 and q.id = $2", q.ID, &number, &terms)
		if diff := cmp.Diff(want, terms); diff != "" || number != 2 {
			t.Fatalf("draft %d, terms (-want +got):\n%s", number, diff)
		}
	}
}
