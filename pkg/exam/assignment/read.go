package assignment

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

// Filter narrows a list of assignments; zero values do not.
type Filter struct {
	EvaluationID ids.ID  `query:"evaluationId" noun:"evaluation" doc:"Only assignments of this evaluation"`
	BatchID      ids.ID  `query:"batch_id" doc:"Only assignments of this batch"`
	ScheduleID   ids.ID  `query:"scheduleId" doc:"Only assignments that this schedule made"`
	TargetType   string  `query:"target_type" enum:"user_id,email,group_id,public_link" doc:"Only assignments to targets of this type"`
	Status       string  `query:"status" enum:"active,closed" doc:"Only assignments of this status"`
	RunLabel     *string `query:"run_label" maxLength:"200" doc:"Only what belongs to this run; empty: only what belongs to none"`
	db.Page
}

// TargetTypes and Statuses are the values that a list can be narrowed to.
var (
	TargetTypes = []string{models.TargetUser, models.TargetEmail, models.TargetGroup, models.TargetPublicLink}
	Statuses    = []string{models.AssignmentActive, models.AssignmentClosed}
)

func (f Filter) check() (db.Page, error) {
	page, err := f.Page.Check()
	var bad []errs.Field
	if err != nil {
		bad = errs.Of(err).Fields
	}
	bad = append(bad, errs.OneOf("target_type", f.TargetType, TargetTypes)...)
	bad = append(bad, errs.OneOf("status", f.Status, Statuses)...)
	if f.RunLabel != nil {
		bad = append(bad, errs.Line("run_label", *f.RunLabel, maxRunLabel, false)...)
	}
	return page, errs.Invalid(bad...)
}

// Get reads an assignment. It needs one of assignments.create, .manage and .monitor.
// Errors: not_found.
func Get(ctx context.Context, tx *db.Tx, id ids.ID) (Assignment, error) {
	err := requireReader(tx)
	if err != nil {
		return Assignment{}, err
	}
	row, err := find(ctx, tx, id, "")
	if err != nil {
		return Assignment{}, err
	}
	return showOne(ctx, tx, row)
}

// List lists assignments, newest first. It needs one of assignments.create, .manage and
// .monitor. Errors: validation_failed.
func List(ctx context.Context, tx *db.Tx, filter Filter) (db.List[Assignment], error) {
	err := requireReader(tx)
	if err != nil {
		return db.List[Assignment]{}, err
	}
	page, err := filter.check()
	if err != nil {
		return db.List[Assignment]{}, err
	}
	var rows []models.Assignment
	total, err := db.ReadPage(ctx, tx.NewSelect().Model(&rows).Apply(tx.InScope, db.Only("evaluation_id", filter.EvaluationID),
		db.Only("batch_id", filter.BatchID), db.Only("schedule_id", filter.ScheduleID), db.Only("target_type", filter.TargetType),
		db.Only("status", filter.Status), filter.ofRun), page, &rows, "a.created_at desc", "a.id")
	if err != nil {
		return db.List[Assignment]{}, fmt.Errorf("list assignments: %w", err)
	}
	items := make([]Assignment, len(rows))
	for i, row := range rows {
		items[i] = assignmentOf(row, tx.Now())
	}
	return db.NewList(items, page, total), addNames(ctx, tx, items)
}

func (f Filter) ofRun(q *bun.SelectQuery) *bun.SelectQuery {
	if f.RunLabel == nil {
		return q
	}
	return q.Where("coalesce(a.run_label, '') = ?", *f.RunLabel)
}

// requireReader lets everybody read who hands out, changes or watches assignments.
func requireReader(tx *db.Tx) error {
	if tx.Can(capability.AssignmentsManage) || tx.Can(capability.AssignmentsCreate) {
		return nil
	}
	return tx.Require(capability.AssignmentsMonitor)
}

func showOne(ctx context.Context, tx *db.Tx, row models.Assignment) (Assignment, error) {
	shown := []Assignment{assignmentOf(row, tx.Now())}
	err := addNames(ctx, tx, shown)
	return shown[0], err
}

// namesSQL names what assignments are about: $2 are evaluations, $3 groups, and $4 people, with address and name. People
// whose processing is restricted have neither.
const namesSQL = `
select id, title, '' from evaluations where tenant_id = $1 and id = any($2::uuid[])
union all select id, name, '' from groups where tenant_id = $1 and id = any($3::uuid[])
union all select id, name, coalesce(email, '') from users where tenant_id = $1 and id = any($4::uuid[]) and not restricted`

// addNames says in words what assignments are about. Only callers who may see users learn who the people are.
func addNames(ctx context.Context, tx *db.Tx, items []Assignment) error {
	var evaluations []ids.ID
	var groups, people []string
	for _, item := range items {
		if !slices.Contains(evaluations[max(0, len(evaluations)-1):], item.EvaluationID) { // a batch is about one
			evaluations = append(evaluations, item.EvaluationID)
		}
		switch {
		case item.TargetType == "group_id":
			groups = append(groups, item.TargetRef)
		case isPerson(item.TargetType) && tx.Can(capability.UsersRead):
			people = append(people, item.TargetRef)
		}
	}
	rows, err := tx.Query(ctx, namesSQL, tx.Tenant(), evaluations, groups, people)
	if err != nil {
		return fmt.Errorf("name assignments: %w", err)
	}
	type words struct{ name, email string }
	said := map[string]words{}
	var id ids.ID
	var w words
	_, err = pgx.ForEachRow(rows, []any{&id, &w.name, &w.email}, func() error {
		said[id.String()] = w
		return nil
	})
	if err != nil {
		return fmt.Errorf("name assignments: %w", err)
	}
	for i, item := range items {
		target := said[item.TargetRef]
		items[i].EvaluationTitle, items[i].TargetName, items[i].Email = said[item.EvaluationID.String()].name, target.name, target.email
	}
	return nil
}

// find reads an assignment of the scope; a lock keeps it from changing until the transaction
// ends.
func find(ctx context.Context, tx *db.Tx, id ids.ID, lock string) (models.Assignment, error) {
	var rows []models.Assignment
	query := tx.NewSelect().Model(&rows).Apply(tx.InScope).Where("a.id = ?", id)
	if lock != "" {
		query = query.For(lock)
	}
	err := query.Scan(ctx)
	if err != nil {
		return models.Assignment{}, fmt.Errorf("read assignment: %w", err)
	}
	if len(rows) == 0 {
		return models.Assignment{}, errNone()
	}
	return rows[0], nil
}

// findForChange is find for a change by hand, which is refused where the assignment is to a person whose data are being
// erased, or were. Errors: not_found, subject_erased.
func findForChange(ctx context.Context, tx *db.Tx, id ids.ID) (models.Assignment, error) {
	row, err := find(ctx, tx, id, "no key update")
	if err != nil {
		return row, err
	}
	user, err := personOf(row)
	if err != nil || user == ids.None {
		return row, err
	}
	return row, people.RefuseErased(ctx, tx, user)
}

// personOf gives the person that an assignment is for, or none when its target is not a person.
func personOf(row models.Assignment) (ids.ID, error) {
	if !isPerson(row.TargetType) {
		return ids.None, nil
	}
	user, err := ids.Parse("target_ref", orEmpty(row.TargetRef))
	if err != nil {
		return ids.None, fmt.Errorf("read the target of an assignment: %w", err)
	}
	return user, nil
}

func errNone() error { return errs.New(errs.NotFound, "There is no such assignment in your scope.") }
