package translog

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/transparency-dev/merkle/compact"

	"assess/pkg/exam/submission"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// BatchEvent is the event that names the root over a batch of states.
const BatchEvent = "submissions.sequenced"

// batchScheme names how the leaves of a batch are hashed: as the leaves of the log are (RFC 6962),
// each the canonical JSON of a State.
const batchScheme = "submission-batch/v3"

// mostStates bounds a batch; ledger_batches does, too.
const mostStates = 1000

// State is a leaf of a batch: the state of a submission when the log took it up. StateHash is the answer of POST
// /submissions/{id}/hash for the same state; null once the submission was deleted. Cause is the number of the event that
// caused it; null where a submission was handed in, which writes none. Erased says that an event since the state before
// says that personal data was taken out, or that the submission was deleted. Execution is the SHA-256 of the execution
// written down for the submission when it was handed in (submission_executions); null where nothing was required.
type State struct {
	Cause        *int64  `json:"cause"`
	Erased       bool    `json:"erased"`
	Execution    *string `json:"execution"`
	ScoreVersion *int    `json:"scoreVersion"`
	StateHash    *string `json:"stateHash"`
	StateScheme  string  `json:"stateScheme"`
	Status       *string `json:"status"`
	SubmissionID ids.ID  `json:"submissionId"`
}

func (s State) leafHash() ([]byte, error) {
	canonical, err := content.Canonical(s)
	return hashLeaf(canonical), err
}

// same says that a submission is as the log has it: the hash covers version and status.
func (s State) same(as State) bool {
	return s.StateScheme == as.StateScheme && equal(s.StateHash, as.StateHash) && equal(s.Execution, as.Execution)
}

func equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// TakeUp puts submissions down for the log to take up their states: submissions that were finished,
// corrected, voided or decided. The projector calls it for what it takes out of its outbox, so that
// the requests of candidates and reviewers write nothing more for it, and no late commit is missed.
func TakeUp(ctx context.Context, tx *db.Tx, submissions []ids.ID) error {
	if len(submissions) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, "insert into ledger_states_due (tenant_id, submission_id) select $1, id from unnest($2::uuid[]) id returning true",
		tx.Tenant(), submissions)
	if err != nil {
		return fmt.Errorf("ask for the states of submissions: %w", err)
	}
	return nil
}

// Erased says that a compliance job takes personal data out of submissions in this transaction, or deletes them.
// Each gets an event that names the job, so that the log takes up the rest and nobody takes it for tampering.
func Erased(ctx context.Context, tx *db.Tx, job ids.ID, submissions []ids.ID) error {
	err := tellErased(ctx, tx, "submission", job, submissions)
	if err != nil {
		return err
	}
	return TakeUp(ctx, tx, submissions)
}

// FilesErased says that a compliance job deletes records of evidence in this transaction.
func FilesErased(ctx context.Context, tx *db.Tx, job ids.ID, evidence []ids.ID) error {
	return tellErased(ctx, tx, "evidence", job, evidence)
}

func tellErased(ctx context.Context, tx *db.Tx, noun string, job ids.ID, records []ids.ID) error {
	events := make([]ledger.Event, len(records))
	for i, id := range records {
		events[i] = ledger.Event{Type: noun + ".erased", SubjectType: noun, SubjectID: id, Payload: map[string]any{"jobId": job}}
	}
	return ledger.Append(ctx, tx, events...)
}

const takeDueSQL = `
with taken as (
	select id, submission_id from ledger_states_due where tenant_id = $1 order by id limit $2
), gone as (
	delete from ledger_states_due d using taken t where d.tenant_id = $1 and d.id = t.id
)
select submission_id, count(*) from taken group by submission_id order by min(id)`

