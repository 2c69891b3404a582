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
// While its time is over and nobody has noticed, its state is overdue.
type modelled struct {
	*room
	id        ids.ID
	timed     bool
	state     string
	voided    bool
	view      int
	revision  int64
	events    int
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

// refusal is the code with which a device of a view is refused; empty when it is not.
func (m *modelled) refusal(view int) errs.Code {
	switch {
	case m.state != "open":
		return errs.SessionNotOpen
	case view != m.view:
		return errs.SessionSuperseded
	}
	return ""
}

// wants fails unless an operation was refused with the code, or went well for none.
func wants(t *rapid.T, m *modelled, err error, code errs.Code) bool {
	if code == "" && err != nil || code != "" && errs.Of(err).Code != code {
		t.Fatalf("%s session of view %d: got %v, want %q", m.state, m.view, err, code)
	}
	return err == nil
}

// Random histories of sessions with and without a time limit, on several devices, with
// proctors and reviewers, leave what a model of a few lines says.
func TestHistoriesFollowTheModel(t *testing.T) {
	t.Parallel()
	keys := []string{"A", "B", "C"}
	timed := newRoom(t, authoring.Settings{TimeLimitSeconds: ptr(3600)}, sample.Choice(keys[0]), sample.Choice(keys[1]), sample.Choice(keys[2]))
	untimed := newRoom(t, authoring.Settings{}, sample.Choice(keys[0]), sample.Choice(keys[1]), sample.Choice(keys[2]))
	rapid.Check(t, func(t *rapid.T) {
		var sessions []*modelled
		on := func(do func(*rapid.T, *modelled)) func(*rapid.T) {
			return func(t *rapid.T) {
				if len(sessions) == 0 {
					t.Skip("no session yet")
				}
				do(t, rapid.SampledFrom(sessions).Draw(t, "session"))
			}
		}
		start := func(r *room, timed bool) func(*rapid.T) {
			return func(*rapid.T) {
				sessions = append(sessions, &modelled{room: r, id: r.start(r.candidate).ID, timed: timed, state: "open", view: 1})
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"start timed": start(timed, true), "start untimed": start(untimed, false),
			"save": on(modelSave), "event": on(modelEvent), "submit": on(modelSubmit), "resume": on(modelResume),
			"overrun": on(modelOverrun), "expire": on(modelExpire), "abandon": on(modelAbandon),
			"close": on(modelClose), "extend": on(modelExtend), "void": on(modelVoid), "read": on(modelCheck),
		})
		for _, m := range sessions {
			modelCheck(t, m)
		}
	})
}

// device chooses one of the devices that had the session.
func (m *modelled) device(t *rapid.T) int { return rapid.IntRange(1, m.view).Draw(t, "view") }

func modelSave(t *rapid.T, m *modelled) {
	i := rapid.IntRange(0, 2).Draw(t, "item")
	sequence := rapid.Int64Range(1, 4).Draw(t, "sequence")
	option := rapid.SampledFrom([]string{"A", "B", "C", "D"}).Draw(t, "option")
	view, one := m.device(t), answer(m.item(i), sequence, fmt.Sprintf(`{"optionIds":[%q]}`, option))
	// A client that heard nothing sends the same again.
	for range rapid.IntRange(1, 2).Draw(t, "times") {
		receipt, err := m.saveFrom(m.candidate, m.id, view, one)
		if !wants(t, m, err, m.refusal(view)) {
			return
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
}

func modelSubmit(t *rapid.T, m *modelled) {
	view := m.device(t)
	result, err := m.submitFrom(m.candidate, m.id, &view)
	refusal := m.refusal(view)
	if m.state == "overdue" || m.state == "submitted" || m.state == "expired" {
		refusal = ""
	}
	if !wants(t, m, err, refusal) {
		return
	}
	complete, status := m.state == "submitted" || m.state == "expired", "completed"
	if m.voided {
		status = "voided"
	}
	if result.AlreadyComplete != complete || result.Status != status || *result.Score != m.score() || *result.MaxScore != 3 {
		t.Fatalf("got %+v, want alreadyComplete %v, score %v", result, complete, m.score())
	}
	switch m.state {
	case "open":
		m.state = "submitted"
	case "overdue":
		m.state = "expired"
	}
}

func modelResume(t *rapid.T, m *modelled) {
	taken, err := m.resume(m.candidate, m.id)
	if !wants(t, m, err, m.refusal(m.view)) {
		return
	}
	m.view++
	if taken.View != m.view || taken.Revision != m.revision {
		t.Fatalf("took over view %d at revision %d, want %d, %d", taken.View, taken.Revision, m.view, m.revision)
	}
}

// modelCheck reads the session back, with its submission and events.
func modelCheck(t *rapid.T, m *modelled) {
	s, err := m.get(m.candidate, m.id)
	if err != nil {
		t.Fatal(err)
	}
	want, state := map[ids.ID]string{}, m.state
	for i, option := range m.options {
		if option != "" {
			want[m.item(i)] = fmt.Sprintf(`{"optionIds": [%q]}`, option)
		}
	}
	if state == "overdue" {
		state = "expired"
	}
	got := map[ids.ID]string{}
	for _, a := range s.Answers {
		got[a.ItemID] = string(a.Response)
	}
	if diff := cmp.Diff(want, got); diff != "" || s.State != state || s.Revision != m.revision || s.View != m.view {
		t.Fatalf("got state %s, revision %d, view %d, want %s, %d, %d; answers (-want +got):\n%s",
			s.State, s.Revision, s.View, state, m.revision, m.view, diff)
	}
	var record string
	var events int
	m.scan(`select coalesce((select status || ' ' || score::float8 from submissions where tenant_id = $1 and id = $2), 'none'),
		(select count(*) from session_events where tenant_id = $1 and session_id = $2)`, m.id, &record, &events)
	if record != m.wanted() || events != m.events {
		t.Fatalf("%s session: submission %s with %d events, want %s with %d", m.state, record, events, m.wanted(), m.events)
	}
}

// wanted is what the submission should be.
func (m *modelled) wanted() string {
	switch {
	case m.voided:
		return fmt.Sprintf("voided %v", m.score())
	case m.state == "submitted" || m.state == "expired":
		return fmt.Sprintf("completed %v", m.score())
	}
	return "none"
}
