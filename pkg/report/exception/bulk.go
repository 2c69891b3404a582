package exception

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun/dialect/pgdialect"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/people/people"
	"assess/pkg/trust/readiness"
)

// BulkInput changes the triage of many submissions at once.
type BulkInput struct {
	SubmissionIDs   []ids.ID   `json:"submissionIds" noun:"submission" nullable:"false" minItems:"1" maxItems:"1000" doc:"Each id once"`
	State           string     `json:"state,omitempty" enum:"open,acknowledged,resolved" doc:"resolved holds until the next look at the submission finds the issue there"`
	OwnerUserID     *ids.ID    `json:"ownerUserId,omitempty" noun:"user" doc:"Who looks after them"`
	SuppressedUntil *time.Time `json:"suppressedUntil,omitempty" doc:"Leave them out of the list until then"`
	Clear           []string   `json:"clear,omitempty" nullable:"false" maxItems:"2" enum:"ownerUserId,suppressedUntil" doc:"Fields to empty"`
}

// Bulk says what happened to each submission, in the order of the call.
type Bulk struct {
	Results []BulkResult `json:"results" nullable:"false"`
	Changed int          `json:"changed"`
	Failed  int          `json:"failed"`
}

// BulkResult is the result for one of many submissions.
type BulkResult struct {
	SubmissionID ids.ID    `json:"submissionId"`
	Code         errs.Code `json:"code,omitempty" doc:"Why it was left as it is; absent: it was changed"`
}

// mostTriaged is the most submissions in one call.
const mostTriaged = 1000

func (in BulkInput) check() error {
	seen := map[ids.ID]bool{}
	var bad []errs.Field
	if len(in.SubmissionIDs) == 0 || len(in.SubmissionIDs) > mostTriaged {
		bad = append(bad, errs.Field{Path: "submissionIds", Code: "out_of_range", Message: fmt.Sprintf("1 to %d submissions", mostTriaged)})
	}
	for i, id := range in.SubmissionIDs {
		if seen[id] {
			bad = append(bad, errs.Field{Path: fmt.Sprintf("submissionIds[%d]", i), Code: "duplicate", Message: "name each submission once"})
		}
		seen[id] = true
	}
	return errs.Invalid(bad...)
}

// WorkMany changes the triage of many submissions. Rows that cannot be changed stay as they are, the rest are changed; the
// error codes are the ones of Work. Capability: exceptions.triage. Errors: validation_failed, subject_erased of the owner.
func WorkMany(ctx context.Context, tx *db.Tx, in BulkInput) (Bulk, error) {
	if err := tx.Require(capability.ExceptionsTriage); err != nil {
		return Bulk{}, err
	}
	if err := in.check(); err != nil {
		return Bulk{}, err
	}
	one := TriageInput{State: in.State, OwnerUserID: in.OwnerUserID, SuppressedUntil: in.SuppressedUntil, Clear: in.Clear}
	if _, err := one.fits(ctx, tx, ids.None); err != nil {
		return Bulk{}, err
	}
	var rows []models.Exception
	err := tx.NewSelect().Model(&rows).Apply(tx.InScope).Where("e.submission_id = any(?) and e.first_seen_at is not null", pgdialect.Array(in.SubmissionIDs)).
		Order("e.submission_id").For("no key update").Scan(ctx)
	if err != nil {
		return Bulk{}, fmt.Errorf("find exceptions: %w", err)
	}
	codes, err := one.judge(ctx, tx, rows)
	if err != nil {
		return Bulk{}, err
	}
	done := Bulk{Results: make([]BulkResult, 0, len(in.SubmissionIDs))}
	for _, id := range in.SubmissionIDs {
		code, found := codes[id]
		if !found {
			code = errs.NotFound
		}
		if code != "" {
			done.Failed++
		}
		done.Results = append(done.Results, BulkResult{id, code})
	}
	done.Changed = len(done.Results) - done.Failed
	rows = slices.DeleteFunc(rows, func(row models.Exception) bool { return codes[row.SubmissionID] != "" })
	return done, one.write(ctx, tx, rows)
}

