package evidence

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

// subject is the submission, or the item of one, that something is about.
type subject struct {
	submission, org, user ids.ID
	// item and submissionItem are the ids of the item; nil for the whole submission.
	item, submissionItem *ids.ID
}

// The scopes of evidence and findings.
const (
	ofSubmission = "submission"
	ofItem       = "item"
)

func scopeOf(item *ids.ID) string {
	if item == nil {
		return ofSubmission
	}
	return ofItem
}

// findSubject finds a submission, and the item if one is named. Errors: not_found,
// validation_failed for an item that the submission does not have.
func findSubject(ctx context.Context, tx *db.Tx, submission ids.ID, item *ids.ID) (subject, error) {
	s := subject{submission: submission, item: item}
	err := tx.QueryRow(ctx, `
		select s.org_unit_id, s.user_id, (select i.id from submission_items i
			where i.tenant_id = $1 and i.submission_id = $2 and i.item_id = $3 limit 1)
		from submissions s where s.tenant_id = $1 and s.id = $2`, tx.Tenant(), submission, item).
		Scan(&s.org, &s.user, &s.submissionItem)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return subject{}, errNoSubmission
	case err != nil:
		return subject{}, fmt.Errorf("find submission: %w", err)
	case item != nil && s.submissionItem == nil:
		return subject{}, errs.Invalid(errs.Field{Path: "itemId", Code: "unknown_item", Message: "the submission has no such item"})
	}
	return s, nil
}

// findWritable is findSubject for callers that write something about it. Errors: as there, and
// subject_erased.
func findWritable(ctx context.Context, tx *db.Tx, submission ids.ID, item *ids.ID) (subject, error) {
	s, err := findSubject(ctx, tx, submission, item)
	if err == nil {
		err = people.RefuseErased(ctx, tx, s.user)
	}
	return s, err
}

// takenBy says whether the actor is the person whose submission it is.
func (s subject) takenBy(a db.Actor) bool { return a.Is(s.user) }

// refuseOwn keeps people from removing evidence about their own submission.
func refuseOwn(ctx context.Context, tx *db.Tx, submission ids.ID) error {
	s, err := findSubject(ctx, tx, submission, nil)
	if err == nil && s.takenBy(tx.Actor()) {
		return errs.New(errs.FourEyesRequired, "It is about your own submission; somebody else has to decide about it.")
	}
	return err
}

var errNoSubmission = errs.New(errs.NotFound, "There is no such submission in your scope.")

func notFound(what string) error {
	return errs.New(errs.NotFound, "There is no such %s in your scope.", what)
}

// requireOne requires one of several capabilities.
func requireOne(tx *db.Tx, any ...capability.Capability) error {
	for _, c := range any {
		if tx.Can(c) {
			return nil
		}
	}
	return tx.Require(any[0])
}
