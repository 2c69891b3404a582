package reporting

import "fmt"

// The names of the denominators that the summary quotes.
const (
	attemptsStarted = "attempts_started"
	attemptsGraded  = "attempts_graded"
	attemptsScored  = "attempts_scored"
	uniqueInvitees  = "unique_invitees"
)

// AccessPoints counts the ways into an evaluation: assignments by their target.
type AccessPoints struct {
	AssignmentsN         int64 `json:"assignments_n"`
	AssignedIndividualsN int64 `json:"assigned_individuals_n"`
	AssignedGroupsN      int64 `json:"assigned_groups_n"`
	PublicLinksN         int64 `json:"public_links_n"`
	UniqueInviteesN      int64 `json:"unique_invitees_n"`
}

// The population coverages (decisions, section 5).
const (
	Full    = "full"
	Partial = "partial"
	Unknown = "unknown"
)

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

// Hero is the head of the summary.
type Hero struct {
	AccessPoints AccessPoints `json:"accessPoints"`
	CompletionsN int64        `json:"completions_n"`
	PassRate     *float64     `json:"pass_rate" doc:"pass_n over graded_n"`
	MeanScorePct *float64     `json:"meanScorePct" doc:"Mean share of the maximum, over graded attempts"`

	CompletionRate            *float64 `json:"completionRate" doc:"Null unless it is known who could take part"`
	CompletionRateDenominator string   `json:"completionRateDenominator" enum:"attempts_started,unique_invitees"`
	CompletionRateDisplay     string   `json:"completionRateDisplay" example:"180 of 200 started attempts completed"`

	ProvisionalScoreAvailable bool   `json:"provisionalScoreAvailable" doc:"Scored attempts exist whose outcome is not known"`
	ProvisionalScoreNote      string `json:"provisionalScoreNote"`
	ScoreModeDefault          string `json:"scoreModeDefault" enum:"graded,provisional"`
	ScoreShownDenominator     string `json:"scoreShownDenominator" enum:"attempts_graded,attempts_scored"`
}

// Attempts counts the attempts by their state.
type Attempts struct {
	Started     int64 `json:"started"`
	InProgress  int64 `json:"inProgress"`
	Completed   int64 `json:"completed"`
	Expired     int64 `json:"expired"`
	Closed      int64 `json:"closed"`
	Abandoned   int64 `json:"abandoned"`
	Scored      int64 `json:"scored" doc:"Completed attempts without pending items"`
	UniqueUsers int64 `json:"uniqueUsers" doc:"Different people who started"`
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
	MeanScorePct        *float64         `json:"meanScorePct"`
	ScoreKnownAttemptsN int64            `json:"scoreKnownAttemptsN" doc:"Equals outcomes.attemptsGraded"`
	ScoreKnownRate      *float64         `json:"scoreKnownRate" doc:"Over completed attempts"`
	ScoreDenominator    string           `json:"scoreDenominator" enum:"attempts_graded"`
}

// HistogramRange is one bar: from included, to excluded, but for the last.
type HistogramRange struct {
	FromPct float64 `json:"fromPct"`
	ToPct   float64 `json:"toPct"`
	Label   string  `json:"label" example:"90–100 %"`
}

func (c counts) graded() int64 { return c.pass + c.fail }

func (c counts) hero(a AccessPoints) Hero {
	h := Hero{AccessPoints: a, CompletionsN: c.completed, PassRate: rate(c.pass, c.graded()), MeanScorePct: c.mean(),
		CompletionRateDenominator: attemptsStarted,
		CompletionRateDisplay:     fmt.Sprintf("%d of %d started attempts completed", c.completed, c.started),
		ProvisionalScoreAvailable: c.scored > c.graded(), ScoreModeDefault: "graded", ScoreShownDenominator: attemptsGraded}
	if a.Coverage() == Full {
		h.CompletionRate, h.CompletionRateDenominator = rate(c.completed, a.UniqueInviteesN), uniqueInvitees
		h.CompletionRateDisplay = fmt.Sprintf("%d of %d invited people completed", c.completed, a.UniqueInviteesN)
	}
	if h.ProvisionalScoreAvailable {
		h.ProvisionalScoreNote = fmt.Sprintf("%d scored attempts have no outcome.", c.scored-c.graded())
	}
	if h.ProvisionalScoreAvailable && c.graded() == 0 {
		h.ScoreModeDefault, h.ScoreShownDenominator = "provisional", attemptsScored
	}
	return h
}

func (c counts) attempts() Attempts {
	return Attempts{Started: c.started, InProgress: c.inProgress, Completed: c.completed, Expired: c.expired,
		Closed: c.closed, Abandoned: c.abandoned, Scored: c.scored, UniqueUsers: c.uniqueUsers}
}

func (c counts) outcomes() Outcomes {
	return Outcomes{PassN: c.pass, FailN: c.fail, GradedN: c.graded(), UngradedN: c.completed - c.graded(),
		PassRate: rate(c.pass, c.graded()), PassRateDenominator: attemptsGraded, AttemptsGraded: c.graded(),
		OutcomeKnownAttemptsN: c.graded(), OutcomeKnownRate: rate(c.graded(), c.completed)}
}

func (c counts) scores() Scores {
	s := Scores{Histogram: c.histogram, MeanScorePct: c.mean(), ScoreDenominator: attemptsGraded}
	for i, n := range c.histogram {
		from, to := i*10, (i+1)*10
		s.HistogramSpec = append(s.HistogramSpec, HistogramRange{FromPct: float64(from) / 100, ToPct: float64(to) / 100,
			Label: fmt.Sprintf("%d–%d %%", from, to)})
		s.ScoreKnownAttemptsN += n
	}
	s.ScoreKnownRate = rate(s.ScoreKnownAttemptsN, c.completed)
	return s
}

func (c counts) mean() *float64 {
	if c.graded() == 0 {
		return nil
	}
	v := c.gradedScorePctSum / float64(c.graded())
	return &v
}

func rate(part, whole int64) *float64 {
	if whole == 0 {
		return nil
	}
	v := float64(part) / float64(whole)
	return &v
}
