package reporting

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

var (
	longAgo  = epoch.AddDate(-1, 0, 0)
	farAway  = epoch.AddDate(1, 0, 0)
	unstable = cmpopts.IgnoreFields(EvaluationSummary{}, "Freshness", "Scope")
)

func TestSummary(t *testing.T) {
	t.Parallel()
	c := newCohort(t, 100)
	got := report(t, c, c.analyst(c.orgs[0]), func(tx *db.Tx) (EvaluationSummary, error) {
		return Summary(t.Context(), tx, SummaryInput{EvaluationVersionID: c.versions[0]})
	})
	// Of 100 people 10 never submit, all of them with g % 5 = 0; of the other 90, g % 5 is
	// the score out of 4, and 0 leaves the outcome open.
	if want := (Attempts{Started: 100, InProgress: 10, Completed: 90, Scored: 90, UniqueUsers: 100}); got.Attempts != want {
		t.Errorf("attempts: got %+v, want %+v", got.Attempts, want)
	}
	if got.Outcomes.PassN != 40 || got.Outcomes.FailN != 40 || got.Outcomes.UngradedN != 10 || *got.Outcomes.PassRate != 0.5 {
		t.Errorf("outcomes: got %+v", got.Outcomes)
	}
	if diff := cmp.Diff([]int64{0, 0, 20, 0, 0, 20, 0, 20, 0, 20}, got.Scores.Histogram); diff != "" {
		t.Errorf("histogram (-want +got):\n%s", diff)
	}
	if got.Scores.ScoreKnownAttemptsN != got.Outcomes.AttemptsGraded || *got.Scores.MeanScorePct != 0.625 {
		t.Errorf("scores: got %+v", got.Scores)
	}
	if h := got.Hero; h.CompletionRate != nil || h.CompletionRateDenominator != "attempts_started" || h.CompletionRateDisplay == "" || !h.ProvisionalScoreAvailable {
		t.Errorf("hero: got %+v", h)
	}
	if got.ProjectionLagMs != 0 || time.Since(got.AsOf) > time.Minute {
		t.Errorf("freshness: got %+v", got.Freshness)
	}
}

// A filter that takes everything gives the figures of the rollup, and the parts add up.
func TestSummaryIsTheSameWithAndWithoutRollup(t *testing.T) {
	t.Parallel()
	c := newCohort(t, 100, 30)
	summary := func(in SummaryInput) EvaluationSummary {
		in.EvaluationVersionID = c.versions[0]
		return report(t, c, c.analyst(c.orgs[0]), func(tx *db.Tx) (EvaluationSummary, error) { return Summary(t.Context(), tx, in) })
	}
	rollup := summary(SummaryInput{})
	flat := summary(SummaryInput{From: &longAgo, To: &farAway})
	if flat.Links.Groups.From == nil || rollup.Links.Groups.From != nil {
		t.Errorf("links: got %+v and %+v, want the period of each", flat.Links, rollup.Links)
	}
	flat.Links = rollup.Links
	if diff := cmp.Diff(rollup, flat, unstable); diff != "" {
		t.Errorf("flat rows differ (-rollup +flat):\n%s", diff)
	}
	one, two := "run 1", "run 2"
	half := epoch.Add(50 * time.Hour)
	first, second := summary(SummaryInput{To: &half}), summary(SummaryInput{From: &half})
	if got := first.Attempts.Completed + second.Attempts.Completed; got != rollup.Attempts.Completed {
		t.Errorf("halves have %d completions, the whole %d", got, rollup.Attempts.Completed)
	}
	if got := summary(SummaryInput{RunLabel: &one}).Attempts.Started + summary(SummaryInput{RunLabel: &two}).Attempts.Started; got != 67 {
		t.Errorf("two runs have %d starts, want 67", got)
	}
}

