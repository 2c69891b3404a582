package remediation

import (
	"context"
	"math/big"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// A preview, read page by page, says of every submission what applying and reverting then do:
// with totals that tell their sum and with totals that hide it (rounded, on the floor of 0,
// pending), over marks and over another remediation.
func TestAPreviewSaysWhatHappens(t *testing.T) {
	t.Parallel()
	rounded := half()
	rounded.ScoringConfig.Rounding = ptr(0)
	for name, settings := range map[string]authoring.Settings{"exact": half(), "rounded": rounded} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRoom(t, settings)
			sample.Write(t, r.store, r.operator, func(tx *db.Tx) error {
				r.snapshot = sample.Published(t, tx, settings, append(keys(), keys()[essay])...)
				return nil
			})
			all := r.class()
			r.apply(r.draft(RuleFullCredit, choice, Parameters{}, all[0], all[2], all[3]).ID)
			for _, d := range []struct {
				rule  string
				place int
				p     Parameters
			}{
				{RuleExempt, essay, Parameters{}},
				{RuleRekey, choice, Parameters{CorrectOptionIDs: []string{"B"}}},
				{RuleRekey, number, Parameters{Value: ptr(12.0)}},
				{RuleAdjust, several, Parameters{Score: ptr(0.6)}},
				{RuleFullCredit, essay, Parameters{}},
				{RuleFullCredit, survey, Parameters{}},
			} {
				made := r.draft(d.rule, d.place, d.p)
				r.happensAsSaid(t, all, made.ID, ActionApply, Apply)
				if d.place != choice {
					r.happensAsSaid(t, all, made.ID, ActionRevert, Revert)
				}
			}
			r.happensAsSaid(t, all, r.draft(RuleExempt, number, Parameters{}, all[1], all[4]).ID, ActionApply, Apply)
		})
	}
}

// class submits all kinds of answers, one with two essays that wait, and marks an essay; the last
// one is voided.
func (r *room) class() []ids.ID {
	r.t.Helper()
	wrong := []string{`{"optionIds":["B"]}`, `{"optionIds":["A","D"]}`, `{"text":"red"}`, `{"number":12.5}`}
	all := []ids.ID{
		r.submit(allRight...), r.submit(wrong...), r.submit(), r.submit(allRight[:4]...), r.submit(wrong[0], "", "", "", allRight[essay]),
		r.submit(`{"optionIds":["C"]}`, allRight[1], allRight[2]), r.submit(append(slices.Clone(allRight), allRight[essay])...), r.submit(allRight...), r.submit(allRight...),
	}
	_, err := r.mark(r.reviewer, all[7], essay, 1.5)
	if err != nil {
		r.t.Fatal(err)
	}
	r.void(all[8])
	return all
}

// happensAsSaid compares a preview of the action with the submissions before and after it.
func (r *room) happensAsSaid(t *testing.T, all []ids.ID, id ids.ID, action string, do func(context.Context, *db.Tx, ids.ID) (Remediation, error)) {
	t.Helper()
	about, err := r.ask(id, Get)
	if err != nil {
		t.Fatal(err)
	}
	got, pages := r.pages(t, id, action)
	before := r.standings(all)
	done := r.through(id, do)
	after := r.standings(all)
	want := Preview{Action: action, Submissions: done.Submissions, Flips: []Flip{}}
	var affected []Affected
	flips := map[Flip]int{}
	for _, s := range all {
		b, a := before[s], after[s]
		r.addsUp(t, a)
		if b.ScoreVersion == a.ScoreVersion {
			continue
		}
		want.Changed++
		share := func(s submission.Submission) *big.Rat {
			return new(big.Rat).Quo(decimal(*s.Score), decimal(*s.MaxScore))
		}
		switch share(a).Cmp(share(b)) {
		case 1:
			want.Raised++
		case -1:
			want.Lowered++
		}
		if a.OutcomeCode != b.OutcomeCode {
			flips[Flip{From: b.OutcomeCode, To: a.OutcomeCode}]++
		}
		affected = append(affected, Affected{SubmissionID: s, UserID: r.candidate.Actor.ID,
			Before: r.standing(b, about.QuestionVersionID), After: r.standing(a, about.QuestionVersionID)})
	}
	for f, n := range flips {
		want.Flips = append(want.Flips, Flip{f.From, f.To, n})
	}
	byID := func(a, b Affected) int { return slices.Compare(a.SubmissionID[:], b.SubmissionID[:]) }
	slices.SortFunc(affected, byID)
	sorted := cmpopts.SortSlices(func(a, b Flip) bool { return a.From+a.To < b.From+b.To })
	got.Affected = db.List[Affected]{}
	if diff := cmp.Diff(want, got, sorted); diff != "" {
		t.Errorf("%s of a %s (-happened +said):\n%s", action, about.Rule, diff)
	}
	if diff := cmp.Diff(affected, pages); diff != "" {
		t.Errorf("%s of a %s (-happened +said):\n%s", action, about.Rule, diff)
	}
}

// decimal is the number that people read.
func decimal(x float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'f', -1, 64))
	return r
}

// addsUp compares the totals of a submission with the sum of all its items.
func (r *room) addsUp(t *testing.T, s submission.Submission) {
	t.Helper()
	var items []scoring.Item
	var keys []scoring.Key
	for _, i := range s.Items {
		at := slices.IndexFunc(r.snapshot.Sections[0].Items, func(of authoring.SnapshotItem) bool { return of.ItemID == i.ItemID })
		keys = append(keys, r.item(at).Key)
		items = append(items, scoring.Item{Status: scoring.Status(i.ScoreStatus), Score: *i.Score, MaxScore: *i.MaxScore})
	}
	want := scoring.Total(items, keys, r.snapshot.Settings.ScoringConfig, r.snapshot.Settings.PassMarkPercent)
	if *s.Score != want.Score || *s.MaxScore != want.MaxScore || s.OutcomeCode != string(want.OutcomeCode) {
		t.Errorf("%s: got %v of %v, %s; its items make %v of %v, %s", s.ID, *s.Score, *s.MaxScore, s.OutcomeCode, want.Score, want.MaxScore, want.OutcomeCode)
	}
}

// pages reads a preview two submissions at a time.
func (r *room) pages(t *testing.T, id ids.ID, action string) (Preview, []Affected) {
	t.Helper()
	var p Preview
	var all []Affected
	for n := 1; n == 1 || len(all) < p.Affected.Total; n++ {
		err := r.store.Read(t.Context(), r.reviewer, func(tx *db.Tx) (err error) {
			p, err = Look(t.Context(), tx, PreviewInput{ID: id, Action: action, Page: db.Page{Page: n, Limit: 2}})
			return err
		})
		if err != nil || (len(p.Affected.Items) == 0 && n > 1) {
			t.Fatalf("page %d of %d changes: %v", n, p.Changed, err)
		}
		all = append(all, p.Affected.Items...)
	}
	return p, all
}

func (r *room) standings(all []ids.ID) map[ids.ID]submission.Submission {
	r.t.Helper()
	found := map[ids.ID]submission.Submission{}
	for _, id := range all {
		found[id] = r.get(id)
	}
	return found
}

func (r *room) standing(s submission.Submission, question ids.ID) Standing {
	for _, i := range s.Items {
		if i.QuestionVersionID == question {
			return Standing{Score: *s.Score, MaxScore: *s.MaxScore, OutcomeCode: s.OutcomeCode, ItemStatus: i.ScoreStatus,
				ItemScore: *i.Score, ItemMaxScore: *i.MaxScore}
		}
	}
	r.t.Fatal("no such item")
	return Standing{}
}
