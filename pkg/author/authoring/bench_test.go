package authoring_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// bench is a tenant to write in.
type bench struct {
	*db.Store
	scope db.Scope
}

func newBench(t *testing.T) bench {
	t.Helper()
	store := sample.Store(t)
	return bench{store, sample.Tenant(t, store)}
}

// write runs one operation in a transaction of its own.
func write[In, Out any](t *testing.T, b bench, operation func(context.Context, *db.Tx, In) (Out, error), in In) (Out, error) {
	t.Helper()
	var out Out
	err := b.Write(t.Context(), b.scope, func(tx *db.Tx) error {
		var err error
		out, err = operation(t.Context(), tx, in)
		return err
	})
	return out, err
}

// must is write for operations that have to succeed.
func must[In, Out any](t *testing.T, b bench, operation func(context.Context, *db.Tx, In) (Out, error), in In) Out {
	t.Helper()
	out, err := write(t, b, operation, in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (b bench) updateQuestion(id ids.ID) func(context.Context, *db.Tx, authoring.QuestionPatch) (authoring.Question, error) {
	return func(ctx context.Context, tx *db.Tx, patch authoring.QuestionPatch) (authoring.Question, error) {
		return authoring.UpdateQuestion(ctx, tx, id, patch)
	}
}

func (b bench) updateEvaluation(id ids.ID) func(context.Context, *db.Tx, authoring.EvaluationPatch) (authoring.Evaluation, error) {
	return func(ctx context.Context, tx *db.Tx, patch authoring.EvaluationPatch) (authoring.Evaluation, error) {
		return authoring.UpdateEvaluation(ctx, tx, id, patch)
	}
}

// question makes a published question, or a draft.
func (b bench) question(t *testing.T, publish bool, right ...string) authoring.Question {
	t.Helper()
	q := must(t, b, authoring.CreateQuestion, sample.QuestionInput(right...))
	if publish {
		q = must(t, b, authoring.PublishQuestion, q.ID)
	}
	return q
}

// exec changes rows bypassing the operations.
func (b bench) exec(t *testing.T, sql string, args ...any) error {
	t.Helper()
	return b.Write(t.Context(), b.scope, func(tx *db.Tx) error {
		dbtest.AllNodes(t, tx)
		_, err := tx.Exec(t.Context(), sql, args...)
		return err
	})
}

func (b bench) archive(t *testing.T, table string, id ids.ID) {
	t.Helper()
	if err := b.exec(t, "update "+table+" set status = 'archived' where id = $1", id); err != nil {
		t.Fatal(err)
	}
}

// wantCode fails unless err has the code; an empty code means no error.
func wantCode(t *testing.T, err error, code errs.Code) {
	t.Helper()
	if (code == "" && err != nil) || (code != "" && !errors.Is(err, code)) {
		t.Fatalf("got error %v, want %q", err, code)
	}
}

// wantFields fails unless err has the code and exactly these problems, "path code".
func wantFields(t *testing.T, err error, code errs.Code, want ...string) {
	t.Helper()
	wantCode(t, err, code)
	var got []string
	for _, f := range errs.Of(err).Fields {
		got = append(got, f.Path+" "+f.Code)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func ref[T any](v T) *T { return &v }
