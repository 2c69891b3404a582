package readiness

import "slices"

// Entry is one of the three things that a result rests on.
type Entry string

// The entries, in the order in which they are shown.
const (
	Knowledge   Entry = "knowledge"
	Observation Entry = "observation"
	Evidence    Entry = "evidence"
	// Proof is no entry: its one reason is only in the proof block.
	Proof Entry = "proof"
)

// Entries lists the entries of koeStatus.
var Entries = []Entry{Knowledge, Observation, Evidence}

// State is the state of an entry.
type State string

// The states: the demand is met; something speaks against it; it waits for somebody; nobody demanded it.
const (
	Met         State = "met"
	NotMet      State = "not_met"
	Pending     State = "pending"
	NotRequired State = "not_required"
)

// States lists them.
var States = []State{Met, NotMet, Pending, NotRequired}

// Rule is one line of the decision table, and all that there is to know of a reason.
type Rule struct {
	Code  string
	Entry Entry
	// State is what the entry is while the rule holds: NotMet, or Pending where somebody's next
	// step is awaited. NotMet weighs more.
	State State
	// Text says it to people.
	Text string
	// Holds never looks at more than the facts.
	Holds func(Facts) bool
}

// Rules is the decision table (decisions, section 11).
var Rules = []Rule{
	{"score_pending", Knowledge, Pending, "An item still waits for somebody to score it.", func(f Facts) bool { return f.Waits }},
	{"outcome_fail", Knowledge, NotMet, "The pass mark was not reached.", func(f Facts) bool { return f.Outcome == "fail" }},
	{"outcome_incomplete", Knowledge, Pending, "There is a pass mark, and no outcome yet.",
		func(f Facts) bool { return f.HasPassMark && f.Outcome == "incomplete" }},
	{"score_invalid", Knowledge, NotMet, "An item that counts has an answer that could not be scored.", func(f Facts) bool { return f.Invalid }},
	{"submission_voided", Knowledge, NotMet, "The submission was voided.", func(f Facts) bool { return f.Voided }},
	{"remediation_unreviewed", Knowledge, Pending, "A remediation changed the scores after they were approved.", func(f Facts) bool { return f.Unreviewed }},

	{"verification_missing", Observation, NotMet, "Nothing shows that the person was verified when handing in.",
		func(f Facts) bool { return f.Frozen.asks() && f.Verification == nil }},
	{"context_field_missing", Observation, NotMet, "The verification lacks a field that the policy asks for.", func(f Facts) bool { return lacksField(f) }},
	{"step_up_missing", Observation, NotMet, "The person was verified without the step-up proof that the policy asks for.",
		func(f Facts) bool { return f.Frozen.RequireStepUp && f.Verification != nil && !f.Verification.StepUp }},
	{"approval_pending", Observation, Pending, "The submission waits for its review.", approval("pending_review")},
	{"approval_rejected", Observation, NotMet, "The review rejected the submission.", approval("rejected")},
	{"changes_requested", Observation, Pending, "The review asked for changes.", approval("changes_requested")},
	{"four_eyes_missing", Observation, NotMet, "Whoever approved the submission also had a hand in it.", func(f Facts) bool { return f.OneSetOfEyes }},
	{"integrity_flag_major", Observation, NotMet, "A grave finding stands, and no claim about it was rejected.", func(f Facts) bool { return f.UnansweredMajor }},

	{"evidence_missing", Evidence, NotMet, "A kind of evidence that the evaluation demands is not there.", func(f Facts) bool { return slices.Contains(demanded(f), none) }},
	{"evidence_unchecked", Evidence, Pending, "Demanded evidence is there, and nobody has checked it since.", func(f Facts) bool { return slices.Contains(demanded(f), unchecked) }},
	{"evidence_integrity_failed", Evidence, NotMet, "A file is damaged or gone.", func(f Facts) bool { return slices.ContainsFunc(f.Files, damaged) }},
	{"claim_open", Evidence, Pending, "A claim about the submission is open.", func(f Facts) bool { return f.OpenClaim }},
	{"claim_upheld", Evidence, NotMet, "A claim against the submission was upheld.", func(f Facts) bool { return f.UpheldClaim }},
	{"dispute_open", Evidence, Pending, "The person disputes the result, and nobody has decided.", func(f Facts) bool { return f.OpenDispute }},
	{"snapshot_hash_mismatch", Evidence, NotMet, "The snapshot is not the one that its hash names.", func(f Facts) bool { return f.SnapshotBroken }},
	{"retention_expired", Evidence, NotMet, "What belonged to the proof is gone: its time was over, or the person was forgotten.", func(f Facts) bool { return f.Expired }},

	{"policy_requirements_tightened", Proof, NotMet, "Today's policy asks for more than the one that the evaluation was published with.",
		func(f Facts) bool { return f.Today.stricter(f.Frozen) }},
}

// asked says whether anything is demanded of an entry, so that without a reason it is met and not
// merely not required.
var asked = map[Entry]func(Facts) bool{
	Knowledge: func(f Facts) bool { return f.Counts },
	Observation: func(f Facts) bool {
		return f.Frozen.asks() || f.Approval != "" && f.Approval != "not_required"
	},
	Evidence: func(f Facts) bool { return len(f.Demanded) > 0 },
}

func approval(status string) func(Facts) bool {
	return func(f Facts) bool { return f.Approval == status }
}

func lacksField(f Facts) bool {
	return f.Verification != nil && len(missing(f.Frozen.Fields, f.Verification.Fields)) > 0
}

func damaged(f File) bool { return !f.Voided && (f.Integrity == Changed || f.Integrity == Missing) }

// The standing of a demanded kind of evidence, by its best file.
type standing int

const (
	none standing = iota
	unchecked
	checked
)

// demanded gives the standing of each kind that the evaluation demands. A damaged file counts as
// none, so that one more file never takes anything away.
func demanded(f Facts) []standing {
	all := make([]standing, len(f.Demanded))
	for i, kind := range f.Demanded {
		for _, file := range f.Files {
			switch {
			case file.Kind != kind || file.Voided:
			case file.Integrity == Intact:
				all[i] = max(all[i], checked)
			case file.Integrity == Unchecked:
				all[i] = max(all[i], unchecked)
			}
		}
	}
	return all
}
