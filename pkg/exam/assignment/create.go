package assignment

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/kernel/plural"
)

// Create hands out an evaluation of the org unit to one target or to many, all or none. It
// needs assignments.create. An e-mail address without an account becomes an invited user.
// Errors: validation_failed, not_found, archived, not_published, duplicate_assignment
// (details.targets: the places of the targets that are assigned already), four_eyes_required
// where the actor is among the targets and was assigned the evaluation before.
func Create(ctx context.Context, tx *db.Tx, in CreateInput) (Created, error) {
	err := tx.Require(capability.AssignmentsCreate)
	if err != nil {
		return Created{}, err
	}
	org, err := tx.HomeOrgUnit()
	if err != nil {
		return Created{}, err
	}
	all, bad := in.aims()
	err = errs.Invalid(append(bad, in.Terms.problems()...)...)
	if err != nil {
		return Created{}, err
	}
	err = in.Terms.check(ctx, tx, org)
	if err != nil {
		return Created{}, err
	}
	bad, err = resolve(ctx, tx, org, all)
	if err == nil {
		err = errs.Invalid(bad...)
	}
	if err != nil {
		return Created{}, err
	}
	err = refuseOwnHandingOut(ctx, tx, in.EvaluationID, refsOf(all, anyTarget))
	if err != nil {
		return Created{}, err
	}
	rows, tokens := in.rows(tx, org, all)
	fresh, err := insertAssignments(ctx, tx, rows)
	if err != nil {
		return Created{}, err
	}
	err = duplicates(rows, fresh)
	if err != nil {
		return Created{}, err
	}
	return in.finish(ctx, tx, rows, tokens)
}

// finish writes down what was made and queues the mail.
func (in CreateInput) finish(ctx context.Context, tx *db.Tx, rows []models.Assignment, tokens []string) (Created, error) {
	made := Created{Assignment: assignmentOf(rows[0], tx.Now()), Token: tokens[0], Items: make([]Handed, len(rows))}
	events := make([]ledger.Event, len(rows))
	var assignments []ids.ID
	for i, row := range rows {
		made.Items[i] = Handed{ID: row.ID, TargetType: row.TargetType, TargetRef: orEmpty(row.TargetRef), Token: tokens[i]}
		events[i] = eventOf("created", row)
		assignments = append(assignments, row.ID)
	}
	if in.Invite {
		_, err := queueInvitations(ctx, tx, assignments, false)
		if err != nil {
			return Created{}, err
		}
	}
	return made, ledger.Append(ctx, tx, events...)
}

func (t Terms) problems() []errs.Field {
	return append(errs.Line("run_label", t.RunLabel, maxRunLabel, false), checkWindow(t.ValidFrom, t.ValidUntil)...)
}

// check locks the evaluation, so that it is not archived while the assignment is being made.
func (t Terms) check(ctx context.Context, tx *db.Tx, org ids.ID) error {
	var status string
	var version *ids.ID
	var subject, engagement bool
	err := tx.QueryRow(ctx, `
		select status, published_id,
			$4::uuid is null or exists (select from subjects where tenant_id = $1 and org_unit_id = $3 and id = $4),
			$5::uuid is null or exists (select from engagements where tenant_id = $1 and org_unit_id = $3 and id = $5)
		from evaluations where tenant_id = $1 and id = $2 and org_unit_id = $3 for share`,
		tx.Tenant(), t.EvaluationID, org, t.SubjectID, t.EngagementID).Scan(&status, &version, &subject, &engagement)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return errs.New(errs.NotFound, "There is no such evaluation in your scope.")
	case err != nil:
		return fmt.Errorf("look up evaluation: %w", err)
	case status == models.AuthoringArchived:
		return errs.New(errs.Archived, "The evaluation is archived; it takes no new assignments.")
	case version == nil:
		return errs.New(errs.NotPublished, "The evaluation has no published version.")
	}
	return checkLinks(subject, engagement)
}

func checkLinks(subject, engagement bool) error {
	var bad []errs.Field
	if !subject {
		bad = append(bad, errs.Field{Path: "subjectId", Code: "unknown_subject", Message: "there is no such subject in the org unit"})
	}
	if !engagement {
		bad = append(bad, errs.Field{Path: "engagementId", Code: "unknown_engagement", Message: "there is no such engagement in the org unit"})
	}
	return errs.Invalid(bad...)
}

