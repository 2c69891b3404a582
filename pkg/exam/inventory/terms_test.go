package inventory_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// tagged makes a published question with terms.
func (s *shop) tagged(terms ...ids.ID) ids.ID {
	s.t.Helper()
	var id ids.ID
	s.write(func(tx *db.Tx) {
		in := sample.QuestionInput("A")
		in.TaxonomyTermIDs = terms
		q, err := authoring.CreateQuestion(s.t.Context(), tx, in)
		if err == nil {
			q, err = authoring.PublishQuestion(s.t.Context(), tx, q.ID)
		}
		if err != nil {
			s.t.Fatal(err)
		}
		id = q.ID
	})
	return id
}

// newest gives the terms of the newest version, and the terms that its index names.
func (s *shop) newest(k *inventory.Kind, id ids.ID) (bool, []ids.ID, []ids.ID) {
	s.t.Helper()
	noun := map[*inventory.Kind]string{inventory.Questions: "question", inventory.Evaluations: "evaluation"}[k]
	var hasDraft bool
	var terms, index []ids.ID
	s.scan(`select r.draft_id is not null, v.term_ids, array(select term_id from `+noun+`_terms t
			where t.tenant_id = $1 and t.`+noun+`_id = r.id and is_newest order by term_id)
		from `+noun+`s r join `+noun+`_versions v on v.tenant_id = r.tenant_id and v.id = coalesce(r.draft_id, r.published_id)
		where r.tenant_id = $1 and r.id = $2`, id, &hasDraft, &terms, &index)
	return hasDraft, terms, index
}

