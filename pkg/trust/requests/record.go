package requests

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/compliance"
)

// Input is a request that came by letter, mail, phone or in person.
type Input struct {
	Kind       string     `json:"kind" enum:"access,erasure,restriction,objection,rectification,portability" doc:"What is asked for"`
	Channel    string     `json:"channel" enum:"letter,mail,phone,in_person,other" doc:"How it came"`
	SubjectID  *ids.ID    `json:"subject_id,omitempty" noun:"user" doc:"The user whom it is about, where that is known"`
	ReceivedAt *time.Time `json:"receivedAt,omitempty" doc:"When it came; now when absent"`
	Locale     string     `json:"locale,omitempty" maxLength:"35" example:"de" doc:"Language of the letters; that of the tenant when absent"`
}

// check names the faults of the input.
func (input *Input) check(now time.Time) error {
	bad := slices.Concat(errs.OneOf("kind", input.Kind, Kinds), errs.OneOf("channel", input.Channel, Channels))
	if input.Kind == "" {
		bad = append(bad, errs.Field{Path: "kind", Code: "required", Message: "say what is asked for"})
	}
	if input.Channel == "" {
		bad = append(bad, errs.Field{Path: "channel", Code: "required", Message: "say how it came"})
	}
	if input.ReceivedAt != nil && (input.ReceivedAt.After(now) || input.ReceivedAt.Before(now.AddDate(-1, 0, 0))) {
		bad = append(bad, errs.Field{Path: "receivedAt", Code: "out_of_range", Message: "a request came within the last year, and not later than now"})
	}
	return errs.Invalid(append(bad, checkLocale(&input.Locale)...)...)
}

// Record writes down a request that came. Capability: compliance.manage, over the whole tenant. Errors: forbidden,
// validation_failed, not_found for a person the tenant does not have.
func Record(ctx context.Context, tx *db.Tx, input Input) (Detail, error) {
	if err := compliance.RequireManager(tx); err != nil {
		return Detail{}, err
	}
	if err := input.check(tx.Now()); err != nil {
		return Detail{}, err
	}
	if input.SubjectID != nil {
		if err := requireUser(ctx, tx, *input.SubjectID); err != nil {
			return Detail{}, err
		}
	}
	at := tx.Now()
	if input.ReceivedAt != nil {
		at = *input.ReceivedAt
	}
	row := newRow(tx, input.Kind, input.Channel, at)
	row.SubjectID, row.Locale = input.SubjectID, input.Locale
	if err := keep(ctx, tx, &row, step{change: "received"}); err != nil {
		return Detail{}, err
	}
	return detail(ctx, tx, row)
}

// checkLocale brings a language that may be left out into its normal spelling.
func checkLocale(tag *string) []errs.Field {
	if *tag == "" {
		return nil
	}
	normal, known := content.NormaliseLocale(*tag)
	if !known {
		return []errs.Field{{Path: "locale", Code: "invalid", Message: "a language as in de or pt-BR"}}
	}
	*tag = normal
	return nil
}

func newRow(tx *db.Tx, kind, channel string, at time.Time) models.ComplianceRequest {
	return models.ComplianceRequest{TenantID: tx.Tenant(), ID: ids.New(), Kind: kind, Channel: channel, State: Received, ReceivedAt: at, ClockFrom: at,
		DueAt: later(at, answerMonths), RecordedBy: tx.Actor().String(), CreatedAt: tx.Now()}
}

// requireUser finds a user, who stays until the request is stored.
func requireUser(ctx context.Context, tx *db.Tx, id ids.ID) error {
	var one int
	err := tx.QueryRow(ctx, "select 1 from users where tenant_id = $1 and id = $2 for key share", tx.Tenant(), id).Scan(&one)
	if errors.Is(err, pgx.ErrNoRows) {
		return errs.New(errs.NotFound, "There is no such user.")
	}
	if err != nil {
		return fmt.Errorf("find the person of a request: %w", err)
	}
	return nil
}