// takeUpStates makes a batch of states, one event of the ledger.
func (s *Service) takeUpStates(ctx context.Context, tx *db.Tx, h *head, done *Done) (bool, error) {
	rows, err := tx.Query(ctx, takeDueSQL, tx.Tenant(), mostStates)
	if err != nil {
		return false, fmt.Errorf("look for submissions to take up: %w", err)
	}
	var due []ids.ID
	taken := 0
	var id ids.ID
	var times int
	_, err = pgx.ForEachRow(rows, []any{&id, &times}, func() error {
		due = append(due, id)
		taken += times
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("look for submissions to take up: %w", err)
	}
	states, err := newStates(ctx, tx, due)
	if err != nil || len(states) == 0 {
		return taken == mostStates, err
	}
	h.batches++
	done.Submissions += len(states)
	return taken == mostStates, storeBatch(ctx, tx, h.batches, states)
}

// newStates gives the states that differ from the states in the log, or have a cause that the log does not have.
// A change and its event are committed together, so a state belongs to the newest event that is there both
// before it was read and after; a submission that got another event in between waits for the next run. One that
// the projector has not seen yet waits until the projector calls TakeUp: the projector writes the execution.
func newStates(ctx context.Context, tx *db.Tx, due []ids.ID) ([]State, error) {
	if len(due) == 0 {
		return nil, nil
	}
	unseen, err := waitingOf(ctx, tx, unseenSQL, due)
	if err != nil {
		return nil, err
	}
	due = slices.DeleteFunc(due, func(id ids.ID) bool { return unseen[id] })
	before, err := causesOf(ctx, tx, due)
	if err != nil {
		return nil, err
	}
	now, err := statesOf(ctx, tx, due)
	if err != nil {
		return nil, err
	}
	known, err := lastStates(ctx, tx, due)
	if err != nil {
		return nil, err
	}
	causes, err := causesOf(ctx, tx, due)
	if err != nil {
		return nil, err
	}
	var states []State
	var later []ids.ID
	for _, id := range due {
		last, taken := known[id]
		state := now[id]
		since, cause := int64(0), causes[id]
		if last.Cause != nil {
			since = *last.Cause
		}
		if cause.newest > since {
			state.Cause, state.Erased = &cause.newest, cause.erased > since
		}
		switch {
		case before[id] != cause:
			later = append(later, id)
		case taken && state.same(last) && state.Cause == nil:
		case state.StateHash == nil && !state.Erased:
			// Gone without a word. What the log has of it stays, and verifying will miss it.
		default:
			states = append(states, state)
		}
	}
	return states, TakeUp(ctx, tx, later)
}

// ErasedEvent says that a compliance job took personal data out of a submission, or deleted it.
const ErasedEvent = "submission.erased"

// causing are the events about a submission that come with another state of it.
var causing = []string{ErasedEvent, submission.VersionEvent, "submission.approved", "submission.rejected",
	"submission.changes_requested", "submission.reopened", "submission.voided"}

// cause is the number of the newest event that causes a state, and the number of the newest erasure; 0 for none.
type cause struct{ newest, erased int64 }

const causesSQL = `
select wanted.id, e.newest, e.erased from unnest($2::uuid[]) as wanted (id)
cross join lateral (select coalesce(max(seq), 0) as newest, coalesce(max(seq) filter (where event_type = $4), 0) as erased
	from ledger_events where tenant_id = $1 and subject_id = wanted.id and event_type = any($3) offset 0) e`

func causesOf(ctx context.Context, tx *db.Tx, of []ids.ID) (map[ids.ID]cause, error) {
	rows, err := tx.Query(ctx, causesSQL, tx.Tenant(), of, causing, ErasedEvent)
	if err != nil {
		return nil, fmt.Errorf("look for the causes of states: %w", err)
	}
	all := map[ids.ID]cause{}
	var id ids.ID
	var c cause
	_, err = pgx.ForEachRow(rows, []any{&id, &c.newest, &c.erased}, func() error {
		all[id] = c
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for the causes of states: %w", err)
	}
	return all, nil
}

// statesOf gives the states of submissions as they are now; one that is gone has no hash.
func statesOf(ctx context.Context, tx *db.Tx, of []ids.ID) (map[ids.ID]State, error) {
	hashes, err := submission.StateHashes(ctx, tx, of)
	if err != nil {
		return nil, err
	}
	executions, err := executionsOf(ctx, tx, of)
	if err != nil {
		return nil, err
	}
	all := map[ids.ID]State{}
	for _, id := range of {
		s := State{SubmissionID: id, StateScheme: submission.StateScheme, Execution: executions[id]}
		if hash, there := hashes[id]; there {
			s.StateHash, s.ScoreVersion, s.Status = &hash.StateHash, &hash.ScoreVersion, &hash.Status
		}
		all[id] = s
	}
	return all, nil
}

// execution is what the hash of one covers.
type execution struct {
	LogicVersion string   `json:"logicVersion"`
	Reasons      []string `json:"reasons"`
}

// executionsOf gives the hashes of the executions that were written down for submissions.
func executionsOf(ctx context.Context, tx *db.Tx, of []ids.ID) (map[ids.ID]*string, error) {
	rows, err := tx.Query(ctx, "select submission_id, logic_version, reasons from submission_executions where tenant_id = $1 and submission_id = any($2)",
		tx.Tenant(), of)
	if err != nil {
		return nil, fmt.Errorf("read executions: %w", err)
	}
	all := map[ids.ID]*string{}
	var id ids.ID
	var e execution
	_, err = pgx.ForEachRow(rows, []any{&id, &e.LogicVersion, &e.Reasons}, func() error {
		canonical, err := content.Canonical(e)
		hash := content.Hash(canonical)
		all[id], e = &hash, execution{}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read executions: %w", err)
	}
	return all, nil
}

const lastStatesSQL = `
select s.submission_id, s.state_hash, s.state_scheme, s.score_version, s.status, s.erased, s.cause, s.execution from unnest($2::uuid[]) as wanted (id)
cross join lateral (select * from ledger_states l where l.tenant_id = $1 and l.submission_id = wanted.id
	order by l.batch desc limit 1) s`

// lastStates gives what the log took up last of each submission.
func lastStates(ctx context.Context, tx *db.Tx, of []ids.ID) (map[ids.ID]State, error) {
	rows, err := tx.Query(ctx, lastStatesSQL, tx.Tenant(), of)
	if err != nil {
		return nil, fmt.Errorf("read states of submissions: %w", err)
	}
	found := map[ids.ID]State{}
	all, err := pgx.CollectRows(rows, scanState)
	if err != nil {
		return nil, fmt.Errorf("read states of submissions: %w", err)
	}
	for _, s := range all {
		found[s.SubmissionID] = s
	}
	return found, nil
}

func scanState(row pgx.CollectableRow) (State, error) {
	var s State
	err := row.Scan(&s.SubmissionID, &s.StateHash, &s.StateScheme, &s.ScoreVersion, &s.Status, &s.Erased, &s.Cause, &s.Execution)
	return s, err
}

const storeBatchSQL = `
with batch as (
	insert into ledger_batches (tenant_id, number, event_id, leaves) values ($1, $2, $3, $4)
)
insert into ledger_states (tenant_id, batch, position, submission_id, state_hash, state_scheme, score_version, status, erased, cause, execution)
select $1, $2, n - 1, id, hash, scheme, version, status, erased, cause, execution
from unnest($5::uuid[], $6::text[], $7::text[], $8::int[], $9::text[], $10::bool[], $11::bigint[], $12::text[])
	with ordinality as s (id, hash, scheme, version, status, erased, cause, execution, n)
returning true`

func storeBatch(ctx context.Context, tx *db.Tx, number int64, states []State) error {
	leaves, err := leavesOf(states)
	if err != nil {
		return err
	}
	root, err := rootOver(leaves)
	if err != nil {
		return err
	}
	var of []ids.ID
	var hashes, statuses, executions []*string
	var schemes []string
	var versions []*int
	var erased []bool
	var causes []*int64
	for _, s := range states {
		of, hashes, schemes = append(of, s.SubmissionID), append(hashes, s.StateHash), append(schemes, s.StateScheme)
		versions, statuses, erased = append(versions, s.ScoreVersion), append(statuses, s.Status), append(erased, s.Erased)
		causes, executions = append(causes, s.Cause), append(executions, s.Execution)
	}
	event := ids.New()
	_, err = tx.Exec(ctx, storeBatchSQL, tx.Tenant(), number, event, bytes.Join(leaves, nil), of, hashes, schemes, versions, statuses, erased, causes, executions)
	if err != nil {
		return fmt.Errorf("store a batch of states: %w", err)
	}
	return ledger.Append(ctx, tx, ledger.Event{ID: event, Type: BatchEvent, SubjectType: "submission_batch", SubjectID: event,
		Payload: map[string]any{"batch": number, "submissions": len(states), "root": inHex(root), "scheme": batchScheme}})
}

func leavesOf(states []State) ([][]byte, error) {
	var leaves [][]byte
	for _, s := range states {
		leaf, err := s.leafHash()
		if err != nil {
			return nil, err
		}
		leaves = append(leaves, leaf)
	}
	return leaves, nil
}

// rootOver is the Merkle root over leaf hashes (RFC 6962, section 2.1).
func rootOver(leaves [][]byte) ([]byte, error) {
	r := factory.NewEmptyRange(0)
	for _, leaf := range leaves {
		err := r.Append(leaf, nil)
		if err != nil {
			return nil, fmt.Errorf("hash a batch: %w", err)
		}
	}
	return rootOf(r)
}

// nodesOver gives nodes of the tree over leaf hashes, for the path of one of them.
func nodesOver(leaves [][]byte, wanted []compact.NodeID) [][]byte {
	var hashes [][]byte
	for _, n := range wanted {
		from, to := n.Coverage()
		hashes = append(hashes, perfectRoot(bytes.Join(leaves[from:to], nil)))
	}
	return hashes
}
