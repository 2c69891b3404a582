package cli

import (
	"strings"

	"assess/pkg/trust/readiness"
)

// ready says whether a result is ready now; a list without readiness says nothing.
func ready(p *readiness.ProofReadiness) string {
	if p == nil {
		return none
	}
	return yesNo(p.ReadyNow)
}

// defensible says whether the execution was, at submit.
func defensible(p *readiness.ProofReadiness) string {
	if p == nil {
		return none
	}
	return yesNo(p.DefensibleAtExecution)
}

// entry is one entry of koeStatus with its name.
type entry struct {
	Entry   string
	State   readiness.State
	Reasons string
}

// reasonsInWords says reasons of readiness in sentences.
func reasonsInWords(codes []string) string {
	var all []string
	for _, code := range codes {
		all = append(all, readiness.Find(code).Text)
	}
	return orDash(strings.Join(all, " "))
}

// entries lists the entries of a submission, and the text for people of each reason.
func entries(k readiness.KoeStatus) []entry {
	var all []entry
	for _, e := range []struct {
		name readiness.Entry
		readiness.EntryStatus
	}{{readiness.Knowledge, k.Knowledge}, {readiness.Observation, k.Observation}, {readiness.Evidence, k.Evidence}} {
		all = append(all, entry{string(e.name), e.State, reasonsInWords(e.Reasons)})
	}
	return all
}

var entryColumns = columns[entry]("Entry, State, Reasons")
