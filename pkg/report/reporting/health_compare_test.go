package reporting

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// Values that differ from call to call, or are null in one place and empty in the other.
var unmoved = gocmp.Options{nearly, cmpopts.EquateEmpty(), cmpopts.IgnoreTypes(projection.Freshness{}),
	cmpopts.IgnoreFields(KeyCorrection{}, "AppliedAt", "Sentence"), cmpopts.IgnoreFields(Exemption{}, "AppliedAt", "Sentence"),
	// The order of a list tells whether the ranks are right.
	cmpopts.IgnoreFields(HealthRow{}, "AttentionRank"), cmpopts.IgnoreFields(QuestionHealthDetail{}, "AttentionRank")}

// compareHealth looks at the list with every combination of filters, at its orders, and at every
// question in full; for the second org unit, and for both together, at some of it.
func (f *fair) compareHealth(t *testing.T, rt *rapid.T) {
	t.Helper()
	both := f.analyst(f.orgs[0])
	both.All = true
	for _, scope := range []db.Scope{f.analyst(f.orgs[0]), f.analyst(f.orgs[1]), both} {
		orgs := []ids.ID{scope.OrgUnit}
		if scope.All {
			orgs = f.orgs
		}
		for sort := range orders {
			f.compareList(t, rt, scope, orgs, HealthFilter{Sort: sort})
		}
		f.compareDetails(t, rt, scope, orgs, HealthFilter{})
		filters := f.healthFilters(rt)
		for _, h := range rapid.Permutation(filters).Draw(rt, "filters of details")[:3] {
			f.compareDetails(t, rt, scope, orgs, h)
		}
		if scope.All || scope.OrgUnit == f.orgs[1] {
			filters = rapid.Permutation(filters).Draw(rt, "filters")[:6]
		}
		for _, h := range filters {
			f.compareList(t, rt, scope, orgs, h)
		}
	}
}

func (f *fair) healthFilters(rt *rapid.T) []HealthFilter {
	spring := "spring"
	var all []HealthFilter
	for _, p := range drawPeriods(rt) {
		for _, version := range []ids.ID{ids.None, f.versions[0], f.versions[1]} {
			for _, run := range []*string{nil, &spring} {
				for _, tags := range [][]string{nil, {"topic:a"}, {"topic:a", "topic:b"}} {
					all = append(all, HealthFilter{EvaluationVersionID: version, RunLabel: run, Tags: tags, From: p[0], To: p[1],
						Sort: rapid.SampledFrom([]string{NeedsAttentionFirst, HighestOmit, MostDrift, MostExposed}).Draw(rt, "sort")})
				}
			}
		}
	}
	return all
}

func (f *fair) compareList(t *testing.T, rt *rapid.T, scope db.Scope, orgs []ids.ID, h HealthFilter) {
	t.Helper()
	details := f.referHealth(orgs, h)
	var want []HealthRow
	for _, d := range details {
		row := HealthRow{QuestionVersionID: d.QuestionVersionID, QType: d.QType, HealthBadge: d.HealthBadge,
			Core: RowCore{Core: d.Core.Core, Drift: RowDrift{d.Core.Drift.Drift}}}
		if d.Analysis.ChoiceSingle != nil {
			row.Analysis.ChoiceSingle = &RowChoice{TopOption: d.Analysis.ChoiceSingle.TopOption}
		}
		want = append(want, row)
	}
	slices.SortFunc(want, func(a, b HealthRow) int {
		return cmp.Or(inOrder(h.Sort, details[a.QuestionVersionID], details[b.QuestionVersionID]), byID(a.QuestionVersionID, b.QuestionVersionID))
	})
	got := report(t, f.cohort, scope, func(tx *db.Tx) (HealthList, error) { return ListHealth(t.Context(), tx, h) })
	if diff := gocmp.Diff(want, got.Items, unmoved); diff != "" || got.Total != len(want) {
		rt.Fatalf("%s, %d org units (-count +report):\n%s", describe(h), len(orgs), diff)
	}
}

// inOrder compares two questions by the words of the order.
func inOrder(sort string, a, b QuestionHealthDetail) int {
	most := cmp.Compare(b.Core.Attempts, a.Core.Attempts)
	switch sort {
	case HighestOmit:
		return cmp.Compare(*b.Core.OmitRate, *a.Core.OmitRate)
	case MostDrift:
		return cmp.Compare(b.Core.Drift.Drift, a.Core.Drift.Drift)
	case MostExposed:
		return most
	}
	grave := func(d QuestionHealthDetail) (int, int, int) {
		major := 0
		for _, flag := range d.Flags {
			if flag.Severity == "major" {
				major++
			}
		}
		return slices.Index([]string{"INSUFFICIENT_DATA", "HEALTHY", "WATCH", "NEEDS_ATTENTION"}, d.HealthBadge.Status), major, len(d.Flags)
	}
	statusA, majorA, flagsA := grave(a)
	statusB, majorB, flagsB := grave(b)
	return cmp.Or(cmp.Compare(statusB, statusA), cmp.Compare(majorB, majorA), cmp.Compare(flagsB, flagsA), most)
}

func describe(h HealthFilter) string {
	return fmt.Sprintf("version %s, run %s, from %v, to %v, tags %v, %s", h.EvaluationVersionID, label(h.RunLabel), h.From, h.To, h.Tags, h.Sort)
}

// compareDetails looks at every question in full. With a filter the remediations are all of the
// question, whether attempts at their evaluation versions are chosen or not.
func (f *fair) compareDetails(t *testing.T, rt *rapid.T, scope db.Scope, orgs []ids.ID, h HealthFilter) {
	t.Helper()
	details := f.referHealth(orgs, h)
	same := unmoved
	if !h.unfiltered() {
		same = append(gocmp.Options{cmpopts.IgnoreFields(QuestionHealthDetail{}, "KeyCorrections", "Exemptions")}, same...)
	}
	for _, question := range f.allQuestions() {
		want, seen := details[question]
		var got QuestionHealthDetail
		err := f.store.Report(t.Context(), scope, func(tx *db.Tx) (err error) {
			got, err = QuestionHealth(t.Context(), tx, question, h)
			return err
		})
		if (err == nil) != seen {
			rt.Fatalf("question %s, %s: %v, counted %v", question, describe(h), err, seen)
		}
		if diff := gocmp.Diff(want, got, same); seen && diff != "" {
			rt.Fatalf("question %s, %s, %d org units (-count +report):\n%s", question, describe(h), len(orgs), diff)
		}
	}
}
