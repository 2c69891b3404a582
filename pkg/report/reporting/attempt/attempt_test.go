package attempt

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/models"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/remediation"
	"assess/pkg/exam/session"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/report/projection"
)

func allRight(_ int, item session.Item) (string, int64) { return answered(item, true), 1500 }
func nothing(int, session.Item) (string, int64)         { return "", 0 }

// The report shows what the person saw: drawn items, in their order, each with its options in the
// order they were shown.
func TestItemsAreWhatWasShown(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	id, open := r.take(allRight)
	report := r.get(id, "de")
	place := 0
	for _, section := range open.Sections {
		for _, shown := range section.Items {
			got := report.Items[place]
			var want, have []string
			for _, o := range shown.Options {
				want = append(want, o.ID)
			}
			for _, c := range got.Choices {
				have = append(have, c.ID)
			}
			if got.ItemID != shown.ItemID || got.SectionID == nil || *got.SectionID != section.ID || !slices.Equal(want, have) || got.Position != place {
				t.Errorf("place %d: got item %s with options %v, want %s with %v", place, got.ItemID, have, shown.ItemID, want)
			}
			if (shown.PassageVersionID == nil) != (got.Passage == nil) || (got.Passage != nil && got.Passage.Title != "Sample passage") {
				t.Errorf("place %d: passage %v", place, got.Passage)
			}
			place++
		}
	}
	if place != len(report.Items) || place != 10 {
		t.Errorf("%d items in the report, %d were shown, want 10", len(report.Items), place)
	}
	if report.Session.ID != report.Submission.ID || report.Submission.VersionSnapshot.EvaluationID != r.evaluation {
		t.Error("the session has another id than the submission, or the snapshot is another's")
	}
}

func TestItemsSayTheirAnswersInWords(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	id, _ := r.take(allRight)
	for _, item := range r.get(id, "de").Items {
		want := map[scoring.QType][2]string{
			"short_text": {" bodensee", "The text is an accepted answer: 1 of 1."},
			"numeric":    {"9.805", "It meets the number 9.81 with a tolerance of 0.01: 1 of 1."},
			"essay":      {"النهر طويل", "It waits for a person to score it and is worth up to 4."},
		}[item.QType]
		switch {
		case want[0] != "" && (item.DisplayAnswer != want[0] || item.ScoringExplanation != want[1]):
			t.Errorf("%s: %q, %q; want %q", item.QType, item.DisplayAnswer, item.ScoringExplanation, want)
		case item.QType == "mcq" && (*item.SelectedChoiceID != "B" || item.DisplayAnswer != "Wahl B"):
			t.Errorf("mcq: %+v", item)
		case item.QType == "mrq" && (item.SelectedChoiceID != nil || len(item.SelectedChoiceIDs) != 2 || strings.Count(item.DisplayAnswer, "Wahl ") != 2):
			t.Errorf("mrq: %+v", item)
		}
		wantStem := "Was ist es?"
		if item.QType == "essay" {
			wantStem = "اكتب عن النهر"
		}
		if item.StemText != wantStem {
			t.Errorf("stem in German: %q, want %q", item.StemText, wantStem)
		}
		if item.ScoringExplanation == "" || item.TagList == nil || item.Choices == nil || item.SelectedChoiceIDs == nil {
			t.Errorf("something is missing: %+v", item)
		}
	}
}

