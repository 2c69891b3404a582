package remediation

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/surface/demo"
)

// rekeyed is the item of the real exam that gets another key.
const rekeyed = 7

// TestRekeyOfARealExam gives an item of an exam that 379 persons took another key, and
// compares everybody's score and outcome with plain counting.
func TestRekeyOfARealExam(t *testing.T) {
	t.Parallel()
	data := psych101(t)
	r := newRoom(t, authoring.Settings{})
	mark, newKey := 60.0, "A"
	if data.Items[rekeyed].Key == newKey {
		newKey = "B"
	}
	var all []ids.ID
	sample.Write(t, r.store, r.operator, func(tx *db.Tx) error {
		r.snapshot = sample.Published(t, tx, authoring.Settings{PassMarkPercent: &mark}, keysOf(data)...)
		return nil
	})
	for _, person := range data.Persons {
		var responses []string
		for _, letter := range person.Responses {
			responses = append(responses, responseOf(letter))
		}
		all = append(all, r.submit(responses...))
	}
	made := r.draft(RuleRekey, rekeyed, Parameters{CorrectOptionIDs: []string{newKey}})
	look, err := r.preview(made.ID, "")
	if err != nil {
		t.Fatal(err)
	}
	done := r.apply(made.ID)
	changed, flips := 0, map[[2]string]int{}
	for i, person := range data.Persons {
		before, after := count(data, person, ""), count(data, person, newKey)
		if got := r.stands(all[i]); got != (stand{float64(after), outcomeOf(after)}) {
			t.Errorf("%s: got %v, want %d, %s", person.ID, got, after, outcomeOf(after))
		}
		if before != after {
			changed++
		}
		if outcomeOf(before) != outcomeOf(after) {
			flips[[2]string{outcomeOf(before), outcomeOf(after)}]++
		}
	}
	t.Logf("key %s instead of %s: %d of %d persons change, outcomes %v", newKey, data.Items[rekeyed].Key, changed, len(data.Persons), flips)
	if done.Submissions != len(data.Persons) || done.Changed != changed || look.Changed != changed || changed == 0 {
		t.Errorf("changed: got %d of %d, previewed %d, want %d", done.Changed, done.Submissions, look.Changed, changed)
	}
	for _, f := range look.Flips {
		if flips[[2]string{f.From, f.To}] != f.Count {
			t.Errorf("flips from %s to %s: previewed %d, want %d", f.From, f.To, f.Count, flips[[2]string{f.From, f.To}])
		}
	}
	r.revert(made.ID)
	for i, person := range data.Persons {
		if got := r.stands(all[i]); got.score != float64(count(data, person, "")) {
			t.Errorf("%s after revert: got %v", person.ID, got)
		}
	}
}

// stand is the worth of a submission.
type stand struct {
	score   float64
	outcome string
}

func (r *room) stands(id ids.ID) stand {
	r.t.Helper()
	var s stand
	err := r.store.Read(r.t.Context(), r.operator, func(tx *db.Tx) error {
		return tx.QueryRow(r.t.Context(), "select score::float8, outcome_code from submissions where tenant_id = $1 and id = $2", tx.Tenant(), id).
			Scan(&s.score, &s.outcome)
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// psych101 reads the exam.
func psych101(t *testing.T) demo.Dataset {
	t.Helper()
	folder := os.Getenv("ASSESS_TESTDATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "..", "shared", "data")
	}
	folder = filepath.Join(folder, "psych101")
	_, err := os.Stat(folder)
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("no real data: %v; ASSESS_TESTDATA names its folder", err)
	}
	data, err := demo.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func keysOf(data demo.Dataset) []scoring.Key {
	var all []scoring.Key
	for _, item := range data.Items {
		k := scoring.Key{QType: scoring.MCQ, Weight: 1, ContributesToScore: true}
		for i := range item.Options {
			letter := string(rune('A' + i))
			k.Options = append(k.Options, scoring.OptionKey{ID: letter, Correct: letter == item.Key})
		}
		all = append(all, k)
	}
	return all
}

func responseOf(letter string) string {
	if letter == "" {
		return ""
	}
	return fmt.Sprintf(`{"optionIds":[%q]}`, letter)
}

// count gives the right answers of a person, with another key for the one item or none.
func count(data demo.Dataset, person demo.Person, newKey string) int {
	n := 0
	for i, item := range data.Items {
		key := item.Key
		if i == rekeyed && newKey != "" {
			key = newKey
		}
		if person.Responses[i] != "" && person.Responses[i] == key {
			n++
		}
	}
	return n
}

func outcomeOf(right int) string {
	if right >= 60 {
		return "pass"
	}
	return "fail"
}
