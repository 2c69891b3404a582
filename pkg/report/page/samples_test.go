package page

import (
	"strings"
	"time"

	"assess/pkg/author/authoring"
	"assess/pkg/exam/remediation"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/exception"
	"assess/pkg/report/projection"
	"assess/pkg/report/reporting"
	"assess/pkg/report/reporting/attempt"
	"assess/pkg/report/skills"
	"assess/pkg/trust/processing"
	"assess/pkg/trust/readiness"
)

var (
	noon  = time.Date(2031, 3, 1, 12, 0, 0, 0, time.UTC)
	fresh = projection.Freshness{AsOf: noon, ProjectionLagMs: 1500}
)

func ptr[T any](v T) *T { return &v }

func id(n byte) ids.ID { return ids.ID{0x01, 0x99, 6: 0x70, 8: 0x80, 15: n} }

// samples are usual pages, and very unusual ones.
func samples() map[string]Page {
	return map[string]Page{
		"summary":        Summary(titled(fullSummary(), "Data protection and information security for everybody who works with personal data, 2031")),
		"summary_empty":  Summary(emptySummary()),
		"health":         Health(fullHealth(), "Questions of the sample"),
		"health_empty":   Health(reporting.HealthList{List: db.NewList([]reporting.HealthRow(nil), db.Page{Page: 1, Limit: 25}, 0), Freshness: fresh}, "All questions"),
		"groups":         Groups(groupSummaries()),
		"groups_empty":   Groups(reporting.GroupSummaries{Freshness: fresh}),
		"cohorts":        Cohorts(cohortSummaries()),
		"evaluations":    Evaluations(reportedEvaluations(), "geo"),
		"exam":           Exam(titled(fullSummary(), "Sample exam"), fullHealth().Items),
		"question":       Question(singleQuestion(), "All attempts"),
		"question_multi": Question(multiQuestion(), "Attempts of the run spring"),
		"attempt":        Attempt(fullAttempt()),
		"attempt_empty":  Attempt(emptyAttempt()),
		"attempts":       Attempts(fullAttempts(), id(9), "Sample exam", reporting.FiltersApplied{GroupID: ptr(id(5))}, ptr("الصف الخامس")),
		"remediation":    Remediation(fullRemediation(), remediationSeen(), "bio-017: Which gas do plants take in?", map[ids.ID]string{id(40): "ليلى الحسن"}),
		"remediation_on": Remediation(remediation.Remediation{Rule: "rekey", State: "applying", Submissions: 40, Done: 3, Reason: "The key was wrong."}, nil, "", nil),
		"remediations":   Remediations(db.NewList([]remediation.Remediation{fullRemediation()}, db.Page{Page: 1, Limit: 25}, 1), nil),
		"attempts_empty": Attempts(db.NewList([]submission.Summary(nil), db.Page{Page: 1, Limit: 25}, 0), id(9), "", reporting.FiltersApplied{}, nil),
		"exceptions":     Exceptions(db.NewList(fullQueue(), db.Page{Page: 1, Limit: 25}, 40), nil),
		"glassbox":       GlassBox(fullBox(), "/api/v1/glassbox/submissions/"+id(1).String()+"/bundle"),
		"glassbox_bare":  GlassBox(bareBox(), ""),
		"profile":        Profile(fullProfile()),
		"profile_empty":  Profile(skills.Explained{Profile: skills.Profile{Freshness: fresh, User: skills.Person{Email: "ada@example.org"}}}),
		"processing":     Processing(fullRecord()),
		"exceptions_no":  Exceptions(db.NewList([]exception.Exception(nil), db.Page{Page: 1, Limit: 25}, 0), nil),
	}
}

func fullRecord() processing.Record {
	purpose := processing.Purpose{Purpose: "exams", What: "Giving exams <and scoring them>", People: "candidates", Data: "answers, scores, " + strings.Repeat("times of each item, ", 8),
		LegalBasis: "public_task", Article: "6(1)(e)", Recipients: []processing.Recipient{{Name: "Rechenzentrum Süd", Role: "processor"}, {Name: "جامعة", Role: "recipient"}}}
	return processing.Record{Controller: "North & South College", At: noon, Purposes: []processing.Purpose{purpose, {Purpose: "proof", What: "Proof of results", LegalBasis: "legal_obligation", Article: "6(1)(c)"}}}
}

