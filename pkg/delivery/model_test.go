package delivery_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"assess/pkg/authoring"
	"assess/pkg/errs"
	"assess/pkg/ids"
	"assess/pkg/sample"
)

// modelled is what a session should be: the model that random histories are held against.
type modelled struct {
	id        ids.ID
	state     string
	revision  int64
	sequences [3]int64
	options   [3]string
}

// right are the keys of the three items.
var right = [3]string{"A", "B", "C"}

func (m *modelled) score() float64 {
	score := 0.0
	for i, option := range m.options {
		if option == right[i] {
			score++
		}
	}
	return score
}

// Random starts, saves, submits, expiries and closings leave what a model of a few lines
// says.
func TestHistoriesFollowTheModel(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{TimeLimitSeconds: ptr(3600)}, sample.Choice("A"), sample.Choice("B"), sample.Choice("C"))
	rapid.Check(t, func(t *rapid.T) {
		var sessions []*modelled
		one := func(t *rapid.T) *modelled {
			if len(sessions) == 0 {
				t.Skip("no session yet")
			}
			return rapid.SampledFrom(sessions).Draw(t, "session")
		}
		t.Repeat(map[string]func(*rapid.T){
			"start":  func(*rapid.T) { sessions = append(sessions, &modelled{id: r.start(r.candidate).ID, state: "open"}) },
			"save":   func(t *rapid.T) { r.modelSave(t, one(t)) },
			"submit": func(t *rapid.T) { r.modelSubmit(t, one(t)) },
			"overrun": func(t *rapid.T) {
				m := one(t)
				r.overrun(m.id)
				if m.state == "open" {
					m.state = "overdue"
				}
			},
			"close": func(t *rapid.T) {
				m := one(t)
				r.exec("update sessions set state = 'closed', ended_at = now() where id = $1 and state = 'open'", m.id)
				if m.state == "open" || m.state == "overdue" {
					m.state = "closed"
				}
			},
			"read": func(t *rapid.T) { r.modelCheck(t, one(t)) },
		})
		for _, m := range sessions {
			r.modelCheck(t, m)
		}
	})
}

func (r *room) modelSave(t *rapid.T, m *modelled) {
	i := rapid.IntRange(0, 2).Draw(t, "item")
	sequence := rapid.Int64Range(1, 4).Draw(t, "sequence")
	option := rapid.SampledFrom([]string{"A", "B", "C", "D"}).Draw(t, "option")
	receipt, err := r.save(r.candidate, m.id, answer(r.item(i), sequence, fmt.Sprintf(`{"optionIds":[%q]}`, option)))
	if m.state != "open" {
		if errs.Of(err).Code != errs.SessionNotOpen {
			t.Fatalf("%s session: got %v, want session_not_open", m.state, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	m.revision++
	counts := sequence > m.sequences[i] || sequence == m.sequences[i] && option == m.options[i]
	if counts {
		m.sequences[i], m.options[i] = sequence, option
	}
	if receipt.Revision != m.revision || (len(receipt.Saved) == 1) != counts || (len(receipt.Superseded) == 1) == counts {
		t.Fatalf("got %+v, want revision %d, counts %v", receipt, m.revision, counts)
	}
}

func (r *room) modelSubmit(t *rapid.T, m *modelled) {
	result, err := r.submit(r.candidate, m.id, nil)
	if m.state == "closed" {
		if errs.Of(err).Code != errs.SessionNotOpen {
			t.Fatalf("closed session: got %v, want session_not_open", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	complete := m.state == "submitted" || m.state == "expired"
	if result.AlreadyComplete != complete || *result.Score != m.score() || *result.MaxScore != 3 {
		t.Fatalf("got %+v, want alreadyComplete %v, score %v", result, complete, m.score())
	}
	switch m.state {
	case "open":
		m.state = "submitted"
	case "overdue":
		m.state = "expired"
	}
}

// modelCheck reads the session back.
func (r *room) modelCheck(t *rapid.T, m *modelled) {
	s, err := r.get(r.candidate, m.id)
	if err != nil {
		t.Fatal(err)
	}
	want, state := map[ids.ID]string{}, m.state
	for i, option := range m.options {
		if option != "" {
			want[r.item(i)] = fmt.Sprintf(`{"optionIds": [%q]}`, option)
		}
	}
	if state == "overdue" {
		state = "expired"
	}
	got := map[ids.ID]string{}
	for _, a := range s.Answers {
		got[a.ItemID] = string(a.Response)
	}
	if diff := cmp.Diff(want, got); diff != "" || s.State != state || s.Revision != m.revision {
		t.Fatalf("got state %s, revision %d, want %s, %d; answers (-want +got):\n%s", s.State, s.Revision, state, m.revision, diff)
	}
}