func TestExplanationsTellHowAScoreCameAbout(t *testing.T) {
	t.Parallel()
	tooMany := "too_many_selections"
	for _, c := range []struct {
		item Item
		want string
	}{
		{Item{QType: "mcq", ScoreStatus: "SCORED", ScoreMethod: "all_or_nothing", Score: -0.25, MaxScore: 1},
			"The selected option is wrong: -0.25 of 1; the wrong answer costs 0.25."},
		{Item{QType: "mrq", ScoreStatus: "SCORED", ScoreMethod: "partial", Score: 1.0 / 3, MaxScore: 1, CorrectSelected: 2, IncorrectSelected: 1, TotalCorrect: 3},
			"2 of 3 right options and 1 wrong selected, partial credit max(0, 2 − 1) / 3: 0.3333 of 1."},
		{Item{QType: "mrq", ScoreStatus: "SCORED", ScoreMethod: "all_or_nothing", MaxScore: 2, CorrectSelected: 1, TotalCorrect: 3},
			"1 of 3 right options and 0 wrong selected, all or nothing: 0 of 2."},
		{Item{QType: "mrq", ScoreStatus: "INVALID", InvalidCode: &tooMany, MaxScore: 1},
			"The answer breaks a rule of the question (too many options): 0 of 1."},
		{Item{QType: "mcq", ScoreStatus: "EXEMPT", IsOmitted: true, MaxScore: 1},
			"It was left out: 0 of 1, and it does not count in the statistics of the question."},
		{Item{QType: "mcq", ScoreStatus: "EXEMPT", MaxScore: 1},
			"It was exempted: 0 of 1, and it does not count in the statistics of the question."},
		{Item{QType: "essay", ScoreStatus: "SCORED", ScoreMethod: "manual", Score: 2.5, MaxScore: 4}, "A person scored it: 2.5 of 4."},
		{Item{QType: "mcq", ScoreStatus: "SCORED", ScoreMethod: "full_credit", Score: 1, MaxScore: 1}, "A correction scored it (everybody gets all points): 1 of 1."},
	} {
		c.item.ContributesToScore = true
		if got := explain(c.item, keyOf(9.81)); got != c.want {
			t.Errorf("got %q\nwant %q", got, c.want)
		}
		c.item.ContributesToScore = false
		if got := explain(c.item, keyOf(9.81)); got != c.want+" It is a survey item and adds nothing to the score." {
			t.Errorf("a survey item: %q", got)
		}
	}
}

// The idle estimate is there when the duration is known, and never below zero.
func TestIdleEstimate(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	ms := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		name   string
		method string
		took   time.Duration
		items  []Item
		want   *int64
		source string
	}{
		{"some time is nobody's", "submitted", 10 * time.Second, []Item{{TimeOnItemMs: ms(4000)}, {TimeOnItemMs: ms(1000)}, {}}, ms(5000), durationKnown},
		{"items say more than the clock", "submitted", 3 * time.Second, []Item{{TimeOnItemMs: ms(4000)}}, ms(0), durationKnown},
		{"no item has a time", "auto_submitted", 3 * time.Second, []Item{{}}, ms(3000), durationKnown},
		{"ended before it started", "submitted", -time.Microsecond, []Item{{TimeOnItemMs: ms(4000)}}, nil, durationUnknown},
		{"imported without times", "imported", 0, []Item{{TimeOnItemMs: ms(4000)}}, nil, durationUnknown},
		{"imported with times", "imported", time.Second, nil, ms(1000), durationKnown},
		{"submitted at once", "submitted", 0, nil, ms(0), durationKnown},
	} {
		r := record{Submission: models.Submission{StartedAt: start, CompletedAt: start.Add(c.took), CompletionMethod: c.method}}
		got := r.timing(c.items)
		if diff := cmp.Diff(c.want, got.IdleEstimateMs); diff != "" || got.DurationSource != c.source || (got.DurationMs == nil) != (c.want == nil) {
			t.Errorf("%s: got %+v, idle estimate (-want +got):\n%s", c.name, got, diff)
		}
	}
}

