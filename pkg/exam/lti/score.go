package lti

import (
	"context"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// takeUpSQL queues a look at the grades that submissions belong to.
const takeUpSQL = `
insert into lti_scores as g (tenant_id, id, org_unit_id, platform_id, link_id, user_id, next_at, created_at)
select distinct on (k.id, s.user_id) s.tenant_id, gen_random_uuid(), k.org_unit_id, k.platform_id, k.id, s.user_id, $3::timestamptz, $3::timestamptz
from unnest($2::uuid[]) n (id)
cross join lateral (select tenant_id, assignment_id, user_id from submissions where tenant_id = $1 and id = n.id offset 0) s
cross join lateral (select id, org_unit_id, platform_id from lti_links where tenant_id = $1 and assignment_id = s.assignment_id offset 0) k
order by k.id, s.user_id
on conflict (tenant_id, link_id, user_id) do update set state = 'due', changed = g.changed + 1, attempts = 0, next_at = excluded.next_at`

// TakeUp notes that the grades which some submissions belong to may have changed. The projector calls it with all that were handed in,
// scored, corrected, decided about or voided.
func TakeUp(ctx context.Context, tx *db.Tx, submissions []ids.ID) error {
	if len(submissions) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, takeUpSQL, tx.Tenant(), submissions, tx.Now())
	if err != nil {
		return fmt.Errorf("note grades to send: %w", err)
	}
	return nil
}

// lookAgain queues a look at all grades of a link.
func lookAgain(ctx context.Context, tx *db.Tx, link ids.ID) error {
	_, err := tx.Exec(ctx, "update lti_scores set state = 'due', changed = changed + 1, attempts = 0, next_at = $3 where tenant_id = $1 and link_id = $2", tx.Tenant(), link, tx.Now())
	if err != nil {
		return fmt.Errorf("note grades to send: %w", err)
	}
	return nil
}

// The states of a grade.
const (
	scoreDue     = "due"
	scoreSent    = "sent"
	scoreRefused = "refused"
	scoreNone    = "none"
)

// Score is the grade of a person in an activity, as it goes to the platform.
type Score struct {
	ID       ids.ID     `json:"id"`
	LinkID   ids.ID     `json:"linkId"`
	UserID   ids.ID     `json:"userId"`
	State    string     `json:"state" enum:"due,sent,refused,none" doc:"refused: the platform does not take it, and nothing is sent until somebody retries or the score changes; none: the platform takes no grade of this person or activity"`
	Attempts int        `json:"attempts" doc:"Calls in vain since the last success"`
	NextAt   *time.Time `json:"nextAt,omitempty" doc:"When the next call is, at the earliest"`
	Status   *int       `json:"status,omitempty" doc:"What the last call was answered; absent where nothing answered"`
	Answer   string     `json:"answer,omitempty" doc:"Why the platform does not take it: the first 1,024 bytes of its answer"`
	SentAt   *time.Time `json:"sentAt,omitempty" doc:"When the platform last took one"`
}

func newScore(row models.LTIScore) Score {
	s := Score{ID: row.ID, LinkID: row.LinkID, UserID: row.UserID, State: row.State, Attempts: row.Attempts, Status: row.Status, Answer: db.OrZero(row.Answer), SentAt: db.UTC(row.SentAt)}
	if row.State == scoreDue {
		s.NextAt = new(row.NextAt.UTC())
	}
	return s
}

// ScoreFilter chooses grades.
type ScoreFilter struct {
	State  string `query:"state" json:"-" enum:"due,sent,refused,none" doc:"Only those in this state"`
	LinkID ids.ID `query:"linkId" json:"-" noun:"link" doc:"Only those of this activity"`
	db.Page
}

// ListScores lists grades, the newest first. It needs integrations.read, integrations.manage or assignments.monitor.
func ListScores(ctx context.Context, tx *db.Tx, filter ScoreFilter) (db.List[Score], error) {
	err := mayWatch(tx)
	if err == nil {
		err = errs.Invalid(errs.OneOf("state", filter.State, []string{scoreDue, scoreSent, scoreRefused, scoreNone})...)
	}
	if err != nil {
		return db.List[Score]{}, err
	}
	page, err := filter.Check()
	if err != nil {
		return db.List[Score]{}, err
	}
	var rows []models.LTIScore
	q := tx.NewSelect().Model(&rows).Apply(tx.InScope, db.Only("state", filter.State), db.Only("link_id", filter.LinkID))
	total, err := db.ReadPage(ctx, q, page, &rows, "created_at desc", "id")
	if err != nil {
		return db.List[Score]{}, fmt.Errorf("list grades: %w", err)
	}
	return db.NewList(mapAll(rows, newScore), page, total), nil
}

