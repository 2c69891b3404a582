package translog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/report/projection"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/translog"
)

// logbook is a tenant with a log, and somebody who may write past triggers and policies.
type logbook struct {
	t       testing.TB
	urls    dbtest.URLs
	store   *db.Store
	scope   db.Scope
	service *translog.Service
	super   *pgx.Conn
}

func newLogbook(t testing.TB, urls dbtest.URLs) *logbook {
	t.Helper()
	store := dbtest.Open(t, db.Options{URL: urls.App, MaxConns: 8})
	b := &logbook{t: t, urls: urls, store: store, scope: sample.Tenant(t, store),
		service: &translog.Service{Store: store, Secret: sample.KeySecret, Origin: "assess.example.org"}, super: dbtest.Heap(t, urls)}
	return b
}

// say writes events, all in one transaction, and gives the number of the last.
func (b *logbook) say(n int) int64 {
	b.t.Helper()
	b.write(n)
	return b.last()
}

func (b *logbook) write(n int) {
	b.t.Helper()
	sample.Write(b.t, b.store, b.scope, func(tx *db.Tx) error {
		events := make([]ledger.Event, n)
		for i := range events {
			events[i] = ledger.Event{Type: "test.said", SubjectType: "test", SubjectID: ids.New(), Payload: map[string]any{
				"n": i, "text": "Zürich \"quoted\" <b> \u2028 é", "list": []any{1.5, math.Copysign(0, -1), 1e21, true, nil}, "": map[string]any{"z": 1, "a": 2}}}
		}
		return ledger.Append(b.t.Context(), tx, events...)
	})
}

func (b *logbook) last() int64 {
	b.t.Helper()
	return ask[int64](b, "select last_seq from ledger_heads where tenant_id = $1", b.scope.Tenant)
}

// ask reads one value past the policies.
func ask[T any](b *logbook, sql string, args ...any) T {
	b.t.Helper()
	var got T
	err := b.super.QueryRow(b.t.Context(), sql, args...).Scan(&got)
	if err != nil {
		b.t.Fatalf("%s: %v", sql, err)
	}
	return got
}

// tamper runs a statement with triggers, constraints between tables and policies off; $1 is the tenant.
func (b *logbook) tamper(sql string, args ...any) {
	b.t.Helper()
	tag, err := b.super.Exec(b.t.Context(), sql, append([]any{b.scope.Tenant}, args...)...)
	if err != nil {
		b.t.Fatalf("%s: %v", sql, err)
	}
	if tag.RowsAffected() == 0 {
		b.t.Fatalf("%s: changed nothing", sql)
	}
}

// remove deletes a submission and what hangs on it.
func (b *logbook) remove(submission ids.ID) {
	b.t.Helper()
	b.tamper("delete from submission_items where tenant_id = $1 and submission_id = $2", submission)
	b.tamper("delete from submissions where tenant_id = $1 and id = $2", submission)
}

// job makes a compliance job that the ledger knows.
func (b *logbook) job(tx *db.Tx) ids.ID {
	b.t.Helper()
	job := models.ComplianceJob{TenantID: b.scope.Tenant, ID: ids.New(), JobType: compliance.RetentionSweep}
	b.tamper(`insert into compliance_jobs (tenant_id, id, job_type, status, requested_by, created_at, sla_due_at, stepped_at, completed_at)
		values ($1, $2, $3, 'completed', 'operator:test', now(), now(), now(), now())`, job.ID, job.JobType)
	err := compliance.Record(b.t.Context(), tx, job, compliance.Entry{State: compliance.Requested})
	if err != nil {
		b.t.Fatal(err)
	}
	return job.ID
}

func (b *logbook) sequence() translog.Done {
	b.t.Helper()
	done, err := b.service.Sequence(b.t.Context(), b.scope.Tenant)
	if err != nil {
		b.t.Fatal(err)
	}
	return done
}

// show runs an operation that reads.
func show[T any](b *logbook, do func(ctx context.Context, tx *db.Tx) (T, error)) (T, error) {
	var got T
	err := b.store.Report(b.t.Context(), b.scope, func(tx *db.Tx) error {
		var err error
		got, err = do(b.t.Context(), tx)
		return err
	})
	return got, err
}

