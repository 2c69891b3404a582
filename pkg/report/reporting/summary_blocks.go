package reporting

import (
	"time"

	"assess/pkg/report/projection"
)

// The denominators that fields name.
const (
	attemptsStarted   = "attempts_started"
	attemptsCompleted = "attempts_completed"
	attemptsGraded    = "attempts_graded"
	attemptsScored    = "attempts_scored"
	uniqueInvitees    = "unique_invitees"
)

// AccessPoints counts the ways into an evaluation: assignments by their target. Closed ones count
// too: they brought attempts.
type AccessPoints struct {
	AssignmentsN         int64 `json:"assignments_n"`
	AssignedIndividualsN int64 `json:"assigned_individuals_n"`
	AssignedGroupsN      int64 `json:"assigned_groups_n"`
	PublicLinksN         int64 `json:"public_links_n"`
	UniqueInviteesN      int64 `json:"unique_invitees_n" doc:"Different people among the individuals"`
}

// Hero is the head of the summary.
type Hero struct {
	AccessPoints AccessPoints `json:"accessPoints"`
	CompletionsN int64        `json:"completions_n"`
	PassRate     *float64     `json:"pass_rate" doc:"pass_n over graded_n"`
	MeanScorePct *float64     `json:"meanScorePct" doc:"Mean share of the maximum, over scoreShownDenominator less those with nothing to earn"`

	CompletionRate            *float64 `json:"completionRate" doc:"Invited people who completed, over invited people; null unless population coverage is full"`
	CompletionRateDenominator string   `json:"completionRateDenominator" enum:"attempts_started,unique_invitees" doc:"What completionRateDisplay counts against"`
	CompletionRateDisplay     string   `json:"completionRateDisplay" example:"180 of 200 started attempts completed"`

	ProvisionalScoreAvailable bool   `json:"provisionalScoreAvailable" doc:"Scored attempts exist whose outcome is not known"`
	ProvisionalScoreNote      string `json:"provisionalScoreNote"`
	ScoreModeDefault          string `json:"scoreModeDefault" enum:"graded,provisional"`
	ScoreShownDenominator     string `json:"scoreShownDenominator" enum:"attempts_graded,attempts_scored"`
}

// Population tells who could take part.
type Population struct {
	AccessPoints   AccessPoints `json:"accessPoints"`
	Coverage       string       `json:"coverage" enum:"full,partial,unknown"`
	CoverageReason string       `json:"coverageReason"`
}

// Attempts counts the attempts by their state.
type Attempts struct {
	Started     int64 `json:"started"`
	InProgress  int64 `json:"inProgress"`
	Completed   int64 `json:"completed"`
	Expired     int64 `json:"expired" doc:"Their time ran out; what they had saved was submitted, so they are some of the completed"`
	Closed      int64 `json:"closed"`
	Abandoned   int64 `json:"abandoned"`
	Voided      int64 `json:"voided" doc:"Somebody voided the submission: it is not completed any more"`
	Scored      int64 `json:"scored" doc:"Completed attempts without pending items"`
	UniqueUsers int64 `json:"uniqueUsers" doc:"Different people who started"`
}

// Distribution splits the assignments by their target.
type Distribution struct {
	DistributionCount int64         `json:"distributionCount" doc:"Equals assignments_n"`
	Targets           []TargetCount `json:"targets" nullable:"false" doc:"Every kind of target, used or not"`
}

// TargetCount counts assignments of one kind of target.
type TargetCount struct {
	TargetType string   `json:"targetType" enum:"user_id,email,group_id,public_link"`
	N          int64    `json:"n"`
	Pct        *float64 `json:"pct" doc:"Over distributionCount"`
}

// Funnel goes from being assigned to having completed. started is the sum of completed,
// inProgress, closed, abandoned and voided.
type Funnel struct {
	AccessPoints              int64    `json:"accessPoints" doc:"Equals assignments_n"`
	Started                   int64    `json:"started"`
	Completed                 int64    `json:"completed"`
	InProgress                int64    `json:"inProgress"`
	Closed                    int64    `json:"closed"`
	Abandoned                 int64    `json:"abandoned"`
	Voided                    int64    `json:"voided" doc:"started is the sum of completed, inProgress, closed, abandoned and voided"`
	Expired                   int64    `json:"expired" doc:"Those of completed whose time ran out"`
	NotStarted                *int64   `json:"notStarted" doc:"Invited people who have not started; null unless population coverage is full"`
	NotStartedDisplay         string   `json:"notStartedDisplay"`
	NotStartedReason          string   `json:"notStartedReason" enum:"population_full,population_partial,population_unknown"`
	CompletionRate            *float64 `json:"completionRate" doc:"completed over started"`
	CompletionRateDenominator string   `json:"completionRateDenominator" enum:"attempts_started"`
}