func TestIntegrityFollowsTheRollup(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	id, _ := r.take(allRight, "focus_lost", "focus_gained", "paste", "heartbeat", "network_lost")
	before := r.get(id, "").Integrity
	if before.TelemetrySummary.State != "pending" || before.TelemetryCounts != nil || before.Metrics.FocusLostPerHour != nil {
		t.Errorf("before the projection: %+v", before)
	}
	r.project()
	i := r.get(id, "").Integrity
	if diff := cmp.Diff(&TelemetryCounts{FocusLost: 1, Paste: 1, NetworkLost: 1}, i.TelemetryCounts); diff != "" || i.TelemetrySummary.Events != 5 || i.TelemetrySummary.Heartbeats != 1 {
		t.Errorf("counts (-want +got):\n%s\n%+v", diff, i.TelemetrySummary)
	}
	if got, want := codes(i.Flags), []string{"FOCUS_LOST", "PASTE", "RAPID_ANSWERS"}; !slices.Equal(got, want) || i.AttentionLevel != "high" {
		t.Errorf("flags %v and level %s, want %v and high", got, i.AttentionLevel, want)
	}
	if want := "The window lost the focus once. Text was pasted once. 10 answers came within two seconds. The network was lost once. Somebody else handed it in."; i.Summary != want {
		t.Errorf("summary %q\nwant %q", i.Summary, want)
	}
	quiet, _ := r.take(nothing)
	r.project()
	i = r.get(quiet, "").Integrity
	if i.AttentionLevel != "low" || len(i.Flags) != 0 || i.TelemetrySummary.State != "none" || !strings.HasPrefix(i.Summary, "Nothing stands out.") {
		t.Errorf("a quiet attempt: %+v", i)
	}
}

func codes(flags []Flag) []string {
	var all []string
	for _, f := range flags {
		all = append(all, f.Code)
	}
	return all
}

func TestLockdownDecidesWhatCounts(t *testing.T) {
	t.Parallel()
	n := TelemetryCounts{FocusLost: 6, FullscreenExit: 1, Copy: 2}
	open := eventFlags(n, lockdown(false, false))
	if got := codes(open); !slices.Equal(got, []string{"FOCUS_LOST_OFTEN", "FULLSCREEN_EXIT", "COPY"}) || open[0].Severity != major || open[1].Severity != minor {
		t.Errorf("without lockdown: %+v", open)
	}
	locked := eventFlags(n, lockdown(true, true))
	if got := codes(locked); !slices.Equal(got, []string{"FULLSCREEN_EXIT", "COPY"}) || locked[1].Severity != major {
		t.Errorf("with lockdown that lets the focus go: %+v", locked)
	}
}

func TestVoidedAndReviewedAttempts(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	id, _ := r.take(allRight)
	if a := r.get(id, "").ActionsAllowed; a != (ActionsAllowed{Void: true, Remediate: true, Export: true}) {
		t.Errorf("without review: %+v", a)
	}
	for status, want := range map[string]ActionsAllowed{
		"pending_review":    {Approve: true, Reject: true, RequestChanges: true, Void: true, Remediate: true, Export: true},
		"approved":          {Reopen: true, Void: true, Remediate: true, Export: true},
		"changes_requested": {Reopen: true, Void: true, Remediate: true, Export: true},
	} {
		r.exec("update submissions set approval_status = $3 where tenant_id = $1 and id = $2", id, status)
		if a := r.get(id, "").ActionsAllowed; a != want {
			t.Errorf("%s: %+v", status, a)
		}
	}
	r.exec("update submissions set status = 'voided' where tenant_id = $1 and id = $2", id)
	got := r.get(id, "")
	if got.ActionsAllowed != (ActionsAllowed{Export: true}) || got.Summary.AttemptStatus != "voided" || !strings.HasPrefix(got.Integrity.Summary, "The submission was voided") {
		t.Errorf("voided: %+v, %+v", got.ActionsAllowed, got.Integrity.Summary)
	}
}

