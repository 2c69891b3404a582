package apptest_test

import (
	"fmt"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"assess/pkg/ids"
)

// kinds of calls, as often as they are to come.
var kinds = []string{"start", "start", "save", "save", "save", "save", "event", "resume", "submit", "submit", "submit", "submit", "close", "extend",
	"overrun", "expire", "rest", "abandon", "void", "mark", "draft", "apply", "apply", "revert", "work", "work", "work", "project", "retry", "retry"}

// draw makes up a call that fits what is there, and gives it a key of its own where its kind
// has one.
func (h *history) draw() call {
	kind := rapid.SampledFrom(kinds).Draw(h.T, "kind")
	if kind == "retry" && len(h.calls) > 0 {
		return rapid.SampledFrom(h.calls).Draw(h.T, "again")
	}
	c := h.drawNew(kind)
	if !slices.Contains([]string{"save", "event", "overrun", "rest", "expire", "abandon", "work", "project"}, c.kind) {
		h.drawn++
		c.key = fmt.Sprintf("%s-%d", c.kind, h.drawn)
	}
	return c
}

func (h *history) drawNew(kind string) call {
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
		c.remedy = rapid.SampledFrom(remedies).Draw(h.T, "remedy")
		return c
	}
	if kind == "start" || len(sessions) == 0 {
		c.kind, c.exam, c.by = "start", rapid.SampledFrom([]string{"timed", "untimed"}).Draw(h.T, "exam"), rapid.SampledFrom(candidates).Draw(h.T, "candidate")
		return c
	}
	return h.drawAbout(c, h.model.sessions[rapid.SampledFrom(sessions).Draw(h.T, "session")])
}

// drawAbout makes up what is done with a session.
func (h *history) drawAbout(c call, s *session) call {
	c.session, c.exam = s.name, s.exam
	switch c.kind {
	case "mark":
		c.item, c.share = rapid.IntRange(0, len(paper)-1).Draw(h.T, "item"), rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(h.T, "share")
	case "save", "event", "resume", "submit":
		c.by = rapid.SampledFrom([]string{"owner", "owner", "owner", "owner", "owner", "proctor", "stranger"}).Draw(h.T, "by")
		c.view = rapid.IntRange(1, s.view).Draw(h.T, "view")
	}
	switch c.kind {
	case "save":
		for _, item := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(paper)-1), 1, 4, rapid.ID[int]).Draw(h.T, "items") {
			c.answers = append(c.answers, sent{item, rapid.Int64Range(1, 4).Draw(h.T, "sequence"),
				rapid.SampledFrom(append([]string{""}, paper[item].words...)).Draw(h.T, "word")})
		}
	case "event":
		c.events = map[string]string{}
		for range rapid.IntRange(1, 3).Draw(h.T, "events") {
			c.events[ids.New().String()] = rapid.SampledFrom([]string{"focus_lost", "focus_gained", "copy"}).Draw(h.T, "type")
		}
	case "submit":
		c.revision = rapid.SampledFrom([]int64{-1, -1, s.revision, s.revision, s.revision + 1}).Draw(h.T, "revision")
		if c.by == "proctor" && rapid.Bool().Draw(h.T, "any view") {
			c.view = 0
		}
	}
	return c
}

// drawDraft makes up a remediation of one or two submissions, or of all of an exam.
func (h *history) drawDraft(c call) call {
	c.kind, c.exam = "draft", rapid.SampledFrom([]string{"timed", "untimed"}).Draw(h.T, "exam")
	c.rule = rapid.SampledFrom([]string{"exempt_question", "full_credit", "adjust_item", "rekey"}).Draw(h.T, "rule")
	c.item = rapid.IntRange(0, len(paper)-1).Draw(h.T, "item")
	c.share = rapid.SampledFrom([]float64{0, 0.25, 1}).Draw(h.T, "share")
	if c.rule == "rekey" && paper[c.item].qtype == "essay" {
		c.item = 0
	}
	c.word = rapid.SampledFrom(paper[c.item].words).Draw(h.T, "right")
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
