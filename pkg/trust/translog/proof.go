package translog

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// BundleFormat is the first field of a Bundle.
const BundleFormat = "assess-ledger-proof/v1"

// Path leads from a leaf to a Merkle root (RFC 6962, section 2.1.1).
type Path struct {
	Index  int64    `json:"index" doc:"Place of the leaf, from 0"`
	Size   int64    `json:"size" doc:"Leaves of the tree"`
	Hashes []string `json:"hashes" nullable:"false" doc:"From the leaf to the root, base64"`
}

// Bundle is all that it takes to check, without the service, that an event is in the log, or that
// the log has a state of a submission: assessctl ledger verify FILE does so.
type Bundle struct {
	Format string `json:"format"`
	// Submission and Batch are there for a submission: its state, and the path from that to the
	// root that the event names in payload.root.
	Submission *State `json:"submission,omitempty" doc:"The state that the log took up last; its leaf is the canonical JSON of this"`
	Batch      *Path  `json:"batch,omitempty" doc:"From the state to the root that the event names"`
	// Event is the leaf of the log. The hash is over its canonical JSON.
	Event      json.RawMessage `json:"event" shape:"object" doc:"The event; its leaf is the canonical JSON of this"`
	Inclusion  Path            `json:"inclusion" doc:"From the event to the root of the checkpoint"`
	Checkpoint string          `json:"checkpoint" doc:"The signed note (C2SP, tlog-checkpoint)"`
	Keys       []Key           `json:"keys" nullable:"false"`
}

// sequencedWithin is the longest that ledger.checkpoint_every may be.
const sequencedWithin = time.Minute

var (
	errNoEvent      = errs.New(errs.NotFound, "There is no such event in your scope.")
	errNotSequenced = errs.New(errs.NotSequenced, "%s", errs.Meaning(errs.NotSequenced)).After(sequencedWithin)
	errNoSubmission = errs.New(errs.NotFound, "There is no such submission in your scope.")
)

// EventProof proves that an event is in the log. Capability: compliance.read; an event of another org unit, or of none,
// such as the events about people's data, needs scope_all. Errors: not_found; not_sequenced until the next checkpoint.
func EventProof(ctx context.Context, tx *db.Tx, seq int64) (Bundle, error) {
	if err := tx.Require(capability.ComplianceRead); err != nil {
		return Bundle{}, err
	}
	var e event
	err := tx.QueryRow(ctx, "select "+eventColumns+" from ledger_events where tenant_id = $1 and seq = $2", tx.Tenant(), seq).Scan(e.fields()...)
	if errors.Is(err, pgx.ErrNoRows) {
		return Bundle{}, errNoEvent
	}
	if err != nil {
		return Bundle{}, fmt.Errorf("find the event: %w", err)
	}
	if !tx.Scope().All && (e.OrgUnit == nil || *e.OrgUnit != tx.Scope().OrgUnit) {
		return Bundle{}, errNoEvent
	}
	return prove(ctx, tx, e)
}

// SubmissionProof proves which state of a submission the log took up last. Capability:
// submissions.read. Errors: not_found; not_sequenced until the next checkpoint.
func SubmissionProof(ctx context.Context, tx *db.Tx, id ids.ID) (Bundle, error) {
	if err := tx.Require(capability.SubmissionsRead); err != nil {
		return Bundle{}, err
	}
	return ProofOf(ctx, tx, id)
}

// ProofOf is SubmissionProof for callers that have checked who may see the submission.
func ProofOf(ctx context.Context, tx *db.Tx, id ids.ID) (Bundle, error) {
	var there bool
	err := tx.QueryRow(ctx, "select exists (select from submissions where tenant_id = $1 and id = $2)", tx.Tenant(), id).Scan(&there)
	if err != nil {
		return Bundle{}, fmt.Errorf("find the submission: %w", err)
	}
	if !there {
		return Bundle{}, errNoSubmission
	}
	s, path, batchEvent, err := lastState(ctx, tx, id)
	if err != nil {
		return Bundle{}, err
	}
	var e event
	err = tx.QueryRow(ctx, "select "+eventColumns+" from ledger_events where tenant_id = $1 and subject_id = $2 and event_type = $3",
		tx.Tenant(), batchEvent, BatchEvent).Scan(e.fields()...)
	if err != nil {
		return Bundle{}, fmt.Errorf("find the event of a batch: %w", err)
	}
	bundle, err := prove(ctx, tx, e)
	bundle.Submission, bundle.Batch = &s, &path
	return bundle, err
}

// lastStateSQL gives the newest state of a submission with its batch, which is one row.
const lastStateSQL = `
select s.submission_id, s.state_hash, s.state_scheme, s.score_version, s.status, s.erased, s.cause, s.execution, s.position, b.event_id, b.leaves
from (select * from ledger_states where tenant_id = $1 and submission_id = $2 order by batch desc limit 1) s
cross join lateral (select event_id, leaves from ledger_batches b where b.tenant_id = $1 and b.number = s.batch offset 0) b`