// A correction changes the figures and the words, and none of the answers.
func TestCorrectedAttemptsShowTheNewestScores(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	id, _ := r.take(allRight)
	before := r.get(id, "")
	essay := slices.IndexFunc(before.Items, func(i Item) bool { return i.QType == "essay" })
	exempt := slices.IndexFunc(before.Items, func(i Item) bool { return i.QType == "numeric" })
	r.write(func(tx *db.Tx) error {
		return submission.Rescore(t.Context(), tx, submission.Cause{Reason: models.ScoredByPerson, Actor: "operator:sample"}, []submission.Rescoring{{
			SubmissionID: id, Result: scoring.Result{Score: 10.5, MaxScore: 12, OutcomeCode: scoring.Pass, OutcomeLabel: "Pass"},
			Items: []submission.CorrectedItem{
				{ID: before.Items[essay].ID, Score: scoring.Item{Status: scoring.Scored, Method: scoring.Manual, Score: 2.5, MaxScore: 4}},
				{ID: before.Items[exempt].ID, Score: scoring.Item{Status: scoring.Exempt, Method: "exempt_question", MaxScore: 1}}}}})
	})
	got := r.get(id, "")
	if s := got.Summary; s.Score != 10.5 || s.OutcomeCode != "pass" || s.LatestScoreVersion != 2 || s.PendingItems != 0 || s.OmittedItems != 0 {
		t.Errorf("summary %+v", s)
	}
	if i := got.Items[essay]; i.Score != 2.5 || i.ScoringExplanation != "A person scored it: 2.5 of 4." || i.DisplayAnswer != before.Items[essay].DisplayAnswer {
		t.Errorf("the essay: %+v", i)
	}
	if i := got.Items[exempt]; i.ScoreStatus != "EXEMPT" || i.IsOmitted || !strings.HasPrefix(i.ScoringExplanation, "It was exempted") {
		t.Errorf("the exempted item: %+v", i)
	}
	writing := got.SectionAggregates[1]
	if writing.Items != 5 || writing.Scored != 4 || *writing.FacilityPct != 0.25 || *writing.OmittedRate != 0 {
		t.Errorf("the section: %+v", writing.Figures)
	}
}

