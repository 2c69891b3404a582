package reporting

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// rounds is how many random data sets are tried.
func rounds() int {
	n, err := strconv.Atoi(os.Getenv("ASSESS_HISTORIES"))
	if err != nil {
		return 3
	}
	return n
}

var nearly = cmp.Options{cmpopts.EquateApprox(1e-9, 1e-9), cmpopts.EquateNaNs()}

// Every filter combination of the summary, of its lists and of question health agrees with a plain
// count of the records: whatever was submitted, expired, closed, abandoned, marked, remediated,
// taken back, rejected, reopened and voided, in any order, with the projection behind or not.
func TestReportsAgreeWithAPlainCount(t *testing.T) {
	t.Parallel()
	f := newFair(t)
	left := rounds()
	rapid.Check(t, func(rt *rapid.T) {
		if left--; left < 0 {
			return
		}
		f.found(t, rt)
		for _, least := range []int{30, 0} {
			for range rapid.IntRange(least, 80).Draw(rt, "acts") {
				f.act(t, rt)
			}
			f.project(t)
			f.read(t)
			f.compareSummaries(t, rt)
			f.compareHealth(t, rt)
		}
		verified, err := projection.Verify(t.Context(), f.store, f.tenant)
		if err != nil || verified.Differences != 0 {
			rt.Fatalf("the tables differ from a rebuild: %+v, %v", verified, err)
		}
	})
}

// drawPeriods gives no period, one open on each side, and one with both ends: at any minute, whole
// hour or midnight, within days or weeks apart.
func drawPeriods(rt *rapid.T) [][2]*time.Time {
	moment := func(name string) *time.Time {
		at := epoch.Add(time.Duration(rapid.IntRange(0, 7*24*60).Draw(rt, name))*time.Minute -
			time.Duration(rapid.SampledFrom([]int{0, 0, 8, 40}).Draw(rt, "before"))*24*time.Hour)
		at = at.Truncate(rapid.SampledFrom([]time.Duration{time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour}).Draw(rt, "unit"))
		return &at
	}
	from, to := moment("from"), moment("to")
	if !from.Before(*to) {
		from, to = to, from
	}
	periods := [][2]*time.Time{{nil, nil}, {from, nil}, {nil, to}}
	if from.Before(*to) {
		periods = append(periods, [2]*time.Time{from, to})
	}
	return periods
}

func (f *fair) compareSummaries(t *testing.T, rt *rapid.T) {
	t.Helper()
	f.compare(t, rt, SummaryInput{EvaluationVersionID: f.versions[2]})
	spring, none := "spring", ""
	for _, p := range drawPeriods(rt) {
		for _, run := range []*string{nil, &spring, &none} {
			for _, group := range []*ids.ID{nil, &f.groups[0]} {
				for _, all := range []bool{false, true} {
					f.compare(t, rt, SummaryInput{EvaluationVersionID: f.versions[0], RunLabel: run, GroupID: group, From: p[0], To: p[1], AllVersions: all})
				}
			}
		}
	}
}

// analystOf sees only the org unit of the evaluation version.
func (f *fair) analystOf(in SummaryInput) db.Scope {
	if in.EvaluationVersionID == f.versions[2] {
		return f.analyst(f.orgs[1])
	}
	return f.analyst(f.orgs[0])
}

func (f *fair) compare(t *testing.T, rt *rapid.T, in SummaryInput) {
	t.Helper()
	name := fmt.Sprintf("run %v, group %v, from %v to %v, all versions %v", in.RunLabel, in.GroupID != nil, in.From, in.To, in.AllVersions)
	if in.RunLabel != nil {
		name = *in.RunLabel + ": " + name
	}
	single := report(t, f.cohort, f.analystOf(in), func(tx *db.Tx) (EvaluationSummary, error) {
		return Summary(t.Context(), tx, including(in, []string{IncludeTags, IncludeSections}))
	})
	if diff := cmp.Diff(f.reference(in), plainOf(single), nearly); diff != "" {
		rt.Fatalf("%s (-count +report):\n%s", name, diff)
	}
	if single.Scores.ScoreKnownAttemptsN != single.Outcomes.AttemptsGraded || single.Hero.AccessPoints != single.Population.AccessPoints {
		rt.Fatalf("%s: an invariant does not hold", name)
	}
	funnel, bars := single.Funnel, int64(0)
	for _, n := range single.Scores.Histogram {
		bars += n
	}
	if funnel.Started != funnel.Completed+funnel.InProgress+funnel.Closed+funnel.Abandoned+funnel.Voided || funnel.Expired > funnel.Completed ||
		bars+single.Scores.NothingToEarnN != single.Scores.ScoreKnownAttemptsN {
		rt.Fatalf("%s: %+v and %+v do not add up", name, funnel, single.Scores)
	}
	f.compareItems(rt, name, in, single.Tags, single.Sections)
	f.compareLists(t, rt, name, in)
}

