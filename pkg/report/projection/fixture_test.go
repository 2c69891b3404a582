package projection

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"assess/pkg/dev/dbtest"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// world is a tenant with questions, evaluation versions and people, made of plain SQL so that these
// tests depend on nothing but the schema.
type world struct {
	store    *db.Store
	tenant   ids.ID
	orgs     []ids.ID
	users    []ids.ID
	versions []version
}

type version struct {
	org, evaluation, id ids.ID
	hash                string
	questions           []question
	assigned            []assigned
}

// question has the options A to D; the first right ones are correct.
type question struct {
	id    ids.ID
	qtype string
	right int
	tags  map[string][]string
	// survey questions add nothing to the score.
	survey bool
	terms  []ids.ID
}

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newStore(t testing.TB, urls dbtest.URLs) *db.Store {
	t.Helper()
	store := dbtest.Open(t, db.Options{URL: urls.App, MaxConns: 8, LockTimeout: 20 * time.Second})
	return store
}

func newWorld(t testing.TB, store *db.Store) *world {
	t.Helper()
	w := &world{store: store, tenant: ids.New(), orgs: []ids.ID{ids.New(), ids.New()}}
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, "insert into tenants (id, slug, name, created_at) values ($1, $2, 'T', $3)",
			w.tenant, "t-"+w.tenant.String(), epoch)
		for i, org := range w.orgs {
			if err == nil {
				_, err = tx.Exec(ctx, "insert into org_units (tenant_id, id, slug, name, created_at) values ($1, $2, $3, 'O', $4)",
					w.tenant, org, fmt.Sprintf("o%d", i), epoch)
			}
		}
		for i := range 6 {
			user := ids.New()
			w.users = append(w.users, user)
			if err == nil {
				_, err = tx.Exec(ctx, `insert into users (tenant_id, id, email, email_key, created_at, updated_at)
					values ($1, $2, $3, $3, $4, $4)`, w.tenant, user, fmt.Sprintf("u%d@example.org", i), epoch)
			}
		}
		return err
	})
	shared := []question{
		{ids.New(), "mcq", 1, map[string][]string{"topic": {"algebra"}}, false, nil},
		{ids.New(), "mrq", 2, map[string][]string{"topic": {"algebra", "sets"}}, false, nil},
		{ids.New(), "short_text", 0, nil, true, nil},
	}
	w.addVersion(t, w.orgs[0], shared)
	w.revise(t, 0, append(shared[:2:2], question{ids.New(), "mcq", 1, map[string][]string{"level": {"hard"}}, false, nil}))
	w.addVersion(t, w.orgs[1], shared)
	return w
}

func (w *world) write(t testing.TB, fn func(context.Context, *db.Tx) error) {
	t.Helper()
	err := w.store.Write(t.Context(), db.System(w.tenant, "test"), func(tx *db.Tx) error { return fn(t.Context(), tx) })
	if err != nil {
		t.Fatal(err)
	}
}

// addVersion publishes a version of an evaluation of its own.
func (w *world) addVersion(t testing.TB, org ids.ID, questions []question) {
	t.Helper()
	evaluation := ids.New()
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, `insert into evaluations (tenant_id, id, org_unit_id, title, status, created_at, updated_at)
			values ($1, $2, $3, 'E', 'published', $4, $4)`, w.tenant, evaluation, org, epoch)
		return err
	})
	w.publish(t, version{org: org, evaluation: evaluation, id: ids.New(), questions: questions})
}

// revise publishes another version of the evaluation of a version.
func (w *world) revise(t testing.TB, of int, questions []question) {
	t.Helper()
	w.publish(t, version{org: w.versions[of].org, evaluation: w.versions[of].evaluation, id: ids.New(), questions: questions})
}

func (w *world) publish(t testing.TB, v version) {
	t.Helper()
	v.hash = "hash-" + v.id.String()
	type option struct {
		ID        string `json:"id"`
		IsCorrect bool   `json:"isCorrect"`
	}
	content, items := map[string]any{}, []any{}
	for _, q := range v.questions {
		options := []option{}
		for i := range 4 {
			options = append(options, option{string(rune('A' + i)), i < q.right})
		}
		content[q.id.String()] = map[string]any{"options": options, "structuredTags": q.tags, "taxonomyTermIds": append([]ids.ID{}, q.terms...)}
		items = append(items, map[string]any{"itemId": q.id, "questionVersionId": q.id, "key": map[string]any{"contributesToScore": !q.survey}})
	}
	snapshot, err := json.Marshal(map[string]any{"questions": content, "sections": []any{map[string]any{"id": ids.New(), "items": items}}})
	if err != nil {
		t.Fatal(err)
	}
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, `insert into version_snapshots (tenant_id, hash, org_unit_id, content, created_at)
			values ($1, $2, $3, $4::text::jsonb, $5)`, w.tenant, v.hash, v.org, string(snapshot), epoch)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `insert into evaluation_versions (tenant_id, id, org_unit_id, evaluation_id, number, status,
			title, sections, settings, snapshot_hash, created_at, updated_at)
			values ($1, $2, $3, $4, $5, 'published', 'E', '[]', '{}', $6, $7, $7)`,
			w.tenant, v.id, v.org, v.evaluation, len(w.versions)+1, v.hash, epoch)
		return err
	})
	w.versions = append(w.versions, v)
}

