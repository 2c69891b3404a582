package translog

import (
	"fmt"

	"assess/pkg/kernel/ids"
)

// The codes of findings.
const (
	// About events.
	EventEdited    = "event_edited"
	EventRemoved   = "event_removed"
	EventInserted  = "event_inserted"
	EventReordered = "event_reordered"
	LogCutShort    = "log_cut_short"
	Fork           = "fork"
	// About checkpoints, and about the hashes, proofs and keys that are kept.
	WrongSignature    = "wrong_signature"
	UnknownKey        = "unknown_key"
	BadCheckpoint     = "checkpoint_malformed"
	StoredHashChanged = "stored_hash_changed"
	BadProof          = "proof_invalid"
	KeyOutsideChain   = "key_outside_chain"
	PublishedBeyond   = "published_beyond"
	// About submissions.
	SubmissionChanged = "submission_changed"
	StateWithoutCause = "state_without_cause"
	ErasureWithoutJob = "erasure_without_job"
	SubmissionMissing = "submission_missing"
	SubmissionAdded   = "submission_added"
	BatchChanged      = "batch_changed"
	// About other records.
	RecordChanged = "record_changed"
	RecordMissing = "record_missing"
	RecordAdded   = "record_added"
	// About content.
	SnapshotChanged = "snapshot_changed"
)

// Finding is something that is not as the log says.
type Finding struct {
	Code string `json:"code"`
	// Seq is the number of the event that it is about; 0 for none.
	Seq          int64   `json:"seq,omitempty"`
	SubmissionID *ids.ID `json:"submissionId,omitempty"`
	// Table, Row and Field say which record is not as its events say; Field only where one differs.
	Table   string `json:"table,omitempty"`
	Row     string `json:"row,omitempty" doc:"The id of the record; for a version of scores submission and number"`
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
}

// mostFindings bounds what a report lists; the others are counted.
const mostFindings = 1000

// Report is the result of verifying a log.
type Report struct {
	// Source is "database", "export", "proof" or "glass box".
	Source string `json:"source"`
	Origin string `json:"origin"`
	// Size is the number of events that the log has, and Root the Merkle root over them in base64.
	Size int64  `json:"size"`
	Root string `json:"root"`
	// Checkpoints counts the checkpoints whose signature holds and that the log agrees with.
	Checkpoints int   `json:"checkpoints"`
	Events      int64 `json:"events"`
	Submissions int64 `json:"submissions"`
	// TrustedKeys says where the keys came from that signatures were checked with: "database",
	// "export", "proof" or "given".
	TrustedKeys string    `json:"trustedKeys"`
	Findings    []Finding `json:"findings"`
	More        int       `json:"more"`
}

// Sound says that nothing was found.
func (r *Report) Sound() bool { return len(r.Findings) == 0 && r.More == 0 }

func (r *Report) add(f Finding) {
	if len(r.Findings) == mostFindings {
		r.More++
		return
	}
	r.Findings = append(r.Findings, f)
}

func (r *Report) event(code string, seq int64, format string, args ...any) {
	r.add(Finding{Code: code, Seq: seq, Message: fmt.Sprintf(format, args...)})
}

func (r *Report) submission(code string, id ids.ID, format string, args ...any) {
	r.add(Finding{Code: code, SubmissionID: &id, Message: fmt.Sprintf(format, args...)})
}
