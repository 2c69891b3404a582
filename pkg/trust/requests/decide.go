package requests

import (
	"context"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/compliance"
)

// Extension says why an answer needs more time.
type Extension struct {
	ReasonCode string `json:"reason_code" enum:"complexity,number_of_requests" doc:"Why the answer needs more time"`
}

// Extend moves the time by two months, once, before it is over: the person has to hear of it within it (article 12(3)).
// Errors: as work, validation_failed, request_extended, request_overdue.
func Extend(ctx context.Context, tx *db.Tx, id ids.ID, input Extension) (Detail, error) {
	row, err := work(ctx, tx, id, Received, IdentityPending, Verified, Decided)
	if err != nil {
		return Detail{}, err
	}
	bad := errs.OneOf("reason_code", input.ReasonCode, codes(Extensions))
	if input.ReasonCode == "" {
		bad = append(bad, errs.Field{Path: "reason_code", Code: "required", Message: "say why, by a code"})
	}
	if err := errs.Invalid(bad...); err != nil {
		return Detail{}, err
	}
	switch {
	case row.ExtendedAt != nil:
		return Detail{}, errs.New(errs.RequestExtended, "%s", errs.Meaning(errs.RequestExtended))
	case slaOf(row, tx.Now()) == breached:
		return Detail{}, errs.New(errs.RequestOverdue, "%s", errs.Meaning(errs.RequestOverdue))
	}
	row.DueAt = later(row.DueAt, extensionMonths)
	row.ExtendedAt, row.ExtensionReason = new(tx.Now()), &input.ReasonCode
	return done(ctx, tx, row, step{change: "extended", code: input.ReasonCode})
}

// Decision is a decision about a request.
type Decision struct {
	Decision   string `json:"decision" enum:"granted,partly,refused" doc:"Whether what is asked is done"`
	ReasonCode string `json:"reason_code,omitempty" enum:"manifestly_unfounded,excessive,identity_not_proven,nothing_held,legal_obligation,public_interest,legal_claims,rights_of_others,compelling_grounds,data_accurate,right_not_applicable" doc:"Why not, or only in part"`
}

func (input Decision) check() error {
	bad := append(errs.OneOf("decision", input.Decision, decisions), errs.OneOf("reason_code", input.ReasonCode, codes(Refusals))...)
	switch {
	case input.Decision == "":
		bad = append(bad, errs.Field{Path: "decision", Code: "required", Message: "granted, partly or refused"})
	case input.Decision == Granted && input.ReasonCode != "":
		bad = append(bad, errs.Field{Path: "reason_code", Code: "not_allowed", Message: "what is granted needs no reason"})
	case input.Decision != Granted && input.ReasonCode == "":
		bad = append(bad, errs.Field{Path: "reason_code", Code: "required", Message: "say why not, by a code"})
	}
	return errs.Invalid(bad...)
}

// Decide says whether to do what the request wants. If nobody could tell whose request it is, that is reason enough to refuse
// it. After a refusal that was contested, somebody other than the one who refused decides. Errors: as work, validation_failed,
// four_eyes_required, also for an erasure where the tenant requires two people (SetRules).
func Decide(ctx context.Context, tx *db.Tx, id ids.ID, input Decision) (Detail, error) {
	row, err := work(ctx, tx, id, Received, IdentityPending, Verified)
	if err != nil {
		return Detail{}, err
	}
	if err := input.check(); err != nil {
		return Detail{}, err
	}
	if row.State != Verified && (input.Decision != Refused || input.ReasonCode != "identity_not_proven") {
		return Detail{}, wrongState(row)
	}
	if row.RefusedBy != nil && *row.RefusedBy == tx.Actor().String() {
		return Detail{}, errs.New(errs.FourEyesRequired, "You refused the request; somebody else has to decide now that it is contested.")
	}
	if row.Kind == Erasure && input.Decision != Refused {
		asked, err := rules(ctx, tx, false)
		if err == nil {
			err = asked.grant(tx, &row)
		}
		if err != nil {
			return Detail{}, err
		}
	}
	if row.IdentityAskedAt != nil {
		run(&row, tx.Now())
	}
	row.State, row.Decision, row.DecidedBy, row.DecidedAt, row.ReasonCode = Decided, &input.Decision, new(tx.Actor().String()), new(tx.Now()), nil
	code := input.Decision
	if input.ReasonCode != "" {
		row.ReasonCode, code = &input.ReasonCode, input.ReasonCode
	}
	return done(ctx, tx, row, step{change: "decided", code: code})
}

// Answer says that the person has the answer: after a refusal the decision, otherwise that it is done. Errors: as work.
func Answer(ctx context.Context, tx *db.Tx, id ids.ID) (Detail, error) {
	row, err := work(ctx, tx, id, Decided, CarriedOut)
	if err != nil {
		return Detail{}, err
	}
	if row.State == Decided && *row.Decision != Refused {
		return Detail{}, wrongState(row)
	}
	if err := end(ctx, tx, &row, Answered); err != nil {
		return Detail{}, err
	}
	return done(ctx, tx, row, step{change: "answered"})
}

