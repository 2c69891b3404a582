package projection

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"assess/pkg/dev/dbtest"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/trust/readiness"
	"assess/pkg/trust/standing"
)

// Whatever happens to submissions, in whatever order it is projected, with several workers and
// crashes: the queue matches a plain look at each submission, and so do the counts.
func TestQueueEqualsAPlainRecomputation(t *testing.T) {
	t.Parallel()
	store := newStore(t, dbtest.Clone(t))
	left := histories()
	seen := map[string]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		if left--; left < 0 {
			return
		}
		w := newWorld(t, store)
		w.assign(t)
		attempts := history(rt, t, w)
		q := quarreller{world: w, dice: rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))}
		for _, a := range attempts {
			if a.submitted {
				q.submitted = append(q.submitted, a)
			}
		}
		var others sync.WaitGroup
		others.Go(func() {
			for range 30 {
				q.happen(t)
			}
		})
		quarrel(t, w, rapid.Uint64().Draw(rt, "workers"))
		others.Wait()
		q.remediate(t)
		q.deleteSome(t)
		w.drain(t, 5)
		if r := w.verify(t); r.Differences != 0 {
			rt.Fatalf("the tables differ from a rebuild: %+v", r)
		}
		for _, code := range q.compare(rt, t) {
			seen[code] = true
		}
	})
	var unseen []string
	for _, code := range []string{"approval_pending", "evidence_integrity_failed", "claim_open", "dispute_open", "integrity_flag_major", "policy_requirements_tightened", "submission_voided",
		"remediation_unreviewed"} {
		if !seen[code] {
			unseen = append(unseen, code)
		}
	}
	// The histories are drawn anew each time: a rare reason may be missing.
	if len(unseen) > 2 {
		t.Errorf("no history led to %v", unseen)
	}
}

// quarreller does the things that people do about submissions.
type quarreller struct {
	*world
	dice      *rand.Rand
	submitted []*attempt
	deleted   []ids.ID
}

// remediate gives some submissions, approved ones too, a version of their scores that a remediation made.
func (q *quarreller) remediate(t *testing.T) {
	t.Helper()
	for _, a := range q.submitted {
		if a.voided || q.dice.IntN(3) > 0 {
			continue
		}
		q.write(t, func(ctx context.Context, tx *db.Tx) error {
			score, maxScore := a.totals()
			return submission.Rescore(ctx, tx, submission.Cause{Reason: "remediation_applied", Actor: "test"}, []submission.Rescoring{{SubmissionID: a.id,
				Result: scoring.Result{Score: score, MaxScore: maxScore, OutcomeCode: scoring.Outcome(a.outcome)}}})
		})
	}
}

// deleteSome deletes some submissions, as retention does where its policy says so.
func (q *quarreller) deleteSome(t *testing.T) {
	t.Helper()
	q.submitted = slices.DeleteFunc(q.submitted, func(a *attempt) bool {
		if q.dice.IntN(5) > 0 {
			return false
		}
		q.deleted = append(q.deleted, a.id)
		q.write(t, func(ctx context.Context, tx *db.Tx) error {
			for _, statement := range []string{"delete from submissions where tenant_id = $1 and id = $2", "delete from sessions where tenant_id = $1 and id = $2"} {
				_, err := tx.Exec(ctx, statement, q.tenant, a.id)
				if err != nil {
					return err
				}
			}
			return q.queue(ctx, tx, "submission", a.id)
		})
		return true
	})
}

