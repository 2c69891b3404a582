package app_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/browser"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// told lists what a result has: the headings, each once, and the points.
const told = `[...new Set([...document.querySelectorAll("h2, h3")].map(h => h.innerText)), ...["p.outcome", "p.points"].filter(s => document.querySelector(s))]`

// TestACandidateIsToldWhatTheExamAllows hands in an answer under each mode of feedback: one's own answers are always there.
func TestACandidateIsToldWhatTheExamAllows(t *testing.T) {
	t.Parallel()
	p := browser.Open(t, browser.Look{Width: 390})
	h := newHouse(t)
	_, c := h.startWithClient(t)
	for i, tt := range []struct {
		name string
		set  func(*authoring.Settings)
		want []string
	}{
		{"none", func(s *authoring.Settings) { s.FeedbackMode = "none" }, nil},
		{"overall", func(s *authoring.Settings) { s.FeedbackMode = "overall" }, []string{"p.outcome"}},
		{"tags", func(s *authoring.Settings) { s.FeedbackMode, s.FeedbackTagKeys = "tags", []string{"topic"} }, []string{"By topic", "p.outcome"}},
		{"items", func(s *authoring.Settings) { s.FeedbackPolicy = authoring.FeedbackPolicy{} }, []string{"p.outcome", "p.points"}},
		{"items with everything", func(s *authoring.Settings) { s.FeedbackPolicy.ShowExplanation = true }, []string{"Right is", "Why", "p.outcome", "p.points"}},
	} {
		p.Visit(h.inviteTo(t, h.setExam(t, tt.set), fmt.Sprintf("eve%d@example.net", i)))
		p.Click("button=Sign in")
		p.Click("button=Start")
		p.Click("input[value=A]")
		p.See("Everything is saved.")
		p.Click("nav li:last-child button")
		p.Click("button=To the end")
		p.Click("button=Submit my answers")
		p.See("Your answers are submitted")
		p.See("Four")
		got := map[string]bool{}
		for _, one := range browser.Read[[]string](p, told) {
			got[one] = true
		}
		want := map[string]bool{"Your answers": true, "You answered": true}
		for _, one := range tt.want {
			want[one] = true
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		look(p, "submitted")
		p.Click("button=My exams")
		p.See("Hello")
		p.Click("button=Sign out")
		p.See("You are signed out.")
		p.Visit("about:blank")
		p.Visit(c.url)
	}
}

// TestAGridOfPairsFitsOnATelephone answers a grid, which a telephone shows prompt by prompt, and a desk as a table.
func TestAGridOfPairsFitsOnATelephone(t *testing.T) {
	t.Parallel()
	p := browser.Open(t, browser.Look{Width: 390})
	h := newHouse(t)
	h.startWithClient(t)
	words := []string{"Constantinople", "Thessaloniki", "Gaziantep", "Alexandroupoli", "Kastamonu", "Adrianople", "Philippopolis"}
	in := authoring.QuestionInput{QType: scoring.Match, Layout: "grid", Stem: sample.Content("Which name is which?", "Welcher?"),
		Scoring: &authoring.QuestionScoring{Pairs: []scoring.Pair{{"p1", "A"}}}}
	for i, word := range words {
		in.Options = append(in.Options, authoring.OptionInput{ID: string(rune('A' + i)), Content: sample.Content(word, word)})
	}
	for _, word := range []string{"Istanbul", "Edirne"} {
		in.Prompts = append(in.Prompts, authoring.PromptInput{Content: sample.Content(word, word)})
	}
	p.Visit(h.inviteTo(t, h.setQuestion(t, in), "eve@example.net"))
	p.Click("button=Sign in")
	p.Click("button=Start")
	p.See("Which name is which?")
	p.See("Philippopolis")
	look(p, "match")
	p.Picture("candidate-grid-390")
	if n := browser.Read[int](p, `[...document.querySelectorAll(".wide label > div")].filter(d => d.getClientRects().length).length`); n != 2*len(words) {
		t.Errorf("a telephone shows %d words at their boxes", n)
	}
	p.Click(`input[aria-label="Edirne: Adrianople"]`)
	p.See("Everything is saved.")
	p.LookAt(browser.Look{Width: 1280})
	if n := browser.Read[int](p, `[...document.querySelectorAll(".wide label > div")].filter(d => d.getClientRects().length).length`); n != 0 {
		t.Errorf("a desk says %d words twice", n)
	}
	p.Picture("candidate-grid-1280")
	p.Reload()
	p.Has(`input[aria-label="Edirne: Adrianople"]:checked`)
}

// setQuestion publishes an exam of one question.
func (h *house) setQuestion(t *testing.T, in authoring.QuestionInput) (evaluation ids.ID) {
	t.Helper()
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		q, err := authoring.CreateQuestion(t.Context(), tx, in)
		if err == nil {
			_, err = authoring.PublishQuestion(t.Context(), tx, q.ID)
		}
		if err != nil {
			return err
		}
		e, err := authoring.CreateEvaluation(t.Context(), tx, sample.EvaluationInput(q.ID))
		if err == nil {
			_, err = authoring.PublishEvaluation(t.Context(), tx, e.ID)
		}
		evaluation = e.ID
		return err
	})
	return evaluation
}
