package session_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/scoring"
)

func TestSubmitScores(t *testing.T) {
	t.Parallel()
	partial := sample.Choice("A", "B", "C")
	partial.Method = scoring.Partial
	bounded := sample.Choice("A", "B")
	bounded.MaxSelections = 2
	heavy := sample.Choice("A")
	heavy.Weight = 2.5
	survey := sample.Choice("A")
	survey.ContributesToScore = false
	type figures struct {
		Score, Max float64
		Outcome    string
		Statuses   string
	}
	tests := []struct {
		name      string
		settings  authoring.Settings
		keys      []scoring.Key
		responses []string
		want      figures
	}{
		{"all right passes", authoring.Settings{PassMarkPercent: ptr(60.0)},
			[]scoring.Key{heavy, sample.Choice("B")}, []string{`{"optionIds":["A"]}`, `{"optionIds":["B"]}`},
			figures{3.5, 3.5, "pass", "SCORED SCORED"}},
		{"omitted counts as nothing of its max", authoring.Settings{PassMarkPercent: ptr(60.0)},
			[]scoring.Key{sample.Choice("A"), sample.Choice("B")}, []string{`{"optionIds":["A"]}`},
			figures{1, 2, "fail", "SCORED EXEMPT"}},
		{"partial credit and a constraint", authoring.Settings{PassMarkPercent: ptr(30.0)},
			[]scoring.Key{partial, bounded}, []string{`{"optionIds":["A","B","D"]}`, `{"optionIds":["A","B","C"]}`},
			figures{0.3333333333, 2, "fail", "SCORED INVALID"}},
		{"pending is incomplete", authoring.Settings{PassMarkPercent: ptr(0.0)},
			[]scoring.Key{{QType: scoring.Essay, ContributesToScore: true}, survey}, []string{`{"text":"because"}`, `{"optionIds":["A"]}`},
			figures{0, 1, "incomplete", "PENDING SCORED"}},
		{"negative marking stops at nothing", authoring.Settings{ScoringConfig: scoring.Config{NegativeMarking: 1}},
			[]scoring.Key{sample.Choice("A")}, []string{`{"optionIds":["B"]}`},
			figures{0, 1, "incomplete", "SCORED"}},
		{"no answer at all", authoring.Settings{}, []scoring.Key{sample.Choice("A")}, nil,
			figures{0, 1, "incomplete", "EXEMPT"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRoom(t, tt.settings, tt.keys...)
			s := r.start(r.candidate)
			if tt.responses != nil {
				_, err := r.save(r.candidate, s.ID, sample.Answers(r.snapshot, tt.responses...)...)
				if err != nil {
					t.Fatal(err)
				}
			}
			result, err := r.submit(r.candidate, s.ID, nil)
			if err != nil {
				t.Fatal(err)
			}
			var stored figures
			r.scan(`select score::float8, max_score::float8, outcome_code,
				(select string_agg(score_status, ' ' order by position) from submission_items i
					where i.tenant_id = s.tenant_id and i.submission_id = s.id)
				from submissions s where tenant_id = $1 and id = $2`, s.ID,
				&stored.Score, &stored.Max, &stored.Outcome, &stored.Statuses)
			got := figures{*result.Score, *result.MaxScore, result.OutcomeCode, stored.Statuses}
			if diff := cmp.Diff([]figures{tt.want, tt.want}, []figures{got, stored}); diff != "" {
				t.Errorf("answered and stored figures (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSubmittingAgainAnswersTheSame(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{PassMarkPercent: ptr(50.0)}, sample.Choice("A"))
	s := r.start(r.candidate)
	_, err := r.save(r.candidate, s.ID, answer(r.item(0), 1, `{"optionIds":["A"]}`))
	if err != nil {
		t.Fatal(err)
	}
	first, err := r.submit(r.candidate, s.ID, ptr(int64(1)))
	if err != nil {
		t.Fatal(err)
	}
	again, err := r.submit(r.candidate, s.ID, ptr(int64(99)))
	if err != nil {
		t.Fatal(err)
	}
	want := first
	want.AlreadyComplete = true
	if diff := cmp.Diff(want, again); diff != "" || first.AlreadyComplete {
		t.Errorf("second answer (-want +got):\n%s", diff)
	}
	if *first.Score != 1 || first.OutcomeCode != "pass" || first.OutcomeLabel != "Pass" || first.Status != "completed" {
		t.Errorf("got %+v", first)
	}
}

func TestSubmitMeansTheRevisionThatItNames(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	s := r.start(r.candidate)
	_, err := r.save(r.candidate, s.ID, answer(r.item(0), 1, "null"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.submit(r.candidate, s.ID, ptr(int64(0)))
	wantCode(t, err, errs.RevisionMismatch)
	if got := errs.Of(err).Details["revision"]; got != int64(1) {
		t.Errorf("got revision %v, want 1", got)
	}
	_, err = r.submit(r.candidate, s.ID, ptr(int64(-1)))
	wantCode(t, err, errs.ValidationFailed)
	_, err = r.submit(r.candidate, s.ID, ptr(int64(1)))
	if err != nil {
		t.Fatal(err)
	}
}

func TestClosedAndAbandonedSessionsCannotBeSubmitted(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	for _, state := range []string{"closed", "abandoned"} {
		s := r.start(r.candidate)
		r.exec("update sessions set state = $2, ended_at = now() where id = $1", s.ID, state)
		_, err := r.submit(r.candidate, s.ID, nil)
		wantCode(t, err, errs.SessionNotOpen)
	}
}

func TestFeedbackModeDecidesWhatSubmitTells(t *testing.T) {
	t.Parallel()
	for mode, tells := range map[string]bool{"none": false, "overall": true, "tags": true, "items": true} {
		r := newRoom(t, authoring.Settings{FeedbackMode: mode}, sample.Choice("A"))
		s := r.start(r.candidate)
		for range 2 {
			got, err := r.submit(r.candidate, s.ID, nil)
			if err != nil {
				t.Fatal(err)
			}
			if (got.Score != nil) != tells || (got.MaxScore != nil) != tells || (got.OutcomeCode != "") != tells || (got.OutcomeLabel != "") != tells {
				t.Errorf("%s: got %+v", mode, got)
			}
		}
	}
}

func TestSubmissionSaysWhoActedAndWhetherItIsReviewed(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{ReviewPolicy: "four_eyes"}, sample.Choice("A"))
	proctor := r.person(capability.SessionsProctor)
	s, err := r.tryStart(proctor, session.StartInput{EvaluationID: r.snapshot.EvaluationID, UserID: &r.candidate.Actor.ID, RunLabel: ptr("spring")})
	if err != nil {
		t.Fatal(err)
	}
	second := r.person(capability.SessionsProctor)
	for range 2 {
		_, err = r.save(second, s.ID, answer(r.item(0), 1, choseA))
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err = r.submit(proctor, s.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	var others []string
	r.scan("select acted_by from submissions where tenant_id = $1 and id = $2", s.ID, &others)
	if diff := cmp.Diff([]string{proctor.Actor.String(), second.Actor.String()}, others); diff != "" {
		t.Errorf("who acted for the person (-want +got):\n%s", diff)
	}
	own := r.start(r.candidate)
	if _, err = r.submit(r.candidate, own.ID, nil); err != nil {
		t.Fatal(err)
	}
	var nobody bool
	r.scan("select acted_by is null from submissions where tenant_id = $1 and id = $2", own.ID, &nobody)
	if !nobody {
		t.Error("somebody is said to have acted for a person who did all of it")
	}
	var got [5]string
	r.scan(`select submitted_by, user_id::text, completion_method, approval_status, run_label from submissions
		where tenant_id = $1 and id = $2`, s.ID, &got[0], &got[1], &got[2], &got[3], &got[4])
	want := [5]string{proctor.Actor.String(), r.candidate.Actor.ID.String(), "proctor_submitted", "pending_review", "spring"}
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}
