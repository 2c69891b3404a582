package requests

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ledger"
	"assess/pkg/people/policy"
	"assess/pkg/trust/compliance"
)

// Rules are what a tenant asks of erasures.
type Rules struct {
	TwoPeople bool       `json:"twoPeople" doc:"Who grants an erasure is not who recorded the request"`
	WaitDays  int        `json:"waitDays" doc:"Days between the decision and the erasure; until then the person can take it back, and a hold comes first"`
	Letters   bool       `json:"letters" doc:"The service writes to the person by itself; otherwise officers do"`
	SetBy     *string    `json:"setBy" doc:"user:<id> or operator:<name>; null: nobody has set any"`
	SetAt     *time.Time `json:"setAt"`
}

// RulesInput sets them.
type RulesInput struct {
	TwoPeople bool  `json:"twoPeople" doc:"Who grants an erasure is not who recorded the request"`
	WaitDays  int   `json:"waitDays" minimum:"0" maximum:"28" doc:"Days between the decision and the erasure"`
	Letters   *bool `json:"letters,omitempty" doc:"The service writes to the person by itself; absent: as before"`
}

// mostWait leaves time for the answer within the month.
const mostWait = 28

// GetRules gives the rules of the tenant. Capability: compliance.read, over the whole tenant.
func GetRules(ctx context.Context, tx *db.Tx) (Rules, error) {
	if err := compliance.RequireReader(tx); err != nil {
		return Rules{}, err
	}
	return rules(ctx, tx, false)
}

func rules(ctx context.Context, tx *db.Tx, locked bool) (Rules, error) {
	sql := "select two_people, wait_days, letters, set_by, set_at from request_rules where tenant_id = $1"
	if locked {
		sql += " for update"
	}
	r := Rules{Letters: true}
	err := tx.QueryRow(ctx, sql, tx.Tenant()).Scan(&r.TwoPeople, &r.WaitDays, &r.Letters, &r.SetBy, &r.SetAt)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return r, fmt.Errorf("read the rules of requests: %w", err)
	}
	r.SetAt = db.UTC(r.SetAt)
	return r, nil
}

// SetRules sets the rules of the tenant. They apply to decisions from then on. Capability: compliance.manage, over the whole
// tenant; relaxing them needs a step-up proof. Errors: forbidden, validation_failed, step_up_required.
func SetRules(ctx context.Context, tx *db.Tx, input RulesInput) (Rules, error) {
	if err := compliance.RequireManager(tx); err != nil {
		return Rules{}, err
	}
	if input.WaitDays < 0 || input.WaitDays > mostWait {
		return Rules{}, errs.Invalid(errs.Field{Path: "waitDays", Code: "out_of_range", Message: "0 to 28 days, so that the answer comes within the month"})
	}
	before, err := rules(ctx, tx, true)
	if err != nil {
		return Rules{}, err
	}
	if before.TwoPeople && !input.TwoPeople || input.WaitDays < before.WaitDays {
		if err := policy.Prove(ctx, tx); err != nil {
			return Rules{}, err
		}
	}
	by, letters := tx.Actor().String(), before.Letters
	if input.Letters != nil {
		letters = *input.Letters
	}
	_, err = tx.Exec(ctx, `insert into request_rules (tenant_id, two_people, wait_days, letters, set_by, set_at) values ($1, $2, $3, $4, $5, $6)
		on conflict (tenant_id) do update set two_people = excluded.two_people, wait_days = excluded.wait_days, letters = excluded.letters, set_by = excluded.set_by, set_at = excluded.set_at`,
		tx.Tenant(), input.TwoPeople, input.WaitDays, letters, by, tx.Now())
	if err != nil {
		return Rules{}, fmt.Errorf("set the rules of requests: %w", err)
	}
	err = ledger.Append(ctx, tx, ledger.Event{Type: "request_rules.set", SubjectType: "tenant", SubjectID: tx.Tenant(),
		Payload: map[string]any{"twoPeople": input.TwoPeople, "waitDays": input.WaitDays, "letters": letters}})
	return Rules{TwoPeople: input.TwoPeople, WaitDays: input.WaitDays, Letters: letters, SetBy: &by, SetAt: new(tx.Now().UTC())}, err
}

// grant asks what the tenant asks of an erasure that is granted. Errors: four_eyes_required.
func (r Rules) grant(tx *db.Tx, row *models.ComplianceRequest) error {
	if r.TwoPeople && row.RecordedBy == tx.Actor().String() {
		return errs.New(errs.FourEyesRequired, "You recorded the request; somebody else has to grant the erasure.")
	}
	if r.WaitDays > 0 {
		row.NotBefore = new(tx.Now().AddDate(0, 0, r.WaitDays))
	}
	return nil
}

// RequireRequest refuses an erasure without a request where it would bypass rules of the tenant. A rehearsal, which is taken
// back, passes. Errors: request_required.
func RequireRequest(ctx context.Context, tx *db.Tx, input compliance.Input) error {
	if input.Request != nil || input.Again || tx.Rehearsing() {
		return nil
	}
	asked, err := rules(ctx, tx, false)
	if err == nil && (asked.TwoPeople || asked.WaitDays > 0) {
		err = errs.New(errs.RequestRequired, "%s", errs.Meaning(errs.RequestRequired))
	}
	return err
}
