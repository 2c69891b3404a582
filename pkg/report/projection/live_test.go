package projection_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
	"assess/pkg/report/projection"
)

// TestProjectorsBesideLiveDelivery projects with two workers while candidates start and
// submit: a session may move on between any two statements of a batch.
func TestProjectorsBesideLiveDelivery(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	desk := session.NewDesk()
	var exam authoring.Snapshot
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		exam = sample.Published(t, tx, authoring.Settings{}, sample.Choice("A"), sample.Choice("B"))
		return nil
	})
	var ended atomic.Bool
	var candidates, projectors sync.WaitGroup
	for range 3 {
		candidates.Go(func() {
			for range 80 {
				take(t, store, scope, desk, exam)
			}
		})
	}
	for range 2 {
		projectors.Go(func() {
			for n := 1; n > 0 || !ended.Load(); {
				n = project(t, store, scope)
			}
		})
	}
	candidates.Wait()
	ended.Store(true)
	projectors.Wait()
	for project(t, store, scope) > 0 {
		// Rows that one worker held while the other found nothing.
	}
	report, err := projection.Verify(t.Context(), store, scope.Tenant)
	if err != nil {
		t.Fatal(err)
	}
	if report.Differences != 0 {
		t.Errorf("%d differences from a rebuild: %+v", report.Differences, report.Tables)
	}
}

func take(t *testing.T, store *db.Store, scope db.Scope, desk *session.Desk, exam authoring.Snapshot) {
	t.Helper()
	var s session.Session
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		user := sample.User(t, tx).ID
		var err error
		s, err = desk.Start(t.Context(), tx, session.StartInput{EvaluationID: exam.EvaluationID, UserID: &user})
		return err
	})
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		_, err := desk.Submit(t.Context(), tx, session.SubmitInput{EvaluationID: exam.EvaluationID, SessionID: s.ID})
		return err
	})
}

func project(t *testing.T, store *db.Store, scope db.Scope) int {
	t.Helper()
	var n int
	sample.Write(t, store, db.System(scope.Tenant, "projector"), func(tx *db.Tx) error {
		var err error
		n, err = projection.ProjectBatch(context.WithoutCancel(t.Context()), tx, 20)
		return err
	})
	return n
}
