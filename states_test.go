package assess_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"assess/models"
	"assess/pkg/dev/golden"
	"assess/pkg/exam/review"
	"assess/pkg/exam/session"
)

const (
	statesBegin = "<!-- transitions: made by a test from the tables of the code; GOLDEN=1 writes them anew -->\n"
	statesEnd   = "<!-- end of transitions -->\n"
)

// TestDiagramsShowTheTransitionsOfTheCode holds the diagrams of docs/sessions.md against
// the tables that the code obeys.
func TestDiagramsShowTheTransitionsOfTheCode(t *testing.T) {
	t.Parallel()
	const file = "docs/sessions.md"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(page), statesBegin)
	_, after, ends := strings.Cut(rest, statesEnd)
	if !begins || !ends {
		t.Fatalf("%s has no place for the diagrams", file)
	}
	made := statesBegin + "\nA session:\n\n" + diagram(session.Transitions) +
		"\nIts submission, and what reviewers say of it (`approval_status`):\n\n" +
		diagram(review.StatusTransitions) + "\n" + diagram(review.ApprovalTransitions()) + "\n" + statesEnd
	golden.Check(t, []byte(before+made+after), file)
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
