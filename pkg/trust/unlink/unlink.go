// Package unlink takes a person out of an organisation: the job type unlink (specification, section 4.9;
// decisions, section 10). Org units, groups, roles, assignments and invitations that are open go; the record
// and everything that the person did stay. In one org unit the roles stay too, because a role holds in all.
//
// Error codes: not_found, validation_failed, last_tenant_admin, step_up_required.
//
// Ledger events: the events of compliance, user.org_unit_left, group.member_removed, user.role_revoked,
// assignment.updated.
package unlink

import (
	"context"
	"errors"

	"assess/pkg/exam/assignment"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
	"assess/pkg/trust/compliance"
)

// Arguments are what a job is told besides its subject.
type Arguments struct {
	OrgUnitID ids.ID `json:"org_unit_id,omitzero"`
}

// Kind is the job type unlink.
func Kind() compliance.Kind {
	return compliance.Kind{Type: compliance.Unlink, Subject: true, Check: check, Proof: proof, Steps: []compliance.Step{
		{Name: "assignments", Do: withdraw}, {Name: "bindings", Do: unbind}}}
}

// check refuses to take the last Tenant Admin away, or a person out of an org unit that they are not
// in, before there is a job.
func check(ctx context.Context, tx *db.Tx, in compliance.Input) error {
	var arguments Arguments
	if err := in.Decode(&arguments); err != nil {
		return err
	}
	return tx.Rehearse(ctx, func() error {
		_, err := people.Unlink(ctx, tx, in.SubjectID, arguments.OrgUnitID)
		return err
	})
}

// proof is needed for people who manage others: without them nobody may be left to undo it.
func proof(ctx context.Context, tx *db.Tx, in compliance.Input) (bool, error) {
	return people.Administers(ctx, tx, in.SubjectID)
}

func withdraw(ctx context.Context, tx *db.Tx, r *compliance.Run) (bool, error) {
	var a Arguments
	if err := r.Arguments(&a); err != nil {
		return false, err
	}
	assignments, invitations, err := assignment.Withdraw(ctx, tx, r.Person(), a.OrgUnitID)
	r.Count("assignments", assignments)
	r.Count("assignment_invitations", invitations)
	return true, err
}

func unbind(ctx context.Context, tx *db.Tx, r *compliance.Run) (bool, error) {
	var a Arguments
	if err := r.Arguments(&a); err != nil {
		return false, err
	}
	done, err := people.Unlink(ctx, tx, r.Person(), a.OrgUnitID)
	if errors.Is(err, errs.ValidationFailed) {
		return true, nil // somebody else has taken them out since the job was requested
	}
	r.Count("user_org_units", done.OrgUnits)
	r.Count("group_members", done.Groups)
	r.Count("user_roles", done.Roles)
	return true, err
}
