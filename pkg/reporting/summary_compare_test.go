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

	"assess/pkg/db"
	"assess/pkg/ids"
	"assess/pkg/projection"
)

// rounds is how many random data sets are tried.
func rounds() int {
	n, err := strconv.Atoi(os.Getenv("ASSESS_HISTORIES"))
	if err != nil {
		return 3
	}
	return n
}

var nearly = cmp.Options{cmpopts.EquateApprox(1e-9, 1e-12), cmpopts.EquateNaNs()}

// Every filter combination says what a plain count of the attempts says, before and after
// submissions are voided.
func TestSummaryAgreesWithAPlainCount(t *testing.T) {
	t.Parallel()
	f := newFair(t)
	left := rounds()
	rapid.Check(t, func(rt *rapid.T) {
		if left--; left < 0 {
			return
		}
		f.open(t, rt)
		for range rapid.IntRange(0, 30).Draw(rt, "attempts") {
			f.try(t, rt)
		}
		f.project(t)
		f.compareAll(t, rt)
		for _, s := range f.tried {
			if s.ended != nil && !s.voided && rapid.IntRange(0, 3).Draw(rt, "void") == 0 {
				s.voided = true
				f.exec(t, "update submissions set status = 'voided' where tenant_id = $1 and id = $2", f.tenant, s.id)
				f.queue(t, "submission", s.id)
			}
		}
		f.project(t)
		f.compareAll(t, rt)
		verified, err := projection.Verify(t.Context(), f.store, f.tenant)
		if err != nil || verified.Differences != 0 {
			rt.Fatalf("the tables differ from a rebuild: %+v, %v", verified, err)
		}
	})
}

func (f *fair) compareAll(t *testing.T, rt *rapid.T) {
	t.Helper()
	moment := func(name string) *time.Time {
		at := epoch.Add(time.Duration(rapid.IntRange(0, 7*24*60).Draw(rt, name)) * time.Minute)
		if rapid.IntRange(0, 3).Draw(rt, "midnight") == 0 {
			at = at.Truncate(24 * time.Hour)
		}
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
	spring := "spring"
	for _, run := range []*string{nil, &spring} {
		for _, group := range []*ids.ID{nil, &f.groups[0]} {
			for _, all := range []bool{false, true} {
				for _, p := range periods {
					f.compare(t, rt, SummaryInput{EvaluationVersionID: f.versions[0], RunLabel: run, GroupID: group, From: p[0], To: p[1], AllVersions: all})
				}
			}
		}
	}
}

func (f *fair) compare(t *testing.T, rt *rapid.T, in SummaryInput) {
	t.Helper()
	name := fmt.Sprintf("run %v, group %v, from %v to %v, all versions %v", label(in.RunLabel), in.GroupID != nil, in.From, in.To, in.AllVersions)
	single := report(t, f.cohort, f.analyst(f.org), func(tx *db.Tx) (EvaluationSummary, error) { return Summary(t.Context(), tx, in) })
	if diff := cmp.Diff(f.reference(in), plainOf(single), nearly); diff != "" {
		rt.Fatalf("%s (-count +report):\n%s", name, diff)
	}
	if single.Scores.ScoreKnownAttemptsN != single.Outcomes.AttemptsGraded || single.Hero.AccessPoints != single.Population.AccessPoints {
		rt.Fatalf("%s: an invariant does not hold", name)
	}
	list := SummaryListInput{SummaryInput: in, Include: []string{IncludeScores, IncludeTiming, IncludeDistributions, IncludeTags, IncludeSections}}
	cohorts := report(t, f.cohort, f.analyst(f.org), func(tx *db.Tx) (CohortSummaries, error) { return SummaryCohorts(t.Context(), tx, list) })
	for _, row := range cohorts.Items {
		one := ""
		if row.RunLabel != nil {
			one = *row.RunLabel
		}
		of := in
		of.RunLabel = &one
		f.compareRow(rt, name+", cohort "+one, of, row.SummaryRow)
	}
	groups := report(t, f.cohort, f.analyst(f.org), func(tx *db.Tx) (GroupSummaries, error) { return SummaryGroups(t.Context(), tx, list) })
	for _, row := range groups.Items {
		of := in
		of.GroupID = &row.GroupID
		f.compareRow(rt, name+", group "+*row.Label, of, row.SummaryRow)
	}
}

func (f *fair) compareRow(rt *rapid.T, name string, in SummaryInput, row SummaryRow) {
	want := f.reference(in)
	got := plainOf(EvaluationSummary{Hero: row.Hero, Attempts: row.Attempts, Outcomes: row.Outcomes, Scores: *row.Scores,
		ScoresProvisional: *row.ScoresProvisional, Timing: *row.Timing, CompletionMethods: row.CompletionMethods})
	// The blocks that lists do not have.
	got.Access, want.Coverage, want.NotStarted, want.OfBegun = row.Hero.AccessPoints, "", -1, math.NaN()
	want.Known, want.Focus, want.Exits, want.Days = 0, 0, 0, 0
	if diff := cmp.Diff(want, got, nearly); diff != "" {
		rt.Fatalf("%s (-count +report):\n%s", name, diff)
	}
	tags, sections := f.referItems(in)
	gotTags, gotSections := map[string]ItemSummary{}, map[int]ItemSummary{}
	for _, one := range row.Tags {
		gotTags[one.Tag] = one.ItemSummary
	}
	for _, one := range row.Sections {
		sum := gotSections[one.Position]
		sum.ItemAttempts, sum.ScoredAttempts = sum.ItemAttempts+one.ItemAttempts, sum.ScoredAttempts+one.ScoredAttempts
		sum.Correct, sum.Omitted = sum.Correct+one.Correct, sum.Omitted+one.Omitted
		gotSections[one.Position] = sum
	}
	if diff := cmp.Diff(tags, gotTags, nearly); diff != "" {
		rt.Fatalf("%s: tags (-count +report):\n%s", name, diff)
	}
	if diff := cmp.Diff(sections, gotSections, nearly); diff != "" {
		rt.Fatalf("%s: sections (-count +report):\n%s", name, diff)
	}
}