func must[T any](b *logbook, do func(ctx context.Context, tx *db.Tx) (T, error)) T {
	b.t.Helper()
	got, err := show(b, do)
	if err != nil {
		b.t.Fatal(err)
	}
	return got
}

func (b *logbook) verify(older ...translog.Older) translog.Report {
	b.t.Helper()
	return must(b, func(ctx context.Context, tx *db.Tx) (translog.Report, error) {
		return translog.Verify(ctx, tx, translog.VerifyInput{Older: older})
	})
}

// checkpoint gives the newest one, as somebody keeps it outside.
func (b *logbook) checkpoint() translog.Older {
	b.t.Helper()
	return translog.Older{From: "an older checkpoint", Text: must(b, translog.NewestCheckpoint).Note}
}

// keys are the keys of the log, as an auditor has written them down.
func (b *logbook) keys() []string {
	b.t.Helper()
	var all []string
	for _, k := range must(b, translog.ListKeys).Keys {
		all = append(all, k.VerifierKey)
	}
	return all
}

// export gives the lines of an export.
func (b *logbook) export() [][]byte {
	b.t.Helper()
	var out bytes.Buffer
	must(b, func(ctx context.Context, tx *db.Tx) (int64, error) { return translog.Export(ctx, tx, &out, nil) })
	return bytes.Split(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n"))
}

// file writes lines and gives the path.
func file(t testing.TB, lines [][]byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.ndjson")
	err := os.WriteFile(path, append(bytes.Join(lines, []byte("\n")), '\n'), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// offline verifies an export with nothing else but keys and older checkpoints.
func (b *logbook) offline(lines [][]byte, keys []string, older ...translog.Older) translog.Report {
	b.t.Helper()
	r, err := translog.VerifyFile(translog.FileInput{Path: file(b.t, lines), Keys: keys, Older: older})
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// found gives the findings as "code number".
func found(r translog.Report) []string {
	var all []string
	for _, f := range r.Findings {
		all = append(all, f.Code+" "+string(mustJSON(f.Seq)))
	}
	return all
}

func mustJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

func wantFound(t testing.TB, what string, r translog.Report, want ...string) {
	t.Helper()
	if got := found(r); !slices.Equal(got, want) {
		t.Errorf("%s: found %q, want %q (%+v)", what, got, want, r)
	}
}

// exam is a published evaluation that the tenant's people take.
type exam struct {
	*logbook
	desk     *session.Desk
	snapshot authoring.Snapshot
}

func newExam(b *logbook) *exam {
	b.t.Helper()
	e := &exam{logbook: b, desk: session.NewDesk()}
	sample.Write(b.t, b.store, b.scope, func(tx *db.Tx) error {
		e.snapshot = sample.Published(b.t, tx, authoring.Settings{}, sample.Choice("A"), sample.Choice("B", "C"))
		return nil
	})
	return e
}

// submit takes the exam as a new user.
func (e *exam) submit() ids.ID {
	e.t.Helper()
	var id ids.ID
	var user ids.ID
	sample.Write(e.t, e.store, e.scope, func(tx *db.Tx) error {
		user = sample.User(e.t, tx, "Candidate").ID
		return nil
	})
	sample.Write(e.t, e.store, sample.As(e.scope, user, "sessions.take"), func(tx *db.Tx) error {
		id = sample.Submission(e.t, tx, e.desk, e.snapshot, `{"optionIds":["A"]}`, `{"optionIds":["B"]}`).SubmissionID
		return nil
	})
	return id
}

// project empties the outbox, as the projector does.
func (e *exam) project() {
	e.t.Helper()
	for n := 1; n > 0; {
		sample.Write(e.t, e.store, db.System(e.scope.Tenant, "projector"), func(tx *db.Tx) error {
			var err error
			n, err = projection.ProjectBatch(e.t.Context(), tx, 100)
			return err
		})
	}
}
