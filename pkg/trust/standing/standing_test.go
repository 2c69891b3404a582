package standing_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/evidence"
	"assess/pkg/exam/review"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/policy"
	"assess/pkg/trust/standing"
)

// The story of a submission from not ready to ready, and back.
func TestSubmissionBecomesReady(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	pass := 50.0
	id := b.submit(authoring.Settings{PassMarkPercent: &pass, ReviewPolicy: "four_eyes", VerificationLevel: "L2", RequiredEvidence: []string{"photo"}},
		&db.Context{Kind: policy.BySession}, "A")
	want := func(when string, reasons ...string) {
		t.Helper()
		got := b.get(b.reviewer, submission.GetInput{ID: id})
		if !slices.Equal(got.ProofReadiness.Reasons, reasons) && len(got.ProofReadiness.Reasons)+len(reasons) > 0 {
			t.Errorf("%s: %v, not %v", when, got.ProofReadiness.Reasons, reasons)
		}
		if got.ProofReadiness.ReadyNow != (len(reasons) == 0) || !got.ProofReadiness.DefensibleAtExecution {
			t.Errorf("%s: %+v", when, got.ProofReadiness)
		}
	}
	want("as submitted", "approval_pending", "evidence_missing")
	photo := b.attach(id, "photo")
	want("with a photo", "approval_pending", "evidence_unchecked")
	b.check(photo.ID)
	want("with a checked photo", "approval_pending")
	b.decide(review.Approve, id)
	want("approved")

	var finding evidence.Finding
	b.do(b.reviewer, func(tx *db.Tx) error { finding = sample.Finding(t, tx, id); return nil })
	want("with a grave finding", "integrity_flag_major")
	claim := b.raise(b.clerk, evidence.Claims, id, finding.ID)
	want("with a claim", "integrity_flag_major", "claim_open")
	b.settle(evidence.Reject, evidence.Claims, claim)
	want("with a rejected claim")
	dispute := b.raise(b.candidate, evidence.Disputes, id)
	want("with a dispute", "dispute_open")
	b.settle(evidence.Reject, evidence.Disputes, dispute)
	want("with a rejected dispute")

	stricter := policy.Rules{RequireContext: true, RequireStepUp: true}
	b.setPolicy(policy.Verification{Level: "L2", AppliesTo: policy.Submissions, Rules: stricter})
	want("under a stricter policy", "policy_requirements_tightened")
	b.setPolicy(policy.Verification{Level: "L2", AppliesTo: policy.Submissions, Rules: policy.Default("L2", policy.Submissions)})
	want("under the old policy")
	// frozen allows every method for the step-up; in today one method no longer counts.
	var frozen, today *policy.Frozen
	for _, into := range []**policy.Frozen{&frozen, &today} {
		b.setPolicy(policy.Verification{Level: "L2", AppliesTo: policy.Submissions, Rules: stricter})
		b.do(b.clerk, func(tx *db.Tx) error {
			var err error
			*into, err = policy.Freeze(t.Context(), tx, "L2")
			return err
		})
		stricter.Methods = []string{"operator"}
	}
	if len(frozen.Methods) > 0 || len(frozen.Allowed()) != len(policy.Methods) || len(today.Methods) != 1 || frozen.PolicyRef != today.PolicyRef {
		t.Errorf("frozen are %+v and %+v", frozen, today)
	}
	b.setPolicy(policy.Verification{Level: "L2", AppliesTo: policy.Submissions, Rules: policy.Default("L2", policy.Submissions)})
	b.decide(review.Void, id)
	want("voided", "submission_voided")
}

// An execution stays as it was written, whatever becomes of the rows that it came from.
func TestExecutionIsWrittenOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	verified := b.submit(authoring.Settings{VerificationLevel: "L2"}, &db.Context{Kind: policy.BySession}, "A")
	asked := b.submit(authoring.Settings{}, nil, "A")
	b.keep(verified, asked)
	b.keep(verified)
	var written int
	_, err := dbtest.Heap(t, b.urls).Exec(t.Context(), "update verifications set fields = '{}', applies_to = 'gone' where subject_id = $1", verified)
	if err != nil {
		t.Fatal(err)
	}
	b.do(b.boss, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), "select count(*) from submission_executions where tenant_id = $1", tx.Tenant()).Scan(&written)
	})
	if written != 1 {
		t.Errorf("%d executions are written, not 1: nothing was asked of the other", written)
	}
	got := b.get(b.reviewer, submission.GetInput{ID: verified})
	if !got.ProofReadiness.DefensibleAtExecution || !slices.Equal(got.ProofReadiness.Reasons, []string{"verification_missing"}) {
		t.Errorf("the execution changed: %+v", got.ProofReadiness)
	}
	err = b.store.Write(t.Context(), b.boss, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "delete from submission_executions where tenant_id = $1", tx.Tenant())
		return err
	})
	if err == nil {
		t.Error("what was written down can be deleted")
	}
}

