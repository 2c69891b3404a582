package review_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/review"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// room is a tenant with a candidate and a reviewer.
type room struct {
	t                             *testing.T
	store                         *db.Store
	operator, candidate, reviewer db.Scope
}

func newRoom(t *testing.T) *room {
	t.Helper()
	store := sample.Store(t)
	r := &room{t: t, store: store, operator: sample.Tenant(t, store)}
	sample.Write(t, store, r.operator, func(tx *db.Tx) error {
		r.candidate = sample.As(r.operator, sample.User(t, tx).ID, capability.SessionsTake, capability.SubmissionsReview)
		r.reviewer = sample.As(r.operator, sample.User(t, tx).ID, capability.SubmissionsReview, capability.SubmissionsRead)
		return nil
	})
	return r
}

// submission makes one of the candidate's, under a review policy.
func (r *room) submission(policy string) ids.ID {
	r.t.Helper()
	var id ids.ID
	sample.Write(r.t, r.store, r.operator, func(tx *db.Tx) error {
		s := sample.Published(r.t, tx, authoring.Settings{ReviewPolicy: policy, PassMarkPercent: ptr(50.0)}, sample.Choice("A"))
		desk, user := session.NewDesk(), r.candidate.Actor.ID
		open, err := desk.Start(r.t.Context(), tx, session.StartInput{EvaluationID: s.EvaluationID, UserID: &user})
		if err != nil {
			return err
		}
		done, err := desk.Submit(r.t.Context(), tx, session.SubmitInput{EvaluationID: s.EvaluationID, SessionID: open.ID})
		id = done.SubmissionID
		return err
	})
	return id
}

func ptr[T any](v T) *T { return &v }

type decide func(context.Context, *db.Tx, review.Input) (review.Result, error)

var decisions = map[string]decide{"approve": review.Approve, "reject": review.Reject, "request_changes": review.RequestChanges,
	"reopen": review.Reopen, "void": review.Void}

func (r *room) decide(as db.Scope, what string, id ids.ID) (review.Result, error) {
	var got review.Result
	err := r.store.Write(r.t.Context(), as, func(tx *db.Tx) error {
		var err error
		got, err = decisions[what](r.t.Context(), tx, review.Input{SubmissionID: id, Comment: "because"})
		return err
	})
	return got, err
}

func TestSubmissionTransitions(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	const pending = models.ApprovalPendingReview
	tests := []struct {
		name, policy string
		steps        string
		want         string
		code         errs.Code
	}{
		{"approve", "four_eyes", "approve", models.ApprovalApproved, ""},
		{"reject", "four_eyes", "reject", models.ApprovalRejected, ""},
		{"request changes", "four_eyes", "request_changes", models.ApprovalChangesRequested, ""},
		{"reopen after approval", "four_eyes", "approve reopen", pending, ""},
		{"reopen after rejection", "four_eyes", "reject reopen", pending, ""},
		{"reopen after changes", "four_eyes", "request_changes reopen approve", models.ApprovalApproved, ""},
		{"a repeated decision", "four_eyes", "approve approve", models.ApprovalApproved, errs.AlreadyDecided},
		{"another decision", "four_eyes", "reject approve", models.ApprovalRejected, errs.AlreadyDecided},
		{"nothing to reopen", "four_eyes", "reopen", pending, errs.NotDecided},
		{"no review asked for", "self_approve", "approve", models.ApprovalNotRequired, errs.ReviewNotRequired},
		{"reopen without review", "self_approve", "reopen", models.ApprovalNotRequired, errs.ReviewNotRequired},
		{"a voided submission", "four_eyes", "void approve", pending, errs.SubmissionVoided},
		{"void after approval", "four_eyes", "approve void", models.ApprovalApproved, ""},
		{"void twice", "self_approve", "void void", models.ApprovalNotRequired, errs.SubmissionVoided},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			id := r.submission(tt.policy)
			steps := strings.Fields(tt.steps)
			var last error
			for i, step := range steps {
				_, last = r.decide(r.operator, step, id)
				if i < len(steps)-1 && last != nil {
					t.Fatalf("%s: %v", step, last)
				}
			}
			if got := codeOf(last); got != tt.code {
				t.Errorf("got error %v, want code %q", last, tt.code)
			}
			if got := r.row(id).ApprovalStatus; got != tt.want {
				t.Errorf("approval_status: got %s, want %s", got, tt.want)
			}
		})
	}
}