// After a new key the options and the sentence agree with the score, and taking the key back undoes
// that.
func TestANewKeyHoldsForOptionsAndWords(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	id, _ := r.take(allRight)
	at := slices.IndexFunc(r.get(id, "").Items, func(i Item) bool {
		return i.QType == "mcq" && strings.HasPrefix(i.ScoringExplanation, "The selected option is right")
	})
	was := r.get(id, "").Items[at]
	wrong := was.Choices[slices.IndexFunc(was.Choices, func(c Choice) bool { return !c.IsCorrect })].ID
	var made remediation.Remediation
	r.write(func(tx *db.Tx) error {
		var err error
		made, err = remediation.Create(t.Context(), tx, remediation.Input{QuestionVersionID: was.QuestionVersionID, SubmissionIDs: []ids.ID{id},
			Rule: remediation.RuleRekey, Parameters: remediation.Parameters{CorrectOptionIDs: []string{wrong}}, Reason: "the key was wrong"})
		return err
	})
	for _, step := range []struct {
		what  func(context.Context, *db.Tx, ids.ID) (remediation.Remediation, error)
		right string
		words string
	}{{remediation.Apply, wrong, "The selected option is wrong"}, {remediation.Revert, *was.SelectedChoiceID, "The selected option is right"}} {
		r.write(func(tx *db.Tx) error { _, err := step.what(t.Context(), tx, made.ID); return err })
		_, err := remediation.Run(t.Context(), r.store, r.operator.Tenant, made.ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := r.get(id, "").Items[at]
		for _, c := range got.Choices {
			if c.IsCorrect != (c.ID == step.right) {
				t.Errorf("option %s is right: %t, but the key is %s", c.ID, c.IsCorrect, step.right)
			}
		}
		if !strings.HasPrefix(got.ScoringExplanation, step.words) {
			t.Errorf("got %q, want %q", got.ScoringExplanation, step.words)
		}
	}
}

// Full credit covers omitted items too; the statistics leave them out, since nobody answered.
func TestCreditForWhatWasLeftOutIsNoStatistic(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	id, _ := r.take(nothing)
	item := r.get(id, "").Items[0]
	r.write(func(tx *db.Tx) error {
		return submission.Rescore(t.Context(), tx, submission.Cause{Reason: models.ScoredByPerson, Actor: "operator:sample"}, []submission.Rescoring{{
			SubmissionID: id, Result: scoring.Result{Score: 1, MaxScore: 12, OutcomeCode: scoring.Incomplete, OutcomeLabel: "Incomplete"},
			Items: []submission.CorrectedItem{{ID: item.ID, Score: scoring.Item{Status: scoring.Scored, Method: "full_credit", Score: item.MaxScore, MaxScore: item.MaxScore, IsCorrect: true}}}}})
	})
	got := r.get(id, "")
	if i := got.Items[0]; i.ScoreStatus != "SCORED" || !i.IsOmitted || i.Score != item.MaxScore || i.ScorePct != nil {
		t.Errorf("the item: %+v", i)
	}
	for _, section := range got.SectionAggregates {
		if section.Scored+section.Correct != 0 || section.FacilityPct != nil || section.AvgScore != nil || section.AvgScorePct != nil {
			t.Errorf("%s: %+v", section.Title, section.Figures)
		}
	}
	if first := got.SectionAggregates[0]; first.Score != item.MaxScore {
		t.Errorf("the credit is lost: %+v", first.Figures)
	}
}

// Names come from the user record of the moment: a person who was made anonymous stays anonymous.
func TestIdentityIsJoinedWhenRead(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	id, _ := r.take(nothing)
	user := r.get(id, "").User
	if user.Name != "Sample User" || !strings.HasSuffix(user.Email, "@example.test") {
		t.Errorf("got %+v", user)
	}
	r.exec("update users set name = 'Anonymous', email = 'gone', email_key = 'gone' where tenant_id = $1 and id = $2", user.ID)
	if got := r.get(id, "").User; got.Name != "Anonymous" || got.Email != "gone" {
		t.Errorf("after anonymisation: %+v", got)
	}
}

func TestOverridesOfTheTime(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	id, _ := r.take(nothing)
	if o := r.get(id, "").Session.Overrides; o != nil {
		t.Errorf("overrides of nobody: %+v", o)
	}
	r.exec("update sessions set extra_time_seconds = 600 where tenant_id = $1 and id = $2", id)
	if o := r.get(id, "").Session.Overrides; o == nil || o.ExtraTimeSeconds != 600 {
		t.Errorf("got %+v, want 600 s more", o)
	}
}

func TestWhoMayLook(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	id, _ := r.take(nothing)
	other := r.analyst
	sample.Write(t, r.store, r.operator, func(tx *db.Tx) error {
		other.OrgUnit = sample.OrgUnit(t, tx, "other").ID
		return nil
	})
	for name, c := range map[string]struct {
		scope db.Scope
		id    ids.ID
		want  errs.Code
	}{
		"without names":    {sample.As(r.operator, ids.New(), capability.ReportingView, capability.SubmissionsRead), id, errs.Forbidden},
		"another org unit": {other, id, errs.NotFound},
		"another tenant":   {sample.Tenant(t, r.store), id, errs.NotFound},
		"nobody's":         {r.analyst, ids.New(), errs.NotFound},
	} {
		before := r.events()
		for _, do := range []func(tx *db.Tx) error{
			func(tx *db.Tx) error { _, err := Get(t.Context(), tx, GetInput{SubmissionID: c.id}); return err },
			func(tx *db.Tx) error { return Export(t.Context(), tx, GetInput{SubmissionID: c.id}, &bytes.Buffer{}) },
		} {
			if err := r.store.Write(t.Context(), c.scope, do); !errors.Is(err, c.want) {
				t.Errorf("%s: got %v, want %s", name, err, c.want)
			}
		}
		if after := r.events(); len(after) != len(before) {
			t.Errorf("%s: a refused look left an event", name)
		}
	}
}

// events gives the payloads of the ledger events of looking.
func (r *room) events() []string {
	r.Helper()
	var all []string
	r.write(func(tx *db.Tx) error {
		return tx.QueryRow(r.Context(), `
			select coalesce(array_agg(event_type || ' ' || actor || ' ' || payload order by seq), '{}') from ledger_events
			where tenant_id = $1 and event_type like 'session_attempt.%'`, tx.Tenant()).Scan(&all)
	})
	return all
}

func TestLookingLeavesATrace(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	id, _ := r.take(nothing)
	user := r.get(id, "").User
	r.write(func(tx *db.Tx) error { return Export(t.Context(), tx, GetInput{SubmissionID: id}, &bytes.Buffer{}) })
	got := r.events()
	want := []string{
		"session_attempt.viewed user:" + r.analyst.Actor.ID.String() + ` {"userId": "` + user.ID.String() + `", "capability": "reporting.view_named", "visibilityType": "named", "visibilityChannel": "api"}`,
		`session_attempt.exported operator:sample {"userId": "` + user.ID.String() + `", "capability": "reporting.view_named", "visibilityType": "named", "visibilityChannel": "cli"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// The export has a line an item, and nothing that a spreadsheet would compute.
func TestExport(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	id, _ := r.take(func(_ int, item session.Item) (string, int64) { return answered(item, false), 7000 })
	var file bytes.Buffer
	r.write(func(tx *db.Tx) error {
		file.Reset()
		return Export(t.Context(), tx, GetInput{SubmissionID: id}, &file)
	})
	lines, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(file.Bytes(), []byte("\ufeff")))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	report := r.get(id, "")
	if len(lines) != len(report.Items)+1 {
		t.Fatalf("%d lines for %d items", len(lines), len(report.Items))
	}
	column := func(name string) int { return slices.Index(lines[0], name) }
	for i, item := range report.Items {
		line := lines[i+1]
		if line[column("submissionItemId")] != item.ID.String() || line[column("timeOnItemMs")] != "7000" || line[column("name")] != "Sample User" ||
			line[column("score")] != number(item.Score) || line[column("scoringExplanation")] != item.ScoringExplanation {
			t.Errorf("line %d: %v", i+1, line)
		}
		if asOf, err := time.Parse(time.RFC3339, line[column("asOf")]); err != nil || asOf.After(report.AsOf) || line[column("projectionLagMs")] == "" {
			t.Errorf("line %d is not dated: as of %q, lag %q", i+1, line[column("asOf")], line[column("projectionLagMs")])
		}
		want := map[scoring.QType]string{"essay": "'=SUM(A1) is how it begins", "numeric": "-3.5"}[item.QType]
		if want != "" && line[column("displayAnswer")] != want {
			t.Errorf("%s: the answer is written as %q, want %q", item.QType, line[column("displayAnswer")], want)
		}
	}
}

// An attempt with no items, or with an item that the snapshot does not have, is reported without an
// error.
func TestOddAttempts(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	id, _ := r.take(nothing)
	empty := record{Submission: models.Submission{ID: id, Status: "completed"}, snapshot: r.snapshot}
	got := empty.report("", projection.Freshness{})
	if got.Summary.ScorePct != nil || got.Summary.TotalItems != 0 || len(got.SectionAggregates) != 2 || len(got.lines()) != 2 {
		t.Errorf("without items: %+v", got.Summary)
	}
	stray := empty
	stray.items = []models.SubmissionItem{{ItemID: ids.New(), QType: "mcq", ScoreStatus: "SCORED", MaxScore: 1, Response: json.RawMessage(`{"optionIds":["Z"]}`)}}
	item := stray.report("", projection.Freshness{}).Items[0]
	if item.SectionID != nil || item.DisplayAnswer != "Z" || item.StemText != "" {
		t.Errorf("an unknown item: %+v", item)
	}
}