func TestBulkTaxonomyReplaceOfQuestions(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, b, c := s.term("topic", "a"), s.term("topic", "b"), s.term("topic", "c")
	for _, test := range []struct {
		name          string
		before, after []ids.ID
		in            inventory.BulkInput
	}{
		{"the whole set", []ids.ID{a, b}, []ids.ID{c}, inventory.BulkInput{TaxonomyTermIDs: &[]ids.ID{c}}},
		{"none at all", []ids.ID{a, b}, []ids.ID{}, inventory.BulkInput{TaxonomyTermIDs: &[]ids.ID{}}},
		{"from one to another", []ids.ID{a, b}, []ids.ID{b, c}, inventory.BulkInput{RemoveTermIDs: []ids.ID{a}, AddTermIDs: []ids.ID{c}}},
		{"add alone", []ids.ID{a}, []ids.ID{a, c}, inventory.BulkInput{AddTermIDs: []ids.ID{c}}},
		{"what is there already", []ids.ID{a, b}, []ids.ID{a, b}, inventory.BulkInput{TaxonomyTermIDs: &[]ids.ID{b, a}}},
		{"take away what is not there", []ids.ID{a}, []ids.ID{a}, inventory.BulkInput{RemoveTermIDs: []ids.ID{c}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			id := s.tagged(test.before...)
			changes := !cmp.Equal(test.before, test.after)
			test.in.Action, test.in.IDs = "taxonomyReplace", []ids.ID{id}
			for _, want := range []bool{changes, false} {
				out := s.mustBulk(inventory.Questions, test.in)
				if out.Results[0].Changed != want {
					t.Errorf("got %+v, want changed %v", out.Results[0], want)
				}
			}
			hasDraft, terms, index := s.newest(inventory.Questions, id)
			if hasDraft != changes {
				t.Errorf("has a draft: %v, want %v", hasDraft, changes)
			}
			if diff := cmp.Diff([2][]ids.ID{test.after, test.after}, [2][]ids.ID{terms, index}); diff != "" {
				t.Errorf("terms and their index (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBulkTaxonomyReplaceLeavesArchivedOnes(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	id, a := s.question(), s.term("topic", "a")
	_, err := s.archive(inventory.Questions, id)
	wantCode(t, err, "")
	out := s.mustBulk(inventory.Questions, inventory.BulkInput{Action: "taxonomyReplace", IDs: []ids.ID{id}, AddTermIDs: []ids.ID{a}})
	if diff := cmp.Diff([]string{"archived"}, codes(out)); diff != "" {
		t.Error(diff)
	}
}

// A draft of a published question starts with the terms that merged ones became.
func TestBulkTaxonomyReplaceFollowsMergedTerms(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	old, survivor, c := s.term("topic", "old"), s.term("topic", "survivor"), s.term("topic", "c")
	id := s.tagged(old)
	s.exec("update terms set retired_at = now(), merged_into = $4 where tenant_id = $1 and $2::uuid is not null and id = $3", old, survivor)
	s.mustBulk(inventory.Questions, inventory.BulkInput{Action: "taxonomyReplace", IDs: []ids.ID{id}, AddTermIDs: []ids.ID{c}})
	_, terms, _ := s.newest(inventory.Questions, id)
	if diff := cmp.Diff([]ids.ID{survivor, c}, terms); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A new draft takes everything but its terms from the published version.
func TestBulkTaxonomyReplaceCopiesWholeVersions(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	q, a := s.question(), s.term("topic", "a")
	e := s.evaluation(q, s.question()).ID
	for _, c := range []struct {
		kind  *inventory.Kind
		id    ids.ID
		noun  string
		items string
	}{
		{inventory.Questions, q, "question", "null"},
		{inventory.Evaluations, e, "evaluation", "(select jsonb_agg(to_jsonb(i) - 'evaluation_version_id' order by position) from evaluation_items i where i.tenant_id = $1 and i.evaluation_version_id = v.id)"},
	} {
		s.mustBulk(c.kind, inventory.BulkInput{Action: "taxonomyReplace", IDs: []ids.ID{c.id}, AddTermIDs: []ids.ID{a}})
		hasDraft, terms, index := s.newest(c.kind, c.id)
		if !hasDraft || !cmp.Equal(terms, []ids.ID{a}) || !cmp.Equal(index, []ids.ID{a}) {
			t.Errorf("%s: draft %v, terms %v, index %v", c.noun, hasDraft, terms, index)
		}
		var same bool
		s.scan(`select count(distinct content) = 1 and count(*) = 2 from (
				select (to_jsonb(v) - '{id,number,status,term_ids,pins,passage_version_id,snapshot_hash,created_at,updated_at,published_at}'::text[]) || jsonb_build_object('items', `+c.items+`) as content
				from `+c.noun+`_versions v where v.tenant_id = $1 and v.`+c.noun+`_id = $2) versions`, c.id, &same)
		if !same {
			t.Errorf("%s: the draft is not a copy of the published version", c.noun)
		}
	}
	s.write(func(tx *db.Tx) {
		_, err := authoring.PublishQuestion(t.Context(), tx, q)
		if err != nil {
			t.Fatal(err)
		}
		_, err = authoring.PublishEvaluation(t.Context(), tx, e)
		if err != nil {
			t.Fatal(err)
		}
	})
}

// Ten thousand ids take a fixed number of statements and few seconds.
func TestBulkOfTenThousand(t *testing.T) {
	if testing.Short() {
		t.Skip("ten thousand questions")
	}
	t.Parallel()
	s := newShop(t)
	a, b := s.term("topic", "a"), s.term("topic", "b")
	model := s.tagged(a)
	copies := many(10_000)
	s.write(func(tx *db.Tx) { copyQuestion(t, tx, model, copies) })
	for _, in := range []inventory.BulkInput{
		{Action: "taxonomyReplace", RemoveTermIDs: []ids.ID{a}, AddTermIDs: []ids.ID{b}},
		{Action: "taxonomyReplace", TaxonomyTermIDs: &[]ids.ID{a, b}},
		{Action: "archive"}, {Action: "restore"},
	} {
		in.IDs = copies
		began := time.Now()
		out := s.mustBulk(inventory.Questions, in)
		t.Logf("%s of 10,000: %v", in.Action, time.Since(began).Round(time.Millisecond))
		if out.Summary.Changed != 10_000 {
			t.Errorf("%s: %+v", in.Action, out.Summary)
		}
	}
}

// copyQuestion makes published copies of a question.
func copyQuestion(t *testing.T, tx *db.Tx, model ids.ID, copies []ids.ID) {
	t.Helper()
	for _, sql := range []string{
		`insert into questions select (jsonb_populate_record(q, jsonb_build_object('id', n.id, 'published_id', n.id, 'external_id', null))).*
			from questions q, unnest($3::uuid[]) as n (id) where q.tenant_id = $1 and q.id = $2 returning true`,
		`insert into question_versions (tenant_id, id, org_unit_id, question_id, number, status, qtype, body, term_ids, extracts,
				content_hash, canonical_scheme, hash_scheme, created_at, updated_at, published_at)
			select v.tenant_id, n.id, org_unit_id, n.id, number, status, qtype, body, term_ids, extracts,
				content_hash, canonical_scheme, hash_scheme, created_at, updated_at, published_at
			from question_versions v, unnest($3::uuid[]) as n (id) where v.tenant_id = $1 and v.question_id = $2 returning true`,
		`insert into question_terms select (jsonb_populate_record(x, jsonb_build_object('question_id', n.id, 'is_published', true))).*
			from question_terms x, unnest($3::uuid[]) as n (id) where x.tenant_id = $1 and x.question_id = $2 returning true`,
	} {
		_, err := tx.Exec(t.Context(), sql, tx.Tenant(), model, copies)
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Closing a hundred thousand sessions is one statement.
func TestArchiveClosesAHundredThousandSessions(t *testing.T) {
	if testing.Short() {
		t.Skip("a hundred thousand sessions")
	}
	t.Parallel()
	store := dbtest.Open(t, db.Options{URL: dbtest.Fresh(t).App, MaxConns: 4})
	s := newShopIn(t, store)
	e := s.evaluation(s.question())
	s.sessions(e, 100_000, "open")
	began := time.Now()
	done, err := do(s, s.operator, func(ctx context.Context, tx *db.Tx) (inventory.Lifecycle, error) {
		return inventory.Archive(ctx, tx, inventory.Evaluations, e.ID)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("closed %d sessions in %v", done.ClosedSessions, time.Since(began).Round(time.Millisecond))
	if done.ClosedSessions != 100_000 {
		t.Errorf("closed %d sessions", done.ClosedSessions)
	}
}

// sessions writes n sessions of the candidate in a state.
func (s *shop) sessions(e authoring.Evaluation, n int, state string) {
	s.t.Helper()
	s.exec(`insert into sessions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, started_by, state,
			started_at, last_activity_at, seed)
		select $1, gen_random_uuid(), $2, $3, $4, $5, 'test', $7, now(), now(), g from generate_series(1, $6::int) g returning true`,
		e.ID, e.Published.ID, s.candidate.Actor.ID, n, state)
}
