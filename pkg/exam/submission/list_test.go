package submission_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

type lister func(tx *db.Tx, f submission.Filter) (db.List[submission.Summary], error)

// lists gives both lists, of the evaluation and of the candidate.
func (s *shelf) lists() map[string]lister {
	return map[string]lister{
		"by evaluation": func(tx *db.Tx, f submission.Filter) (db.List[submission.Summary], error) {
			return submission.ListByEvaluation(s.t.Context(), tx, s.snapshot.EvaluationID, f)
		},
		"by user": func(tx *db.Tx, f submission.Filter) (db.List[submission.Summary], error) {
			return submission.ListByUser(s.t.Context(), tx, s.candidate.Actor.ID, f)
		},
	}
}

func (s *shelf) list(as db.Scope, by lister, f submission.Filter) (db.List[submission.Summary], error) {
	var got db.List[submission.Summary]
	err := s.store.Read(s.t.Context(), as, func(tx *db.Tx) error {
		var err error
		got, err = by(tx, f)
		return err
	})
	return got, err
}

func TestListsAreNewestFirstAndFiltered(t *testing.T) {
	t.Parallel()
	s := newShelf(t, authoring.Settings{PassMarkPercent: ptr(50.0), FeedbackTagKeys: []string{"topic"}})
	failed, passed, voided := s.submit(), s.submit(`{"optionIds":["A"]}`), s.submit()
	sample.Write(t, s.store, s.operator, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update submissions set status = 'voided', approval_status = 'pending_review' where tenant_id = $1 and id = $2", tx.Tenant(), voided)
		if err != nil {
			return err
		}
		_, err = tx.Exec(t.Context(), "update submissions set run_label = 'spring', completed_at = '2031-01-01' where tenant_id = $1 and id = $2", tx.Tenant(), passed)
		return err
	})
	spring := time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)
	tests := []struct {
		name  string
		f     submission.Filter
		want  []ids.ID
		total int
	}{
		{"all", submission.Filter{}, []ids.ID{passed, voided, failed}, 3},
		{"status", submission.Filter{Status: "completed"}, []ids.ID{passed, failed}, 2},
		{"outcome", submission.Filter{Outcome: "fail"}, []ids.ID{voided, failed}, 2},
		{"both", submission.Filter{Status: "completed", Outcome: "fail"}, []ids.ID{failed}, 1},
		{"review", submission.Filter{ApprovalStatus: "pending_review"}, []ids.ID{voided}, 1},
		{"run", submission.Filter{RunLabel: ptr("spring")}, []ids.ID{passed}, 1},
		{"no run", submission.Filter{RunLabel: ptr("")}, []ids.ID{voided, failed}, 2},
		{"assignment", submission.Filter{AssignmentID: ids.New()}, nil, 0},
		{"from", submission.Filter{From: spring}, []ids.ID{passed}, 1},
		{"to", submission.Filter{To: spring}, []ids.ID{voided, failed}, 2},
		{"page", submission.Filter{Page: db.Page{Page: 2, Limit: 2}}, []ids.ID{failed}, 3},
		{"past the end", submission.Filter{Page: db.Page{Page: 9}}, nil, 3},
		{"none", submission.Filter{Outcome: "incomplete"}, nil, 0},
	}
	for by, list := range s.lists() {
		for _, tt := range tests {
			t.Run(by+" "+tt.name, func(t *testing.T) {
				got, err := s.list(s.reader(), list, tt.f)
				if err != nil {
					t.Fatal(err)
				}
				var found []ids.ID
				for _, row := range got.Items {
					found = append(found, row.ID)
				}
				if !slices.Equal(found, tt.want) || got.Total != tt.total || got.Items == nil {
					t.Errorf("got %v of %d, want %v of %d", found, got.Total, tt.want, tt.total)
				}
			})
		}
	}
	got, err := s.list(s.reader(), s.lists()["by user"], submission.Filter{Outcome: "pass"})
	if err != nil {
		t.Fatal(err)
	}
	row := got.Items[0]
	want := submission.Summary{ID: passed, UserID: s.candidate.Actor.ID, EvaluationID: s.snapshot.EvaluationID, EvaluationTitle: s.snapshot.Title, EvaluationVersionID: s.snapshot.EvaluationVersionID,
		RunLabel: row.RunLabel, Status: "completed", ApprovalStatus: "not_required", CompletedAt: row.CompletedAt, Score: 1, MaxScore: 2,
		OutcomeCode: "pass", OutcomeLabel: "Pass", FeedbackTags: s.snapshot.FeedbackTags}
	if diff := cmp.Diff(want, row); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	// Who the person is shows with users.read, and not while their processing is restricted.
	named := sample.As(s.operator, ids.New(), capability.SubmissionsRead, capability.UsersRead)
	for _, restricted := range []bool{false, true} {
		var want string
		sample.Write(t, s.store, s.operator, func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), `update users set restricted = $3 where tenant_id = $1 and id = $2
				returning case when restricted then '' else coalesce(nullif(name, ''), email) end`, tx.Tenant(), s.candidate.Actor.ID, restricted).Scan(&want)
		})
		got, err := s.list(named, s.lists()["by user"], submission.Filter{Outcome: "pass"})
		if err != nil || got.Items[0].UserName != want || (want == "") != restricted {
			t.Errorf("restricted %v: %+v, %v, want %q", restricted, got.Items, err, want)
		}
	}
}

