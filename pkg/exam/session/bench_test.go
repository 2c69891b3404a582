package session_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// clients is how many work at once.
const clients = 8

// hall is a published evaluation of 20 items with sessions whose answers are saved.
type hall struct {
	store     *db.Store
	pool      *pgxpool.Pool
	desk      *session.Desk
	candidate db.Scope
	snapshot  authoring.Snapshot
	sessions  []ids.ID
	next      atomic.Int64
}

func newHall(b *testing.B, sessions int) *hall {
	b.Helper()
	store := sample.Store(b)
	h := &hall{store: store, desk: session.NewDesk()}
	operator := sample.Tenant(b, store)
	var keys []scoring.Key
	for range 20 {
		keys = append(keys, sample.Choice("A"))
	}
	sample.Write(b, store, operator, func(tx *db.Tx) error {
		h.snapshot = sample.Published(b, tx, authoring.Settings{PassMarkPercent: ptr(50.0)}, keys...)
		h.candidate = sample.As(operator, sample.User(b, tx).ID, capability.SessionsTake)
		return nil
	})
	var err error
	h.pool, err = pgxpool.New(b.Context(), dbtest.Clone(b).Super)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(h.pool.Close)
	h.fill(b, sessions)
	return h
}

// fill opens sessions and answers all items.
func (h *hall) fill(b *testing.B, n int) {
	b.Helper()
	var items []ids.ID
	for _, item := range h.snapshot.Sections[0].Items {
		items = append(items, item.ItemID)
	}
	for range n {
		h.sessions = append(h.sessions, ids.New())
	}
	_, err := h.pool.Exec(b.Context(), `
		with s as (
			insert into sessions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, started_by, state,
				started_at, last_activity_at, seed)
			select $1, id, $2, $3, $4, $5, 'user:sample', 'open', now(), now(), 1 from unnest($6::uuid[]) as id
			returning id
		)
		insert into session_answers (tenant_id, session_id, org_unit_id, item_id, sequence, response, time_spent_ms, answered_at)
		select $1, s.id, $2, item, 1, '{"optionIds":["A"]}', 1000, now() from s cross join unnest($7::uuid[]) as item`,
		h.candidate.Tenant, h.candidate.OrgUnit, h.snapshot.EvaluationID, h.snapshot.EvaluationVersionID,
		h.candidate.Actor.ID, h.sessions, items)
	if err != nil {
		b.Fatal(err)
	}
	// A database that has been up for a minute has statistics.
	_, err = h.pool.Exec(b.Context(), "analyze sessions, session_answers, submissions, submission_items, evaluations, evaluation_versions, users")
	if err != nil {
		b.Fatal(err)
	}
}

// run hands every session to one of the clients.
func (h *hall) run(b *testing.B, work func(open ids.ID) error) {
	b.Helper()
	b.ResetTimer()
	started := time.Now()
	together(clients, func(int) {
		for {
			i := int(h.next.Add(1)) - 1
			if i >= len(h.sessions) {
				return
			}
			err := work(h.sessions[i])
			if err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(len(h.sessions))/time.Since(started).Seconds(), "calls/s")
}

// BenchmarkSubmit compares the operation with prepared statements that write the same rows, written
// by hand, without scope, policies and scoring.
func BenchmarkSubmit(b *testing.B) {
	b.Run("operation", func(b *testing.B) {
		h := newHall(b, b.N)
		h.run(b, func(open ids.ID) error {
			return h.store.Write(b.Context(), h.candidate, func(tx *db.Tx) error {
				_, err := h.desk.Submit(b.Context(), tx, session.SubmitInput{EvaluationID: h.snapshot.EvaluationID, SessionID: open})
				return err
			})
		})
	})
	b.Run("by hand", func(b *testing.B) {
		h := newHall(b, b.N)
		h.run(b, func(open ids.ID) error { return h.submitByHand(b, open) })
	})
}

func (h *hall) submitByHand(b *testing.B, open ids.ID) error {
	ctx := b.Context()
	return pgx.BeginFunc(ctx, h.pool, func(tx pgx.Tx) error {
		var revision int64
		var items []ids.ID
		var responses []string
		err := tx.QueryRow(ctx, `select revision, (select array_agg(item_id) from session_answers a where a.tenant_id = $1 and session_id = $2),
			(select array_agg(response::text) from session_answers a where a.tenant_id = $1 and session_id = $2)
			from sessions where tenant_id = $1 and id = $2 for update`, h.candidate.Tenant, open).Scan(&revision, &items, &responses)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "update sessions set state = 'submitted', ended_at = now() where tenant_id = $1 and id = $2", h.candidate.Tenant, open)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `insert into submissions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, submitted_by,
			status, completion_method, started_at, completed_at, score, max_score, outcome_code, outcome_label, snapshot_hash, approval_status)
			select tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, started_by, 'completed', 'submitted', started_at,
			now(), 20, 20, 'pass', 'Pass', (select snapshot_hash from evaluation_versions v where v.tenant_id = s.tenant_id and v.id = s.evaluation_version_id),
			'not_required' from sessions s where tenant_id = $1 and id = $2`, h.candidate.Tenant, open)
		if err != nil {
			return err
		}
		fresh := make([]ids.ID, len(items))
		for i := range fresh {
			fresh[i] = ids.New()
		}
		_, err = tx.Exec(ctx, `insert into submission_items (tenant_id, submission_id, id, org_unit_id, item_id, question_version_id, position, qtype,
			response, score_status, score_method, score, max_score, is_correct, is_omitted, correct_selected, incorrect_selected, total_correct,
			time_spent_ms, answered_at)
			select $1, $2, i.id, $3, item, item, n, 'mcq', r::jsonb, 'SCORED', 'all_or_nothing', 1, 1, true, false, 1, 0, 1, 1000, now()
			from unnest($4::uuid[], $5::uuid[], $6::text[]) with ordinality as i (id, item, r, n)`,
			h.candidate.Tenant, open, h.candidate.OrgUnit, fresh, items, responses)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) values ($1, 'submission', $2, now())",
			h.candidate.Tenant, open)
		return err
	})
}

// BenchmarkSave saves one answer a call.
func BenchmarkSave(b *testing.B) {
	h := newHall(b, b.N)
	h.run(b, func(open ids.ID) error {
		return h.store.Write(b.Context(), h.candidate, func(tx *db.Tx) error {
			item := h.snapshot.Sections[0].Items[open[15]%20].ItemID
			_, err := h.desk.Save(b.Context(), tx, session.SaveInput{EvaluationID: h.snapshot.EvaluationID, SessionID: open,
				Answers: []session.Answer{answer(item, 2, fmt.Sprintf(`{"optionIds":[%q]}`, "B"))}})
			return err
		})
	})
}
