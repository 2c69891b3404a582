package readiness

import (
	"slices"
	"time"
)

// LogicVersion names the rules: it changes when the same facts lead to other blocks.
const LogicVersion = "readiness/v1"

// EntryStatus is the state of an entry and the reasons for it.
type EntryStatus struct {
	State   State    `json:"state" enum:"met,not_met,pending,not_required"`
	Reasons []string `json:"reasons" nullable:"false" doc:"Stable codes, in the order of the decision table"`
}

// KoeStatus gives the state of knowledge, observation and evidence (specification, section 2.9).
type KoeStatus struct {
	Knowledge   EntryStatus `json:"knowledge"`
	Observation EntryStatus `json:"observation"`
	Evidence    EntryStatus `json:"evidence"`
}

// Execution judges the session of a submission by the facts of the moment when it was submitted, under the frozen
// policy. It is about how the exam was taken and not about the outcome, so a fail is as defensible as a pass.
type Execution struct {
	Defensible bool     `json:"defensible"`
	Reasons    []string `json:"reasons" nullable:"false"`
}

// ComputedAgainst names what the proof block was computed from.
type ComputedAgainst struct {
	SnapshotRef string `json:"snapshotRef" doc:"The hash of the snapshot"`
}

// ProofReadiness says whether the result can be defended (specification, section 2.9).
type ProofReadiness struct {
	DefensibleAtExecution bool            `json:"defensibleAtExecution" doc:"By what was known at submit, under the frozen policy; it never changes"`
	ReadyNow              bool            `json:"readyNow" doc:"By what is known now, under the policy of the day"`
	AsOf                  time.Time       `json:"asOf"`
	LogicVersion          string          `json:"logicVersion" enum:"readiness/v1"`
	ComputedAgainst       ComputedAgainst `json:"computedAgainst"`
	PolicyRefExecution    string          `json:"policyRefExecution"`
	PolicyRefCurrent      string          `json:"policyRefCurrent"`
	Reasons               []string        `json:"reasons" nullable:"false" doc:"All of the entries, and policy_requirements_tightened; empty exactly when the result is ready now"`
}

// Blocks are what a submission shows of its readiness.
type Blocks struct {
	KoeStatus      KoeStatus      `json:"koeStatus"`
	ProofReadiness ProofReadiness `json:"proofReadiness"`
}

// At computes the blocks. executed is what Executed gave for the submission once.
func At(now time.Time, f Facts, executed Execution) Blocks {
	reasons := map[Entry][]string{}
	all := []string{}
	for _, r := range Rules {
		if r.Holds(f) {
			reasons[r.Entry] = append(reasons[r.Entry], r.Code)
			all = append(all, r.Code)
		}
	}
	entry := func(e Entry) EntryStatus {
		return EntryStatus{State: stateOf(e, reasons[e], f), Reasons: append([]string{}, reasons[e]...)}
	}
	return Blocks{
		KoeStatus: KoeStatus{entry(Knowledge), entry(Observation), entry(Evidence)},
		ProofReadiness: ProofReadiness{DefensibleAtExecution: executed.Defensible, ReadyNow: len(all) == 0, AsOf: now.UTC(),
			LogicVersion: LogicVersion, ComputedAgainst: ComputedAgainst{f.SnapshotRef},
			PolicyRefExecution: f.Frozen.Ref, PolicyRefCurrent: f.Today.Ref, Reasons: all},
	}
}

func stateOf(e Entry, reasons []string, f Facts) State {
	overall := Overall(reasons)
	if overall == Met && !asked[e](f) {
		return NotRequired
	}
	return overall
}

// Overall is the state that reasons lead to: not_met if one of them does, pending if there is any, and
// met without.
func Overall(reasons []string) State {
	switch {
	case slices.ContainsFunc(reasons, func(code string) bool { return Find(code).State == NotMet }):
		return NotMet
	case len(reasons) > 0:
		return Pending
	}
	return Met
}

// Find gives the rule of a code, and the zero rule for none.
func Find(code string) Rule {
	i := slices.IndexFunc(Rules, func(r Rule) bool { return r.Code == code })
	if i < 0 {
		return Rule{}
	}
	return Rules[i]
}

// Codes lists all reasons, in the order of the table.
func Codes() []string {
	var all []string
	for _, r := range Rules {
		all = append(all, r.Code)
	}
	return all
}

// atExecution are the reasons that a submit can give. Evidence is added to a submission, so there is none
// of it yet when it is handed in.
var atExecution = []string{"verification_missing", "context_field_missing", "step_up_missing"}

// Executed says whether the execution was defensible. The answer never changes.
func Executed(f Facts) Execution {
	e := Execution{Reasons: []string{}}
	for _, code := range atExecution {
		if Find(code).Holds(f) {
			e.Reasons = append(e.Reasons, code)
		}
	}
	e.Defensible = len(e.Reasons) == 0
	return e
}