func fullRemediation() remediation.Remediation {
	return remediation.Remediation{ID: id(41), EvaluationVersionID: ptr(id(9)), QuestionVersionID: id(42), Rule: "rekey", State: "applied", Submissions: 1180, Changed: 2, Reason: "C is right, <not> B.", UpdatedAt: noon}
}

func remediationSeen() *remediation.Preview {
	low := remediation.Standing{Score: 5, MaxScore: 10, OutcomeCode: "fail", ItemStatus: "SCORED", ItemMaxScore: 1}
	high := remediation.Standing{Score: 6, MaxScore: 10, OutcomeCode: "pass", ItemStatus: "SCORED", ItemScore: 1, ItemMaxScore: 1}
	return &remediation.Preview{Action: "revert", Submissions: 1180, Changed: 2, Lowered: 2, Flips: []remediation.Flip{{From: "pass", To: "fail", Count: 2}},
		Affected: db.NewList([]remediation.Affected{{SubmissionID: id(43), UserID: id(40), Before: high, After: low}, {SubmissionID: id(44), UserID: id(45), Before: high, After: low}}, db.Page{Page: 1, Limit: 100}, 240)}
}

func fullAttempts() db.List[submission.Summary] {
	return db.NewList([]submission.Summary{
		{ID: id(30), UserName: "ليلى الحسن", EvaluationID: id(8), EvaluationTitle: "Sample exam", RunLabel: ptr("Frühjahr <2031>"), Status: "completed", ApprovalStatus: "pending_review",
			CompletedAt: noon, Score: 7.5, MaxScore: 10, OutcomeCode: "pass", OutcomeLabel: "Pass"},
		{ID: id(31), EvaluationID: id(8), EvaluationTitle: "Sample exam", Status: "completed", ApprovalStatus: "not_required", CompletedAt: noon, MaxScore: 10, OutcomeCode: "incomplete", OutcomeLabel: "Incomplete"},
	}, db.Page{Page: 2, Limit: 2}, 7)
}

func spec() []reporting.HistogramRange {
	var all []reporting.HistogramRange
	for i := range 10 {
		all = append(all, reporting.HistogramRange{FromPct: float64(i) / 10, ToPct: float64(i+1) / 10})
	}
	return all
}

func fullSummary() reporting.EvaluationSummary {
	r := reporting.EvaluationSummary{Freshness: fresh}
	r.Scope.EvaluationVersionID, r.Scope.FiltersApplied.RunLabel, r.Scope.PassMarkPercent = id(9), ptr("Frühjahr <2031>"), ptr(55.0)
	r.Hero = reporting.Hero{PassRate: ptr(0.62), MeanScorePct: ptr(0.681), CompletionRateDisplay: "1180 of 1250 started attempts completed",
		ProvisionalScoreAvailable: true, ProvisionalScoreNote: "14 scored attempts have no outcome."}
	r.Attempts = reporting.Attempts{Started: 1250, InProgress: 40, Completed: 1180, Expired: 33, Closed: 10, Abandoned: 20, Scored: 1174, UniqueUsers: 1201}
	r.Outcomes = reporting.Outcomes{PassN: 720, FailN: 440, GradedN: 1160, UngradedN: 20}
	r.Scores = reporting.Scores{Histogram: []int64{3, 8, 21, 60, 110, 190, 260, 248, 180, 80}, HistogramSpec: spec()}
	r.Hero.ScoreShownDenominator = "attempts_graded"
	r.ScoresProvisional = reporting.ScoresProvisional{Histogram: []int64{3, 9, 22, 62, 113, 192, 262, 250, 181, 80}, HistogramSpec: spec()}
	r.Timing = reporting.Durations{AvgDurationMs: ptr(int64(2_460_000)), MedianDurationMs: ptr(int64(2_310_000))}
	r.Attention = reporting.Attention{Level: "medium", Reasons: []reporting.AttentionReason{{Level: "medium", Sentence: "In 14 % of completed attempts the window lost the focus."}}}
	r.Funnel = reporting.Funnel{AccessPoints: 1300, Started: 1250, Completed: 1180, InProgress: 40, Expired: 33, NotStarted: ptr(int64(50)),
		NotStartedDisplay: "50 of 1300 invited people", CompletionRate: ptr(0.944)}
	r.Integrity = reporting.Integrity{TelemetryKnownAttempts: 1100, TelemetryKnownRate: ptr(0.932), SessionsWithFocusLost: 165, FocusLostRate: ptr(0.14), FullscreenExitRate: ptr(0.0)}
	r.Population = reporting.Population{CoverageReason: "Every access point is one person."}
	r.Population.AccessPoints.UniqueInviteesN = 1300
	for _, target := range []string{"user_id", "email", "group_id", "public_link"} {
		r.Distribution.Targets = append(r.Distribution.Targets, reporting.TargetCount{TargetType: target, N: 325, Pct: ptr(0.25)})
	}
	for _, method := range []string{"submitted", "auto_submitted", "proctor_submitted", "imported"} {
		r.CompletionMethods = append(r.CompletionMethods, reporting.CompletionMethod{Method: method, Attempts: 295, PassN: 180, FailN: 110, PassRate: ptr(180.0 / 290)})
	}
	return r
}