// Outcomes counts passes and fails. An attempt is graded when its outcome is pass or fail.
type Outcomes struct {
	PassN                 int64    `json:"pass_n"`
	FailN                 int64    `json:"fail_n"`
	GradedN               int64    `json:"graded_n"`
	UngradedN             int64    `json:"ungraded_n"`
	PassRate              *float64 `json:"pass_rate"`
	PassRateDenominator   string   `json:"passRateDenominator" enum:"attempts_graded"`
	AttemptsGraded        int64    `json:"attemptsGraded"`
	OutcomeKnownAttemptsN int64    `json:"outcomeKnownAttemptsN"`
	OutcomeKnownRate      *float64 `json:"outcomeKnownRate" doc:"Over completed attempts"`
}

// Scores is the coarse distribution of graded attempts.
type Scores struct {
	Histogram           []int64          `json:"histogram" nullable:"false" doc:"Graded attempts by range of histogramSpec"`
	HistogramSpec       []HistogramRange `json:"histogramSpec" nullable:"false"`
	MeanScorePct        *float64         `json:"meanScorePct" doc:"Over scoreKnownAttemptsN less nothingToEarnN"`
	ScoreKnownAttemptsN int64            `json:"scoreKnownAttemptsN" doc:"Equals outcomes.attemptsGraded"`
	ScoreKnownRate      *float64         `json:"scoreKnownRate" doc:"Over completed attempts"`
	NothingToEarnN      int64            `json:"nothingToEarnN" doc:"Those of scoreKnownAttemptsN whose score is 0 of 0: it is no share, so mean and histogram leave them out"`
	ScoreDenominator    string           `json:"scoreDenominator" enum:"attempts_graded" doc:"What scoreKnownAttemptsN counts"`
}

// ScoresProvisional is the same over all scored attempts, whether their outcome is known or not.
type ScoresProvisional struct {
	Histogram           []int64          `json:"histogram" nullable:"false" doc:"Scored attempts by range of histogramSpec"`
	HistogramSpec       []HistogramRange `json:"histogramSpec" nullable:"false"`
	MeanScorePct        *float64         `json:"meanScorePct" doc:"Over scoreKnownAttemptsN less nothingToEarnN"`
	ScoreKnownAttemptsN int64            `json:"scoreKnownAttemptsN"`
	ScoreKnownRate      *float64         `json:"scoreKnownRate" doc:"Over completed attempts"`
	NothingToEarnN      int64            `json:"nothingToEarnN" doc:"Those of scoreKnownAttemptsN whose score is 0 of 0: it is no share, so mean and histogram leave them out"`
	ScoredButUngradedN  int64            `json:"scoredButUngradedN"`
	ScoreDenominator    string           `json:"scoreDenominator" enum:"attempts_scored" doc:"What scoreKnownAttemptsN counts"`
}

// HistogramRange is one bar: from included, to excluded, except for the last.
type HistogramRange struct {
	FromPct float64 `json:"fromPct"`
	ToPct   float64 `json:"toPct"`
	Label   string  `json:"label" example:"90–100 %"`
}

// Durations is how long completed attempts took, from started_at to completed_at.
type Durations struct {
	AvgDurationMs      *int64   `json:"avgDurationMs"`
	MedianDurationMs   *int64   `json:"medianDurationMs"`
	TimeKnownAttemptsN int64    `json:"timeKnownAttemptsN"`
	TimeKnownRate      *float64 `json:"timeKnownRate" doc:"Over completed attempts"`
}

// Integrity counts what the browsers of candidates reported.
type Integrity struct {
	TelemetryKnownAttempts     int64    `json:"telemetryKnownAttempts"`
	TelemetryKnownRate         *float64 `json:"telemetryKnownRate"`
	SessionsWithFocusLost      int64    `json:"sessionsWithFocusLost"`
	FocusLostRate              *float64 `json:"focusLostRate"`
	SessionsWithFullscreenExit int64    `json:"sessionsWithFullscreenExit"`
	FullscreenExitRate         *float64 `json:"fullscreenExitRate"`
	RateDenominator            string   `json:"rateDenominator" enum:"attempts_completed"`
}

// Activity tells when something happened. The days are UTC days of completion.
type Activity struct {
	AttemptsStarted         int64    `json:"attemptsStarted"`
	AttemptsCompleted       int64    `json:"attemptsCompleted"`
	UniqueUsers             int64    `json:"uniqueUsers"`
	ActiveDays              int64    `json:"activeDays" doc:"Days on which an attempt was completed"`
	FirstDay                *string  `json:"firstDay" format:"date"`
	LastDay                 *string  `json:"lastDay" format:"date"`
	CompletionsPerActiveDay *float64 `json:"completionsPerActiveDay"`
	TimeSource              string   `json:"timeSource" enum:"completed_at"`
}

// CompletionMethod counts completed attempts of one method.
type CompletionMethod struct {
	Method   string   `json:"method" enum:"submitted,auto_submitted,proctor_submitted,imported"`
	Attempts int64    `json:"attempts"`
	PassN    int64    `json:"pass_n"`
	FailN    int64    `json:"fail_n"`
	PassRate *float64 `json:"pass_rate" doc:"pass_n over pass_n and fail_n"`
}

func dayText(d *time.Time) *string {
	if d == nil {
		return nil
	}
	text := d.Format(time.DateOnly)
	return &text
}

// rate is a share and over a mean.
var rate, over = projection.Ratio[int64, int64], projection.Ratio[float64, int64]