// mayMend lets people change links and send grades again if they manage integrations, or assignments of the org unit.
func mayMend(tx *db.Tx) error {
	if tx.Can(capability.IntegrationsManage) {
		return nil
	}
	return tx.Require(capability.AssignmentsManage)
}

// RetryScore sends a grade again, also one that the platform took. It needs integrations.manage or assignments.manage. Errors:
// not_found.
func RetryScore(ctx context.Context, tx *db.Tx, id ids.ID) (Score, error) {
	err := mayMend(tx)
	if err != nil {
		return Score{}, err
	}
	n, err := tx.Exec(ctx, `
		update lti_scores set state = 'due', changed = changed + 1, attempts = 0, next_at = $3, prepared = null, sent = null
		where tenant_id = $1 and id = $2 and ($4 or org_unit_id = $5)`, tx.Tenant(), id, tx.Now(), tx.Scope().All, ids.Ref(tx.Scope().OrgUnit))
	if err == nil && n == 0 {
		err = errs.New(errs.NotFound, "There is no such grade in your scope.")
	}
	if err != nil {
		return Score{}, fmt.Errorf("send a grade again: %w", err)
	}
	row, err := findRow[models.LTIScore](ctx, tx, "grade", "id = ?", id)
	return newScore(row), err
}

// LinkPatch changes what it names and leaves the rest.
type LinkPatch struct {
	Counts    *string    `json:"counts,omitempty" enum:"best,latest,first,mean" doc:"Which attempt counts"`
	SentWhen  *string    `json:"sentWhen,omitempty" enum:"submitted,scored,approved" doc:"When a grade is sent: submitted says at once that something was handed in, and waits with the grade; scored waits until nothing in it waits for a person; approved until a reviewer approved it, where one must"`
	UpdatedAt *time.Time `json:"updatedAt,omitempty" doc:"The updatedAt that was read; stale_update when the link has changed since"`
}

// UpdateLink changes which attempt counts and when its grade is sent; grades that this changes are sent. It needs what RetryScore needs.
// Errors: not_found, stale_update, validation_failed.
func UpdateLink(ctx context.Context, tx *db.Tx, id ids.ID, patch LinkPatch) (Link, error) {
	err := mayMend(tx)
	if err == nil {
		err = errs.Invalid(append(errs.OneOf("counts", db.OrZero(patch.Counts), []string{CountsBest, CountsLatest, CountsFirst, CountsMean}),
			errs.OneOf("sentWhen", db.OrZero(patch.SentWhen), []string{WhenSubmitted, WhenScored, WhenApproved})...)...)
	}
	if err != nil {
		return Link{}, err
	}
	_, err = tx.Exec(ctx, "select from lti_links where tenant_id = $1 and id = $2 for no key update", tx.Tenant(), id)
	if err != nil {
		return Link{}, fmt.Errorf("lock link: %w", err)
	}
	row, err := findRow[models.LTILink](ctx, tx, "link", "id = ? and (? or org_unit_id = ?)", id, tx.Scope().All, tx.Scope().OrgUnit)
	if err == nil {
		err = db.Fresh(patch.UpdatedAt, row.UpdatedAt)
	}
	if err != nil {
		return Link{}, err
	}
	old := row
	put(&row.Counts, patch.Counts)
	put(&row.SentWhen, patch.SentWhen)
	if row == old {
		return newLink(row), nil
	}
	row.UpdatedAt = tx.ChangedAt(old.UpdatedAt)
	_, err = tx.Exec(ctx, "update lti_links set counts = $3, sent_when = $4, updated_at = $5 where tenant_id = $1 and id = $2", tx.Tenant(), id, row.Counts, row.SentWhen, row.UpdatedAt)
	if err != nil {
		return Link{}, fmt.Errorf("change link: %w", err)
	}
	err = lookAgain(ctx, tx, id)
	if err != nil {
		return Link{}, err
	}
	return newLink(row), ledger.Append(ctx, tx, linkEvent("updated", row))
}