func reportedEvaluations() reporting.ReportedEvaluations {
	return reporting.ReportedEvaluations{Freshness: fresh, List: db.NewList([]reporting.ReportedEvaluation{
		{EvaluationVersionID: id(9), Title: ptr("Geography <final>, الجغرافيا"), VersionNumber: ptr(3), Started: 1250, Completed: 1180, LastDay: ptr("2031-04-05")},
		{EvaluationVersionID: id(8), Started: 2}}, db.Page{Page: 1, Limit: 2}, 12)}
}

func titled(r reporting.EvaluationSummary, title string) reporting.EvaluationSummary {
	r.Scope.Title, r.Scope.VersionNumber = &title, ptr(3)
	r.Tags, r.Sections = summaryRow().Tags, summaryRow().Sections
	return r
}

func summaryRow() reporting.SummaryRow {
	full := fullSummary()
	row := reporting.SummaryRow{Hero: full.Hero, Attempts: full.Attempts, Outcomes: full.Outcomes, Attention: full.Attention, Scores: &full.Scores,
		Timing: &full.Timing, Distribution: &full.Distribution, CompletionMethods: full.CompletionMethods}
	items := reporting.ItemSummary{ItemAttempts: 1180, ScoredAttempts: 1100, Correct: 770, Omitted: 59, FacilityPct: ptr(0.7), OmittedRate: ptr(0.05),
		AvgScorePct: ptr(0.72), AvgTimeMs: ptr(int64(41_000))}
	row.Tags = []reporting.TagSummary{{Tag: "topic:photosynthesis", Label: "Photosynthesis", FacetLabel: "Topic", ItemSummary: items}, {Tag: "topic:cells", Label: "<Cells> & tissue", FacetLabel: "Topic", ItemSummary: reporting.ItemSummary{}}}
	row.Sections = []reporting.SectionSummary{{SectionID: id(20), Title: "Reading 読解 <and> listening", ItemSummary: items}, {SectionID: id(21), Title: "Section 2", Position: 1, ItemSummary: items}}
	return row
}

func groupSummaries() reporting.GroupSummaries {
	g := reporting.GroupSummaries{Freshness: fresh, Scope: titled(fullSummary(), "Sample exam").Scope}
	g.List = db.NewList([]reporting.GroupSummary{{GroupID: id(5), Label: ptr("الصف الخامس: مجموعة ذات اسم طويل جدا"), SummaryRow: summaryRow()}, {GroupID: id(6), SummaryRow: reporting.SummaryRow{}}},
		db.Page{Page: 1, Limit: 2}, 7)
	return g
}

func cohortSummaries() reporting.CohortSummaries {
	c := reporting.CohortSummaries{Freshness: fresh, Scope: titled(fullSummary(), "Sample exam").Scope}
	c.List = db.NewList([]reporting.CohortSummary{{Label: "Spring 2031", SummaryRow: summaryRow()}, {Label: "Unlabeled"}}, db.Page{Page: 1, Limit: 25}, 2)
	return c
}

func emptySummary() reporting.EvaluationSummary {
	r := reporting.EvaluationSummary{Freshness: projection.Freshness{AsOf: noon}}
	r.Scope.EvaluationVersionID = id(9)
	r.Hero.CompletionRateDisplay = "0 of 0 started attempts completed"
	r.Scores = reporting.Scores{Histogram: make([]int64, 10), HistogramSpec: spec()}
	return r
}