func (r *room) row(id ids.ID) models.Submission {
	r.t.Helper()
	var s models.Submission
	err := r.store.Read(r.t.Context(), r.operator, func(tx *db.Tx) error {
		return tx.NewSelect().Model(&s).Where("tenant_id = ? and id = ?", tx.Tenant(), id).Scan(r.t.Context())
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

func TestFourEyesBlockThePersonAndWhoeverChangedTheScores(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	id := r.submission("four_eyes")
	for _, what := range []string{"approve", "reject"} {
		_, err := r.decide(r.candidate, what, id)
		if got := codeOf(err); got != errs.FourEyesRequired {
			t.Errorf("%s by the person: got %v", what, err)
		}
	}
	sample.Write(t, r.store, r.operator, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), `
			insert into score_versions (tenant_id, submission_id, number, org_unit_id, reason, actor, score, max_score,
				outcome_code, outcome_label, created_at)
			select tenant_id, id, 2, org_unit_id, 'scored_by_person', $3, 1, 1, 'pass', 'Pass', now()
			from submissions where tenant_id = $1 and id = $2`, tx.Tenant(), id, r.reviewer.Actor.String())
		return err
	})
	_, err := r.decide(r.reviewer, "approve", id)
	if got := codeOf(err); got != errs.FourEyesRequired {
		t.Errorf("approval by who changed the scores: got %v", err)
	}
	if _, err := r.decide(r.operator, "approve", id); err != nil {
		t.Errorf("approval by somebody else: %v", err)
	}
}

func TestFourEyesBlockWhoeverActedForThePerson(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	id := r.submission("four_eyes")
	proctor := sample.As(r.operator, ids.New(), capability.SubmissionsReview, capability.SessionsProctor)
	sample.Write(t, r.store, r.operator, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update submissions set acted_by = array[$3] where tenant_id = $1 and id = $2", tx.Tenant(), id, proctor.Actor.String())
		return err
	})
	if _, err := r.decide(proctor, "approve", id); codeOf(err) != errs.FourEyesRequired {
		t.Errorf("approval by who acted for the person: got %v", err)
	}
	if _, err := r.decide(r.reviewer, "approve", id); err != nil {
		t.Errorf("approval by somebody else: %v", err)
	}
}

func TestOfTwoDecisionsAtOnceOneHolds(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	for range 10 {
		id := r.submission("four_eyes")
		outcomes := make([]error, 2)
		var wg sync.WaitGroup
		for i, what := range []string{"approve", "reject"} {
			wg.Go(func() { _, outcomes[i] = r.decide(r.reviewer, what, id) })
		}
		wg.Wait()
		codes := []string{string(codeOf(outcomes[0])), string(codeOf(outcomes[1]))}
		slices.Sort(codes)
		if diff := cmp.Diff([]string{"", string(errs.AlreadyDecided)}, codes); diff != "" {
			t.Fatalf("outcomes (-want +got):\n%s", diff)
		}
	}
}

func TestVoidNeedsAProofAndIsProjectedAgain(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	id := r.submission("self_approve")
	_, err := r.decide(sample.As(r.operator, r.reviewer.Actor.ID, capability.SubmissionsVoid), "void", id)
	if got := codeOf(err); got != errs.StepUpRequired {
		t.Errorf("without a proof: got %v", err)
	}
	before := r.count("select count(*) from projection_outbox where subject_id = $1", id)
	if _, err := r.decide(r.operator, "void", id); err != nil {
		t.Fatal(err)
	}
	if got := r.row(id).Status; got != models.SubmissionVoided {
		t.Errorf("status: got %s", got)
	}
	if got := r.count("select count(*) from projection_outbox where subject_id = $1", id); got <= before {
		t.Errorf("outbox rows: got %d, want more than %d", got, before)
	}
	if got := r.count("select count(*) from ledger_events where subject_id = $1 and event_type = 'submission.voided'", id); got != 1 {
		t.Errorf("ledger events: got %d, want 1", got)
	}
}

