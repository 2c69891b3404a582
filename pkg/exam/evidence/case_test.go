package evidence_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/dev/sample"
	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

var decisions = map[string]func(context.Context, *db.Tx, evidence.CaseKind, evidence.DecideInput) (evidence.Case, error){
	"uphold": evidence.Uphold, "reject": evidence.Reject, "withdraw": evidence.Withdraw}

var reached = map[string]string{"uphold": "upheld", "reject": "rejected", "withdraw": "withdrawn"}

func (r *room) raise(as db.Scope, kind evidence.CaseKind, findings ...ids.ID) (evidence.Case, error) {
	return try(r, as, func(tx *db.Tx) (evidence.Case, error) {
		return evidence.Raise(r.t.Context(), tx, kind, evidence.RaiseInput{SubmissionID: r.submission, Statement: "It was not so.", FindingIDs: findings})
	})
}

func (r *room) decide(as db.Scope, what string, kind evidence.CaseKind, id ids.ID) (evidence.Case, error) {
	return try(r, as, func(tx *db.Tx) (evidence.Case, error) {
		return decisions[what](r.t.Context(), tx, kind, evidence.DecideInput{ID: id, Comment: "because"})
	})
}

func (r *room) finding(evidence ...ids.ID) ids.ID {
	r.t.Helper()
	var id ids.ID
	r.write(r.proctor, func(tx *db.Tx) error { id = sample.Finding(r.t, tx, r.submission, evidence...).ID; return nil })
	return id
}

// Every decision from every state: open takes any, and nothing else takes one.
func TestClaimsAndDisputesAreDecidedOnce(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	finding := r.finding()
	// The proctor withdraws what they raised; the reviewer decides.
	by := map[string]db.Scope{"uphold": r.reviewer, "reject": r.reviewer, "withdraw": r.proctor}
	for _, kind := range []evidence.CaseKind{evidence.Claims, evidence.Disputes} {
		for _, first := range []string{"uphold", "reject", "withdraw"} {
			made, err := r.raise(r.proctor, kind, finding)
			if err != nil || made.State != "open" || !slices.Equal(made.FindingIDs, []ids.ID{finding}) {
				t.Fatalf("%s: got %+v and error %v", kind, made, err)
			}
			got, err := r.decide(by[first], first, kind, made.ID)
			if err != nil || got.State != reached[first] || got.Comment != "because" || got.DecidedBy != by[first].Actor.String() {
				t.Errorf("%s a %s: got %+v and error %v", first, kind, got, err)
			}
			for _, second := range []string{"uphold", "reject", "withdraw"} {
				_, err := r.decide(by[second], second, kind, made.ID)
				if !errors.Is(err, errs.AlreadyDecided) || errs.Of(err).Details["state"] != reached[first] {
					t.Errorf("%s then %s: got %v", first, second, err)
				}
			}
			want := []string{string(kind) + ".raised", string(kind) + "." + reached[first]}
			events := r.events(made.ID)
			if diff := cmp.Diff(want, types(events)); diff != "" {
				t.Error(diff)
			}
			payload := map[string]any{"submissionId": r.submission.String(), "findingIds": []any{finding.String()}}
			for _, e := range events {
				if diff := cmp.Diff(payload, e.Payload); diff != "" {
					t.Errorf("%s: %s", e.Type, diff)
				}
			}
		}
	}
}

func TestFourEyesOverClaimsAndDisputes(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	finding := r.finding()
	all := []capability.Capability{capability.EvidenceManage, capability.SubmissionsReview, capability.SessionsTake}
	raiser := sample.As(r.operator, r.proctor.Actor.ID, all...)
	taker := sample.As(r.operator, r.candidate.Actor.ID, all...)
	scorer := sample.As(r.operator, r.stranger.Actor.ID, all...)
	r.write(r.operator, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), `insert into score_versions (tenant_id, submission_id, number, org_unit_id, reason, actor, score,
				max_score, outcome_code, outcome_label, created_at)
			select tenant_id, id, 2, org_unit_id, 'scored_by_person', $3, score, max_score, outcome_code, outcome_label, $4
			from submissions where tenant_id = $1 and id = $2`, tx.Tenant(), r.submission, scorer.Actor.String(), tx.Now())
		return err
	})
	for _, kind := range []evidence.CaseKind{evidence.Claims, evidence.Disputes} {
		made, err := r.raise(r.proctor, kind, finding)
		if err != nil {
			t.Fatal(err)
		}
		for name, involved := range map[string]db.Scope{"who raised it": raiser, "who took it": taker, "who scored it": scorer} {
			for _, what := range []string{"uphold", "reject"} {
				_, err := r.decide(involved, what, kind, made.ID)
				if !errors.Is(err, errs.FourEyesRequired) {
					t.Errorf("%s, %s a %s: got %v", name, what, kind, err)
				}
			}
		}
		if _, err := r.decide(r.reviewer, "reject", kind, made.ID); err != nil {
			t.Errorf("somebody else: %v", err)
		}
	}
}