func fullHealth() reporting.HealthList {
	var rows []reporting.HealthRow
	for i, status := range []string{"NEEDS_ATTENTION", "WATCH", "HEALTHY", "HEALTHY", "INSUFFICIENT_DATA"} {
		row := reporting.HealthRow{QuestionVersionID: id(byte(i + 1)), QType: "mcq"}
		row.HealthBadge = reporting.HealthBadge{Status: status, Confidence: "HIGH"}
		if i == 0 {
			row.ExternalID, row.Stem = ptr("SEC01"), strings.Repeat("Which of these is personal data? ", 3)
		}
		if i < 2 {
			row.HealthBadge.TopReasons = []string{"TOO_HARD", "DISTRACTOR_DOMINANCE", "NON_FUNCTIONING_DISTRACTOR"}
		}
		row.Core.Core = reporting.Core{Attempts: int64(400 - 90*i), FacilityPct: ptr(0.15 + 0.2*float64(i)), OmitRate: ptr(0.01 * float64(i)), MedianTimeMs: ptr(int64(31000 * (i + 1)))}
		row.Core.Drift.Drift = 0.04 * float64(i)
		if status == "INSUFFICIENT_DATA" {
			row.Core = reporting.RowCore{Core: reporting.Core{Attempts: 2}}
		}
		rows = append(rows, row)
	}
	return reporting.HealthList{List: db.NewList(rows, db.Page{Page: 1, Limit: 5}, 42), Freshness: fresh}
}

func core() reporting.DetailCore {
	c := reporting.DetailCore{Core: reporting.Core{Attempts: 420, ScoredAttempts: 400, Correct: 90, Omitted: 14, FacilityPct: ptr(0.225),
		OmitRate: ptr(14.0 / 420), StatusCounts: reporting.StatusCounts{Scored: 400, Exempt: 14, Invalid: 6}}}
	c.Timing = reporting.Timing{MedianTimeMs: ptr(int64(48250)), P90TimeMs: ptr(int64(131000))}
	c.Scoring.AvgScorePct = ptr(0.31)
	c.Drift = reporting.Drift{Facility30dPct: ptr(0.41), FacilityLastRunPct: ptr(0.2), AttemptsLastRun: 77}
	return c
}

func singleQuestion() reporting.QuestionHealthDetail {
	d := reporting.QuestionHealthDetail{QuestionVersionID: id(1), QType: "mcq", Core: core(), Freshness: fresh,
		HealthBadge: reporting.HealthBadge{Status: "NEEDS_ATTENTION", Confidence: "HIGH"},
		Flags: []projection.Flag{{Code: "DISTRACTOR_DOMINANCE", Severity: "major", Sentence: "The wrong option C was chosen in 55 % of 400 scored attempts."},
			{Code: "NON_FUNCTIONING_DISTRACTOR", Severity: "minor", Sentence: "Hardly anybody chose the wrong option D."}}}
	options := []reporting.Option{option("A", 60), option("B", 90), option("C", 245), option("D", 5)}
	options[1].IsCorrect = true
	options[0].Text, options[1].Text = "برلين", "Bonn, until 1990 <the old one>"
	d.ExternalID, d.Stem = ptr("CAP-DE"), "ما هي عاصمة ألمانيا؟"
	d.Analysis.ChoiceSingle = &reporting.ChoiceSingle{Options: options}
	for i, f := range []*float64{ptr(0.41), ptr(0.38), nil, ptr(0.3), ptr(0.22), ptr(0.2)} {
		d.Timeline = append(d.Timeline, reporting.WeekHealth{Week: noon.AddDate(0, 0, 7*i-5).Format(time.DateOnly), Attempts: int64(20 + 10*i), FacilityPct: f, OmitRate: ptr(0.03), AvgTimeMs: ptr(int64(50000))})
	}
	d.ExposureSummary = reporting.ExposureSummary{FirstDay: "2031-02-24", LastDay: "2031-04-05", DaysWithAttempts: 31, Attempts7d: 77, Attempts30d: 300, RunsCount: 2, EvaluationsCount: 1,
		EvaluationVersions: []reporting.ExposedEvaluation{{EvaluationVersionID: id(9), Title: ptr("Capitals"), Attempts: 420, FacilityPct: ptr(0.225), LastDay: "2031-04-05"}}}
	d.Runs = []reporting.RunHealth{{RunLabel: "Sommer 2031 مع اسم طويل", Attempts: 77, FacilityPct: ptr(0.2), OmitRate: ptr(0.0)}, {RunLabel: "2030", Attempts: 3}}
	return d
}

