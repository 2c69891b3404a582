package authoring_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/search"
)

// stock is a large bank: the questions of an org unit and, mixed with them in the same
// tables, the questions of another org unit and another tenant.
type stock struct {
	bench
	questions []stocked
	terms     []ids.ID
	parent    ids.ID
	passage   ids.ID
	inOrgUnit db.Scope
}

// stocked has the fields of a question that lists filter on.
type stocked struct {
	id, version   ids.ID
	status, qtype string
	contributes   bool
	words         string
	terms         []ids.ID
	about         bool
	updated       time.Time
}

// term numbers of a stocked question: it carries the terms n%20 and 20+n%7.
const stockedTerms = 27

func newStock(t *testing.T, here, elsewhere int) *stock {
	t.Helper()
	urls := dbtest.Fresh(t)
	store := dbtest.Open(t, db.Options{URL: urls.App, MaxConns: 4})
	s := &stock{bench: bench{store, sample.Tenant(t, store)}}
	s.inOrgUnit = s.scope
	s.inOrgUnit.All = false
	next := s.inOrgUnit
	sample.Write(t, store, s.scope, func(tx *db.Tx) error {
		next.OrgUnit = sample.OrgUnit(t, tx, "next").ID
		s.parent = sample.Term(t, tx, "topic", "parent")
		for i := range stockedTerms {
			s.terms = append(s.terms, sample.Term(t, tx, "topic", fmt.Sprintf("t%d", i)))
		}
		_, err := tx.Exec(t.Context(), "insert into term_relations (tenant_id, term_id, parent_id, created_at) select $1, id, $2, now() from unnest($3::uuid[]) as c (id) returning true",
			tx.Tenant(), s.parent, s.terms[:3])
		return err
	})
	s.questions = s.fill(t, s.inOrgUnit, s.terms, here)
	sample.Write(t, store, s.inOrgUnit, func(tx *db.Tx) error {
		s.passage = sample.PassageDraft(t, tx).ID
		var about []ids.ID
		for i := range s.questions {
			if i%100 == 7 {
				s.questions[i].about = true
				about = append(about, s.questions[i].id)
			}
		}
		_, err := tx.Exec(t.Context(), `insert into passage_questions (tenant_id, passage_id, question_id, org_unit_id, position)
			select $1, $2, q.id, $3, q.n from unnest($4::uuid[]) with ordinality as q (id, n) returning true`, tx.Tenant(), s.passage, tx.Scope().OrgUnit, about)
		return err
	})
	s.fill(t, next, s.terms, elsewhere)
	other := sample.Tenant(t, store)
	var theirs []ids.ID
	sample.Write(t, store, other, func(tx *db.Tx) error {
		for i := range stockedTerms {
			theirs = append(theirs, sample.Term(t, tx, "topic", fmt.Sprintf("t%d", i)))
		}
		return nil
	})
	s.fill(t, other, theirs, elsewhere)
	super, err := pgx.Connect(t.Context(), urls.Super)
	if err != nil {
		t.Fatal(err)
	}
	defer super.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // nothing is left to do
	_, err = super.Exec(t.Context(), "vacuum analyze")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fill writes questions past the operations, set-based, since there are many.
func (s *stock) fill(t *testing.T, scope db.Scope, terms []ids.ID, n int) []stocked {
	t.Helper()
	all := make([]stocked, n)
	type columns struct {
		ids, versions       []ids.ID
		status, qtype, docs []string
		contributes         []bool
		updated             []time.Time
		carriers, carried   []ids.ID
	}
	var c columns
	for i := range all {
		q := stocked{id: ids.New(), version: ids.New(), status: []string{"draft", "published", "draft", "published", "archived"}[i%5],
			qtype: []string{"mcq", "mcq", "mrq", "essay"}[i%4], contributes: i%9 != 0,
			words: fmt.Sprintf("common group%d 光合作用%s", i%50, []string{"植物", "動物"}[i%2]), terms: []ids.ID{terms[i%20], terms[20+i%7]},
			updated: time.Date(2026, 1, 1, 0, 0, (i*7919)%n, 0, time.UTC)}
		all[i] = q
		c.ids, c.versions = append(c.ids, q.id), append(c.versions, q.version)
		c.status, c.qtype, c.contributes = append(c.status, q.status), append(c.qtype, q.qtype), append(c.contributes, q.contributes)
		c.docs, c.updated = append(c.docs, search.Vector(scope.Tenant, scope.OrgUnit, q.words)), append(c.updated, q.updated)
		c.carriers, c.carried = append(c.carriers, q.id, q.id), append(c.carried, q.terms...)
	}
	sample.Write(t, s.Store, scope, func(tx *db.Tx) error {
		for _, insert := range []struct {
			sql  string
			args []any
		}{
			{`insert into questions (tenant_id, id, org_unit_id, status, draft_id, qtype, contributes_to_score, created_at, updated_at)
				select $1, q.id, $2, q.status, q.version, q.qtype, q.contributes, q.updated, q.updated
				from unnest($3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::boolean[], $8::timestamptz[]) as q (id, version, status, qtype, contributes, updated) returning true`,
				[]any{c.ids, c.versions, c.status, c.qtype, c.contributes, c.updated}},
			{`insert into question_versions (tenant_id, id, org_unit_id, question_id, number, status, qtype, body, extracts, content_hash, canonical_scheme, hash_scheme, created_at, updated_at)
				select $1, q.version, $2, q.id, 1, 'draft', 'mcq', '{"stem":{"defaultLocale":"en"}}', '{"en":{"stem":"A stem"}}', '', '', '', now(), now()
				from unnest($3::uuid[], $4::uuid[]) as q (id, version) returning true`, []any{c.ids, c.versions}},
			{`insert into question_terms (tenant_id, question_id, term_id, org_unit_id)
				select $1, q.id, q.term, $2 from unnest($3::uuid[], $4::uuid[]) as q (id, term) returning true`, []any{c.carriers, c.carried}},
			{`insert into question_search (tenant_id, question_id, org_unit_id, document)
				select $1, q.id, $2, q.document::tsvector from unnest($3::uuid[], $4::text[]) as q (id, document) returning true`, []any{c.ids, c.docs}},
		} {
			_, err := tx.Exec(t.Context(), insert.sql, append([]any{scope.Tenant, scope.OrgUnit}, insert.args...)...)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return all
}

// condition is one filter: how it is requested, and what it keeps.
type condition struct {
	name string
	ask  func(f *authoring.QuestionFilter)
	keep func(q stocked) bool
}

func (s *stock) conditions() [][]condition {
	has := func(q stocked, terms ...ids.ID) bool {
		return slices.ContainsFunc(terms, func(term ids.ID) bool { return slices.Contains(q.terms, term) })
	}
	return [][]condition{
		{
			{"", func(*authoring.QuestionFilter) {}, func(q stocked) bool { return q.status != "archived" }},
			{"draft", func(f *authoring.QuestionFilter) { f.Status = "draft" }, func(q stocked) bool { return q.status == "draft" }},
			{"archived", func(f *authoring.QuestionFilter) { f.Status = "archived" }, func(q stocked) bool { return q.status == "archived" }},
		},
		{{}, {"qtype", func(f *authoring.QuestionFilter) { f.QType = "essay" }, func(q stocked) bool { return q.qtype == "essay" }}},
		{{}, {"survey", func(f *authoring.QuestionFilter) { f.ContributesToScore = ref(false) }, func(q stocked) bool { return !q.contributes }}},
		{
			{},
			{"rare words", func(f *authoring.QuestionFilter) { f.Search = "COMMON group1" }, func(q stocked) bool {
				return slices.ContainsFunc([]int{1, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}, func(n int) bool {
					return len(q.words) > 0 && q.words[:len(fmt.Sprintf("common group%d ", n))] == fmt.Sprintf("common group%d ", n)
				})
			}},
			{"Han", func(f *authoring.QuestionFilter) { f.Search = "作用植" }, func(q stocked) bool { return q.words[len(q.words)-6:] == "植物" }},
		},
		{
			{},
			{"any", func(f *authoring.QuestionFilter) { f.TermsAny = s.terms[:2] }, func(q stocked) bool { return has(q, s.terms[:2]...) }},
			{"below", func(f *authoring.QuestionFilter) { f.TermsAny, f.IncludeDescendants = []ids.ID{s.parent}, true },
				func(q stocked) bool { return has(q, s.terms[:3]...) }},
		},
		{
			{},
			{"all", func(f *authoring.QuestionFilter) { f.TermsAll = []ids.ID{s.terms[1], s.terms[21]} },
				func(q stocked) bool { return has(q, s.terms[1]) && has(q, s.terms[21]) }},
		},
		{{}, {"passage", func(f *authoring.QuestionFilter) { f.PassageID = s.passage }, func(q stocked) bool { return q.about }}},
		{{}, {"oldest first", func(f *authoring.QuestionFilter) { f.Sort = "createdAt" }, func(stocked) bool { return true }}},
	}
}

// combinations gives every choice of one condition of each kind.
func combinations(kinds [][]condition) [][]condition {
	all := [][]condition{nil}
	for _, kind := range kinds {
		var longer [][]condition
		for _, before := range all {
			for _, c := range kind {
				longer = append(longer, append(slices.Clone(before), c))
			}
		}
		all = longer
	}
	return all
}

// Every combination of filters finds the right questions, and no large table is read from
// end to end for it: PostgreSQL counts the sequential scans of a transaction, on one server.
func TestEveryCombinationOfFiltersIsServedByIndexes(t *testing.T) {
	t.Parallel()
	s := newStock(t, 8000, 6000)
	for _, chosen := range combinations(s.conditions()) {
		filter := authoring.QuestionFilter{Page: db.Page{Limit: 10}}
		var names []string
		kept := s.questions
		for _, c := range chosen {
			if c.ask == nil {
				continue
			}
			names = append(names, c.name)
			c.ask(&filter)
			kept = slices.DeleteFunc(slices.Clone(kept), func(q stocked) bool { return !c.keep(q) })
		}
		s.check(t, fmt.Sprint(names), filter, kept)
	}
}

// A word of every question: each is counted, and the first page is in order.
func TestACommonWordFindsAll(t *testing.T) {
	t.Parallel()
	s := newStock(t, 6000, 10)
	kept := slices.DeleteFunc(slices.Clone(s.questions), func(q stocked) bool { return q.status == "archived" || q.qtype != "essay" })
	s.compare(t, authoring.QuestionFilter{Page: db.Page{Limit: 10}, Search: "common", QType: "essay"}, kept)
}

func (s *stock) check(t *testing.T, name string, filter authoring.QuestionFilter, kept []stocked) {
	t.Helper()
	if scans := s.compare(t, filter, kept); len(scans) > 0 {
		t.Errorf("%s: sequential scans of %v", name, slices.Collect(maps.Keys(scans)))
	}
}

// compare compares a list with the questions that it must have, in any order, and reports
// which tables were read completely.
func (s *stock) compare(t *testing.T, filter authoring.QuestionFilter, kept []stocked) map[string]int {
	t.Helper()
	var list db.List[authoring.QuestionSummary]
	scans := map[string]int{}
	err := s.Read(t.Context(), s.inOrgUnit, func(tx *db.Tx) error {
		var err error
		list, err = authoring.ListQuestions(t.Context(), tx, filter)
		if err != nil {
			return err
		}
		rows, err := tx.Query(t.Context(), `select relname::text, seq_scan::int from pg_stat_xact_user_tables
			where seq_scan > 0 and relname in ('questions', 'question_versions', 'question_terms', 'question_search')`)
		if err != nil {
			return err
		}
		var table string
		var n int
		_, err = pgx.ForEachRow(rows, []any{&table, &n}, func() error { scans[table] = n; return nil })
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(kept, func(a, b stocked) int {
		if filter.Sort == "createdAt" {
			a, b = b, a
		}
		return b.updated.Compare(a.updated)
	})
	var got, want []ids.ID
	for _, item := range list.Items {
		got = append(got, item.ID)
	}
	for _, q := range kept[:min(10, len(kept))] {
		want = append(want, q.id)
	}
	if list.Total != len(kept) || !cmp.Equal(want, got) {
		t.Errorf("%+v: got %d questions, want %d; first page %v, want %v", filter, list.Total, len(kept), got, want)
	}
	return scans
}

func TestSearchFindsWordsInAnyLanguage(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q := b.question(t, false, "A")
	in := authoring.QuestionPatch{ExternalID: ref("BIO-4711"), Stem: sample.Content("How does Photosynthesis start?", "Wie beginnt die Photosynthese? 光合作用のしくみ"),
		Explanation: sample.Content("École des Ponts", "การสังเคราะห์ด้วยแสง")}
	must(t, b, b.updateQuestion(q.ID), in)
	hidden := b.question(t, false, "A")
	must(t, b, b.updateQuestion(hidden.ID), in2(in))
	b.archive(t, "questions", hidden.ID)
	for search, want := range map[string]int{
		"photosynthesis": 1, "PHOTOSYNTHESE wie": 1, "start photo": 1, "hoto": 0, "photosynthesis stop": 0,
		"ecole": 1, "école PONT": 1, "光合": 1, "合作用": 1, "光用": 0, "しくみ": 1, "สังเคราะห์": 1, "bio-4711": 1, "4711": 1,
		"option d": 1, "wahl": 1, "what is it": 0, "?!": 0, "zz & !b": 0, "'": 0, `\`: 0, "T:x": 0,
	} {
		if got := must(t, b, authoring.ListQuestions, authoring.QuestionFilter{Search: search}).Total; got != want {
			t.Errorf("%q finds %d, want %d", search, got, want)
		}
	}
	if got := must(t, b, authoring.ListQuestions, authoring.QuestionFilter{Search: "photosynthesis", Status: "archived"}).Total; got != 1 {
		t.Errorf("among the archived: %d, want 1", got)
	}
	must(t, b, b.updateQuestion(q.ID), authoring.QuestionPatch{Stem: sample.Content("Other", "Anders")})
	if got := must(t, b, authoring.ListQuestions, authoring.QuestionFilter{Search: "photosynthesis"}).Total; got != 0 {
		t.Errorf("after the change: %d, want 0", got)
	}
}

func in2(in authoring.QuestionPatch) authoring.QuestionPatch {
	in.ExternalID = nil
	return in
}

// Nobody finds questions of another scope, not even by the lexemes that keep the scopes apart.
func TestSearchStaysInItsScope(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.question(t, true, "A")
	for name, other := range strangers(t, b) {
		for _, search := range []string{"what", "option", b.scope.Tenant.String(), b.scope.OrgUnit.String(), "T:" + b.scope.Tenant.String()} {
			if n := must(t, other, authoring.ListQuestions, authoring.QuestionFilter{Search: search}).Total; n != 0 {
				t.Errorf("%s finds %d with %q", name, n, search)
			}
			found := 0
			sample.Write(t, b.Store, other.scope, func(tx *db.Tx) error {
				return tx.QueryRow(t.Context(), "select count(*) from search_questions($1)", "'what'").Scan(&found)
			})
			if found != 0 {
				t.Errorf("%s: the function gives %d", name, found)
			}
		}
	}
	narrow := b
	narrow.scope.All = false
	if n := must(t, narrow, authoring.ListQuestions, authoring.QuestionFilter{Search: "what"}).Total; n != 1 {
		t.Errorf("in its own org unit: %d, want 1", n)
	}
	found := -1
	err := b.Unscoped().QueryRow(t.Context(), "select count(*) from search_questions($1)", "'what'").Scan(&found)
	if err != nil || found != 0 {
		t.Errorf("without a scope: %d, %v", found, err)
	}
}