// Candidates raise, read and withdraw disputes about their own submissions, and see nothing
// of anybody else's.
func TestCandidatesDisputeTheirOwn(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	_, err := r.raise(r.stranger, evidence.Disputes)
	wantCode(t, err, errs.NotFound)
	_, err = r.raise(r.candidate, evidence.Claims, r.finding())
	wantCode(t, err, errs.Forbidden)
	made, err := r.raise(r.candidate, evidence.Disputes)
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.raise(r.candidate, evidence.Disputes)
	wantCode(t, err, errs.DisputeOpen)
	read := func(as db.Scope) error {
		_, err := try(r, as, func(tx *db.Tx) (evidence.Case, error) {
			return evidence.GetCase(t.Context(), tx, evidence.Disputes, made.ID)
		})
		return err
	}
	list := func(as db.Scope) (db.List[evidence.Case], error) {
		return try(r, as, func(tx *db.Tx) (db.List[evidence.Case], error) {
			return evidence.ListCases(t.Context(), tx, evidence.Disputes, r.submission, evidence.CaseFilter{State: "open"})
		})
	}
	wantCode(t, read(r.candidate), "")
	wantCode(t, read(r.stranger), errs.NotFound)
	if got, err := list(r.candidate); err != nil || got.Total != 1 || got.Items[0].ID != made.ID {
		t.Errorf("got %+v and error %v", got, err)
	}
	_, err = list(r.stranger)
	wantCode(t, err, errs.NotFound)
	_, err = try(r, r.candidate, func(tx *db.Tx) (evidence.Case, error) {
		return evidence.GetCase(t.Context(), tx, evidence.Claims, made.ID)
	})
	wantCode(t, err, errs.Forbidden)
	_, err = r.decide(r.stranger, "withdraw", evidence.Disputes, made.ID)
	wantCode(t, err, errs.NotFound)
	_, err = r.decide(r.proctor, "withdraw", evidence.Disputes, made.ID)
	wantCode(t, err, errs.RaiserRequired)
	_, err = r.decide(r.reviewer, "uphold", evidence.Claims, made.ID)
	wantCode(t, err, errs.NotFound)
	got, err := r.decide(r.candidate, "withdraw", evidence.Disputes, made.ID)
	if err != nil || got.State != "withdrawn" {
		t.Errorf("got %+v and error %v", got, err)
	}
	if _, err := r.raise(r.candidate, evidence.Disputes); err != nil {
		t.Errorf("after a withdrawal: %v", err)
	}
}

func TestClaimsNameFindingsOfTheirSubmission(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	_, err := r.raise(r.proctor, evidence.Claims)
	wantField(t, err, "findingIds", "required")
	other, _ := r.submit()
	var theirs ids.ID
	r.write(r.proctor, func(tx *db.Tx) error { theirs = sample.Finding(t, tx, other).ID; return nil })
	for _, kind := range []evidence.CaseKind{evidence.Claims, evidence.Disputes} {
		_, err = r.raise(r.proctor, kind, r.finding(), theirs)
		wantField(t, err, "findingIds", "unknown_finding")
	}
	_, err = try(r, r.reviewer, func(tx *db.Tx) (evidence.Case, error) {
		return evidence.Uphold(t.Context(), tx, evidence.Claims, evidence.DecideInput{ID: ids.New()})
	})
	wantField(t, err, "comment", "required")
}

// Of decisions at once one succeeds, and the others are refused.
func TestDecidingAtOnce(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	made, err := r.raise(r.proctor, evidence.Claims, r.finding())
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	failed := make(chan error, 6)
	for i := range cap(failed) {
		all.Go(func() {
			_, err := r.decide(r.reviewer, []string{"uphold", "reject"}[i%2], evidence.Claims, made.ID)
			failed <- err
		})
	}
	all.Wait()
	close(failed)
	won := 0
	for err := range failed {
		if err == nil {
			won++
			continue
		}
		wantCode(t, err, errs.AlreadyDecided)
	}
	if won != 1 || len(r.events(made.ID)) != 2 {
		t.Errorf("%d decided, ledger has %v", won, types(r.events(made.ID)))
	}
}