// happen does one thing, chosen at random.
func (q *quarreller) happen(t *testing.T) {
	if len(q.submitted) == 0 {
		return
	}
	a := q.submitted[q.dice.IntN(len(q.submitted))]
	file := "f" + "0000000000000000000000000000000000000000000000000000000000000000"[1:]
	things := []struct {
		sql  string
		args []any
	}{
		{`with blob as (insert into evidence_blobs values ($1, $4, now()) on conflict do nothing)
		insert into evidence (tenant_id, id, org_unit_id, submission_id, kind, media_type, size_bytes, sha256, storage_tier, integrity, added_by, created_at)
		values ($1, $2, $3, $5, 'photo', 'image/png', 1, $4, 'HOT', 'unchecked', 'test', now())`, []any{ids.New(), a.version.org, file, a.id}},
		{"update evidence set integrity = 'changed', checked_at = now() where tenant_id = $1 and submission_id = $2", []any{a.id}},
		// Retention and forgetting take files and texts away.
		{"update evidence set erased_at = least(erased_at, now()) where tenant_id = $1 and submission_id = $2", []any{a.id}},
		{"update submissions set erased_at = now() where tenant_id = $1 and id = $2", []any{a.id}},
		{"update evidence set voided_at = now(), voided_by = 'x', void_reason = 'x' where tenant_id = $1 and submission_id = $2", []any{a.id}},
		{`with queued as (insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) values ($1, 'finding', $2, now()))
		insert into findings (tenant_id, id, org_unit_id, submission_id, code, severity, detected_by, detected_at, ledger_event_id)
		values ($1, $2, $3, $4, 'X', 'major', 'test', now(), $2)`, []any{ids.New(), a.version.org, a.id}},
		{`with raised as (
			insert into submission_cases (tenant_id, id, org_unit_id, submission_id, kind, state, statement, raised_by, raised_at)
			values ($1, $2, $3, $4, 'claim', 'open', 'x', 'test', now()))
		insert into case_findings (tenant_id, case_id, finding_id, org_unit_id, submission_id)
		select $1, $2, id, $3, $4 from findings where tenant_id = $1 and submission_id = $4 returning true`, []any{ids.New(), a.version.org, a.id}},
		{`insert into submission_cases (tenant_id, id, org_unit_id, submission_id, kind, state, statement, raised_by, raised_at)
		values ($1, $2, $3, $4, 'dispute', 'open', 'x', gen_random_uuid()::text, now())`, []any{ids.New(), a.version.org, a.id}},
		{`update submission_cases set state = 'rejected', decided_at = now(), decided_by = 'x' where tenant_id = $1 and submission_id = $2 and state = 'open'`, []any{a.id}},
		{`with decided as (update submissions set approval_status = 'approved' where tenant_id = $1 and id = $4)
		insert into submission_decisions (tenant_id, submission_id, id, org_unit_id, decision, actor, decided_at) values ($1, $4, $2, $3, 'approve', 'user:x', now())`,
			[]any{ids.New(), a.version.org, a.id}},
		{`with decided as (update submissions set approval_status = 'pending_review' where tenant_id = $1 and id = $4)
		insert into submission_decisions (tenant_id, submission_id, id, org_unit_id, decision, actor, decided_at) values ($1, $4, $2, $3, 'reopen', 'user:x', now())`,
			[]any{ids.New(), a.version.org, a.id}},
		{`insert into verification_policies values ($1, 'L1', 'submissions', $2, false, '{}', '{operator}', now())
		on conflict (tenant_id, level, applies_to) do update set require_context = excluded.require_context`, []any{q.dice.IntN(2) == 0}},
		{`update defensibility_exception_triage set state = 'resolved', owner_user_id = $3, updated_at = now() where tenant_id = $1 and submission_id = $2`,
			[]any{a.id, q.users[0]}},
	}
	thing := things[q.dice.IntN(len(things))]
	err := q.store.Write(context.Background(), db.System(q.tenant, "test"), func(tx *db.Tx) error {
		_, err := tx.Exec(context.Background(), thing.sql, append([]any{q.tenant}, thing.args...)...)
		if err == nil && q.dice.IntN(6) == 0 {
			return errCrash
		}
		return err
	})
	if err != nil && !errors.Is(err, errCrash) {
		t.Error(err)
	}
}