// including adds blocks to a request.
func including(in SummaryInput, blocks []string) SummaryInput {
	in.Include = blocks
	return in
}

// compareLists looks at the rows of both lists, page by page, and at what they say.
func (f *fair) compareLists(t *testing.T, rt *rapid.T, name string, in SummaryInput) {
	t.Helper()
	var groups []ids.ID
	var runs []string
	wantGroups, wantRuns := f.referKeys(in)
	list := SummaryListInput{SummaryInput: including(in, []string{IncludeScores, IncludeTiming, IncludeDistributions, IncludeTags, IncludeSections}),
		Page: db.Page{Limit: rapid.IntRange(1, 3).Draw(rt, "limit")}}
	for list.Page.Page = 1; list.Page.Page == 1 || len(runs) < len(wantRuns) || len(groups) < len(wantGroups); list.Page.Page++ {
		cohorts := report(t, f.cohort, f.analystOf(in), func(tx *db.Tx) (CohortSummaries, error) { return SummaryCohorts(t.Context(), tx, list) })
		page := report(t, f.cohort, f.analystOf(in), func(tx *db.Tx) (GroupSummaries, error) { return SummaryGroups(t.Context(), tx, list) })
		if cohorts.Total != len(wantRuns) || page.Total != len(wantGroups) || len(cohorts.Items)+len(page.Items) == 0 && list.Page.Page > 1 {
			rt.Fatalf("%s: %d cohorts and %d groups, want %d and %d", name, cohorts.Total, page.Total, len(wantRuns), len(wantGroups))
		}
		for _, row := range cohorts.Items {
			of, run := in, label(row.RunLabel)
			of.RunLabel, runs = &run, append(runs, run)
			f.compareRow(rt, name+", cohort "+run, of, row.SummaryRow)
		}
		for _, row := range page.Items {
			of := in
			of.GroupID, groups = &row.GroupID, append(groups, row.GroupID)
			f.compareRow(rt, name+", group "+*row.Label, of, row.SummaryRow)
		}
	}
	if diff := cmp.Diff(wantGroups, groups, cmpopts.EquateEmpty()); diff != "" {
		rt.Fatalf("%s: groups (-count +report):\n%s", name, diff)
	}
	if diff := cmp.Diff(wantRuns, runs, cmpopts.EquateEmpty()); diff != "" {
		rt.Fatalf("%s: runs (-count +report):\n%s", name, diff)
	}
}

func (f *fair) compareRow(rt *rapid.T, name string, in SummaryInput, row SummaryRow) {
	want := f.reference(in)
	got := plainOf(EvaluationSummary{Hero: row.Hero, Attempts: row.Attempts, Outcomes: row.Outcomes, Attention: row.Attention, Scores: *row.Scores,
		ScoresProvisional: *row.ScoresProvisional, Timing: *row.Timing, CompletionMethods: row.CompletionMethods})
	// Blocks that lists do not have.
	got.Access, want.Coverage, want.NotStarted, want.OfBegun = row.Hero.AccessPoints, "", -1, math.NaN()
	want.Known, want.Focus, want.Exits, want.Days, want.First, want.Last = 0, 0, 0, 0, "", ""
	if diff := cmp.Diff(want, got, nearly); diff != "" {
		rt.Fatalf("%s (-count +report):\n%s", name, diff)
	}
	f.compareItems(rt, name, in, row.Tags, row.Sections)
}

func (f *fair) compareItems(rt *rapid.T, name string, in SummaryInput, byTag []TagSummary, bySection []SectionSummary) {
	tags, sections := f.referItems(in)
	gotTags, gotSections := map[string]ItemSummary{}, map[place]ItemSummary{}
	for _, one := range byTag {
		gotTags[one.Tag] = one.ItemSummary
	}
	for _, one := range bySection {
		gotSections[place{one.Position, one.SectionID}] = one.ItemSummary
	}
	if diff := cmp.Diff(tags, gotTags, nearly); diff != "" {
		rt.Fatalf("%s: tags (-count +report):\n%s", name, diff)
	}
	if diff := cmp.Diff(sections, gotSections, nearly, cmp.AllowUnexported(place{})); diff != "" {
		rt.Fatalf("%s: sections (-count +report):\n%s", name, diff)
	}
}