func TestCandidatesSeeNoReadiness(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.submit(authoring.Settings{}, nil, "B")
	for _, in := range []submission.GetInput{{ID: id}, {ID: id, View: submission.ViewCandidate}} {
		if got := b.get(b.candidate, in); got.KoeStatus != nil || got.ProofReadiness != nil {
			t.Errorf("%+v shows readiness: %+v", in, got.ProofReadiness)
		}
	}
	if got := b.get(b.reviewer, submission.GetInput{ID: id, View: submission.ViewCandidate}); got.KoeStatus != nil {
		t.Errorf("the candidate view of a reviewer shows readiness: %+v", got.KoeStatus)
	}
}

func TestListsIncludeReadinessOnRequest(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ready, failed := b.submit(authoring.Settings{}, nil, "A"), b.submit(half(), nil, "B")
	list := func(include string) db.List[standing.Summary] {
		var found db.List[standing.Summary]
		b.do(b.reviewer, func(tx *db.Tx) error {
			var err error
			found, err = standing.List(t.Context(), tx, include, func(ctx context.Context, tx *db.Tx) (db.List[submission.Summary], error) {
				return submission.ListByUser(ctx, tx, b.candidate.Actor.ID, submission.Filter{})
			})
			return err
		})
		return found
	}
	for _, s := range list("").Items {
		if s.KoeStatus != nil || s.ProofReadiness != nil {
			t.Errorf("nobody asked for %+v", s.ProofReadiness)
		}
	}
	is := map[ids.ID]bool{}
	for _, s := range list(standing.IncludeReadiness).Items {
		is[s.ID] = s.ProofReadiness.ReadyNow
	}
	if len(is) != 2 || !is[ready] || is[failed] {
		t.Errorf("the list says %v", is)
	}
}

// Retention or forgetting takes a file away, which the evaluation demands.
func TestErasedEvidenceHasExpired(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.submit(authoring.Settings{RequiredEvidence: []string{"photo"}}, nil, "A")
	b.check(b.attach(id, "photo").ID)
	if got := b.reasons(id); len(got) > 0 {
		t.Errorf("with a photo: %v", got)
	}
	b.do(b.boss, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update evidence set erased_at = now() where tenant_id = $1 and submission_id = $2", tx.Tenant(), id)
		return err
	})
	if got := b.reasons(id); !slices.Equal(got, []string{"evidence_missing", "retention_expired"}) {
		t.Errorf("without: %v", got)
	}
}

// Somebody changed a snapshot behind the service's back.
func TestBrokenSnapshotIsNoticed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.submit(authoring.Settings{}, nil, "A")
	b.do(b.boss, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), `
			with other as (
				insert into version_snapshots (tenant_id, hash, org_unit_id, content, created_at)
				select s.tenant_id, repeat('0', 64), s.org_unit_id, v.content || '{"title":"Changed"}', v.created_at
				from submissions s join version_snapshots v on v.tenant_id = s.tenant_id and v.hash = s.snapshot_hash
				where s.tenant_id = $1 and s.id = $2)
			update submissions set snapshot_hash = repeat('0', 64) where tenant_id = $1 and id = $2`, tx.Tenant(), id)
		return err
	})
	if got := b.reasons(id); !slices.Equal(got, []string{"snapshot_hash_mismatch"}) {
		t.Errorf("%v", got)
	}
}

// A snapshot that was found whole before is not taken to be so for ever: the next look sees the change, and
// nobody is shown the changed content.
func TestASnapshotThatIsChangedLaterIsNoticedAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.submit(authoring.Settings{}, nil, "A")
	if got := b.reasons(id); len(got) > 0 {
		t.Fatalf("before: %v", got)
	}
	heap := dbtest.Heap(t, b.urls)
	for _, change := range []string{"content || '{\"title\": \"Changed\"}'", "jsonb_set(content, '{sections}', '[]')", "'{}'"} {
		var hash, before string
		err := heap.QueryRow(t.Context(), `select v.hash, v.content::text from version_snapshots v join submissions s on s.tenant_id = v.tenant_id and s.snapshot_hash = v.hash
			where s.tenant_id = $1 and s.id = $2`, b.boss.Tenant, id).Scan(&hash, &before)
		if err == nil {
			_, err = heap.Exec(t.Context(), "update version_snapshots set content = "+change+" where tenant_id = $1 and hash = $2", b.boss.Tenant, hash)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := b.reasons(id); !slices.Contains(got, "snapshot_hash_mismatch") {
			t.Errorf("%s: %v", change, got)
		}
		err = b.store.Read(t.Context(), b.boss, func(tx *db.Tx) error {
			_, err := submission.Get(t.Context(), tx, submission.GetInput{ID: id})
			return err
		})
		if !errors.Is(err, errs.SnapshotDamaged) {
			t.Errorf("%s: somebody who reads the submission gets %v", change, err)
		}
		if _, err = heap.Exec(t.Context(), "update version_snapshots set content = $3::text::jsonb where tenant_id = $1 and hash = $2", b.boss.Tenant, hash, before); err != nil {
			t.Fatal(err)
		}
		if got := b.reasons(id); len(got) > 0 {
			t.Errorf("%s, put back: %v", change, got)
		}
	}
}
