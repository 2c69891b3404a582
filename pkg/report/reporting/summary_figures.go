package reporting

import (
	"fmt"
	"slices"
	"time"

	"assess/models"
	"assess/pkg/kernel/plural"
	"assess/pkg/report/projection"
)

// counts are the figures that the blocks of a summary are made of.
type counts struct {
	// n are the measures of package projection by their names.
	n                           map[string]int64
	gradedPctSum, scoredPctSum  float64
	activeDays                  int64
	firstDay, lastDay           *time.Time
	users, inviteesStarted      int64
	inviteesCompleted, invitees int64
	targets                     map[string]int64
	medianMs                    *float64
	tags                        []TagSummary
	sections                    []SectionSummary
}

// The population coverages (decisions, section 5).
const (
	Full    = "full"
	Partial = "partial"
	Unknown = "unknown"
)

func (c counts) accessPoints() AccessPoints {
	a := AccessPoints{AssignedIndividualsN: c.targets[models.TargetUser] + c.targets[models.TargetEmail],
		AssignedGroupsN: c.targets[models.TargetGroup], PublicLinksN: c.targets[models.TargetPublicLink], UniqueInviteesN: c.invitees}
	a.AssignmentsN = a.AssignedIndividualsN + a.AssignedGroupsN + a.PublicLinksN
	return a
}

// Coverage tells whether it is known who could take part: full when every access point is
// an individual, partial when individuals mix with others, else unknown.
func (a AccessPoints) Coverage() string {
	others := a.AssignedGroupsN + a.PublicLinksN
	switch {
	case a.AssignedIndividualsN > 0 && others == 0:
		return Full
	case a.AssignedIndividualsN > 0:
		return Partial
	}
	return Unknown
}

func (c counts) graded() int64 { return c.n["pass_n"] + c.n["fail_n"] }

func (c counts) scored() int64 { return c.n["scored_n"] }

func (c counts) completed() int64 { return c.n["completed_n"] }

func (c counts) started() int64 { return c.n["started_n"] }

func (c counts) hero() Hero {
	a := c.accessPoints()
	h := Hero{AccessPoints: a, CompletionsN: c.completed(), PassRate: rate(c.n["pass_n"], c.graded()),
		MeanScorePct: c.scores().MeanScorePct, CompletionRateDenominator: attemptsStarted,
		CompletionRateDisplay:     fmt.Sprintf("%d of %s completed", c.completed(), plural.Of(c.started(), "started attempt")),
		ProvisionalScoreAvailable: c.scored() > c.graded(), ScoreModeDefault: "graded", ScoreShownDenominator: attemptsGraded}
	if a.Coverage() == Full {
		h.CompletionRate, h.CompletionRateDenominator = rate(c.inviteesCompleted, a.UniqueInviteesN), uniqueInvitees
		h.CompletionRateDisplay = fmt.Sprintf("%d of %s completed", c.inviteesCompleted, plural.Of(a.UniqueInviteesN, "invited person", "invited people"))
	}
	if h.ProvisionalScoreAvailable {
		h.ProvisionalScoreNote = plural.Of(c.scored()-c.graded(), "scored attempt has no outcome.", "scored attempts have no outcome.")
	}
	if h.ProvisionalScoreAvailable && c.graded() == 0 {
		h.ScoreModeDefault, h.ScoreShownDenominator, h.MeanScorePct = "provisional", attemptsScored, c.scoresProvisional().MeanScorePct
	}
	return h
}

func (c counts) population() Population {
	a := c.accessPoints()
	reasons := map[string]string{Full: "Every access point is one person.",
		Partial: "Some access points are groups or public links, whose people are not counted.",
		Unknown: "No access point names a person."}
	return Population{AccessPoints: a, Coverage: a.Coverage(), CoverageReason: reasons[a.Coverage()]}
}

func (c counts) attempts() Attempts {
	return Attempts{Started: c.started(), InProgress: c.n["in_progress_n"], Completed: c.completed(), Expired: c.n["expired_n"],
		Closed: c.n["closed_n"], Abandoned: c.n["abandoned_n"], Voided: c.n["voided_n"], Scored: c.scored(), UniqueUsers: c.users}
}

func (c counts) distribution() Distribution {
	d := Distribution{DistributionCount: c.accessPoints().AssignmentsN}
	for _, kind := range []string{models.TargetUser, models.TargetEmail, models.TargetGroup, models.TargetPublicLink} {
		d.Targets = append(d.Targets, TargetCount{TargetType: kind, N: c.targets[kind], Pct: rate(c.targets[kind], d.DistributionCount)})
	}
	return d
}