// rows makes the rows of the targets and their tokens, "" where there is none.
func (in CreateInput) rows(tx *db.Tx, org ids.ID, all []aim) ([]models.Assignment, []string) {
	batch := in.BatchID
	if batch == nil && len(in.Targets) > 0 {
		batch = ids.Ref(ids.New())
	}
	rows, tokens := make([]models.Assignment, len(all)), make([]string, len(all))
	for i, a := range all {
		rows[i] = models.Assignment{TenantID: tx.Tenant(), ID: ids.New(), OrgUnitID: org, EvaluationID: in.EvaluationID,
			TargetType: a.Type, RunLabel: optional(in.RunLabel), ValidFrom: in.ValidFrom, ValidUntil: in.ValidUntil, BatchID: batch,
			ScheduleID: in.schedule, SubjectID: in.SubjectID, EngagementID: in.EngagementID, Status: models.AssignmentActive,
			CreatedBy: tx.Actor().String(), CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
		if a.Type != models.TargetPublicLink {
			rows[i].TargetRef = optional(a.ref.String())
		}
		if in.WithToken || a.Type == models.TargetPublicLink {
			tokens[i], rows[i].TokenHash = newToken()
		}
	}
	return rows, tokens
}

// insertAssignments gives the rows that were new, in one statement. It goes through the
// targets in order, so that two calls at once wait for each other instead of deadlocking.
func insertAssignments(ctx context.Context, tx *db.Tx, rows []models.Assignment) (map[ids.ID]bool, error) {
	var newIDs []ids.ID
	var types []string
	var refs []*string
	var hashes [][]byte
	for _, r := range rows {
		newIDs, types, refs, hashes = append(newIDs, r.ID), append(types, r.TargetType), append(refs, r.TargetRef), append(hashes, r.TokenHash)
	}
	shared := rows[0]
	inserted, err := tx.Query(ctx, `
		with made as (insert into assignments as made (tenant_id, id, org_unit_id, evaluation_id, target_type, target_ref, token_hash, run_label,
			valid_from, valid_until, batch_id, schedule_id, subject_id, engagement_id, status, created_by, created_at, updated_at)
		select e.tenant_id, t.id, $2, $3, target_type, target_ref, token_hash, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13
		from (select tenant_id from evaluations where tenant_id = $1 and id = $3) e
		cross join unnest($14::uuid[], $15::text[], $16::text[], $17::bytea[]) as t (id, target_type, target_ref, token_hash)
		order by target_type, target_ref
		on conflict do nothing returning made.id)
		`+queued("made", "$13"),
		tx.Tenant(), shared.OrgUnitID, shared.EvaluationID, shared.RunLabel, shared.ValidFrom, shared.ValidUntil, shared.BatchID,
		shared.ScheduleID, shared.SubjectID, shared.EngagementID, shared.Status, shared.CreatedBy, shared.CreatedAt,
		newIDs, types, refs, hashes)
	if err != nil {
		return nil, fmt.Errorf("create assignments: %w", err)
	}
	fresh := make(map[ids.ID]bool, len(rows))
	var id ids.ID
	_, err = pgx.ForEachRow(inserted, []any{&id}, func() error {
		fresh[id] = true
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("create assignments: %w", err)
	}
	return fresh, nil
}

// queued asks the projector to look at the assignments of a CTE and gives their ids.
func queued(cte, now string) string {
	return `insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at)
		select $1, 'assignment', id, ` + now + ` from ` + cte + ` returning subject_id`
}

// maxListed bounds the places that an error lists.
const maxListed = 100

func duplicates(rows []models.Assignment, fresh map[ids.ID]bool) error {
	if len(fresh) == len(rows) {
		return nil
	}
	places := []int{}
	for i, row := range rows {
		if !fresh[row.ID] && len(places) < maxListed {
			places = append(places, i)
		}
	}
	return errs.New(errs.DuplicateAssignment, "Of %s, %d had this assignment already; nothing was created.",
		plural.Of(len(rows), "target"), len(rows)-len(fresh)).With("targets", places)
}

func eventOf(what string, row models.Assignment) ledger.Event {
	payload := map[string]any{"evaluationId": row.EvaluationID, "targetType": row.TargetType, "status": row.Status}
	for key, id := range map[string]*ids.ID{"batchId": row.BatchID, "scheduleId": row.ScheduleID} {
		if id != nil {
			payload[key] = id
		}
	}
	if row.TargetRef != nil {
		payload["targetRef"] = *row.TargetRef
	}
	return ledger.Event{Type: "assignment." + what, SubjectType: "assignment", SubjectID: row.ID, OrgUnit: row.OrgUnitID, Payload: payload}
}
