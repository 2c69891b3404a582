package translog

import (
	"bytes"
	"context"
	"fmt"

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

// batchScheme names how the leaves of a batch are hashed: as those of the log (RFC 6962), each the
// canonical JSON of a State.
const batchScheme = "submission-batch/v1"

// mostStates bounds a batch; ledger_batches does, too.
const mostStates = 1000

// State is a leaf of a batch: the state of a submission when the log took it up. StateHash is what
// POST /submissions/{id}/hash gives for the same state; null once the submission was deleted.
// Erased says that it was taken up because the service took personal data out, or deleted it.
type State struct {
	Erased       bool    `json:"erased"`
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

// same says that a submission need not be taken up again: the hash covers version and status.
func (s State) same(as State) bool {
	return s.StateScheme == as.StateScheme && equal(s.StateHash, as.StateHash)
}

func equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// TakeUp asks for the states of submissions to be taken up: what was finished, corrected, voided or
// decided. The projector calls it for what it takes out of its outbox, so that the requests of
// candidates and reviewers write nothing more for it, and no late commit is missed.
func TakeUp(ctx context.Context, tx *db.Tx, submissions []ids.ID) error {
	return takeUp(ctx, tx, submissions, false)
}

// Erased says that personal data is taken out of submissions in this transaction, or that they are
// deleted, so that the log takes up what is left and nobody takes it for tampering.
func Erased(ctx context.Context, tx *db.Tx, submissions []ids.ID) error {
	return takeUp(ctx, tx, submissions, true)
}

func takeUp(ctx context.Context, tx *db.Tx, submissions []ids.ID, erased bool) error {
	if len(submissions) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, "insert into ledger_states_due (tenant_id, submission_id, erased) select $1, id, $3 from unnest($2::uuid[]) id returning true",
		tx.Tenant(), submissions, erased)
	if err != nil {
		return fmt.Errorf("ask for the states of submissions: %w", err)
	}
	return nil
}

const takeDueSQL = `
with taken as (
	select id, submission_id, erased from ledger_states_due where tenant_id = $1 order by id limit $2
), gone as (
	delete from ledger_states_due d using taken t where d.tenant_id = $1 and d.id = t.id
)
select submission_id, bool_or(erased), count(*) from taken group by submission_id order by min(id)`

// takeUpStates makes a batch of states, one event of the ledger.
func (s *Service) takeUpStates(ctx context.Context, tx *db.Tx, h *head, done *Done) (bool, error) {
	rows, err := tx.Query(ctx, takeDueSQL, tx.Tenant(), mostStates)
	if err != nil {
		return false, fmt.Errorf("look for submissions to take up: %w", err)
	}
	var due []ids.ID
	erased := map[ids.ID]bool{}
	taken := 0
	var id ids.ID
	var isErased bool
	var times int
	_, err = pgx.ForEachRow(rows, []any{&id, &isErased, &times}, func() error {
		due, erased[id] = append(due, id), isErased
		taken += times
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("look for submissions to take up: %w", err)
	}
	states, err := newStates(ctx, tx, due, erased)
	if err != nil || len(states) == 0 {
		return taken == mostStates, err
	}
	h.batches++
	done.Submissions += len(states)
	return taken == mostStates, storeBatch(ctx, tx, h.batches, states)
}

// newStates gives the states that differ from what the log has of their submissions.
func newStates(ctx context.Context, tx *db.Tx, due []ids.ID, erased map[ids.ID]bool) ([]State, error) {
	if len(due) == 0 {
		return nil, nil
	}
	now, err := submission.StateHashes(ctx, tx, due)
	if err != nil {
		return nil, err
	}
	known, err := lastStates(ctx, tx, due)
	if err != nil {
		return nil, err
	}
	var states []State
	for _, id := range due {
		last, taken := known[id]
		state, there := stateOf(id, now, erased[id])
		switch {
		case taken && state.same(last):
		case !there && !erased[id]:
			// Gone without a word. What the log has of it stays, and whoever verifies will miss it.
		default:
			states = append(states, state)
		}
	}
	return states, nil
}

// stateOf gives the state of a submission as it is now, and whether there is a submission.
func stateOf(id ids.ID, now map[ids.ID]submission.StateHash, erased bool) (State, bool) {
	s := State{SubmissionID: id, Erased: erased, StateScheme: submission.StateScheme}
	hash, there := now[id]
	if there {
		s.StateHash, s.ScoreVersion, s.Status = &hash.StateHash, &hash.ScoreVersion, &hash.Status
	}
	return s, there
}

const lastStatesSQL = `
select s.submission_id, s.state_hash, s.state_scheme, s.score_version, s.status, s.erased from unnest($2::uuid[]) as wanted (id)
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
	err := row.Scan(&s.SubmissionID, &s.StateHash, &s.StateScheme, &s.ScoreVersion, &s.Status, &s.Erased)
	return s, err
}

const storeBatchSQL = `
with batch as (
	insert into ledger_batches (tenant_id, number, event_id, leaves) values ($1, $2, $3, $4)
)
insert into ledger_states (tenant_id, batch, position, submission_id, state_hash, state_scheme, score_version, status, erased)
select $1, $2, n - 1, id, hash, scheme, version, status, erased from unnest($5::uuid[], $6::text[], $7::text[], $8::int[], $9::text[], $10::bool[])
	with ordinality as s (id, hash, scheme, version, status, erased, n)
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
	var hashes, statuses []*string
	var schemes []string
	var versions []*int
	var erased []bool
	for _, s := range states {
		of, hashes, schemes = append(of, s.SubmissionID), append(hashes, s.StateHash), append(schemes, s.StateScheme)
		versions, statuses, erased = append(versions, s.ScoreVersion), append(statuses, s.Status), append(erased, s.Erased)
	}
	event := ids.New()
	_, err = tx.Exec(ctx, storeBatchSQL, tx.Tenant(), number, event, bytes.Join(leaves, nil), of, hashes, schemes, versions, statuses, erased)
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