// work is what officers do with a request: it is locked, in one of the states, and not their own.
func work(ctx context.Context, tx *db.Tx, id ids.ID, states ...string) (models.ComplianceRequest, error) {
	if err := compliance.RequireManager(tx); err != nil {
		return models.ComplianceRequest{}, err
	}
	row, err := lock(ctx, tx, id)
	switch {
	case err != nil:
		return row, err
	case row.SubjectID != nil && tx.Actor().Is(*row.SubjectID):
		return row, errs.New(errs.FourEyesRequired, "The request is your own; somebody else has to work on it.")
	case !slices.Contains(states, row.State):
		return row, wrongState(row)
	}
	return row, nil
}

// done writes a change down and shows the request.
func done(ctx context.Context, tx *db.Tx, row models.ComplianceRequest, s step) (Detail, error) {
	err := keep(ctx, tx, &row, s)
	if err != nil {
		return Detail{}, err
	}
	return detail(ctx, tx, row)
}

// SubjectInput names the person a request is about.
type SubjectInput struct {
	SubjectID ids.ID `json:"subject_id" noun:"user" doc:"The user whom the request is about"`
}

// NameSubject names the person a request is about, as long as nobody has verified it. Errors: as work, not_found, four_eyes_required for
// oneself.
func NameSubject(ctx context.Context, tx *db.Tx, id ids.ID, input SubjectInput) (Detail, error) {
	row, err := work(ctx, tx, id, Received, IdentityPending)
	if err != nil {
		return Detail{}, err
	}
	if err := name(ctx, tx, &row, input.SubjectID); err != nil {
		return Detail{}, err
	}
	return done(ctx, tx, row, step{change: "subject_named"})
}

func name(ctx context.Context, tx *db.Tx, row *models.ComplianceRequest, person ids.ID) error {
	if tx.Actor().Is(person) {
		return errs.New(errs.FourEyesRequired, "The request would be your own; somebody else has to work on it.")
	}
	row.SubjectID = &person
	return requireUser(ctx, tx, person)
}

// AskIdentity says that the person was asked to show who they are. Until they do, the time is paused.
func AskIdentity(ctx context.Context, tx *db.Tx, id ids.ID) (Detail, error) {
	row, err := work(ctx, tx, id, Received)
	if err != nil {
		return Detail{}, err
	}
	row.State, row.IdentityAskedAt = IdentityPending, new(tx.Now())
	return done(ctx, tx, row, step{change: "identity_asked"})
}

// Identification is how the person has shown that the request is theirs.
type Identification struct {
	Identity  string  `json:"identity" enum:"document,known,call_back,mail_link,step_up" doc:"How the person has shown that the request is theirs"`
	SubjectID *ids.ID `json:"subject_id,omitempty" noun:"user" doc:"The user whom the request is about, where that was not known"`
}

// Verify says that the request is the person's own. From here on the time runs. Errors: as work, validation_failed.
func Verify(ctx context.Context, tx *db.Tx, id ids.ID, input Identification) (Detail, error) {
	row, err := work(ctx, tx, id, Received, IdentityPending)
	if err != nil {
		return Detail{}, err
	}
	bad := errs.OneOf("identity", input.Identity, codes(Identities))
	if input.Identity == "" {
		bad = append(bad, errs.Field{Path: "identity", Code: "required", Message: "say how the person has shown who they are"})
	}
	switch {
	case input.SubjectID != nil && row.SubjectID != nil && *input.SubjectID != *row.SubjectID:
		bad = append(bad, errs.Field{Path: "subject_id", Code: "not_allowed", Message: "the request is about somebody else; name the person first"})
	case input.SubjectID == nil && row.SubjectID == nil:
		bad = append(bad, errs.Field{Path: "subject_id", Code: "required", Message: "say whom the request is about"})
	}
	if err := errs.Invalid(bad...); err != nil {
		return Detail{}, err
	}
	if input.SubjectID != nil {
		if err := name(ctx, tx, &row, *input.SubjectID); err != nil {
			return Detail{}, err
		}
	}
	verify(tx, &row, input.Identity)
	return done(ctx, tx, row, step{change: "verified", code: input.Identity})
}

func verify(tx *db.Tx, row *models.ComplianceRequest, identity string) {
	run(row, tx.Now())
	row.State, row.Identity = Verified, &identity
}
