package submission

import (
	"cmp"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// person is the person the result belongs to.
type person struct {
	ID          ids.ID
	Name, Email string
	Restricted  bool
}

// shown is the part of a person's identity that the caller may see.
func (p person) shown(tx *db.Tx) string {
	if !tx.Can(capability.UsersRead) {
		return ""
	}
	return p.called(tx)
}

// called is the name of a person; people whose processing is restricted have none here.
func (p person) called(*db.Tx) string { return cmp.Or(p.Name, p.Email) }

// version names the evaluation and its version.
type version struct {
	ID     ids.ID
	Title  string
	Number int
}

// group is the target of the assignment, if that was a group.
type group struct {
	Assignment ids.ID
	ID, Name   *string
}

const (
	personsSQL = `
select id, case when restricted then '' else name end as name, case when restricted then '' else coalesce(email, '') end as email, restricted
from users where tenant_id = $1 and id = any($2)`

	versionsSQL = "select id, title, number from evaluation_versions where tenant_id = $1 and id = any($2)"

	groupsSQL = `
select a.id as assignment, a.target_ref as id, g.name
from (select id, target_ref, target_ref::uuid as group_id from assignments
	where tenant_id = $1 and id = any($2) and target_type = 'group_id' offset 0) a
left join lateral (select name from groups where tenant_id = $1 and id = a.group_id offset 0) g on true`
)

// named reads the names of the things that belong to submissions, one statement for each kind of thing.
func named(ctx context.Context, tx *db.Tx, rows []models.Submission) ([]result, error) {
	var users, versions, assignments []ids.ID
	for _, r := range rows {
		users, versions = append(users, r.UserID), append(versions, r.EvaluationVersionID)
		if r.AssignmentID != nil {
			assignments = append(assignments, *r.AssignmentID)
		}
	}
	persons, err := lookUp(ctx, tx, personsSQL, users, func(p person) ids.ID { return p.ID })
	if err != nil {
		return nil, err
	}
	of, err := lookUp(ctx, tx, versionsSQL, versions, func(v version) ids.ID { return v.ID })
	if err != nil {
		return nil, err
	}
	groups, err := lookUp(ctx, tx, groupsSQL, assignments, func(g group) ids.ID { return g.Assignment })
	if err != nil {
		return nil, err
	}
	results := make([]result, len(rows))
	for i, r := range rows {
		results[i] = result{r, persons[r.UserID], of[r.EvaluationVersionID], group{}}
		if r.AssignmentID != nil {
			results[i].group = groups[*r.AssignmentID]
		}
	}
	return results, nil
}

// lookUp reads rows by their ids.
func lookUp[T any](ctx context.Context, tx *db.Tx, sql string, wanted []ids.ID, id func(T) ids.ID) (map[ids.ID]T, error) {
	rows, err := tx.Query(ctx, sql, tx.Tenant(), wanted)
	if err != nil {
		return nil, fmt.Errorf("read names of results: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByName[T])
	if err != nil {
		return nil, fmt.Errorf("read names of results: %w", err)
	}
	found := make(map[ids.ID]T, len(all))
	for _, one := range all {
		found[id(one)] = one
	}
	return found, nil
}