// A person who took an evaluation in two org units is one person to a caller who sees both.
func TestPeopleOfSeveralOrgUnitsCountOnce(t *testing.T) {
	t.Parallel()
	c := found(t, dbtest.Clone(t), 60, 0)
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		for _, sql := range []string{
			// Every third attempt is in the other org unit, and somebody's who has made another one.
			"update sessions set org_unit_id = $2, user_id = overlay(user_id::text placing '000000000001' from 25)::uuid where tenant_id = $1 and right(id::text, 2)::int % 3 = 0",
			"update submissions set org_unit_id = $2, user_id = overlay(user_id::text placing '000000000001' from 25)::uuid where tenant_id = $1 and right(id::text, 2)::int % 3 = 0",
		} {
			_, err := tx.Exec(ctx, sql, c.tenant, c.orgs[1])
			if err != nil {
				return err
			}
		}
		return nil
	})
	c.project(t)
	everywhere := c.analyst(c.orgs[0])
	everywhere.All = true
	early, late := epoch.Add(90*time.Minute), epoch.Add(50*time.Hour)
	for _, all := range []bool{false, true} {
		for want, in := range map[int64]SummaryInput{40: {}, 33: {From: &early, To: &late}} {
			in.EvaluationVersionID, in.AllVersions = c.versions[0], all
			got := report(t, c, everywhere, func(tx *db.Tx) (EvaluationSummary, error) { return Summary(t.Context(), tx, in) })
			if got.Attempts.UniqueUsers != want {
				t.Errorf("from %v, all versions %v: %d people, want %d", in.From, all, got.Attempts.UniqueUsers, want)
			}
		}
	}
}

func TestSummaryOfWhatIsNotThere(t *testing.T) {
	t.Parallel()
	c := newCohort(t, 10, 0)
	empty := report(t, c, c.analyst(c.orgs[1]), func(tx *db.Tx) (EvaluationSummary, error) {
		return Summary(t.Context(), tx, SummaryInput{EvaluationVersionID: c.versions[1]})
	})
	if empty.Attempts != (Attempts{}) || empty.Outcomes.PassRate != nil || len(empty.Scores.Histogram) != 10 {
		t.Errorf("a version without attempts: got %+v", empty)
	}
	for name, version := range map[string]ids.ID{"unknown": ids.New(), "of another org unit": c.versions[0]} {
		err := c.store.Report(t.Context(), c.analyst(c.orgs[1]), func(tx *db.Tx) error {
			_, err := Summary(t.Context(), tx, SummaryInput{EvaluationVersionID: version})
			return err
		})
		if !errors.Is(err, errs.NotFound) {
			t.Errorf("%s: got %v, want not_found", name, err)
		}
	}
}

func TestReportsNeedTheCapability(t *testing.T) {
	t.Parallel()
	c := newCohort(t, 1)
	scope := c.analyst(c.orgs[0])
	scope.Capabilities = nil
	for name, call := range map[string]func(*db.Tx) error{
		"summary": func(tx *db.Tx) error { _, err := Summary(t.Context(), tx, SummaryInput{}); return err },
		"list":    func(tx *db.Tx) error { _, err := ListHealth(t.Context(), tx, HealthFilter{}); return err },
		"detail": func(tx *db.Tx) error {
			_, err := QuestionHealth(t.Context(), tx, ids.New(), HealthFilter{})
			return err
		},
	} {
		err := c.store.Report(t.Context(), scope, call)
		if !errors.Is(err, errs.Forbidden) {
			t.Errorf("%s: got %v, want forbidden", name, err)
		}
	}
}