// compare looks at each submission by itself, and gives the reasons that occurred.
func (q *quarreller) compare(rt *rapid.T, t *testing.T) []string {
	var all []string
	q.write(t, func(ctx context.Context, tx *db.Tx) error {
		counts := map[standingKey]standingCount{}
		for _, a := range q.submitted {
			s, err := standing.Read(ctx, tx, []ids.ID{a.id})
			if err != nil || len(s) != 1 {
				rt.Fatalf("%v, %v", s, err)
			}
			want := s[0].Blocks(tx.Now()).ProofReadiness
			all = append(all, want.Reasons...)
			var state, triage string
			var reasons []string
			var since, owner any
			err = tx.QueryRow(ctx, `select readiness_state, state, reasons, first_seen_at, owner_user_id from defensibility_exception_triage
				where tenant_id = $1 and submission_id = $2`, q.tenant, a.id).Scan(&state, &triage, &reasons, &since, &owner)
			if err != nil || !slices.Equal(reasons, want.Reasons) || state != string(readiness.Overall(want.Reasons)) || (state == "met") != want.ReadyNow {
				rt.Fatalf("the queue has %s %v of %s, and it is %+v (%v)", state, reasons, a.id, want, err)
			}
			if state == "met" && triage != "resolved" || state != "met" && since == nil {
				rt.Fatalf("%s is %s and %s since %v", a.id, state, triage, since)
			}
			if s[0].Facts.Voided {
				continue
			}
			for _, k := range keysOfStanding(s[0]) {
				n := counts[k]
				n.active++
				n.blocked += one(state == "not_met")
				n.needsReview += one(state == "pending")
				counts[k] = n
			}
		}
		var left int
		err := tx.QueryRow(ctx, "select count(*) from defensibility_exception_triage where tenant_id = $1 and submission_id = any($2)", q.tenant, q.deleted).Scan(&left)
		if err != nil || left != 0 {
			rt.Fatalf("the queue has %d rows of %d submissions that were deleted (%v)", left, len(q.deleted), err)
		}
		rows, err := tx.Query(ctx, "select org_unit_id, kind, target_id, active_n, blocked_n, needs_review_n from defensibility_exception_counts where tenant_id = $1", q.tenant)
		if err != nil {
			return err
		}
		defer rows.Close()
		n := 0
		for rows.Next() {
			var k standingKey
			var is standingCount
			err := rows.Scan(&k.org, &k.kind, &k.target, &is.active, &is.blocked, &is.needsReview)
			if err != nil || counts[k] != is {
				rt.Fatalf("%+v has %+v, not %+v (%v)", k, is, counts[k], err)
			}
			n++
		}
		if n != len(counts) {
			rt.Fatalf("%d counts, not %d", n, len(counts))
		}
		return rows.Err()
	})
	return all
}

func keysOfStanding(s standing.Standing) []standingKey {
	keys := []standingKey{{s.OrgUnit, "evaluation", s.Evaluation}}
	if s.Engagement != nil {
		keys = append(keys, standingKey{s.OrgUnit, "engagement", *s.Engagement})
	}
	return keys
}

// A policy that is made stricter puts its reason on every submission of the level and on no row of
// another one; when it is put back, the reason goes.
func TestPolicyChangesRewriteOnlyWhatTheyConcern(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newStore(t, dbtest.Clone(t)))
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		for i := range 40 {
			a := attempt{id: ids.New(), user: w.users[0], version: w.versions[i%2], state: "submitted", startedAt: epoch, completedAt: epoch, outcome: "pass"}
			err := errors.Join(w.start(ctx, tx, a), w.submit(ctx, tx, a))
			if err != nil {
				return err
			}
		}
		// The second version was published at another level.
		_, err := tx.Exec(ctx, `
			with other as (
				insert into version_snapshots (tenant_id, hash, org_unit_id, content, created_at)
				select tenant_id, hash || '-L2', org_unit_id, content || '{"settings": {"verificationLevel": "L2"}}', created_at from version_snapshots
				where tenant_id = $1 and hash = $2
)
			update submissions set snapshot_hash = snapshot_hash || '-L2' where tenant_id = $1 and evaluation_version_id = $3`,
			w.tenant, w.versions[1].hash, w.versions[1].id)
		return err
	})
	w.drain(t, 100)
	places := func() map[ids.ID]string {
		found := map[ids.ID]string{}
		w.write(t, func(ctx context.Context, tx *db.Tx) error {
			var id ids.ID
			var place string
			return eachRow(ctx, tx, "select submission_id, ctid::text || case when 'policy_requirements_tightened' = any(reasons) then ' tightened' else '' end from defensibility_exception_triage where tenant_id = $1",
				[]any{w.tenant}, []any{&id, &place}, func() { found[id] = place })
		})
		return found
	}
	set := func(wanted bool) {
		w.write(t, func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Exec(ctx, `insert into verification_policies values ($1, 'L1', 'submissions', $2, false, '{}', '{operator}', now())
				on conflict (tenant_id, level, applies_to) do update set require_context = excluded.require_context`, w.tenant, wanted)
			return err
		})
		w.drain(t, 100)
	}
	before := places()
	set(true)
	after := places()
	tightened, still := 0, 0
	for id, place := range after {
		switch {
		case place == before[id]:
			still++
		case strings.HasSuffix(place, " tightened"):
			tightened++
		}
	}
	if tightened != 20 || still != 20 {
		t.Errorf("%d are tightened and %d untouched, of 20 each", tightened, still)
	}
	set(false)
	for id, place := range places() {
		if place != before[id] && strings.HasSuffix(place, " tightened") {
			t.Errorf("%s is still tightened", id)
		}
	}
	if r := w.verify(t); r.Differences != 0 {
		t.Errorf("%+v", r)
	}
}
