package remediation

import (
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/exam/review"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func parse(t *testing.T, word string) ids.ID {
	t.Helper()
	id, err := ids.Parse("submission", word)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestMarkingAnEssaySettlesTheOutcome(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	id := r.submit(allRight...)
	got, err := r.mark(r.reviewer, id, essay, 3)
	if err != nil {
		t.Fatal(err)
	}
	if got.ItemStatus != "SCORED" || got.ItemScore != 3 || got.Score != 10 || got.MaxScore != 11 || got.OutcomeCode != "pass" || got.ScoreVersion != 2 {
		t.Errorf("got %+v", got)
	}
	if got, err = r.mark(r.reviewer, id, essay, 1); err != nil || got.Score != 8 || got.ScoreVersion != 3 {
		t.Errorf("marked again: got %+v and error %v", got, err)
	}
	if got, err = r.mark(r.reviewer, id, essay, 1); err != nil || got.Score != 8 || got.ScoreVersion != 4 {
		t.Errorf("the same again: got %+v and error %v", got, err)
	}
	var versions db.List[Version]
	err = r.store.Read(t.Context(), r.reviewer, func(tx *db.Tx) (err error) {
		versions, err = ListVersions(t.Context(), tx, id, db.Page{})
		return err
	})
	if err != nil || versions.Total != 4 || len(versions.Items) != 4 || versions.Items[1].Comment != "well argued" || len(versions.Items[1].Items) != 1 ||
		versions.Items[3].Reason != "submitted" || len(versions.Items[3].Items) != 0 {
		t.Errorf("versions: got %+v and error %v", versions, err)
	}
	if n := r.count("select count(*) from ledger_events where event_type = 'submission.item.scored' and subject_id = $1", id); n != 3 {
		t.Errorf("ledger events: got %d, want 3", n)
	}
	if n := r.count("select count(*) from ledger_events where payload::text like '%argued%'"); n != 0 {
		t.Errorf("the ledger holds the comment %d times", n)
	}
}

func TestMarkingRefuses(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	id, voided := r.submit(allRight...), r.submit()
	r.void(voided)
	powerless := sample.As(r.operator, r.reviewer.Actor.ID, capability.SubmissionsRead)
	tests := []struct {
		name  string
		as    db.Scope
		id    ids.ID
		score float64
		want  errs.Code
	}{
		{"more than the weight", r.reviewer, id, 4.5, errs.ValidationFailed},
		{"less than nothing", r.reviewer, id, -1, errs.ValidationFailed},
		{"one's own", r.candidate, id, 1, errs.FourEyesRequired},
		{"a voided one", r.reviewer, voided, 1, errs.SubmissionVoided},
		{"without the capability", powerless, id, 1, errs.Forbidden},
		{"one that is not there", r.reviewer, ids.New(), 1, errs.NotFound},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := r.mark(tt.as, tt.id, essay, tt.score); codeOf(err) != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestWhoeverMarkedOrRemediatedDoesNotApprove(t *testing.T) {
	t.Parallel()
	settings := half()
	settings.ReviewPolicy = "four_eyes"
	r := newRoom(t, settings)
	marked, remediated := r.submit(allRight...), r.submit()
	if _, err := r.mark(r.reviewer, marked, essay, 3); err != nil {
		t.Fatal(err)
	}
	r.apply(r.draft(RuleFullCredit, choice, Parameters{}, remediated).ID)
	approve := func(as db.Scope, id ids.ID) error {
		return r.store.Write(t.Context(), as, func(tx *db.Tx) error {
			_, err := review.Approve(t.Context(), tx, review.Input{SubmissionID: id})
			return err
		})
	}
	for what, id := range map[string]ids.ID{"marked": marked, "remediated": remediated} {
		if err := approve(r.reviewer, id); codeOf(err) != errs.FourEyesRequired {
			t.Errorf("%s by the same person: got %v", what, err)
		}
		if err := approve(r.operator, id); err != nil {
			t.Errorf("%s by another: got %v", what, err)
		}
	}
}

func TestANewKeyLeavesAloneWhatAPersonScored(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	id := r.submit("", "", `{"text":"azure"}`)
	if _, err := r.mark(r.reviewer, id, text, 0.5); err != nil {
		t.Fatal(err)
	}
	made := r.draft(RuleRekey, text, Parameters{AcceptedAnswers: []string{"azure"}})
	r.apply(made.ID)
	if got := r.at(r.get(id), text); *got.Score != 0.5 {
		t.Errorf("after the new key: got %v", *got.Score)
	}
	r.apply(r.draft(RuleExempt, text, Parameters{}).ID)
	got, err := r.mark(r.reviewer, id, text, 1)
	if err != nil || got.ItemStatus != "EXEMPT" || got.RemediatedBy == nil {
		t.Errorf("marked while exempt: got %+v and error %v", got, err)
	}
}
