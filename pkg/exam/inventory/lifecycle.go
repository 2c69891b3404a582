package inventory

import (
	"context"
	"fmt"

	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// Lifecycle says what became of a question or an evaluation.
type Lifecycle struct {
	ID             ids.ID `json:"id"`
	Status         string `json:"status" enum:"draft,published,archived"`
	Changed        bool   `json:"changed" doc:"false when it was in this state before"`
	ClosedSessions int    `json:"closedSessions" doc:"Active sessions that archiving closed; 0 for questions" example:"3"`
}

// Archive takes a question or an evaluation out of use (specification, section 3): it
// cannot be changed or chosen again until it is restored. Published versions that name a
// question stay as they are. Active sessions of an evaluation are closed, and new ones are
// refused; an actor with an open session of their own must let somebody else archive. Archiving
// again changes nothing. Errors: not_found, four_eyes_required.
func Archive(ctx context.Context, tx *db.Tx, k *Kind, id ids.ID) (Lifecycle, error) {
	return one(ctx, tx, k, id, archive)
}

// Restore gives back the status from before the archiving: published when a version is
// published, else draft. Closed sessions stay closed. Anything that is not archived stays as it is.
// Errors: not_found.
func Restore(ctx context.Context, tx *db.Tx, k *Kind, id ids.ID) (Lifecycle, error) {
	return one(ctx, tx, k, id, restore)
}

// ArchiveEvaluations is Archive for many evaluations of the scope at once, for an operation that has checked a
// capability of its own. It gives the number of sessions that it closed; unknown ids are left out.
func ArchiveEvaluations(ctx context.Context, tx *db.Tx, wanted []ids.ID) (int, error) {
	k := Evaluations
	found, err := k.lock(ctx, tx, toChange, wanted)
	if err != nil {
		return 0, err
	}
	rows := make([]row, 0, len(found))
	for _, id := range wanted {
		if r, known := found[id]; known {
			rows = append(rows, r)
		}
	}
	done, err := archive(ctx, tx, k, rows)
	closed := 0
	for _, d := range done {
		closed += d.ClosedSessions
	}
	return closed, err
}

// action changes the locked rows that need it, and says what became of each row.
type action func(ctx context.Context, tx *db.Tx, k *Kind, rows []row) (map[ids.ID]Lifecycle, error)

func one(ctx context.Context, tx *db.Tx, k *Kind, id ids.ID, do action) (Lifecycle, error) {
	if err := tx.Require(k.write); err != nil {
		return Lifecycle{}, err
	}
	found, err := k.lock(ctx, tx, toChange, []ids.ID{id})
	if err != nil {
		return Lifecycle{}, err
	}
	r, known := found[id]
	if !known {
		return Lifecycle{}, k.notFound()
	}
	done, err := do(ctx, tx, k, []row{r})
	return done[id], err
}

// archive closes sessions in a statement after the one that locked the evaluations: a
// start that was under way has committed by then and is seen, and later ones wait, and
// then find the evaluation archived.
func archive(ctx context.Context, tx *db.Tx, k *Kind, rows []row) (map[ids.ID]Lifecycle, error) {
	done, moved := sort(rows, func(r row) string { return archived })
	err := k.move(ctx, tx, moved, "'archived'")
	if err != nil {
		return nil, err
	}
	closed := map[ids.ID]int{}
	if k == Evaluations {
		closed, err = session.CloseSessions(ctx, tx, moved)
		if err != nil {
			return nil, err
		}
	}
	var events []ledger.Event
	for _, r := range rows {
		d := done[r.id]
		d.ClosedSessions = closed[r.id]
		done[r.id] = d
		if d.Changed {
			events = append(events, k.event("archived", r, map[string]any{"closedSessions": d.ClosedSessions}))
		}
	}
	return done, ledger.Append(ctx, tx, events...)
}

func restore(ctx context.Context, tx *db.Tx, k *Kind, rows []row) (map[ids.ID]Lifecycle, error) {
	done, moved := sort(rows, row.restored)
	err := k.move(ctx, tx, moved, "case when published_id is null then 'draft' else 'published' end")
	if err != nil {
		return nil, err
	}
	var events []ledger.Event
	for _, r := range rows {
		if done[r.id].Changed {
			events = append(events, k.event("restored", r, nil))
		}
	}
	return done, ledger.Append(ctx, tx, events...)
}

// sort separates the rows that change their status from the rows that already have it.
func sort(rows []row, status func(row) string) (map[ids.ID]Lifecycle, []ids.ID) {
	done := make(map[ids.ID]Lifecycle, len(rows))
	var moved []ids.ID
	for _, r := range rows {
		d := Lifecycle{ID: r.id, Status: status(r), Changed: status(r) != r.status}
		done[r.id] = d
		if d.Changed {
			moved = append(moved, r.id)
		}
	}
	return done, moved
}

// Delete removes anything that nothing refers to. If it is in use it is archived instead, and the
// error question_in_use or evaluation_in_use says so with the counts (specification, sections 3,
// 7.5 and 7.6); the archiving is kept. A repetition gets the same answer. Errors: not_found,
// question_in_use, evaluation_in_use, four_eyes_required as in Archive.
func Delete(ctx context.Context, tx *db.Tx, k *Kind, id ids.ID) error {
	if err := tx.Require(k.write); err != nil {
		return err
	}
	var r row
	// The first look does not hold up anybody who is using it. Only rows that seem unused are
	// locked against new references, and then looked at again.
	for _, strength := range []string{toChange, toDelete} {
		found, err := k.lock(ctx, tx, strength, []ids.ID{id})
		if err != nil {
			return err
		}
		var known bool
		if r, known = found[id]; !known {
			return k.notFound()
		}
		counts, err := k.count(ctx, tx, id)
		if err != nil {
			return err
		}
		if counts.inUse() {
			return k.archiveInstead(ctx, tx, r, counts)
		}
	}
	_, err := tx.Exec(ctx, "delete from "+k.name+" where tenant_id = $1 and id = $2", tx.Tenant(), id)
	if err != nil {
		return fmt.Errorf("delete %s: %w", k.noun, err)
	}
	return ledger.Append(ctx, tx, k.event("deleted", r, nil))
}

func (k *Kind) archiveInstead(ctx context.Context, tx *db.Tx, r row, counts counts) error {
	_, err := archive(ctx, tx, k, []row{r})
	if err != nil {
		return err
	}
	refusal := errs.New(k.inUse, "%s", errs.Meaning(k.inUse))
	for _, c := range counts {
		refusal = refusal.With(c.name, c.n)
	}
	return db.Keep(refusal)
}
