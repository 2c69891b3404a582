package assignment

import (
	"context"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

// ImportRow is an assignment as a file states it, whole: a window, subject or engagement that
// it leaves out is none. Evaluation, Subject and Engagement are external ids or ids; Ref is
// the id or e-mail address of a user with an account (user_id), an address (email), the id
// or name of a group (group_id), or empty (public_link).
type ImportRow struct {
	Evaluation string
	Target
	RunLabel   string
	ValidFrom  *time.Time
	ValidUntil *time.Time
	Subject    string
	Engagement string
}

// Slot identifies an active assignment of an org unit. Target is the id of the user or group, the
// canonical e-mail address of somebody who is not a user yet, and empty for a public link.
type Slot struct {
	Evaluation             ids.ID
	Type, Target, RunLabel string
}

// ImportCheck is the result for a row: its problems, with the names of the columns as paths.
type ImportCheck struct {
	Problems []errs.Field
	// Warnings are of the same form, and keep nothing from being written.
	Warnings []errs.Field

	row                 ImportRow
	slot                Slot
	subject, engagement *ids.ID
	// stored is the assignment of the slot, where it has one; changes says that the row changes it.
	stored  *ids.ID
	changes bool
}

// ImportOptions say how to take the rows of an import.
type ImportOptions struct {
	// BatchID is the batch of the new assignments.
	BatchID ids.ID
	// Invite queues an invitation by mail to every invitee of the new assignments.
	Invite bool
}

// CheckImport checks rows as Import would, and writes nothing. It needs assignments.create,
// and assignments.manage when a row changes an assignment that exists. The result runs
// parallel to the input. seen holds the slots of earlier rows of the same file and gets the slots
// of these rows; if a slot occurs twice, that is a problem of the later row.
func CheckImport(ctx context.Context, tx *db.Tx, rows []ImportRow, seen map[Slot]bool) ([]ImportCheck, error) {
	err := tx.Require(capability.AssignmentsCreate)
	if err != nil {
		return nil, err
	}
	org, err := tx.HomeOrgUnit()
	if err != nil {
		return nil, err
	}
	return checkImport(ctx, tx, org, rows, seen, false)
}

func checkImport(ctx context.Context, tx *db.Tx, org ids.ID, rows []ImportRow, seen map[Slot]bool, hold bool) ([]ImportCheck, error) {
	known, err := loadImport(ctx, tx, org, rows, hold)
	if err != nil {
		return nil, err
	}
	checks := make([]ImportCheck, len(rows))
	for i, row := range rows {
		c := known.check(row)
		if c.slot != (Slot{}) && seen[c.slot] {
			c.add("targetRef", "duplicate_assignment", "another row assigns the evaluation to the same target under the same run label")
		}
		seen[c.slot] = true
		checks[i] = c
	}
	err = findStored(ctx, tx, org, checks)
	if err != nil {
		return nil, err
	}
	return checks, refuseOwnRows(ctx, tx, checks)
}

// Import creates assignments, or changes the ones that their slots already have, in a fixed number of statements for
// any number of rows; doing it again changes nothing. A new address becomes an invited user. A public link comes
// without a token, since nobody would see it; RotateToken gives it one. It needs what CheckImport needs. The result
// runs parallel to the input. Errors: validation_failed with paths like "[3].targetRef", subject_erased where
// somebody begins to be erased meanwhile.
func Import(ctx context.Context, tx *db.Tx, rows []ImportRow, how ImportOptions) ([]people.Change, error) {
	err := tx.Require(capability.AssignmentsCreate)
	if err != nil {
		return nil, err
	}
	org, err := tx.HomeOrgUnit()
	if err != nil || len(rows) == 0 {
		return []people.Change{}, err
	}
	err = lockImports(ctx, tx, org)
	if err != nil {
		return nil, err
	}
	checks, err := checkImport(ctx, tx, org, rows, map[Slot]bool{}, true)
	if err != nil {
		return nil, err
	}
	err = errs.Invalid(importProblems(checks)...)
	if err != nil {
		return nil, err
	}
	err = inviteNew(ctx, tx, checks)
	if err != nil {
		return nil, err
	}
	err = people.RefuseErased(ctx, tx, personsIn(checks)...)
	if err != nil {
		return nil, err
	}
	return writeImport(ctx, tx, org, checks, how)
}

// personsIn gives the users that rows are about.
func personsIn(checks []ImportCheck) []ids.ID {
	var all []ids.ID
	for _, c := range checks {
		id, err := ids.Parse("targetRef", c.slot.Target)
		if err == nil && isPerson(c.slot.Type) {
			all = append(all, id)
		}
	}
	return all
}

// lockImports makes imports into an org unit wait for each other until the transaction ends:
// nothing else keeps two of them from making the same public link, or from a deadlock.
func lockImports(ctx context.Context, tx *db.Tx, org ids.ID) error {
	_, err := tx.Exec(ctx, "select pg_advisory_xact_lock(hashtextextended(concat_ws(' ', 'import assignments', $1::text, $2::text), 0))",
		tx.Tenant().String(), org.String())
	if err != nil {
		return fmt.Errorf("lock imports of assignments: %w", err)
	}
	return nil
}

func (c *ImportCheck) add(path, code, message string) {
	c.Problems = append(c.Problems, errs.Field{Path: path, Code: code, Message: message})
}

func importProblems(checks []ImportCheck) []errs.Field {
	var bad []errs.Field
	for i, c := range checks {
		for _, p := range c.Problems {
			p.Path = fmt.Sprintf("[%d].%s", i, p.Path)
			bad = append(bad, p)
		}
	}
	return bad
}

// inviteNew makes users of the addresses that nobody has.
func inviteNew(ctx context.Context, tx *db.Tx, checks []ImportCheck) error {
	var emails []string
	var at []int
	for i, c := range checks {
		if c.isNew() {
			emails, at = append(emails, c.row.Ref), append(at, i)
		}
	}
	if len(emails) == 0 {
		return nil
	}
	users, err := people.InviteAll(ctx, tx, emails)
	if err != nil {
		return err
	}
	for n, i := range at {
		checks[i].slot.Target = users[n].String()
	}
	return nil
}

// isNew says that the target is an address without a user.
func (c ImportCheck) isNew() bool {
	_, err := ids.Parse("", c.slot.Target)
	return c.slot.Type == models.TargetEmail && err != nil
}