// start opens a session and queues it.
func (w *world) start(ctx context.Context, tx *db.Tx, s attempt) error {
	_, err := tx.Exec(ctx, `insert into sessions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id,
		started_by, state, run_label, started_at, last_activity_at, seed, assignment_id)
		values ($1, $2, $3, $4, $5, $6, 'test', 'open', $7, $8, $8, 1, $9)`,
		w.tenant, s.id, s.version.org, s.version.evaluation, s.version.id, s.user, s.run, s.startedAt, s.by)
	if err != nil {
		return err
	}
	for range s.focusLost {
		_, err = tx.Exec(ctx, `insert into session_events (tenant_id, session_id, id, org_unit_id, event_type, occurred_at)
			values ($1, $2, $3, $4, 'focus_lost', $5)`, w.tenant, s.id, ids.New(), s.version.org, s.startedAt)
		if err != nil {
			return err
		}
	}
	return w.queue(ctx, tx, "session", s.id)
}

func (w *world) queue(ctx context.Context, tx *db.Tx, kind string, id ids.ID) error {
	_, err := tx.Exec(ctx, `insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at)
		values ($1, $2, $3, $4)`, w.tenant, kind, id, tx.Now())
	return err
}

func (w *world) setState(ctx context.Context, tx *db.Tx, id ids.ID, state string) error {
	_, err := tx.Exec(ctx, "update sessions set state = $3 where tenant_id = $1 and id = $2", w.tenant, id, state)
	if err != nil {
		return err
	}
	return w.queue(ctx, tx, "session", id)
}

// submit ends the session with its items.
func (w *world) submit(ctx context.Context, tx *db.Tx, s attempt) error {
	_, err := tx.Exec(ctx, "update sessions set state = 'submitted' where tenant_id = $1 and id = $2", w.tenant, s.id)
	if err != nil {
		return err
	}
	score, maxScore := s.totals()
	_, err = tx.Exec(ctx, `insert into submissions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id,
		submitted_by, status, completion_method, started_at, completed_at, score, max_score, outcome_code,
		outcome_label, run_label, snapshot_hash, approval_status, seed, assignment_id)
		values ($1, $2, $3, $4, $5, $6, 'test', 'completed', 'submitted', $7, $8, $9::float8::numeric, $10::float8::numeric,
			$11, '', $12, $13, 'not_required', 1, $14)`,
		w.tenant, s.id, s.version.org, s.version.evaluation, s.version.id, s.user, s.startedAt, s.completedAt,
		score, maxScore, s.outcome, s.run, s.version.hash, s.by)
	if err != nil {
		return err
	}
	for i, a := range s.answers {
		s.answers[i].id = ids.New()
		response, err := json.Marshal(map[string]any{"optionIds": a.options})
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `insert into submission_items (tenant_id, submission_id, id, org_unit_id, item_id,
			question_version_id, position, qtype, response, score_status, score_method, score, max_score, is_correct,
			is_omitted, invalid_code, correct_selected, incorrect_selected, total_correct, time_spent_ms)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9::text::jsonb, $10, 'key', $11::float8::numeric, 1, $12, $13, $14, $15,
				$16, $17, $18)`,
			w.tenant, s.id, s.answers[i].id, s.version.org, a.question.id, a.question.id, i, a.question.qtype, string(response),
			a.status, a.score, a.correct(), a.omitted, a.invalid, a.right(), len(a.options)-a.right(), a.question.right, a.ms)
		if err != nil {
			return err
		}
	}
	return w.queue(ctx, tx, "submission", s.id)
}

// correct appends a version of the scores with the answers that changed.
func (w *world) correct(ctx context.Context, tx *db.Tx, s attempt, changed []answer) error {
	score, maxScore := s.totals()
	c := submission.Rescoring{SubmissionID: s.id,
		Result: scoring.Result{Score: score, MaxScore: maxScore, OutcomeCode: scoring.Outcome(s.outcome)}}
	for _, a := range changed {
		item := scoring.Item{Status: scoring.Status(a.status), Method: "corrected", Score: a.score, MaxScore: 1, IsCorrect: a.correct(),
			CorrectSelected: a.right(), IncorrectSelected: len(a.options) - a.right(), TotalCorrect: a.question.right}
		if a.invalid != nil {
			item.InvalidCode = *a.invalid
		}
		c.Items = append(c.Items, submission.CorrectedItem{ID: a.id, Score: item})
	}
	return submission.Rescore(ctx, tx, submission.Cause{Reason: "scored_by_person", Actor: "test"}, []submission.Rescoring{c})
}

func (w *world) void(ctx context.Context, tx *db.Tx, id ids.ID) error {
	_, err := tx.Exec(ctx, "update submissions set status = 'voided' where tenant_id = $1 and id = $2", w.tenant, id)
	if err != nil {
		return err
	}
	return w.queue(ctx, tx, "submission", id)
}

// drain projects until the outbox is empty.
func (w *world) drain(t testing.TB, limit int) {
	t.Helper()
	for n := 1; n > 0; {
		w.write(t, func(ctx context.Context, tx *db.Tx) error {
			var err error
			n, err = ProjectBatch(ctx, tx, limit)
			return err
		})
	}
}

func (w *world) verify(t testing.TB) Report {
	t.Helper()
	r, err := Verify(t.Context(), w.store, w.tenant)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