// Each order gives the same rows from the rollup and from the flat rows.
func TestHealthListIsTheSameWithAndWithoutRollup(t *testing.T) {
	t.Parallel()
	c := newCohort(t, 120)
	for sort := range orders {
		list := func(f HealthFilter) HealthList {
			f.Sort = sort
			return report(t, c, c.analyst(c.orgs[0]), func(tx *db.Tx) (HealthList, error) { return ListHealth(t.Context(), tx, f) })
		}
		rollup, flat := list(HealthFilter{}), list(HealthFilter{From: &longAgo})
		if len(rollup.Items) != 4 || rollup.Total != 4 {
			t.Fatalf("%s: got %+v", sort, rollup)
		}
		if diff := cmp.Diff(rollup.List, flat.List); diff != "" {
			t.Errorf("%s: flat rows differ (-rollup +flat):\n%s", sort, diff)
		}
		second := list(HealthFilter{Page: db.Page{Page: 2, Limit: 3}})
		if diff := cmp.Diff(rollup.Items[3:], second.Items); diff != "" {
			t.Errorf("%s: second page (-want +got):\n%s", sort, diff)
		}
		if tagged := list(HealthFilter{Tags: []string{"topic:algebra"}}); tagged.Total != 2 {
			t.Errorf("%s: %d questions have the tag, want 2", sort, tagged.Total)
		}
	}
}

func TestQuestionHealth(t *testing.T) {
	t.Parallel()
	c := newCohort(t, 120)
	detail := func(question ids.ID) QuestionHealthDetail {
		return report(t, c, c.analyst(c.orgs[0]), func(tx *db.Tx) (QuestionHealthDetail, error) {
			return QuestionHealth(t.Context(), tx, question, HealthFilter{})
		})
	}
	// 108 submit; of those 16 (g % 7 = 0, g % 10 > 0) leave the second question out.
	single := detail(c.questions[1])
	if single.Core.Attempts != 108 || single.Core.Omitted != 16 || single.Core.ScoredAttempts != 92 || single.Core.StatusCounts.Exempt != 16 {
		t.Errorf("core: got %+v", single.Core)
	}
	if got := single.Analysis.ChoiceSingle.Options; len(got) != 3 || got[0].OptionID != "A" || !got[0].IsCorrect || got[2].N != 0 {
		t.Errorf("options: got %+v", got)
	}
	if diff := cmp.Diff([]string{"DISTRACTOR_DOMINANCE", "HIGH_OMIT", "NON_FUNCTIONING_DISTRACTOR"}, codes(single), cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Errorf("flags (-want +got):\n%s", diff)
	}
	if len(single.Runs) != 2 || len(single.Core.Exposure.RecentRuns) != 2 || single.Core.Timing.MedianTimeMs == nil {
		t.Errorf("runs %+v, exposure %+v", single.Runs, single.Core.Exposure)
	}
	multi := detail(c.questions[3]).Analysis.ChoiceMulti
	if multi == nil || multi.PatternsN != 2 || multi.ErrorModes.Both != multi.ErrorModes.MissedCorrect || multi.PartialCredit[10].N+multi.PartialCredit[0].N != 108 {
		t.Errorf("choiceMulti: got %+v", multi)
	}
}

func codes(d QuestionHealthDetail) []string {
	var all []string
	for _, f := range d.Flags {
		all = append(all, f.Code)
	}
	return all
}

// A caller who sees both org units sees a shared question once, with the attempts of both.
func TestSharedQuestionsAreCountedTogether(t *testing.T) {
	t.Parallel()
	c := newCohort(t, 60, 40)
	scope := c.analyst(c.orgs[0])
	scope.All = true
	list := report(t, c, scope, func(tx *db.Tx) (HealthList, error) { return ListHealth(t.Context(), tx, HealthFilter{}) })
	if list.Total != 4 || list.Items[0].Core.Attempts != 90 {
		t.Errorf("list: got %d questions, the first with %d attempts; want 4 with 90", list.Total, list.Items[0].Core.Attempts)
	}
	detail := report(t, c, scope, func(tx *db.Tx) (QuestionHealthDetail, error) {
		return QuestionHealth(t.Context(), tx, c.questions[0], HealthFilter{})
	})
	if detail.Core.Attempts != 90 || detail.Core.Exposure.EvaluationsCount != 2 || detail.Analysis.ChoiceSingle.Options[0].N+detail.Analysis.ChoiceSingle.Options[1].N != 90 {
		t.Errorf("detail: got %+v", detail)
	}
}