func (r *room) count(sql string, args ...any) int {
	r.t.Helper()
	var n int
	err := r.store.Read(r.t.Context(), r.operator, func(tx *db.Tx) error {
		dbtest.AllNodes(r.t, tx)
		return tx.QueryRow(r.t.Context(), sql, args...).Scan(&n)
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}

func TestDecisionsSayWhyAndKeepItOutOfTheLedger(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	id := r.submission("four_eyes")
	err := r.store.Write(t.Context(), r.reviewer, func(tx *db.Tx) error {
		_, err := review.Reject(t.Context(), tx, review.Input{SubmissionID: id})
		return err
	})
	if fields := errs.Of(err).Fields; len(fields) != 1 || fields[0].Path != "comment" {
		t.Errorf("a rejection without a reason: got %v", err)
	}
	if _, err := r.decide(r.reviewer, "reject", id); err != nil {
		t.Fatal(err)
	}
	var list db.List[review.Decision]
	err = r.store.Read(t.Context(), r.reviewer, func(tx *db.Tx) error {
		list, err = review.ListDecisions(t.Context(), tx, id, db.Page{})
		return err
	})
	if err != nil || len(list.Items) != 1 || list.Items[0].Comment != "because" || list.Items[0].DecidedBy != r.reviewer.Actor.String() {
		t.Errorf("history: got %+v and error %v", list, err)
	}
	if got := r.count("select count(*) from ledger_events where payload::text like '%because%'"); got != 0 {
		t.Errorf("the ledger holds the comment %d times", got)
	}
}

// codeOf gives the code of an error; empty for none.
func codeOf(err error) errs.Code {
	if err == nil {
		return ""
	}
	return errs.Of(err).Code
}

// A submission that is not fully scored has no outcome yet that somebody could approve. A
// survey essay, which counts for nothing, keeps nobody waiting.
func TestNothingIsApprovedBeforeItIsScored(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	essay := scoring.Key{QType: scoring.Essay, Weight: 2, ContributesToScore: true}
	survey := scoring.Key{QType: scoring.Essay, Weight: 2}
	for name, c := range map[string]struct {
		answered []int
		waits    []int
	}{"an essay and a survey": {[]int{0, 1}, []int{0}}, "the survey alone": {[]int{1}, nil}} {
		t.Run(name, func(t *testing.T) {
			id, items := r.essays([]scoring.Key{essay, survey}, c.answered)
			var waits []ids.ID
			for _, i := range c.waits {
				waits = append(waits, items[i])
			}
			_, err := r.decide(r.reviewer, "approve", id)
			if named, _ := errs.Of(err).Details["itemIds"].([]ids.ID); len(waits) > 0 && (codeOf(err) != errs.ScoresPending || !slices.Equal(named, waits)) {
				t.Errorf("got %v, want scores_pending for %v", err, waits)
			} else if len(waits) == 0 && err != nil {
				t.Errorf("got %v", err)
			}
			if len(waits) == 0 {
				return
			}
			for _, what := range []string{"request_changes", "reopen", "reject"} {
				if _, err = r.decide(r.reviewer, what, id); err != nil {
					t.Errorf("%s: got %v", what, err)
				}
			}
		})
	}
}

// essays makes a submission of essays, some of them answered, and gives the ids of its items.
func (r *room) essays(keys []scoring.Key, answered []int) (id ids.ID, items []ids.ID) {
	r.t.Helper()
	sample.Write(r.t, r.store, r.operator, func(tx *db.Tx) error {
		s := sample.Published(r.t, tx, authoring.Settings{ReviewPolicy: "four_eyes"}, keys...)
		desk, user := session.NewDesk(), r.candidate.Actor.ID
		open, err := desk.Start(r.t.Context(), tx, session.StartInput{EvaluationID: s.EvaluationID, UserID: &user})
		if err != nil {
			return err
		}
		in := session.SaveInput{EvaluationID: s.EvaluationID, SessionID: open.ID}
		for _, item := range s.Sections[0].Items {
			items = append(items, item.ItemID)
		}
		for _, i := range answered {
			in.Answers = append(in.Answers, session.Answer{ItemID: items[i], Sequence: 1, Response: []byte(`{"text":"An essay."}`)})
		}
		_, err = desk.Save(r.t.Context(), tx, in)
		if err != nil {
			return err
		}
		done, err := desk.Submit(r.t.Context(), tx, session.SubmitInput{EvaluationID: s.EvaluationID, SessionID: open.ID})
		id = done.SubmissionID
		return err
	})
	return id, items
}