// Withdraw says that the person has taken the request back. Errors: as work, wrong_request_state while a job carries it out.
func Withdraw(ctx context.Context, tx *db.Tx, id ids.ID) (Detail, error) {
	row, err := work(ctx, tx, id, withdrawable...)
	if err != nil {
		return Detail{}, err
	}
	row, err = takeBack(ctx, tx, row)
	if err != nil {
		return Detail{}, err
	}
	return detail(ctx, tx, row)
}

// takeBack ends a request that no job is carrying out.
func takeBack(ctx context.Context, tx *db.Tx, row models.ComplianceRequest) (models.ComplianceRequest, error) {
	open, err := openJob(ctx, tx, row.ID)
	if err != nil {
		return row, err
	}
	if open {
		return row, wrongState(row)
	}
	if err := end(ctx, tx, &row, Withdrawn); err != nil {
		return row, err
	}
	return row, keep(ctx, tx, &row, step{change: "withdrawn"})
}

// openJob says whether a job is carrying the request out.
func openJob(ctx context.Context, tx *db.Tx, id ids.ID) (bool, error) {
	var open bool
	err := tx.QueryRow(ctx, "select exists (select from compliance_jobs where tenant_id = $1 and request_id = $2 and completed_at is null)", tx.Tenant(), id).Scan(&open)
	if err != nil {
		return false, fmt.Errorf("look for a job of a request: %w", err)
	}
	return open, nil
}

// Execution says how to carry a request out.
type Execution struct {
	DryRun bool `json:"dryRun,omitempty" doc:"Do everything, say what it would be, and take it back; asks for no proof"`
}

// Executed is a request that is carried out, with its job.
type Executed struct {
	Detail
	Job *compliance.Job `json:"job" doc:"That carries it out; null where it is done by hand"`
}

// CarryOut starts the job of a request that is granted, at least in part. For a kind without a job it says that somebody
// has done it by hand. Errors: as work, request_waiting, and the errors of the job.
func CarryOut(ctx context.Context, tx *db.Tx, office *compliance.Centre, id ids.ID, input Execution) (Executed, error) {
	if !input.DryRun {
		return carryOut(ctx, tx, office.Create, office.Secret, id)
	}
	var would Executed
	err := tx.Rehearse(ctx, func() error {
		var err error
		would, err = carryOut(ctx, tx, office.Preview, office.Secret, id)
		return err
	})
	return would, err
}

type starter func(context.Context, *db.Tx, compliance.Input) (compliance.Job, error)

func carryOut(ctx context.Context, tx *db.Tx, start starter, secret string, id ids.ID) (Executed, error) {
	row, err := work(ctx, tx, id, Decided)
	if err != nil {
		return Executed{}, err
	}
	open, err := openJob(ctx, tx, row.ID)
	if err != nil {
		return Executed{}, err
	}
	if open || *row.Decision == Refused {
		return Executed{}, wrongState(row)
	}
	if row.NotBefore != nil && tx.Now().Before(*row.NotBefore) {
		return Executed{}, errs.New(errs.RequestWaiting, "The erasure begins at %s at the earliest; until then the person can take it back.", row.NotBefore.UTC().Format(time.RFC3339)).
			With("until", row.NotBefore.UTC())
	}
	does, ok := jobs[row.Kind]
	if !ok {
		row.State, row.CarriedOutAt = CarriedOut, new(tx.Now())
		shown, err := done(ctx, tx, row, step{change: "carried_out", code: "by_hand"})
		return Executed{Detail: shown}, err
	}
	input := compliance.Input{Type: does.jobType, SubjectID: *row.SubjectID, Request: &compliance.Of{ID: row.ID, DueAt: row.DueAt}}
	if does.arguments != nil {
		input.Arguments = compliance.Arguments(does.arguments)
	}
	if row.Kind == Erasure {
		if err := holdLetter(ctx, tx, secret, row); err != nil {
			return Executed{}, err
		}
	}
	job, err := start(ctx, tx, input)
	if err != nil {
		return Executed{}, err
	}
	// A job that is done at once has changed the request meanwhile.
	row, err = lock(ctx, tx, id)
	if err != nil {
		return Executed{}, err
	}
	if row.State == Decided && !job.DryRun {
		if err := keep(ctx, tx, &row, step{change: "started", job: job.ID}); err != nil {
			return Executed{}, err
		}
	}
	shown, err := detail(ctx, tx, row)
	return Executed{Detail: shown, Job: &job}, err
}

// Ended writes down in the request what became of its job, in the transaction in which that ends.
func Ended(ctx context.Context, tx *db.Tx, job models.ComplianceJob) error {
	if job.RequestID == nil {
		return nil
	}
	row, err := lock(ctx, tx, *job.RequestID)
	if err != nil || row.State != Decided {
		return err
	}
	s := step{change: "job_ended", job: job.ID, code: job.Status}
	if job.Status == models.ComplianceCompleted {
		s.change, row.State, row.CarriedOutAt = "carried_out", CarriedOut, new(tx.Now())
	}
	return keep(ctx, tx, &row, s)
}
