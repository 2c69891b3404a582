package reporting

import (
	"context"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// QuestionHealthDetail is everything about the health of one question version.
type QuestionHealthDetail struct {
	QuestionVersionID ids.ID `json:"questionVersionId"`
	QuestionWords
	QType           string            `json:"qtype" shape:"question type"`
	HealthBadge     HealthBadge       `json:"healthBadge"`
	AttentionRank   int               `json:"attentionRank" doc:"What needs_attention_first sorts by, the highest first; 0 while the confidence is LOW"`
	Flags           []projection.Flag `json:"flags" nullable:"false"`
	Core            DetailCore        `json:"core"`
	Analysis        Analysis          `json:"analysis"`
	KeyCorrections  []KeyCorrection   `json:"keyCorrections" nullable:"false" doc:"Keys that remediations corrected, the newest first"`
	Exemptions      []Exemption       `json:"exemptions" nullable:"false" doc:"Remediations that exempted attempts, the newest first"`
	Runs            []RunHealth       `json:"runs" nullable:"false" doc:"Labelled runs, newest first"`
	Timeline        []WeekHealth      `json:"timeline" nullable:"false" doc:"Weeks with attempts, oldest first"`
	ExposureSummary ExposureSummary   `json:"exposureSummary"`
	projection.Freshness
}

// DetailCore adds timing, scoring, exposure and drift to the figures of the list.
type DetailCore struct {
	Core
	Timing        Timing   `json:"timing"`
	Scoring       Scoring  `json:"scoring"`
	Exposure      Exposure `json:"exposure"`
	Drift         Drift    `json:"drift"`
	FocusLostRate *float64 `json:"focusLostRate" doc:"Attempts whose session lost the focus, over attempts"`
}

// Timing is over answered attempts with a known time, in milliseconds.
type Timing struct {
	AvgTimeMs       *int64 `json:"avgTimeMs"`
	MedianTimeMs    *int64 `json:"medianTimeMs"`
	P90TimeMs       *int64 `json:"p90TimeMs"`
	Median7dTimeMs  *int64 `json:"median7dTimeMs"`
	Median30dTimeMs *int64 `json:"median30dTimeMs"`
}

// Scoring is over scored attempts.
type Scoring struct {
	AvgScoreAwarded *float64 `json:"avgScoreAwarded"`
	AvgScorePct     *float64 `json:"avgScorePct" doc:"Mean share of the maximum. A sum that negative marking brings below 0 counts as 0"`
}

// Exposure tells where the question was seen.
type Exposure struct {
	EvaluationsCount int64              `json:"evaluationsCount"`
	RecentRuns       []models.RecentRun `json:"recentRuns" nullable:"false" doc:"At most five, newest first"`
}

// Drift compares facilities. The windows end with the newest day that has attempts.
type Drift struct {
	Facility7dPct      *float64 `json:"facility7dPct"`
	Facility30dPct     *float64 `json:"facility30dPct"`
	FacilityLastRunPct *float64 `json:"facilityLastRunPct"`
	AttemptsLastRun    int64    `json:"attemptsLastRun"`
	Drift              float64  `json:"drift" doc:"Distance between the last run and 30 days; 0 while unknown"`
}

// RunHealth is the question within one labelled run, compared with all its attempts.
type RunHealth struct {
	RunLabel           string             `json:"run_label"`
	LastDay            string             `json:"lastDay" doc:"UTC day of its newest attempt" example:"2026-03-31"`
	Attempts           int64              `json:"attempts"`
	ScoredAttempts     int64              `json:"scoredAttempts"`
	FacilityPct        *float64           `json:"facilityPct"`
	FacilityDifference *float64           `json:"facilityDifference" doc:"facilityPct less that of all attempts"`
	OmitRate           *float64           `json:"omitRate"`
	MedianTimeMs       *int64             `json:"medianTimeMs"`
	OptionPct          map[string]float64 `json:"optionPct"`
}

// QuestionHealth reports on the attempts at a question version that the filter chooses, as the list
// does; its order and page do not matter. It needs reporting.view. Errors: validation_failed as for the
// list; not_found when nobody in the scope has submitted such an attempt.
func QuestionHealth(ctx context.Context, tx *db.Tx, questionVersion ids.ID, f HealthFilter) (QuestionHealthDetail, error) {
	err := tx.Require(capability.ReportingView)
	if err != nil {
		return QuestionHealthDetail{}, err
	}
	err = f.Check()
	if err != nil {
		return QuestionHealthDetail{}, err
	}
	orgs, err := projection.OrgUnits(ctx, tx)
	if err != nil {
		return QuestionHealthDetail{}, err
	}
	chosen := f.projected()
	chosen.Questions = []ids.ID{questionVersion}
	m, err := measured(ctx, tx, orgs, questionVersion, f.unfiltered(), chosen)
	if err != nil {
		return QuestionHealthDetail{}, err
	}
	d := detailOf(m)
	of, err := readChoices(ctx, tx, orgs, chosen, map[ids.ID]projection.Key{questionVersion: m.Key})
	if err != nil {
		return QuestionHealthDetail{}, err
	}
	d.QuestionWords, d.Analysis = of[questionVersion].QuestionWords, of[questionVersion].analysis(m.Health)
	d.KeyCorrections, d.Exemptions, err = remedied(ctx, tx, orgs, m.Health, f.EvaluationVersionID)
	if err != nil {
		return QuestionHealthDetail{}, err
	}
	if !mayReadQuestions(tx) {
		d.Analysis, d.KeyCorrections = Analysis{}, []KeyCorrection{}
	}
	d.Timeline, err = timeline(ctx, tx, orgs, chosen, m.Health)
	if err != nil {
		return QuestionHealthDetail{}, err
	}
	d.ExposureSummary, err = exposure(ctx, tx, orgs, chosen, m)
	if err != nil {
		return QuestionHealthDetail{}, err
	}
	d.Freshness, err = projection.Fresh(ctx, tx)
	return d, err
}

// measured takes the rollup of the one org unit that has attempts if there is no filter, or else
// counts the chosen attempts, several org units together.
func measured(ctx context.Context, tx *db.Tx, orgs []ids.ID, question ids.ID, unfiltered bool, chosen projection.Filter) (projection.Measured, error) {
	if unfiltered {
		var rows []models.QuestionHealth
		err := tx.NewSelect().Model(&rows).Where("h.tenant_id = ?", tx.Tenant()).
			Where("h.question_version_id = ?", question).Scan(ctx)
		if err != nil {
			return projection.Measured{}, fmt.Errorf("read question health: %w", err)
		}
		if len(rows) == 1 {
			return stored(ctx, tx, orgs, rows[0])
		}
	}
	all, err := projection.Measure(ctx, tx, chosen, projection.ForDetail)
	if err == nil && len(all) == 0 {
		err = errs.New(errs.NotFound, "There are no such attempts at such a question version in your scope.")
	}
	if err != nil {
		return projection.Measured{}, err
	}
	return all[0], nil
}

func stored(ctx context.Context, tx *db.Tx, orgs []ids.ID, h models.QuestionHealth) (projection.Measured, error) {
	m := projection.Measured{Health: h}
	err := tx.NewSelect().Model(&m.Runs).Where("r.tenant_id = ?", tx.Tenant()).
		Where("r.org_unit_id = ?", h.OrgUnitID).Where("r.question_version_id = ?", h.QuestionVersionID).
		OrderExpr("r.last_day desc, r.run_label collate \"C\" desc").Scan(ctx)
	if err != nil {
		return projection.Measured{}, fmt.Errorf("read runs: %w", err)
	}
	keys, err := projection.Keys(ctx, tx, orgs, []ids.ID{h.QuestionVersionID})
	m.Key = keys[h.QuestionVersionID]
	return m, err
}

func detailOf(m projection.Measured) QuestionHealthDetail {
	h := m.Health
	d := QuestionHealthDetail{QuestionVersionID: h.QuestionVersionID, QType: h.QType, HealthBadge: badgeOf(h), AttentionRank: h.AttentionRank,
		Flags: h.Flags, Core: detailCoreOf(h), Runs: []RunHealth{}}
	for _, r := range m.Runs {
		d.Runs = append(d.Runs, RunHealth{RunLabel: r.RunLabel, LastDay: r.LastDay.Format(time.DateOnly), Attempts: r.AttemptsN, ScoredAttempts: r.ScoredN,
			FacilityPct: r.FacilityPct, FacilityDifference: difference(r.FacilityPct, h.FacilityPct), OmitRate: r.OmitRate,
			MedianTimeMs: projection.Milliseconds(r.MedianTimeMs), OptionPct: r.OptionPct})
	}
	return d
}

func detailCoreOf(h models.QuestionHealth) DetailCore {
	return DetailCore{
		Core:     coreOf(h),
		Timing:   timingOf(h),
		Scoring:  Scoring{AvgScoreAwarded: h.AvgScoreAwarded, AvgScorePct: h.AvgScorePct},
		Exposure: Exposure{EvaluationsCount: h.EvaluationsCount, RecentRuns: h.RecentRuns},
		Drift: Drift{Facility7dPct: h.Facility7dPct, Facility30dPct: h.Facility30dPct,
			FacilityLastRunPct: h.FacilityLastRunPct, AttemptsLastRun: h.AttemptsLastRunN, Drift: h.Drift},
		FocusLostRate: rate(h.FocusLostN, h.AttemptsN),
	}
}

// difference is unknown if one of the two is.
func difference(of, from *float64) *float64 {
	if of == nil || from == nil {
		return nil
	}
	d := *of - *from
	return &d
}

func timingOf(h models.QuestionHealth) Timing {
	ms := projection.Milliseconds
	return Timing{AvgTimeMs: ms(h.AvgTimeMs), MedianTimeMs: ms(h.MedianTimeMs), P90TimeMs: ms(h.P90TimeMs),
		Median7dTimeMs: ms(h.Median7dTimeMs), Median30dTimeMs: ms(h.Median30dTimeMs)}
}