// Pages are read from the nearer end, and yet none leaves out or repeats a submission of another, even among submissions
// completed at the same time.
func TestPagesMeetInTheMiddle(t *testing.T) {
	t.Parallel()
	s := newShelf(t, authoring.Settings{PassMarkPercent: ptr(50.0), ReviewPolicy: "four_eyes"})
	model := s.submit()
	sample.Write(t, s.store, s.operator, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), `insert into submissions select (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(),
				'completed_at', s.completed_at - n / 2 * interval '1 minute', 'outcome_code', case when n % 3 = 0 then 'pass' else s.outcome_code end))).*
			from submissions s, generate_series(1, 60) n where s.tenant_id = $1 and s.id = $2 returning true`, tx.Tenant(), model)
		return err
	})
	for by, list := range s.lists() {
		for name, f := range map[string]submission.Filter{
			"newest first":       {Outcome: "fail", ApprovalStatus: "pending_review"},
			"longest wait first": {Awaits: submission.AwaitsReview},
		} {
			page := func(number, limit int) []ids.ID {
				f.Page = db.Page{Page: number, Limit: limit}
				got, err := s.list(s.reader(), list, f)
				if err != nil {
					t.Fatal(err)
				}
				var found []ids.ID
				for _, row := range got.Items {
					found = append(found, row.ID)
				}
				return found
			}
			whole, paged := page(1, 200), []ids.ID(nil)
			for number := 1; number < 20; number++ {
				paged = append(paged, page(number, 4)...)
			}
			if len(whole) < 41 || !slices.Equal(whole, paged) {
				t.Errorf("%s, %s: as a whole %v, by pages %v", by, name, whole, paged)
			}
		}
	}
}

func TestListsRefuse(t *testing.T) {
	t.Parallel()
	s := newShelf(t, authoring.Settings{})
	s.submit()
	stranger := sample.As(sample.Tenant(t, s.store), ids.New(), capability.SubmissionsRead)
	for by, list := range s.lists() {
		_, err := s.list(stranger, list, submission.Filter{})
		if !errors.Is(err, errs.NotFound) {
			t.Errorf("%s, another tenant: got %v, want not_found", by, err)
		}
		_, err = s.list(s.candidate, list, submission.Filter{})
		if !errors.Is(err, errs.Forbidden) {
			t.Errorf("%s, without capability: got %v, want forbidden", by, err)
		}
		_, err = s.list(s.reader(), list, submission.Filter{Page: db.Page{Page: -1, Limit: 201}, Status: "x",
			Outcome: "y", ApprovalStatus: "z", RunLabel: ptr("\x00"), From: time.Now(), To: time.Now().Add(-time.Hour)})
		if got := len(errs.Of(err).Fields); got != 7 {
			t.Errorf("%s, bad filter: got %d problems (%v), want 7", by, got, err)
		}
	}
}

func TestUserListHidesOtherOrgUnits(t *testing.T) {
	t.Parallel()
	s := newShelf(t, authoring.Settings{})
	s.submit()
	elsewhere := s.reader()
	sample.Write(t, s.store, s.operator, func(tx *db.Tx) error {
		elsewhere.OrgUnit = sample.OrgUnit(t, tx, "away").ID
		return nil
	})
	got, err := s.list(elsewhere, s.lists()["by user"], submission.Filter{})
	if err != nil || got.Total != 0 {
		t.Errorf("got %d submissions, %v; want none", got.Total, err)
	}
}
