package remediation

import (
	"context"
	"slices"
	"testing"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// allRight answers everything right but the essay, which waits for a person.
var allRight = []string{`{"optionIds":["A"]}`, `{"optionIds":["B","C"]}`, `{"text":"blue"}`, `{"number":10}`, `{"text":"An essay."}`, `{"optionIds":["A"]}`}

// A new key that leaves the points as they are, and says otherwise how many options were right, is a
// version; the same key again is not.
func TestANewKeyOfTheSamePointsIsAVersion(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	id := r.submit("", `{"optionIds":["B","A"]}`)
	before := r.get(id)
	key := Parameters{CorrectOptionIDs: []string{"B", "C", "D"}}
	for _, want := range []int{2, 2} {
		r.apply(r.draft(RuleRekey, several, key).ID)
		if after := r.get(id); after.ScoreVersion != want || *after.Score != *before.Score {
			t.Errorf("version %d with %v, want version %d with %v", after.ScoreVersion, *after.Score, want, *before.Score)
		}
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	tests := []struct {
		name      string
		rule      string
		place     int
		p         Parameters
		responses []string
		status    scoring.Status
		score     float64
		maxScore  float64
	}{
		{"exempt counts neither in score nor in maximum", RuleExempt, choice, Parameters{}, allRight, scoring.Exempt, 0, 0},
		{"exempt of an item left out", RuleExempt, choice, Parameters{}, nil, scoring.Exempt, 0, 0},
		{"exempt of an essay that waits", RuleExempt, essay, Parameters{}, allRight, scoring.Exempt, 0, 0},
		{"full credit for a wrong answer", RuleFullCredit, choice, Parameters{}, []string{`{"optionIds":["B"]}`}, scoring.Scored, 1, 1},
		{"full credit for an item left out", RuleFullCredit, number, Parameters{}, nil, scoring.Scored, 3, 3},
		{"full credit for an essay that waits", RuleFullCredit, essay, Parameters{}, allRight, scoring.Scored, 4, 4},
		{"adjust gives the score", RuleAdjust, essay, Parameters{Score: ptr(2.5)}, allRight, scoring.Scored, 2.5, 4},
		{"rekey of an mcq", RuleRekey, choice, Parameters{CorrectOptionIDs: []string{"B"}}, []string{`{"optionIds":["B"]}`}, scoring.Scored, 1, 1},
		{"rekey takes away, with negative marking", RuleRekey, choice, Parameters{CorrectOptionIDs: []string{"B"}}, allRight, scoring.Scored, -0.25, 1},
		{"rekey to several right options of an mcq", RuleRekey, choice, Parameters{CorrectOptionIDs: []string{"A", "D"}}, []string{`{"optionIds":["D"]}`}, scoring.Scored, 1, 1},
		{"rekey of an mrq in part", RuleRekey, several, Parameters{CorrectOptionIDs: []string{"B", "D"}}, []string{"", `{"optionIds":["B"]}`}, scoring.Scored, 1, 2},
		{"rekey of a text", RuleRekey, text, Parameters{AcceptedAnswers: []string{"Navy  Blue"}}, []string{"", "", `{"text":"navy blue"}`}, scoring.Scored, 1, 1},
		{"rekey of a number keeps the tolerance", RuleRekey, number, Parameters{Value: ptr(12.0)}, []string{"", "", "", `{"number":12.5}`}, scoring.Scored, 3, 3},
		{"rekey of a number with another tolerance", RuleRekey, number, Parameters{Value: ptr(12.0), Tolerance: ptr(0.0)}, []string{"", "", "", `{"number":12.5}`}, scoring.Scored, -0.75, 3},
		{"rekey leaves out what was left out", RuleRekey, choice, Parameters{CorrectOptionIDs: []string{"B"}}, nil, scoring.Exempt, 0, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			id := r.submit(tt.responses...)
			before := r.get(id)
			made := r.draft(tt.rule, tt.place, tt.p, id)
			done := r.apply(made.ID)
			got := r.at(r.get(id), tt.place)
			if got.ScoreStatus != string(tt.status) || *got.Score != tt.score || *got.MaxScore != tt.maxScore {
				t.Errorf("got %s %v of %v, want %s %v of %v", got.ScoreStatus, *got.Score, *got.MaxScore, tt.status, tt.score, tt.maxScore)
			}
			if done.State != models.RemediationApplied || done.Submissions != 1 || done.Done != 1 {
				t.Errorf("got %+v", done)
			}
			back := r.revert(made.ID)
			after := r.get(id)
			if *after.Score != *before.Score || *after.MaxScore != *before.MaxScore || after.OutcomeCode != before.OutcomeCode || back.State != models.RemediationReverted {
				t.Errorf("after revert: got %v of %v, %s, want %v of %v, %s", *after.Score, *after.MaxScore, after.OutcomeCode, *before.Score, *before.MaxScore, before.OutcomeCode)
			}
		})
	}
}

func TestASubmissionWhoseScoresStayGetsNoVersion(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	right, wrong := r.submit(allRight...), r.submit(`{"optionIds":["B"]}`)
	done := r.apply(r.draft(RuleFullCredit, choice, Parameters{}).ID)
	if done.Submissions != 2 || done.Changed != 1 {
		t.Errorf("got %d of %d changed, want 1 of 2", done.Changed, done.Submissions)
	}
	if got := r.get(right).ScoreVersion; got != 1 {
		t.Errorf("unchanged: got version %d", got)
	}
	got := r.get(wrong)
	if got.ScoreVersion != 2 || *got.ScoreVersions[0].RemediationID != done.ID || got.ScoreVersions[0].Actor != r.reviewer.Actor.String() {
		t.Errorf("changed: got %+v", got.ScoreVersions[0])
	}
	if got := r.count("select count(*) from projection_outbox where subject_id = $1 and kind = 'submission'", wrong); got != 2 {
		t.Errorf("outbox rows: got %d, want one of the submit and one of the correction", got)
	}
}

func TestOutcomeFollowsTheRemediation(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	id := r.submit(allRight...)
	if got := r.get(id).OutcomeCode; got != "incomplete" {
		t.Fatalf("with an essay that waits: got %s", got)
	}
	exempted := r.draft(RuleExempt, essay, Parameters{})
	r.apply(exempted.ID)
	if got := r.get(id); got.OutcomeCode != "pass" || *got.MaxScore != 7 {
		t.Errorf("without the essay: got %s of %v", got.OutcomeCode, *got.MaxScore)
	}
	for _, place := range []int{several, number} {
		r.apply(r.draft(RuleAdjust, place, Parameters{Score: ptr(0.0)}).ID)
	}
	if got := r.get(id); got.OutcomeCode != "fail" || *got.Score != 2 {
		t.Errorf("with less: got %s with %v", got.OutcomeCode, *got.Score)
	}
	r.revert(exempted.ID)
	if got := r.get(id).OutcomeCode; got != "incomplete" {
		t.Errorf("with the essay again: got %s", got)
	}
}

func TestSurveyItemsNeverCount(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	id := r.submit()
	before := r.get(id)
	r.apply(r.draft(RuleFullCredit, survey, Parameters{}).ID)
	if got := r.get(id); *got.Score != *before.Score || *got.MaxScore != *before.MaxScore || *r.at(got, survey).Score != 1 {
		t.Errorf("got %v of %v", *got.Score, *got.MaxScore)
	}
}

func TestVoidedAndLaterSubmissionsKeepTheirScores(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	voided, first := r.submit(), r.submit()
	r.void(voided)
	made := r.draft(RuleFullCredit, choice, Parameters{})
	r.apply(made.ID)
	later := r.submit()
	for what, id := range map[string]struct {
		version int
		score   float64
	}{voided.String(): {1, 0}, first.String(): {2, 1}, later.String(): {1, 0}} {
		got := r.get(parse(t, what))
		if got.ScoreVersion != id.version || *got.Score != id.score {
			t.Errorf("got version %d with %v, want %d with %v", got.ScoreVersion, *got.Score, id.version, id.score)
		}
	}
	// Another one of the same kind covers the ones that came later, and only those.
	if done := r.apply(r.draft(RuleFullCredit, choice, Parameters{}).ID); done.Changed != 1 {
		t.Errorf("the second one changed %d", done.Changed)
	}
	r.void(first)
	r.revert(made.ID)
	if got := r.get(first); *got.Score != 1 {
		t.Errorf("voided after applying: got %v", *got.Score)
	}
}

// A voided submission keeps the score of a new key when that is reverted, so it keeps the key:
// otherwise a report would call an answer right and its score wrong.
func TestAVoidedSubmissionKeepsTheKeyOfItsScore(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	voided, other := r.submit(), r.submit()
	made := r.draft(RuleRekey, choice, Parameters{CorrectOptionIDs: []string{"C"}})
	r.apply(made.ID)
	r.void(voided)
	r.revert(made.ID)
	at := r.item(choice)
	for name, test := range map[string]struct {
		id  ids.ID
		new bool
	}{"voided": {voided, true}, "completed": {other, false}} {
		var keys Keys
		err := r.write(r.operator, func(ctx context.Context, tx *db.Tx) (err error) {
			keys, err = KeysIn(ctx, tx, test.id)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		isNew := slices.Contains(keys.Of(at.QuestionVersionID, at.Key).Options, scoring.OptionKey{ID: "C", Correct: true})
		if isNew != test.new {
			t.Errorf("%s: the new key holds: %v", name, isNew)
		}
	}
}

// A score with more decimals than are stored is the same the second time too.
func TestAScoreOfManyDecimalsMakesOneVersion(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	id := r.submit()
	r.apply(r.draft(RuleAdjust, choice, Parameters{Score: ptr(1.0 / 3)}).ID)
	again := r.apply(r.draft(RuleAdjust, choice, Parameters{Score: ptr(1.0 / 3)}).ID)
	if got := r.get(id); again.Changed != 0 || got.ScoreVersion != 2 || *got.Score != 0.3333333333 {
		t.Errorf("got version %d with %v, %d changed", got.ScoreVersion, *got.Score, again.Changed)
	}
}
