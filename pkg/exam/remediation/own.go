package remediation

import (
	"context"
	"fmt"

	"assess/models"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

var errOwnScore = errs.New(errs.FourEyesRequired, "Nobody corrects their own submission; somebody else has to do it.")

// refuseChosen refuses to correct submissions that were chosen by their ids: the actor's own, and submissions of
// erased people, since the reason is about them. A correction of a whole version is about a question, and goes on.
func refuseChosen(ctx context.Context, tx *db.Tx, chosen []ids.ID) error {
	err := submission.RefuseErased(ctx, tx, chosen...)
	if err != nil || tx.Actor().Kind != db.UserActor {
		return err
	}
	var own bool
	err = tx.QueryRow(ctx, "select exists (select from submissions where tenant_id = $1 and id = any($2) and user_id = $3)",
		tx.Tenant(), chosen, tx.Actor().ID).Scan(&own)
	if err != nil {
		return fmt.Errorf("look for own submissions: %w", err)
	}
	if own {
		return errOwnScore
	}
	return nil
}

// refuseOwnChange refuses an action that would change the scores of the actor's own submissions,
// no matter how they came to be among its submissions.
func refuseOwnChange(ctx context.Context, tx *db.Tx, row models.Remediation, action string) error {
	if tx.Actor().Kind != db.UserActor {
		return nil
	}
	own, err := collectIDs(ctx, tx, `
		select s.id from submissions s
		where s.tenant_id = $1 and s.user_id = $2 and s.status = 'completed'
		and (s.evaluation_version_id = $3 or exists (select from remediation_submissions m
			where m.tenant_id = $1 and m.remediation_id = $4 and m.submission_id = s.id))`, tx.Tenant(), tx.Actor().ID, row.EvaluationVersionID, row.ID)
	if err != nil {
		return fmt.Errorf("look for own submissions: %w", err)
	}
	first := row.ID
	if action == ActionRevert {
		first = ids.None
	}
	changes, err := newScorer(row.QuestionVersionID).rescore(ctx, tx, own, first, row.ID)
	if err == nil && len(changes) > 0 {
		err = errOwnScore
	}
	return err
}