func option(name string, n int64) reporting.Option {
	return reporting.Option{OptionShare: reporting.OptionShare{OptionID: name, N: n, Pct: ptr(float64(n) / 400)}}
}

func multiQuestion() reporting.QuestionHealthDetail {
	d := reporting.QuestionHealthDetail{QuestionVersionID: id(2), QType: "mrq", Core: core(), Freshness: fresh,
		HealthBadge: reporting.HealthBadge{Status: "HEALTHY", Confidence: "MED"}}
	d.ExternalID, d.Stem = ptr("PRIMES"), "Which of these are primes?"
	m := &reporting.ChoiceMulti{Options: []reporting.Option{option("A", 300), option("B", 250)}, PatternsN: 31,
		TopPatterns: []reporting.Pattern{{OptionIDs: []string{"A", "B", "C"}, N: 90, Pct: ptr(0.225)}, {OptionIDs: []string{"A"}, N: 40, Pct: ptr(0.1)}},
		ErrorModes:  reporting.ErrorModes{MissedCorrect: 200, SelectedIncorrect: 90, Both: 60}, ConstraintViolations: []reporting.CodeCount{{Code: "too_few_selections", N: 6}}}
	for tenth := range 11 {
		m.PartialCredit = append(m.PartialCredit, reporting.CreditRange{FromPct: float64(tenth) / 10, ToPct: float64(min(tenth+1, 10)) / 10, N: int64(tenth * 7)})
	}
	d.Analysis.ChoiceMulti = m
	return d
}

func fullQueue() []exception.Exception {
	until := noon.Add(48 * time.Hour)
	return []exception.Exception{
		{SubmissionID: id(1), EvaluationTitle: "Rivers & lakes", Triage: exception.Triage{State: "acknowledged", OwnerUserID: ptr(id(2)), SuppressedUntil: &until}, ReadinessState: "not_met",
			Reasons: []string{"outcome_fail", "evidence_missing", "policy_requirements_tightened"}, FirstSeenAt: &noon},
		{SubmissionID: id(3), EvaluationTitle: "Rivers & lakes", Triage: exception.Triage{State: "open"}, ReadinessState: "pending", Reasons: []string{"approval_pending"}, FirstSeenAt: &noon},
		{SubmissionID: id(4), EvaluationTitle: "Geography, part 2", Triage: exception.Triage{State: "resolved"}, ReadinessState: "met", Reasons: []string{}},
	}
}