func lastState(ctx context.Context, tx *db.Tx, id ids.ID) (State, Path, ids.ID, error) {
	var s State
	var position int64
	var batchEvent ids.ID
	var joined []byte
	err := tx.QueryRow(ctx, lastStateSQL, tx.Tenant(), id).Scan(&s.SubmissionID, &s.StateHash, &s.StateScheme, &s.ScoreVersion,
		&s.Status, &s.Erased, &s.Cause, &s.Execution, &position, &batchEvent, &joined)
	if errors.Is(err, pgx.ErrNoRows) {
		return s, Path{}, ids.None, errNotSequenced
	}
	if err != nil {
		return s, Path{}, ids.None, fmt.Errorf("find the state of a submission: %w", err)
	}
	leaves := split(joined)
	wanted, err := proof.Inclusion(uint64(position), uint64(len(leaves)))
	if err != nil {
		return s, Path{}, ids.None, fmt.Errorf("prove a state: %w", err)
	}
	hashes, err := wanted.Rehash(nodesOver(leaves, wanted.IDs), rfc6962.DefaultHasher.HashChildren)
	if err != nil {
		return s, Path{}, ids.None, fmt.Errorf("prove a state: %w", err)
	}
	return s, Path{Index: position, Size: int64(len(leaves)), Hashes: inBase64(hashes)}, batchEvent, nil
}

// prove leads from an event to the newest checkpoint.
func prove(ctx context.Context, tx *db.Tx, e event) (Bundle, error) {
	c, err := NewestCheckpoint(ctx, tx)
	if errors.Is(err, errs.NotFound) || err == nil && c.Size < e.Seq {
		return Bundle{}, errNotSequenced
	}
	if err != nil {
		return Bundle{}, err
	}
	leaf, err := e.leaf(tx.Tenant())
	if err != nil {
		return Bundle{}, err
	}
	wanted, err := proof.Inclusion(uint64(e.Seq-1), uint64(c.Size))
	if err != nil {
		return Bundle{}, fmt.Errorf("prove an event: %w", err)
	}
	hashes, err := proofHashes(ctx, tx, wanted)
	if err != nil {
		return Bundle{}, err
	}
	keys, err := ListKeys(ctx, tx)
	return Bundle{Format: BundleFormat, Event: leaf, Inclusion: Path{Index: e.Seq - 1, Size: c.Size, Hashes: hashes},
		Checkpoint: c.Note, Keys: keys.All()}, err
}

func proofHashes(ctx context.Context, tx *db.Tx, wanted proof.Nodes) ([]string, error) {
	hashes, err := nodes(ctx, tx, wanted.IDs)
	if err != nil {
		return nil, err
	}
	hashes, err = wanted.Rehash(hashes, rfc6962.DefaultHasher.HashChildren)
	if err != nil {
		return nil, fmt.Errorf("prove: %w", err)
	}
	return inBase64(hashes), nil
}

// ConsistencyProof shows that the log of To events begins with the log of From events (RFC 6962,
// section 2.1.2).
type ConsistencyProof struct {
	From     int64    `json:"from"`
	To       int64    `json:"to"`
	FromRoot string   `json:"fromRoot" doc:"base64"`
	ToRoot   string   `json:"toRoot" doc:"base64"`
	Hashes   []string `json:"hashes" nullable:"false" doc:"base64"`
}

// Consistency proves that nothing was rewritten between two sizes of the log; to 0 means the
// newest checkpoint. Capability: compliance.read. Errors: not_found before the first checkpoint;
// validation_failed.
func Consistency(ctx context.Context, tx *db.Tx, from, to int64) (ConsistencyProof, error) {
	if err := tx.Require(capability.ComplianceRead); err != nil {
		return ConsistencyProof{}, err
	}
	c, err := NewestCheckpoint(ctx, tx)
	if err != nil {
		return ConsistencyProof{}, err
	}
	if to == 0 {
		to = c.Size
	}
	var bad errs.Found
	if to < 1 || to > c.Size {
		bad.Add(errs.Field{Path: "to", Code: "out_of_range", Message: fmt.Sprintf("expected 1 to %d, the size of the newest checkpoint", c.Size)})
	}
	if from < 1 || from > to {
		bad.Add(errs.Field{Path: "from", Code: "out_of_range", Message: "expected 1 or more, and no more than to"})
	}
	if !bad.None() {
		return ConsistencyProof{}, bad.Err()
	}
	p := ConsistencyProof{From: from, To: to}
	wanted, err := proof.Consistency(uint64(from), uint64(to))
	if err != nil {
		return p, fmt.Errorf("prove consistency: %w", err)
	}
	p.Hashes, err = proofHashes(ctx, tx, wanted)
	if err != nil {
		return p, err
	}
	for size, root := range map[int64]*string{from: &p.FromRoot, to: &p.ToRoot} {
		hash, err := storedRoot(ctx, tx, size)
		if err != nil {
			return p, err
		}
		*root = base64.StdEncoding.EncodeToString(hash)
	}
	if from == to {
		p.FromRoot = p.ToRoot
	}
	return p, nil
}

func inBase64(hashes [][]byte) []string {
	texts := []string{}
	for _, h := range hashes {
		texts = append(texts, base64.StdEncoding.EncodeToString(h))
	}
	return texts
}

func outOfBase64(texts []string) ([][]byte, error) {
	var hashes [][]byte
	for _, text := range texts {
		h, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(h) != hashSize {
			return nil, fmt.Errorf("%q is not a hash", text)
		}
		hashes = append(hashes, h)
	}
	return hashes, nil
}

// split cuts joined hashes apart.
func split(joined []byte) [][]byte {
	var hashes [][]byte
	for ; len(joined) >= hashSize; joined = joined[hashSize:] {
		hashes = append(hashes, joined[:hashSize])
	}
	return hashes
}
