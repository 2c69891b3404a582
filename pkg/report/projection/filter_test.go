package projection

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// crowd submits many attempts, voids some, and projects them.
func crowd(t *testing.T, w *world, seed int) []*attempt {
	t.Helper()
	var all []*attempt
	for i := range 120 {
		s := rapid.Custom(func(rt *rapid.T) attempt { return drawAttempt(rt, w) }).Example(seed*1000 + i)
		s.submitted, s.voided = true, i%10 == 0
		all = append(all, &s)
		w.write(t, func(ctx context.Context, tx *db.Tx) error {
			err := w.start(ctx, tx, s)
			if err == nil {
				err = w.submit(ctx, tx, s)
			}
			if err == nil && s.voided {
				err = w.void(ctx, tx, s.id)
			}
			return err
		})
	}
	w.drain(t, 50)
	return all
}

// filters are all combinations of the filters of question health.
func (w *world) filters() []Filter {
	from, to := epoch.AddDate(0, 0, 12).Add(5*3600e9), epoch.AddDate(0, 0, 30)
	spring := "spring"
	var all []Filter
	for _, version := range []ids.ID{ids.None, w.versions[0].id, w.versions[1].id} {
		for _, run := range []*string{nil, &spring} {
			for _, tags := range [][]string{nil, {"topic:algebra"}, {"topic:algebra", "topic:sets"}} {
				for _, period := range []Filter{{}, {From: &from}, {To: &to}, {From: &from, To: &to}} {
					period.EvaluationVersionID, period.RunLabel, period.Tags = version, run, tags
					all = append(all, period)
				}
			}
		}
	}
	return all
}

// takes says in plain words whether a filter chooses an answer.
func (f Filter) takes(s *attempt, a answer) bool {
	if f.EvaluationVersionID != ids.None && f.EvaluationVersionID != s.version.id {
		return false
	}
	if f.RunLabel != nil && (s.run == nil || *s.run != *f.RunLabel) {
		return false
	}
	if f.From != nil && s.completedAt.Before(*f.From) || f.To != nil && !s.completedAt.Before(*f.To) {
		return false
	}
	for _, tag := range f.Tags {
		facet, term, _ := strings.Cut(tag, ":")
		if !slices.Contains(a.question.tags[facet], term) {
			return false
		}
	}
	return true
}

// narrowed keeps the answers of an org unit that a filter chooses.
func narrowed(attempts []*attempt, org ids.ID, f Filter) []*attempt {
	var all []*attempt
	for _, s := range attempts {
		if s.version.org != org {
			continue
		}
		kept := *s
		kept.answers = slices.DeleteFunc(slices.Clone(s.answers), func(a answer) bool { return !f.takes(s, a) })
		all = append(all, &kept)
	}
	return all
}

// Every combination of filters gives the same as a slow count of the attempts.
func TestEveryFilterAgreesWithTheCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newStore(t, dbtest.Clone(t)))
	attempts := crowd(t, w, 1)
	scope := db.Scope{Tenant: w.tenant, OrgUnit: w.orgs[0], Actor: db.Actor{Kind: db.SystemActor, Name: "test"}}
	found := 0
	for _, f := range w.filters() {
		want, wantChoices := map[ids.ID]plain{}, map[ids.ID]ChoiceCounts{}
		kept := narrowed(attempts, w.orgs[0], f)
		for k, p := range reference(kept) {
			want[k.Version] = p
		}
		for k, c := range referenceChoices(kept) {
			wantChoices[k.Version] = c
		}
		got, gotChoices := map[ids.ID]plain{}, map[ids.ID]ChoiceCounts{}
		err := w.store.Report(t.Context(), scope, func(tx *db.Tx) error {
			measured, err := Measure(t.Context(), tx, f, ForDetail)
			for _, m := range measured {
				got[m.Health.QuestionVersionID] = plainOf(m.Health)
			}
			if err != nil {
				return err
			}
			gotChoices, err = Choices(t.Context(), tx, f)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, approximately); diff != "" {
			t.Errorf("%s (-count +got):\n%s", f.words(), diff)
		}
		if diff := cmp.Diff(wantChoices, gotChoices); diff != "" {
			t.Errorf("choices, %s (-count +got):\n%s", f.words(), diff)
		}
		found += len(got)
	}
	if found < 60 {
		t.Errorf("all filters together find %d questions: they say nothing", found)
	}
}

func (f Filter) words() string {
	return fmt.Sprintf("version %s, run %v, from %v, to %v, tags %v", f.EvaluationVersionID, f.RunLabel != nil, f.From, f.To, f.Tags)
}

// referenceChoices counts what was chosen, answer by answer.
func referenceChoices(attempts []*attempt) map[rollupKey]ChoiceCounts {
	all := map[rollupKey]ChoiceCounts{}
	for _, s := range attempts {
		if !s.submitted || s.voided {
			continue
		}
		for _, a := range s.answers {
			k := rollupKey{s.version.org, a.question.id}
			for kind, codes := range chosenIn(seenItem{s, a}) {
				for _, code := range codes {
					if all[k] == nil {
						all[k] = ChoiceCounts{}
					}
					if all[k][kind] == nil {
						all[k][kind] = map[string]int64{}
					}
					all[k][kind][code]++
				}
			}
		}
	}
	return all
}

// chosenIn says what one answer counts as, by kind.
func chosenIn(i seenItem) map[string][]string {
	multiple := i.question.qtype == "mrq"
	switch {
	case i.question.qtype != "mcq" && !multiple:
		return nil
	case i.status() == "INVALID" && multiple:
		return map[string][]string{"violation": {*i.invalid}}
	case i.status() != "SCORED":
		return nil
	case !multiple:
		return map[string][]string{"option": i.picked()}
	}
	missed, wrong := i.right() < i.question.right, len(i.options) > i.right()
	var modes []string
	for mode, applies := range map[string]bool{"missed_correct": missed, "selected_incorrect": wrong, "both": missed && wrong} {
		if applies {
			modes = append(modes, mode)
		}
	}
	return map[string][]string{"option": i.picked(), "pattern": {strings.Join(i.picked(), "+")},
		"credit": {strconv.Itoa(int(math.Floor(i.score*10 + 1e-9)))}, "error": modes}
}