func (c counts) funnel() Funnel {
	a := c.accessPoints()
	f := Funnel{AccessPoints: a.AssignmentsN, Started: c.started(), Completed: c.completed(), InProgress: c.n["in_progress_n"],
		Closed: c.n["closed_n"], Abandoned: c.n["abandoned_n"], Voided: c.n["voided_n"], Expired: c.n["expired_n"], NotStartedDisplay: "not known", NotStartedReason: "population_" + a.Coverage(),
		CompletionRate: rate(c.completed(), c.started()), CompletionRateDenominator: attemptsStarted}
	if a.Coverage() == Full {
		waiting := a.UniqueInviteesN - c.inviteesStarted
		f.NotStarted, f.NotStartedDisplay = &waiting, fmt.Sprintf("%d of %s", waiting, plural.Of(a.UniqueInviteesN, "invited person", "invited people"))
	}
	return f
}

func (c counts) outcomes() Outcomes {
	return Outcomes{PassN: c.n["pass_n"], FailN: c.n["fail_n"], GradedN: c.graded(), UngradedN: c.completed() - c.graded(),
		PassRate: rate(c.n["pass_n"], c.graded()), PassRateDenominator: attemptsGraded, AttemptsGraded: c.graded(),
		OutcomeKnownAttemptsN: c.graded(), OutcomeKnownRate: rate(c.graded(), c.completed())}
}

func (c counts) scores() Scores {
	known, nothing := c.graded(), c.n["graded_nothing_n"]
	return Scores{Histogram: c.histogram("graded"), HistogramSpec: slices.Clone(histogramSpec), MeanScorePct: over(c.gradedPctSum, known-nothing),
		ScoreKnownAttemptsN: known, ScoreKnownRate: rate(known, c.completed()), NothingToEarnN: nothing, ScoreDenominator: attemptsGraded}
}

func (c counts) scoresProvisional() ScoresProvisional {
	known, nothing := c.scored(), c.n["scored_nothing_n"]
	return ScoresProvisional{Histogram: c.histogram("scored"), HistogramSpec: slices.Clone(histogramSpec), MeanScorePct: over(c.scoredPctSum, known-nothing),
		ScoreKnownAttemptsN: known, ScoreKnownRate: rate(known, c.completed()), NothingToEarnN: nothing, ScoredButUngradedN: known - c.graded(),
		ScoreDenominator: attemptsScored}
}

func (c counts) histogram(of string) []int64 {
	var bars []int64
	for i := range projection.Tenths {
		bars = append(bars, c.n[fmt.Sprintf("%s_%d_n", of, i)])
	}
	return bars
}

var histogramSpec = func() []HistogramRange {
	var all []HistogramRange
	for i := range projection.Tenths {
		from, to := i*10, (i+1)*10
		all = append(all, HistogramRange{FromPct: float64(from) / 100, ToPct: float64(to) / 100, Label: fmt.Sprintf("%d–%d %%", from, to)})
	}
	return all
}()

func (c counts) timing() Durations {
	known := c.n["time_known_n"]
	return Durations{AvgDurationMs: projection.Milliseconds(over(float64(c.n["duration_sum_ms"]), known)), MedianDurationMs: projection.Milliseconds(c.medianMs),
		TimeKnownAttemptsN: known, TimeKnownRate: rate(known, c.completed())}
}

func (c counts) integrity() Integrity {
	return Integrity{TelemetryKnownAttempts: c.n["telemetry_known_n"], TelemetryKnownRate: rate(c.n["telemetry_known_n"], c.completed()),
		SessionsWithFocusLost: c.n["focus_lost_n"], FocusLostRate: rate(c.n["focus_lost_n"], c.completed()),
		SessionsWithFullscreenExit: c.n["fullscreen_exit_n"], FullscreenExitRate: rate(c.n["fullscreen_exit_n"], c.completed()),
		RateDenominator: attemptsCompleted}
}

func (c counts) activity() Activity {
	return Activity{AttemptsStarted: c.started(), AttemptsCompleted: c.completed(), UniqueUsers: c.users, ActiveDays: c.activeDays,
		FirstDay: dayText(c.firstDay), LastDay: dayText(c.lastDay), CompletionsPerActiveDay: rate(c.completed(), c.activeDays),
		TimeSource: "completed_at"}
}

func (c counts) completionMethods() []CompletionMethod {
	var all []CompletionMethod
	for _, method := range projection.CompletionMethods {
		m := CompletionMethod{Method: method, Attempts: c.n[method+"_n"], PassN: c.n[method+"_pass_n"], FailN: c.n[method+"_fail_n"]}
		m.PassRate = rate(m.PassN, m.PassN+m.FailN)
		all = append(all, m)
	}
	return all
}