// fits says whether the change can be made in an org unit; an owner who does not see its exceptions is not an error of the
// call.
func (in TriageInput) fits(ctx context.Context, tx *db.Tx, unit ids.ID) (bool, error) {
	_, err := in.over(ctx, tx, unit, Triage{})
	if !errors.Is(err, errs.ValidationFailed) {
		return err == nil, err
	}
	for _, f := range errs.Of(err).Fields {
		if f.Path != "ownerUserId" || f.Code != "not_allowed" {
			return false, err
		}
	}
	return false, nil
}

// judge gives each row the code of the reason why it cannot be changed, or none.
func (in TriageInput) judge(ctx context.Context, tx *db.Tx, rows []models.Exception) (map[ids.ID]errs.Code, error) {
	var subjects []ids.ID
	units := map[ids.ID]bool{}
	for _, row := range rows {
		subjects = append(subjects, row.UserID)
		if _, known := units[row.OrgUnitID]; !known {
			fits, err := in.fits(ctx, tx, row.OrgUnitID)
			if err != nil {
				return nil, err
			}
			units[row.OrgUnitID] = fits
		}
	}
	gone, err := erased(ctx, tx, subjects)
	if err != nil {
		return nil, err
	}
	codes := map[ids.ID]errs.Code{}
	for _, row := range rows {
		code := errs.Code("")
		switch state := cmp.Or(in.State, row.State); {
		case tx.Actor().Is(row.UserID):
			code = errs.FourEyesRequired
		case slices.Contains(gone, row.UserID):
			code = errs.SubjectErased
		case !units[row.OrgUnitID]:
			code = errs.ValidationFailed
		case row.ReadinessState == string(readiness.Met) && state != models.ExceptionResolved:
			code = errs.Conflict
		}
		codes[row.SubmissionID] = code
	}
	return codes, nil
}

// erased returns the users who are erased: nothing more is written about them. Until the transaction ends, nobody
// can start to erase the others.
func erased(ctx context.Context, tx *db.Tx, users []ids.ID) ([]ids.ID, error) {
	rows, err := tx.Query(ctx, "select id, "+people.IsErased+" from users u where u.tenant_id = $1 and u.id = any($2) order by id for key share", tx.Tenant(), users)
	if err != nil {
		return nil, fmt.Errorf("look for erased people: %w", err)
	}
	var gone []ids.ID
	var id ids.ID
	var is bool
	_, err = pgx.ForEachRow(rows, []any{&id, &is}, func() error {
		if is {
			gone = append(gone, id)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for erased people: %w", err)
	}
	return gone, nil
}

const triageManySQL = `
	update defensibility_exception_triage set
		state = case when $3 <> '' then $3 else state end,
		owner_user_id = case when $4 then $5::uuid else owner_user_id end,
		suppressed_until = case when $6 then $7::timestamptz else suppressed_until end,
		updated_at = greatest($8, just_after(updated_at))
	where tenant_id = $1 and submission_id = any($2)`

// write changes the rows, and writes a ledger event for each.
func (in TriageInput) write(ctx context.Context, tx *db.Tx, rows []models.Exception) error {
	if len(rows) == 0 {
		return nil
	}
	owner := in.OwnerUserID != nil || slices.Contains(in.Clear, "ownerUserId")
	until := in.SuppressedUntil != nil || slices.Contains(in.Clear, "suppressedUntil")
	var found []ids.ID
	var events []ledger.Event
	for _, row := range rows {
		found = append(found, row.SubmissionID)
		is := triageOf(row)
		is.State = cmp.Or(in.State, is.State)
		if owner {
			is.OwnerUserID = in.OwnerUserID
		}
		if until {
			is.SuppressedUntil = in.SuppressedUntil
		}
		events = append(events, triaged("submission", row.SubmissionID, row.OrgUnitID, is))
	}
	_, err := tx.Exec(ctx, triageManySQL, tx.Tenant(), found, in.State, owner, in.OwnerUserID, until, in.SuppressedUntil, tx.Now())
	if err != nil {
		return fmt.Errorf("triage exceptions: %w", err)
	}
	return ledger.Append(ctx, tx, events...)
}