func fullAttempt() attempt.Report {
	r := attempt.Report{User: attempt.User{ID: id(3), Name: "ليلى الحسن", Email: "l@example.test"}, Freshness: fresh}
	r.Submission = attempt.Submission{Status: "completed", RunLabel: ptr("spring"), VersionSnapshot: &authoring.Snapshot{Title: "Rivers & lakes"}}
	r.Summary = attempt.Summary{TotalItems: 4, AnsweredItems: 3, OmittedItems: 1, PendingItems: 1, Score: 2.3333333333, MaxScore: 7, ScorePct: ptr(1.0 / 3),
		OutcomeCode: "incomplete", OutcomeLabel: "Incomplete", CompletionMethod: "auto_submitted", LatestScoreVersion: 2}
	r.Timing = attempt.Timing{StartedAt: noon.Add(-time.Hour), EndedAt: noon, DurationMs: ptr(int64(3_600_000)), IdleEstimateMs: ptr(int64(612_000))}
	r.Integrity = attempt.Integrity{AttentionLevel: "high", Summary: "The window lost the focus 6 times. The time ran out, and what was saved was submitted.",
		Flags: []attempt.Flag{{Code: "FOCUS_LOST_OFTEN", Severity: "major", Sentence: "The window lost the focus 6 times."}}}
	r.SectionAggregates = []attempt.SectionAggregate{{Title: "Reading 読解", Figures: attempt.Figures{Items: 4, FacilityPct: ptr(0.5), AvgScorePct: ptr(0.6), OmittedRate: ptr(0.25), AvgTimeMs: ptr(int64(90000))}}, {}}
	r.TagAggregates = []attempt.TagAggregate{{Tag: "topic:rivers", Facet: "topic", Label: "Rivers", Figures: attempt.Figures{Items: 2, FacilityPct: ptr(1.0)}}, {Tag: "topic:lakes", Facet: "topic", Label: "lakes"}}
	r.KoeStatus = &readiness.KoeStatus{Knowledge: readiness.EntryStatus{State: readiness.Pending, Reasons: []string{"score_pending", "outcome_incomplete"}},
		Observation: readiness.EntryStatus{State: readiness.NotMet, Reasons: []string{"integrity_flag_major"}}, Evidence: readiness.EntryStatus{State: readiness.NotRequired}}
	r.ProofReadiness = &readiness.ProofReadiness{DefensibleAtExecution: true,
		Reasons: []string{"score_pending", "outcome_incomplete", "integrity_flag_major", "policy_requirements_tightened"}}
	r.Items = []attempt.Item{
		{Position: 0, StemText: "ما هي عاصمة ألمانيا؟", DisplayAnswer: "برلين", ScoreStatus: "SCORED", IsCorrect: true, Score: 1, MaxScore: 1, TimeOnItemMs: ptr(int64(61_000)),
			ScoringExplanation: "The selected option is right: 1 of 1.", TagList: []string{"topic:rivers"}},
		{Position: 1, StemText: "Which of these are primes?", DisplayAnswer: "2; 9", ScoreStatus: "SCORED", Score: 1.0 / 3, MaxScore: 1, TimeOnItemMs: ptr(int64(150_000)),
			ScoringExplanation: "2 of 3 right options and 1 wrong selected, partial credit max(0, 2 − 1) / 3: 0.3333 of 1."},
		{Position: 2, StemText: "東京の人口は？", IsOmitted: true, ScoreStatus: "EXEMPT", MaxScore: 1, ScoringExplanation: "It was left out: 0 of 1, and it does not count in the statistics of the question."},
		{Position: 3, StemText: "Describe a river.", DisplayAnswer: strings.Repeat("The river flows and flows. ", 12) + strings.Repeat("x", 120), ScoreStatus: "PENDING", MaxScore: 4, TimeOnItemMs: ptr(int64(1_400_000)),
			ScoringExplanation: "It waits for a person to score it and is worth up to 4."}}
	return r
}

func emptyAttempt() attempt.Report {
	r := attempt.Report{User: attempt.User{Email: strings.Repeat("long", 30) + "@example.test"}, Freshness: fresh}
	r.Submission = attempt.Submission{Status: "voided", VersionSnapshot: &authoring.Snapshot{Title: "Rivers & lakes"}}
	r.Summary = attempt.Summary{OutcomeLabel: "Incomplete", OutcomeCode: "incomplete", CompletionMethod: "imported", LatestScoreVersion: 1}
	r.Timing = attempt.Timing{StartedAt: noon, EndedAt: noon}
	r.Integrity = attempt.Integrity{AttentionLevel: "low", Summary: "The submission was voided and counts nowhere. Nothing stands out."}
	return r
}

func fullProfile() skills.Explained {
	sure := skills.Level{Name: "Sure", Threshold: 0.7}
	figures := []skills.Figure{
		{SkillID: id(1), Name: "Reads <graphs> 読解", Code: ptr("B.1.2"), Value: 0.8125, Level: &sure, Confidence: skills.High, EvidenceCount: 41, Trend: ptr(0.125), LastEvidenceAt: noon},
		{SkillID: id(2), Name: strings.Repeat("Argues from evidence that others have gathered ", 4), Value: 0, Confidence: skills.Low, EvidenceCount: 1, LastEvidenceAt: noon},
		{SkillID: id(3), Name: "Estimates", Value: 0.5, Confidence: skills.Medium, EvidenceCount: 7, Trend: ptr(-0.25), LastEvidenceAt: noon},
	}
	facts := []skills.Fact{
		{SubmissionItemID: id(30), CompletedAt: noon, EvaluationTitle: "Sample exam", Value: ptr(1.0), Weight: 1, Provenance: skills.Provenance{RuleType: "tag_predicate", TermLabel: ptr("Graphs")}},
		{SubmissionItemID: id(31), CompletedAt: noon, EvaluationTitle: "Sample exam", Weight: 2.5, Provenance: skills.Provenance{RuleType: "evaluation"}},
	}
	p := skills.Profile{Freshness: fresh, User: skills.Person{ID: id(9), Name: "Ada <Lovelace>", Email: "ada@example.org"}, List: db.NewList(figures, db.Page{Page: 1, Limit: 25}, 3)}
	return skills.Explained{Profile: p, Behind: map[ids.ID][]skills.Fact{id(1): facts}}
}
