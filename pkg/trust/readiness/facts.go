package readiness

import "slices"

// Facts are the known facts about one submission at a time. The zero value of a field is the usual
// case: nothing demanded, nothing wrong.
type Facts struct {
	// Scores.
	Counts      bool   // an item counts towards the score
	Voided      bool   // the submission was voided
	Waits       bool   // an item that counts waits for a person to score it
	Invalid     bool   // an item that counts has an answer that could not be scored
	HasPassMark bool   // the evaluation version sets pass_mark_percent
	Outcome     string // pass, fail or incomplete
	// Unreviewed: a remediation changed the scores after the approval that the submission needed.
	Unreviewed bool

	// Observation. Approval is the approval_status of the submission.
	Frozen          Policy // the policy for submissions that publishing froze
	Today           Policy // the policy of the day at the same level
	Verification    *Verification
	Approval        string
	OneSetOfEyes    bool // four eyes are required, and the one who approved had a hand in it
	UnansweredMajor bool // a finding of severity major or critical that no rejected claim has answered

	// Evidence. Demanded are the kinds that the evaluation version demands.
	Demanded       []string
	Files          []File
	OpenClaim      bool
	UpheldClaim    bool
	OpenDispute    bool
	SnapshotBroken bool // the snapshot does not have the hash that names it
	Expired        bool // retention or forgetting took away what belonged to the proof

	SnapshotRef string // the hash of the snapshot
}

// Policy is what a verification policy asks of a submit, and its ref (specification, section 9.5).
type Policy struct {
	Ref            string
	RequireContext bool
	RequireStepUp  bool
	Fields         []string // that the context must have
	Methods        []string // of step-up proofs that count
}

func (p Policy) asks() bool { return p.RequireContext || p.RequireStepUp }

// stricter says whether p requires anything that q does not.
func (p Policy) stricter(q Policy) bool {
	return p.RequireContext && !q.RequireContext || p.RequireStepUp && !q.RequireStepUp || len(missing(p.Fields, q.Fields)) > 0 ||
		p.RequireStepUp && len(missing(q.Methods, p.Methods)) > 0
}

// Verification is how the submit was verified.
type Verification struct {
	StepUp bool
	Fields []string // the fields of the context that were filled in
}

// What the last check of a file found.
const (
	Unchecked = "unchecked"
	Intact    = "ok"
	Changed   = "changed"
	Missing   = "missing"
)

// File is a piece of evidence.
type File struct {
	Kind      string
	Voided    bool
	Integrity string
}

// missing gives the elements of want that are not in have.
func missing(want, have []string) []string {
	var out []string
	for _, w := range want {
		if !slices.Contains(have, w) {
			out = append(out, w)
		}
	}
	return out
}
