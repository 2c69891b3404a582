package assignment

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/job"
	"assess/pkg/kernel/ledger"
	"assess/pkg/kernel/mail"
	"assess/pkg/people/hold"
)

// The states of an invitation.
const (
	InvitationQueued  = mail.Queued
	InvitationSending = "sending"
	InvitationSent    = mail.Sent
	InvitationFailed  = mail.Failed
)

// InviteInput is a request for invitations by mail.
type InviteInput struct {
	Resend bool `json:"resend,omitempty" doc:"Also to those whose mail was sent or failed before"`
}

// Invited says how many mails are queued now.
type Invited struct {
	Queued   int `json:"queued"`
	Invitees int `json:"invitees" doc:"People whom the assignment invites: the person, or the current members of the group"`
}

// Invite queues an invitation to every invitee who has not had one, or with Resend to every invitee
// whose mail is not on its way. It needs assignments.create. Errors: not_found, assignment_not_open,
// subject_erased, validation_failed for a public link, which invites nobody, and
// processing_restricted for an assignment to a person whose data must not be used. It skips such
// members of a group, and people without an address.
func Invite(ctx context.Context, tx *db.Tx, id ids.ID, in InviteInput) (Invited, error) {
	err := tx.Require(capability.AssignmentsCreate)
	if err != nil {
		return Invited{}, err
	}
	row, err := findForChange(ctx, tx, id)
	switch {
	case err != nil:
		return Invited{}, err
	case row.Status != models.AssignmentActive || row.ValidUntil != nil && !tx.Now().Before(*row.ValidUntil):
		return Invited{}, errs.New(errs.AssignmentNotOpen, "The assignment is closed or over.").With("status", row.Status)
	case row.TargetType == models.TargetPublicLink:
		return Invited{}, errs.Invalid(errs.Field{Path: "id", Code: "no_invitees", Message: "a public link invites nobody in particular"})
	}
	user, err := personOf(row)
	if err == nil && user != ids.None {
		err = hold.Use(ctx, tx, user)
	}
	if err != nil {
		return Invited{}, err
	}
	done, err := queueInvitations(ctx, tx, []ids.ID{id}, in.Resend)
	if err != nil {
		return Invited{}, err
	}
	event := eventOf("invited", row)
	event.Payload["queued"] = done.Queued
	return done, ledger.Append(ctx, tx, event)
}

// queueInvitationsSQL spreads assignments over their people and queues a mail for each, in one statement for any number.
const queueInvitationsSQL = `
with picked as materialized (
	select id, org_unit_id, target_type, target_ref::uuid as target from assignments
	where tenant_id = $1 and id = any($2) and target_type <> 'public_link'
), invitees as (
	select id, org_unit_id, target as user_id from picked where target_type in ('user_id', 'email')
	union all
	select p.id, p.org_unit_id, m.user_id from picked p
	cross join lateral (select user_id from group_members where tenant_id = $1 and group_id = p.target offset 0) m
	where p.target_type = 'group_id'
), queued as (
	insert into assignment_invitations as v (tenant_id, assignment_id, user_id, org_unit_id, status, sending, queued_at)
	select u.tenant_id, i.id, user_id, org_unit_id, 'queued', 1, $4 from invitees i
	cross join lateral (select tenant_id from users where tenant_id = $1 and id = i.user_id and not restricted and not erasing and email is not null offset 0) u
	order by i.id, user_id
	on conflict (tenant_id, assignment_id, user_id) do update
	set status = 'queued', sending = v.sending + 1, queued_at = excluded.queued_at, sent_at = null, problem = null
	where $3 and v.status in ('sent', 'failed')
	returning v.assignment_id, v.user_id, v.sending
)
select i.id, i.user_id, coalesce(q.sending, 0) from invitees i left join queued q on q.assignment_id = i.id and q.user_id = i.user_id`

// queueInvitations writes the rows and queues their jobs, with a fixed number of statements
// for any number of invitees. Each sending has its own number, so that the job of an older
// one finds nothing to do. The members are looked up group by group, as in inviteesSQL.
func queueInvitations(ctx context.Context, tx *db.Tx, assignments []ids.ID, resend bool) (Invited, error) {
	rows, err := tx.Query(ctx, queueInvitationsSQL,
		tx.Tenant(), assignments, resend, tx.Now())
	if err != nil {
		return Invited{}, fmt.Errorf("queue invitations: %w", err)
	}
	var done Invited
	var jobs []river.JobArgs
	args := MailInvitation{Tenant: tx.Tenant()}
	_, err = pgx.ForEachRow(rows, []any{&args.Assignment, &args.User, &args.Sending}, func() error {
		done.Invitees++
		if args.Sending > 0 {
			jobs = append(jobs, args)
		}
		return nil
	})
	if err != nil {
		return Invited{}, fmt.Errorf("queue invitations: %w", err)
	}
	done.Queued = len(jobs)
	if len(jobs) == 0 {
		return done, nil
	}
	return done, job.Insert(ctx, tx, jobs...)
}
