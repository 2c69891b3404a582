package page

import (
	"strings"

	"assess/pkg/trust/readiness"
)

// readinessNotices say whether a result can be defended, and what speaks against it, entry by entry.
func readinessNotices(koe readiness.KoeStatus, proof readiness.ProofReadiness) []Notice {
	ready := Notice{Tone: Good, Label: "Ready", Text: "The result can be defended as it stands."}
	if !proof.ReadyNow {
		ready = Notice{Tone: Bad, Label: "Not ready", Text: "Something speaks against the result."}
		if proof.DefensibleAtExecution {
			ready.Text += " What was asked at submit was met."
		}
	}
	all := []Notice{ready}
	for _, e := range []struct {
		name string
		readiness.EntryStatus
	}{{"Knowledge", koe.Knowledge}, {"Observation", koe.Observation}, {"Evidence", koe.Evidence}} {
		if len(e.Reasons) > 0 {
			all = append(all, Notice{Tone: readinessTone(e.State), Label: e.name, Text: sentences(e.Reasons)})
		}
	}
	if tightened := "policy_requirements_tightened"; len(proof.Reasons) > 0 && proof.Reasons[len(proof.Reasons)-1] == tightened {
		all = append(all, Notice{Tone: Bad, Label: "Policy", Text: readiness.Find(tightened).Text})
	}
	return all
}

// sentences are the reasons in words.
func sentences(reasons []string) string {
	var all []string
	for _, code := range reasons {
		all = append(all, readiness.Find(code).Text)
	}
	return strings.Join(all, " ")
}

func readinessTone(s readiness.State) Tone {
	switch s {
	case readiness.NotMet:
		return Bad
	case readiness.Pending:
		return Warning
	}
	return Good
}
