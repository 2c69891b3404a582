package apptest_test

import (
	"maps"
	"slices"

	"pgregory.net/rapid"
)

// story is what happened so far according to the model, and makes up what comes next.
type story struct {
	*rapid.T
	items map[string][]string
	calls []call
	drawn int
	model *model
}

func begin(rt *rapid.T, items map[string][]string) *story {
	s := &story{T: rt, items: items}
	s.model, _ = after(items, nil)
	return s
}

// evenly draws each of some things as often as any other. Rapid itself mostly draws the first ones,
// and histories differ by the late ones.
func evenly[V any](t *rapid.T, label string, all []V) V {
	return rapid.Custom(func(t *rapid.T) V {
		n := 0
		for range 10 {
			n *= 2
			if rapid.Bool().Draw(t, "bit") {
				n++
			}
		}
		return all[n*len(all)>>10]
	}).Draw(t, label)
}

// upTo gives the numbers from 0 to n.
func upTo(n int) []int {
	all := make([]int, n+1)
	for i := range all {
		all[i] = i
	}
	return all
}

func (h *story) steps() int { return 5 + evenly(h.T, "steps", upTo(30)) }

// end hands in the sessions that are still open, since nothing is scored before.
func (h *story) end() []call {
	var calls []call
	for _, name := range slices.Sorted(maps.Keys(h.model.sessions)) {
		if s := h.model.sessions[name]; s.state == "open" && rapid.Bool().Draw(h.T, "hand in") {
			calls = append(calls, call{kind: "submit", by: "owner", session: name, exam: s.exam, view: s.view, revision: -1, key: "end-" + name})
		}
	}
	return append(calls, call{kind: "expire"})
}

// next are the calls of a step: one, or up to three that are made at once.
func (h *story) next() []call {
	calls := []call{h.draw()}
	for range evenly(h.T, "more at once", []int{0, 0, 0, 0, 0, 0, 1, 2}) {
		calls = append(calls, h.draw())
	}
	return calls
}

// drawSequel makes up, two times out of three, the call that tells most after the last one: an
// event is sent again, a submission is marked, a key is changed where a person marked, and the
// other way round.
func (h *story) drawSequel() (call, bool) {
	if len(h.calls) == 0 || evenly(h.T, "sequel", upTo(2)) == 0 {
		return call{}, false
	}
	last := h.calls[len(h.calls)-1]
	c := call{by: "proctor", revision: -1, session: last.session, exam: last.exam, remedy: last.remedy}
	switch last.kind {
	case "event":
		return last, true
	case "start":
		c.kind = evenly(h.T, "first", []string{"save", "save", "event"})
		return h.drawAbout(c, h.model.sessions[last.key]), true
	case "save", "submit":
		return h.drawOn(c, h.model.sessions[last.session])
	case "mark":
		return h.drawRekey(c, last.item), last.item != essay
	case "draft":
		c.kind, c.remedy = "apply", last.key
		return c, true
	case "apply", "revert":
		c.kind = "work"
		return c, true
	case "work":
		return h.drawMarkOf(c, h.model.remedies[last.remedy])
	}
	return call{}, false
}

// drawOn makes up how it goes on with a session: to be handed in, and then marked.
func (h *story) drawOn(c call, s *attempt) (call, bool) {
	switch {
	case s.state == "open":
		c.kind = evenly(h.T, "then", []string{"save", "event", "submit", "submit"})
	case s.status() == "completed":
		c.kind = "mark"
	default:
		return call{}, false
	}
	return h.drawAbout(c, s), true
}

// drawRekey makes up a new key for an item of the exam, or of the submission that was marked.
func (h *story) drawRekey(c call, item int) call {
	c.kind, c.rule, c.item, c.word = "draft", "rekey", item, evenly(h.T, "right", paper[item].words)
	if h.model.sessions[c.session].status() != "" && rapid.Bool().Draw(h.T, "chosen") {
		c.chosen = []string{c.session}
	}
	return c
}

// drawMarkOf makes up a mark of what a remediation is about.
func (h *story) drawMarkOf(c call, r *remedy) (call, bool) {
	about := slices.Sorted(maps.Keys(r.about))
	if len(about) == 0 {
		return call{}, false
	}
	c.kind = "mark"
	c = h.drawAbout(c, h.model.sessions[evenly(h.T, "of", about)])
	c.item = r.item
	return c, true
}
