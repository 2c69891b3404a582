package assess_test

import (
	"fmt"
	"strings"
	"testing"

	"assess/models"
	"assess/pkg/dev/golden"
	"assess/pkg/exam/review"
	"assess/pkg/exam/session"
)

// The diagrams of docs/sessions.md are made from the tables that the code obeys.
func TestDiagramsShowTheTransitionsOfTheCode(t *testing.T) {
	t.Parallel()
	golden.Part(t, "A session:\n\n"+diagram(session.Transitions)+
		"\nIts submission, and what reviewers say of it (`approval_status`):\n\n"+
		diagram(review.StatusTransitions)+"\n"+diagram(review.ApprovalTransitions()), "docs/sessions.md")
}

// diagram draws transitions as Mermaid does, which GitHub shows as a picture.
func diagram(transitions []models.Transition) string {
	var b strings.Builder
	b.WriteString("```mermaid\nstateDiagram-v2\n")
	entered, left := map[string]bool{}, map[string]bool{}
	var states []string
	for _, t := range transitions {
		from := t.From
		if from == "" {
			from = "[*]"
		}
		fmt.Fprintf(&b, "    %s --> %s: %s\n", from, t.To, t.By)
		left[t.From] = true
		if !entered[t.To] {
			entered[t.To], states = true, append(states, t.To)
		}
	}
	for _, state := range states {
		if !left[state] {
			fmt.Fprintf(&b, "    %s --> [*]\n", state)
		}
	}
	b.WriteString("```\n")
	return b.String()
}
