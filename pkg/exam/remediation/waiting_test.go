package remediation

import (
	"slices"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// waiting gives what waits for a person, by all three lists, which have to agree.
func (r *room) waiting(what string) []ids.ID {
	r.t.Helper()
	f := submission.Filter{Awaits: what}
	var lists [3][]ids.ID
	err := r.store.Read(r.t.Context(), r.reviewer, func(tx *db.Tx) error {
		all, err := submission.ListWaiting(r.t.Context(), tx, f)
		if err != nil {
			return err
		}
		byEvaluation, err := submission.ListByEvaluation(r.t.Context(), tx, r.snapshot.EvaluationID, f)
		if err != nil {
			return err
		}
		byUser, err := submission.ListByUser(r.t.Context(), tx, r.candidate.Actor.ID, f)
		for i, list := range []db.List[submission.Summary]{all, byEvaluation, byUser} {
			for _, row := range list.Items {
				lists[i] = append(lists[i], row.ID)
			}
			if list.Total != len(list.Items) {
				r.t.Errorf("list %d has %d rows and says %d", i, len(list.Items), list.Total)
			}
		}
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	if !slices.Equal(lists[0], lists[1]) || !slices.Equal(lists[0], lists[2]) {
		r.t.Errorf("the lists do not agree: %v", lists)
	}
	return lists[0]
}

func (r *room) waits(after, what string, want ...ids.ID) {
	r.t.Helper()
	if got := r.waiting(what); !slices.Equal(got, want) {
		r.t.Errorf("%s: %v await %s, want %v", after, got, what, want)
	}
}

func TestSubmissionsWaitForMarking(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	first, withoutEssay, second := r.submit(allRight...), r.submit(`{"optionIds":["A"]}`), r.submit(allRight...)
	third := r.submit(allRight...)
	r.waits("submit", submission.AwaitsMarking, first, second, third)
	if _, err := r.mark(r.reviewer, first, essay, 2); err != nil {
		t.Fatal(err)
	}
	r.waits("a mark", submission.AwaitsMarking, second, third)
	if _, err := r.mark(r.reviewer, withoutEssay, choice, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := r.mark(r.reviewer, second, choice, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := r.mark(r.reviewer, second, choice, 0); err != nil {
		t.Fatal(err)
	}
	r.waits("marks of other items", submission.AwaitsMarking, second, third)
	r.void(second)
	r.waits("a void", submission.AwaitsMarking, third)
	exempt := r.draft(RuleExempt, essay, Parameters{})
	r.apply(exempt.ID)
	r.waits("an exemption", submission.AwaitsMarking)
	r.revert(exempt.ID)
	r.waits("taking it back", submission.AwaitsMarking, third)
	r.waits("no review", submission.AwaitsReview)
}

func TestSubmissionsWaitForReview(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{ReviewPolicy: "four_eyes"})
	first, second := r.submit(), r.submit()
	r.waits("submit", submission.AwaitsReview, first, second)
	r.void(first)
	r.waits("a void", submission.AwaitsReview, second)
	r.waits("no essay", submission.AwaitsMarking)
	sample.Write(t, r.store, r.candidate, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update submissions set texts_erased = true where tenant_id = $1 and id = $2", tx.Tenant(), second)
		return err
	})
	r.waits("erasing it", submission.AwaitsReview)
}

func TestTheListOfAllSubmissionsSaysWhatTheyWaitFor(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	r.submit(allRight...)
	list := func(as db.Scope, f submission.Filter) (db.List[submission.Summary], error) {
		var got db.List[submission.Summary]
		err := r.store.Read(t.Context(), as, func(tx *db.Tx) (err error) {
			got, err = submission.ListWaiting(t.Context(), tx, f)
			return err
		})
		return got, err
	}
	if _, err := list(r.reviewer, submission.Filter{Status: "x"}); codeOf(err) != errs.ValidationFailed || len(errs.Of(err).Fields) != 2 {
		t.Errorf("nothing to wait for, and a wrong status: got %v", err)
	}
	if _, err := list(r.reviewer, submission.Filter{Awaits: "tea"}); codeOf(err) != errs.ValidationFailed {
		t.Errorf("a wrong word: got %v", err)
	}
	if _, err := list(r.candidate, submission.Filter{Awaits: submission.AwaitsMarking}); codeOf(err) != errs.Forbidden {
		t.Errorf("without capability: got %v", err)
	}
	stranger := sample.As(sample.Tenant(t, r.store), ids.New(), capability.SubmissionsRead)
	if got, err := list(stranger, submission.Filter{Awaits: submission.AwaitsMarking}); err != nil || got.Total != 0 || got.Items == nil {
		t.Errorf("another tenant: got %+v and error %v", got, err)
	}
}
