package submission_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// shelf is a tenant with the submissions of one candidate.
type shelf struct {
	t         *testing.T
	store     *db.Store
	operator  db.Scope
	candidate db.Scope
	snapshot  authoring.Snapshot
	desk      *session.Desk
}

func newShelf(t *testing.T, settings authoring.Settings) *shelf {
	t.Helper()
	store := sample.Store(t)
	s := &shelf{t: t, store: store, operator: sample.Tenant(t, store), desk: session.NewDesk()}
	sample.Write(t, store, s.operator, func(tx *db.Tx) error {
		s.snapshot = sample.Published(t, tx, settings, sample.Choice("A"), sample.Choice("B", "C"))
		s.candidate = sample.As(s.operator, sample.User(t, tx).ID, capability.SessionsTake)
		return nil
	})
	return s
}

func (s *shelf) submit(responses ...string) ids.ID {
	s.t.Helper()
	var id ids.ID
	sample.Write(s.t, s.store, s.candidate, func(tx *db.Tx) error {
		id = sample.Submission(s.t, tx, s.desk, s.snapshot, responses...).SubmissionID
		return nil
	})
	return id
}

func (s *shelf) get(as db.Scope, in submission.GetInput) (submission.Submission, error) {
	var got submission.Submission
	err := s.store.Read(s.t.Context(), as, func(tx *db.Tx) error {
		var err error
		got, err = submission.Get(s.t.Context(), tx, in)
		return err
	})
	return got, err
}

func (s *shelf) reader() db.Scope {
	return sample.As(s.operator, ids.New(), capability.SubmissionsRead)
}

func TestGetShowsTheWholeRecord(t *testing.T) {
	t.Parallel()
	s := newShelf(t, authoring.Settings{PassMarkPercent: ptr(50.0), FeedbackMode: "none"})
	id := s.submit(`{"optionIds":["A"]}`)
	got, err := s.get(s.reader(), submission.GetInput{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s.snapshot.In(""), got.VersionSnapshot); diff != "" {
		t.Errorf("snapshot (-want +got):\n%s", diff)
	}
	if got.ID != id || got.UserID != s.candidate.Actor.ID || *got.Score != 1 || *got.MaxScore != 2 || got.OutcomeCode != "pass" ||
		got.ApprovalStatus != "not_required" || got.CompletionMethod != "submitted" || got.CompletedAt.Location() != time.UTC {
		t.Errorf("got %+v", got)
	}
	if len(got.Items) != 2 {
		t.Fatalf("got %d items, want 2", len(got.Items))
	}
	right, omitted := got.Items[0], got.Items[1]
	if string(right.Response) != `{"optionIds": ["A"]}` || !*right.IsCorrect || *right.Score != 1 || right.ScoreStatus != "SCORED" {
		t.Errorf("answered item: %+v", right)
	}
	if omitted.Response != nil || !omitted.IsOmitted || omitted.ScoreStatus != "EXEMPT" || *omitted.MaxScore != 1 || omitted.Position != 1 {
		t.Errorf("omitted item: %+v", omitted)
	}
}

func TestGetRefuses(t *testing.T) {
	t.Parallel()
	s := newShelf(t, authoring.Settings{})
	id := s.submit()
	elsewhere := s.reader()
	sample.Write(t, s.store, s.operator, func(tx *db.Tx) error {
		elsewhere.OrgUnit = sample.OrgUnit(t, tx, "away").ID
		return nil
	})
	tests := []struct {
		name string
		as   db.Scope
		in   submission.GetInput
		want errs.Code
	}{
		{"unknown", s.reader(), submission.GetInput{ID: ids.New()}, errs.NotFound},
		{"another candidate", sample.As(s.operator, ids.New(), capability.SessionsTake), submission.GetInput{ID: id}, errs.NotFound},
		{"another org unit", elsewhere, submission.GetInput{ID: id}, errs.NotFound},
		{"another tenant", sample.As(sample.Tenant(t, s.store), ids.New(), capability.SubmissionsRead), submission.GetInput{ID: id}, errs.NotFound},
		{"without capability", sample.As(s.operator, s.candidate.Actor.ID), submission.GetInput{ID: id}, errs.Forbidden},
		{"unknown view", s.reader(), submission.GetInput{ID: id, View: "teacher"}, errs.ValidationFailed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := s.get(tt.as, tt.in)
			if !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func ptr[T any](v T) *T { return &v }
