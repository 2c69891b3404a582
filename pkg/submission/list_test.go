package submission_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"assess/pkg/authoring"
	"assess/pkg/capability"
	"assess/pkg/db"
	"assess/pkg/errs"
	"assess/pkg/ids"
	"assess/pkg/sample"
	"assess/pkg/submission"
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
	s := newShelf(t, authoring.Settings{PassMarkPercent: ptr(50.0)})
	failed, passed, voided := s.submit(), s.submit(`{"optionIds":["A"]}`), s.submit()
	sample.Write(t, s.store, s.operator, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update submissions set status = 'voided' where id = $1", voided)
		return err
	})
	tests := []struct {
		name  string
		f     submission.Filter
		want  []ids.ID
		total int
	}{
		{"all", submission.Filter{}, []ids.ID{voided, passed, failed}, 3},
		{"status", submission.Filter{Status: "completed"}, []ids.ID{passed, failed}, 2},
		{"outcome", submission.Filter{Outcome: "fail"}, []ids.ID{voided, failed}, 2},
		{"both", submission.Filter{Status: "completed", Outcome: "fail"}, []ids.ID{failed}, 1},
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
	want := submission.Summary{ID: passed, UserID: s.candidate.Actor.ID, CompletedAt: row.CompletedAt, Score: 1, MaxScore: 2,
		OutcomeCode: "pass", OutcomeLabel: "Pass"}
	if diff := cmp.Diff(want, row); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
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
		_, err = s.list(s.reader(), list, submission.Filter{Page: db.Page{Page: -1, Limit: 201}, Status: "x", Outcome: "y"})
		if got := len(errs.Of(err).Fields); got != 4 {
			t.Errorf("%s, bad filter: got %d problems (%v), want 4", by, got, err)
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

// The order of the lists comes from the index, so that a page costs the same however many
// submissions there are.
func TestListsAreServedByTheirIndexes(t *testing.T) {
	t.Parallel()
	s := newShelf(t, authoring.Settings{})
	for column, index := range map[string]string{"evaluation_id": "submissions_by_evaluation", "user_id": "submissions_by_user"} {
		err := s.store.Read(t.Context(), s.reader(), func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), "set local enable_seqscan = off")
			if err != nil {
				return err
			}
			rows, err := tx.Query(t.Context(), "explain select id from submissions where tenant_id = $1 and org_unit_id = $2 and "+
				column+" = $3 order by completed_at desc, id limit 25", tx.Tenant(), tx.Scope().OrgUnit, ids.New())
			if err != nil {
				return err
			}
			plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if text := strings.Join(plan, "\n"); !strings.Contains(text, index) || strings.Contains(text, "Sort") {
				t.Errorf("%s does not serve the list:\n%s", index, text)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
