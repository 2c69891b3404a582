package inventory_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/inventory"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// shop is a tenant with a desk, a candidate and an operator.
type shop struct {
	t         *testing.T
	store     *db.Store
	desk      *session.Desk
	operator  db.Scope
	candidate db.Scope
}

func newShop(t *testing.T) *shop { return newShopIn(t, sample.Store(t)) }

func newShopIn(t *testing.T, store *db.Store) *shop {
	t.Helper()
	s := &shop{t: t, store: store, desk: session.NewDesk(), operator: sample.Tenant(t, store)}
	s.candidate = s.user(capability.SessionsTake)
	return s
}

func (s *shop) user(holds ...capability.Capability) db.Scope {
	s.t.Helper()
	var id ids.ID
	s.write(func(tx *db.Tx) { id = sample.User(s.t, tx).ID })
	return sample.As(s.operator, id, holds...)
}

// write runs what must succeed, as the operator.
func (s *shop) write(fn func(tx *db.Tx)) {
	s.t.Helper()
	sample.Write(s.t, s.store, s.operator, func(tx *db.Tx) error {
		fn(tx)
		return nil
	})
}

func (s *shop) question() ids.ID {
	s.t.Helper()
	var id ids.ID
	s.write(func(tx *db.Tx) { id = sample.Question(s.t, tx, "A").ID })
	return id
}

func (s *shop) draft() ids.ID {
	s.t.Helper()
	var id ids.ID
	s.write(func(tx *db.Tx) { id = sample.Draft(s.t, tx, "A").ID })
	return id
}

// evaluation makes a published evaluation of these questions.
func (s *shop) evaluation(questions ...ids.ID) authoring.Evaluation {
	s.t.Helper()
	var e authoring.Evaluation
	s.write(func(tx *db.Tx) { e = sample.Evaluation(s.t, tx, questions...) })
	return e
}

func (s *shop) start(evaluation ids.ID) (session.Session, error) {
	return do(s, s.candidate, func(ctx context.Context, tx *db.Tx) (session.Session, error) {
		return s.desk.Start(ctx, tx, session.StartInput{EvaluationID: evaluation})
	})
}

func (s *shop) mustStart(evaluation ids.ID) session.Session {
	s.t.Helper()
	open, err := s.start(evaluation)
	if err != nil {
		s.t.Fatal(err)
	}
	return open
}

func (s *shop) submit(open session.Session) error {
	_, err := do(s, s.candidate, func(ctx context.Context, tx *db.Tx) (session.SubmitResult, error) {
		return s.desk.Submit(ctx, tx, session.SubmitInput{EvaluationID: open.EvaluationID, SessionID: open.ID})
	})
	return err
}

func (s *shop) archive(k *inventory.Kind, id ids.ID) (inventory.Lifecycle, error) {
	return do(s, s.operator, func(ctx context.Context, tx *db.Tx) (inventory.Lifecycle, error) {
		return inventory.Archive(ctx, tx, k, id)
	})
}

func (s *shop) restore(k *inventory.Kind, id ids.ID) (inventory.Lifecycle, error) {
	return do(s, s.operator, func(ctx context.Context, tx *db.Tx) (inventory.Lifecycle, error) {
		return inventory.Restore(ctx, tx, k, id)
	})
}

func (s *shop) remove(k *inventory.Kind, id ids.ID) error {
	return s.store.Write(s.t.Context(), s.operator, func(tx *db.Tx) error {
		return inventory.Delete(s.t.Context(), tx, k, id)
	})
}

// status reads the status of a row; empty when it is gone.
func (s *shop) status(k *inventory.Kind, id ids.ID) string {
	s.t.Helper()
	var status string
	s.scan("select coalesce((select status from "+k.String()+" where tenant_id = $1 and id = $2), '')", id, &status)
	return status
}

func (s *shop) scan(sql string, id ids.ID, into ...any) {
	s.t.Helper()
	err := s.store.Read(s.t.Context(), s.operator, func(tx *db.Tx) error {
		return tx.QueryRow(s.t.Context(), sql, tx.Tenant(), id).Scan(into...)
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *shop) exec(sql string, args ...any) {
	s.t.Helper()
	s.write(func(tx *db.Tx) {
		_, err := tx.Exec(s.t.Context(), sql, append([]any{tx.Tenant(), s.operator.OrgUnit}, args...)...)
		if err != nil {
			s.t.Fatal(err)
		}
	})
}

// do runs one operation in a transaction of its own.
func do[T any](s *shop, as db.Scope, operation func(ctx context.Context, tx *db.Tx) (T, error)) (T, error) {
	var out T
	err := s.store.Write(s.t.Context(), as, func(tx *db.Tx) error {
		var err error
		out, err = operation(s.t.Context(), tx)
		return err
	})
	return out, err
}

func wantCode(t *testing.T, err error, want errs.Code) {
	t.Helper()
	if (want == "" && err != nil) || (want != "" && !errors.Is(err, want)) {
		t.Fatalf("got error %v, want %q", err, want)
	}
}

// together runs functions at once and waits.
func together(fns ...func()) {
	var wg sync.WaitGroup
	for _, fn := range fns {
		wg.Go(fn)
	}
	wg.Wait()
}

func orgUnit(t *testing.T, tx *db.Tx) ids.ID {
	t.Helper()
	return sample.OrgUnit(t, tx, "o-"+ids.New().String()).ID
}
