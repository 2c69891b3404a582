package apptest_test

import (
	"fmt"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"assess/pkg/kernel/ids"
)

// kinds of calls, as often as they are to come.
var kinds = []string{"start", "start", "save", "save", "save", "save", "event", "resume", "submit", "submit", "close", "extend",
	"overrun", "expire", "rest", "abandon", "void", "mark", "draft", "apply", "apply", "revert", "revert", "work", "work", "work", "project", "retry", "retry"}

// draw makes up a call that fits the present state, and gives it a key of its own where its kind
// has one.
func (h *story) draw() call {
	c, follows := h.drawSequel()
	if !follows {
		kind := evenly(h.T, "kind", kinds)
		if kind == "retry" && len(h.calls) > 0 {
			return evenly(h.T, "again", h.calls)
		}
		c = h.drawNew(kind)
	}
	if !slices.Contains([]string{"save", "event", "overrun", "rest", "expire", "abandon", "work", "project"}, c.kind) {
		h.drawn++
		c.key = fmt.Sprintf("%s-%d", c.kind, h.drawn)
	}
	return c
}

func (h *story) drawNew(kind string) call {
	c := call{kind: kind, by: "proctor", revision: -1}
	sessions, remedies := slices.Sorted(maps.Keys(h.model.sessions)), slices.Sorted(maps.Keys(h.model.remedies))
	switch kind {
	case "expire", "abandon", "project":
		return call{kind: kind}
	case "draft":
		return h.drawDraft(c)
	case "apply", "revert", "work":
		if len(remedies) == 0 {
			return h.drawDraft(c)
		}
		c.remedy = evenly(h.T, "remedy", remedies)
		return c
	}
	sessions = h.fit(kind, sessions)
	if kind == "start" || len(sessions) == 0 {
		c.kind, c.exam, c.by = "start", evenly(h.T, "exam", []string{"timed", "untimed"}), evenly(h.T, "candidate", candidates)
		return c
	}
	return h.drawAbout(c, h.model.sessions[evenly(h.T, "session", sessions)])
}

// fit leaves, mostly, the sessions that the kind of call is meant for.
func (h *story) fit(kind string, sessions []string) []string {
	if evenly(h.T, "any session", []bool{false, false, false, true}) {
		return sessions
	}
	return slices.DeleteFunc(sessions, func(name string) bool {
		s := h.model.sessions[name]
		if kind == "mark" || kind == "void" {
			return s.status() != "completed"
		}
		return s.state != "open"
	})
}

// items are the places on the paper, as often as calls are about them: mostly the ones where keys
// meet marks and where items wait for marks.
var items = []int{0, 0, 0, 1, 2, 3, essay, essay, essay, 5}

// drawAbout makes up a call about a session.
func (h *story) drawAbout(c call, s *attempt) call {
	c.session, c.exam = s.name, s.exam
	switch c.kind {
	case "mark":
		c.item, c.share = evenly(h.T, "item", s.answered(items)), evenly(h.T, "share", []float64{0, 0.5, 1})
		if s.awaits && rapid.Bool().Draw(h.T, "as awaited") {
			c.item = essay
		}
	case "save", "event", "resume", "submit":
		c.by = evenly(h.T, "by", append(slices.Repeat([]string{"owner"}, 10), "proctor", "stranger"))
		c.view = max(1, s.view-evenly(h.T, "views ago", []int{0, 0, 0, 1}))
	}
	switch c.kind {
	case "save":
		c.answers = h.drawAnswers()
	case "event":
		c.events = h.drawEvents(s)
	case "submit":
		c.revision = evenly(h.T, "revision", []int64{-1, -1, s.revision, s.revision, s.revision + 1})
		if c.by == "proctor" && rapid.Bool().Draw(h.T, "any view") {
			c.view = 0
		}
	}
	return c
}

// answered leaves the places where something is answered, if there are any.
func (s *attempt) answered(items []int) []int {
	all := slices.DeleteFunc(slices.Clone(items), func(item int) bool { return s.answers[item].word == "" })
	if len(all) == 0 {
		return items
	}
	return all
}

// drawAnswers makes up answers to some items, mostly with the essay among them.
func (h *story) drawAnswers() []sent {
	var all []sent
	for n := range evenly(h.T, "answers", []int{1, 2, 3, 4}) {
		item := evenly(h.T, "item", items)
		if n == 0 && rapid.Bool().Draw(h.T, "the essay") {
			item = essay
		}
		if slices.ContainsFunc(all, func(a sent) bool { return a.item == item }) {
			continue
		}
		words := append(slices.Repeat(paper[item].words, 2), "")
		all = append(all, sent{item, evenly(h.T, "sequence", []int64{1, 2, 3, 4}), evenly(h.T, "word", words)})
	}
	return all
}

// drawEvents makes up events, and some that were sent before.
func (h *story) drawEvents(s *attempt) map[string]string {
	all := map[string]string{}
	for range evenly(h.T, "events", []int{1, 2, 3}) {
		all[ids.New().String()] = evenly(h.T, "type", []string{"focus_lost", "focus_lost", "focus_gained", "copy"})
	}
	if len(s.events) > 0 && rapid.Bool().Draw(h.T, "again") {
		id := evenly(h.T, "which", slices.Sorted(maps.Keys(s.events)))
		all[id] = s.events[id]
	}
	return all
}

// drawDraft makes up a remediation of one or two submissions, or of all of an exam.
func (h *story) drawDraft(c call) call {
	c.kind, c.exam = "draft", evenly(h.T, "exam", []string{"timed", "untimed"})
	c.rule = evenly(h.T, "rule", []string{"exempt_question", "full_credit", "adjust_item", "rekey"})
	c.item = evenly(h.T, "item", items)
	c.share = evenly(h.T, "share", []float64{0, 0.25, 1})
	if c.rule == "rekey" && c.item == essay {
		c.item = 0
	}
	c.word = evenly(h.T, "right", paper[c.item].words)
	var there []string
	for _, name := range slices.Sorted(maps.Keys(h.model.sessions)) {
		if s := h.model.sessions[name]; s.exam == c.exam && s.status() != "" {
			there = append(there, name)
		}
	}
	if len(there) > 0 && rapid.Bool().Draw(h.T, "chosen") {
		c.chosen = rapid.SliceOfNDistinct(rapid.SampledFrom(there), 1, min(2, len(there)), rapid.ID[string]).Draw(h.T, "submissions")
	}
	return c
}
