package remediation

import (
	"context"
	"fmt"
	"strings"

	"assess/models"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// chunk is how many submissions one step corrects: enough for set-based statements to pay
// off, few enough for their rows to be held briefly.
const chunk = 1000

// Progress hears how many of all submissions are done.
type Progress func(done, total int)

// Run does the work that Apply or Revert requested, step by step, until nothing is left or the
// context ends. Any number may run at once, in any number of processes; each goes on where the
// steps so far have ended. It gives the remediation as it was when this call found nothing left to
// do: somebody may request more a moment later. progress may be nil.
func Run(ctx context.Context, store *db.Store, tenant, id ids.ID, progress Progress) (Remediation, error) {
	var s *scorer
	for {
		var row models.Remediation
		err := store.Read(ctx, db.System(tenant, "remediation"), func(tx *db.Tx) error {
			var err error
			row, err = read(ctx, tx, id, false)
			return err
		})
		if err != nil {
			return Remediation{}, err
		}
		if row.StartedBy == nil {
			return view(row) // a draft
		}
		if s == nil {
			s = newScorer(row.QuestionVersionID)
		}
		var more bool
		err = store.Write(ctx, scopeOf(row), func(tx *db.Tx) error {
			if underWay(row) {
				more = true
				row, err = s.step(ctx, tx, id, chunk)
			} else {
				row, more, err = s.stepLater(ctx, tx, id, chunk)
			}
			return err
		})
		if err != nil {
			return Remediation{}, err
		}
		if !more {
			return view(row)
		}
		if progress != nil {
			progress(row.DoneN, row.SubmissionsN)
		}
	}
}

func underWay(row models.Remediation) bool {
	return row.State == models.RemediationApplying || row.State == models.RemediationReverting
}

// scopeOf is the whole tenant, in the name of the person who requested it.
func scopeOf(row models.Remediation) db.Scope {
	scope := db.System(row.TenantID, "remediation")
	kind, name, _ := strings.Cut(*row.StartedBy, ":")
	scope.Actor = db.Actor{Kind: db.ActorKind(kind), Name: name}
	if scope.Actor.Kind == db.UserActor {
		id, err := ids.Parse("user", name)
		if err == nil {
			scope.Actor.ID = id
		}
	}
	return scope
}

// step does the next piece of a remediation that is under way, and ends it when nothing is
// left. It holds the remediation's row, so that of two only one does each piece.
func (s *scorer) step(ctx context.Context, tx *db.Tx, id ids.ID, size int) (models.Remediation, error) {
	row, err := read(ctx, tx, id, true)
	if err != nil || !underWay(row) {
		return row, err
	}
	if row.Reached == nil {
		err := enrol(ctx, tx, &row)
		if err != nil {
			return row, err
		}
	}
	piece, err := nextPiece(ctx, tx, row, size)
	if err != nil {
		return row, err
	}
	if len(piece) == 0 {
		return row, finish(ctx, tx, &row)
	}
	changes, err := s.correct(ctx, tx, row, piece)
	if err != nil {
		return row, err
	}
	now := tx.Now()
	row.Reached, row.SteppedAt = &piece[len(piece)-1], &now
	row.DoneN, row.ChangedN = row.DoneN+len(piece), row.ChangedN+len(changes)
	_, err = tx.NewUpdate().Model(&row).Column("reached", "stepped_at", "submissions_n", "done_n", "changed_n").WherePK().Exec(ctx)
	if err != nil {
		return row, fmt.Errorf("note progress: %w", err)
	}
	return row, nil
}

// enrol fixes which submissions the remediation is about. With a whole version, a submission of the
// person who applies the remediation is never included: it may have been handed in after Apply
// looked for such submissions.
func enrol(ctx context.Context, tx *db.Tx, row *models.Remediation) error {
	_, err := tx.Exec(ctx, "set local statement_timeout = 0") // the limit of requests is not meant for this
	if err != nil {
		return fmt.Errorf("lift time limit: %w", err)
	}
	if row.EvaluationVersionID != nil && row.State == models.RemediationApplying {
		_, err = tx.Exec(ctx, `
			insert into remediation_submissions (tenant_id, remediation_id, submission_id, org_unit_id)
			select s.tenant_id, $2, s.id, s.org_unit_id from submissions s
			where s.tenant_id = $1 and s.evaluation_version_id = $3 and s.status = 'completed' and s.user_id <> $5 and exists (
				select from submission_items i where i.tenant_id = $1 and i.submission_id = s.id and i.question_version_id = $4)
			order by s.id
			on conflict do nothing`, tx.Tenant(), row.ID, *row.EvaluationVersionID, row.QuestionVersionID, tx.Actor().ID)
		if err != nil {
			return fmt.Errorf("enrol submissions: %w", err)
		}
	}
	err = tx.QueryRow(ctx, "select count(*) from remediation_submissions where tenant_id = $1 and remediation_id = $2", tx.Tenant(), row.ID).
		Scan(&row.SubmissionsN)
	if err != nil {
		return fmt.Errorf("count submissions: %w", err)
	}
	return nil
}

// nextPiece sets the next submissions to the state that the remediation is moving to, gives them in
// the order of their ids, and locks them.
func nextPiece(ctx context.Context, tx *db.Tx, row models.Remediation, size int) ([]ids.ID, error) {
	after := ids.None
	if row.Reached != nil {
		after = *row.Reached
	}
	piece, err := collectIDs(ctx, tx, `
		select submission_id from remediation_submissions
		where tenant_id = $1 and remediation_id = $2 and (remediation_id, submission_id) > ($2, $3)
		order by submission_id limit $4`, tx.Tenant(), row.ID, after, size)
	if err != nil {
		return nil, fmt.Errorf("take submissions: %w", err)
	}
	if len(piece) == 0 {
		return nil, nil
	}
	err = holdSubmissions(ctx, tx, piece)
	if err != nil {
		return nil, err
	}
	// One statement for both would join the table with itself, and badly while it is new. Given the
	// ids one by one, the planner would read all submissions of the remediation each time; given
	// only a range of ids, it would read all remediations of these through the other index, which
	// cannot do a comparison of rows. A voided submission keeps its score, and with it the key that
	// the score goes by.
	_, err = tx.Exec(ctx, `
		update remediation_submissions m set active = $5, waiting = false
		where tenant_id = $1 and remediation_id = $2
			and (remediation_id, submission_id) > ($2, $3) and (remediation_id, submission_id) <= ($2, $4)
			and (select s.status from submissions s where s.tenant_id = $1 and s.id = m.submission_id) = 'completed'`,
		tx.Tenant(), row.ID, after, piece[len(piece)-1], row.State == models.RemediationApplying)
	if err != nil {
		return nil, fmt.Errorf("turn submissions: %w", err)
	}
	return piece, nil
}

// holdSubmissions keeps everybody else from correcting them, in the order in which they are given,
// by id. The statements after this one see every correction that others made before.
func holdSubmissions(ctx context.Context, tx *db.Tx, piece []ids.ID) error {
	_, err := tx.Exec(ctx, `
		select from unnest($2::uuid[]) w (id)
		cross join lateral (select from submissions s where s.tenant_id = $1 and s.id = w.id for no key update) s`, tx.Tenant(), piece)
	if err != nil {
		return fmt.Errorf("hold submissions: %w", err)
	}
	return nil
}

func (s *scorer) correct(ctx context.Context, tx *db.Tx, row models.Remediation, piece []ids.ID) ([]change, error) {
	changes, err := s.rescore(ctx, tx, piece, ids.None, ids.None)
	if err != nil {
		return nil, err
	}
	cause := submission.Cause{Reason: models.ScoreRemediationApplied, RemediationID: &row.ID, Actor: *row.StartedBy}
	if row.State == models.RemediationReverting {
		cause.Reason = models.ScoreRemediationReverted
	}
	return changes, submission.Rescore(ctx, tx, cause, rescorings(changes))
}

// finish ends the remediation and writes down how it went.
func finish(ctx context.Context, tx *db.Tx, row *models.Remediation) error {
	now := tx.Now()
	row.UpdatedAt, row.SubmissionsN = tx.ChangedAt(row.UpdatedAt), row.DoneN // more may have come in the middle
	verb := "applied"
	if row.State == models.RemediationApplying {
		row.State, row.AppliedAt = models.RemediationApplied, &now
	} else {
		row.State, row.RevertedAt, verb = models.RemediationReverted, &now, "reverted"
	}
	_, err := tx.NewUpdate().Model(row).Column("state", "updated_at", "applied_at", "reverted_at", "submissions_n").WherePK().Exec(ctx)
	if err != nil {
		return fmt.Errorf("finish remediation: %w", err)
	}
	err = queueKey(ctx, tx, *row)
	if err != nil {
		return err
	}
	e := event(verb, *row)
	e.Payload["submissions"], e.Payload["changed"] = row.DoneN, row.ChangedN
	return ledger.Append(ctx, tx, e)
}
