package hold

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// mostHeld bounds one call.
const mostHeld = 200

// ManyInput places a hold on several people.
type ManyInput struct {
	SubjectIDs []ids.ID `json:"subjectIds" noun:"user" nullable:"false" minItems:"1" maxItems:"200" doc:"The users, each once"`
	Kind       string   `json:"kind,omitempty" enum:"processing,legal" doc:"legal when absent"`
	ReasonCode string   `json:"reason_code" maxLength:"64" doc:"Why, by a code"`
	Case
}

// LiftInput lifts the holds of a matter.
type LiftInput struct {
	Matter     string   `json:"matter" minLength:"1" maxLength:"64" doc:"The code that they were placed with"`
	SubjectIDs []ids.ID `json:"subjectIds,omitempty" noun:"user" maxItems:"200" doc:"Only of these users; of all when absent"`
}

// Many says what became of each person.
type Many struct {
	Results []ManyResult `json:"results" nullable:"false"`
	Changed int          `json:"changed"`
	Failed  int          `json:"failed"`
	More    bool         `json:"more" doc:"There are more; call again"`
}

// ManyResult is the result for one of many.
type ManyResult struct {
	SubjectID ids.ID    `json:"subject_id"`
	HoldID    *ids.ID   `json:"holdId" doc:"Null: nothing was placed or lifted"`
	Code      errs.Code `json:"code,omitempty" doc:"Why not"`
}

func (m *Many) add(subject ids.ID, hold ids.ID, code errs.Code) {
	r := ManyResult{SubjectID: subject, HoldID: ids.Ref(hold), Code: code}
	if code == "" {
		m.Changed++
	} else {
		m.Failed++
	}
	m.Results = append(m.Results, r)
}

// ofOne are the refusals that concern one of many and leave the others as they are.
var ofOne = []errs.Code{errs.NotFound, errs.HoldExists, errs.ErasingUnderWay, errs.FourEyesRequired, errs.UserOutOfReach}

// codeOf gives the code of a refusal that concerns one of many.
func codeOf(err error) (errs.Code, error) {
	for _, code := range ofOne {
		if errors.Is(err, code) {
			return code, nil
		}
	}
	return "", err
}

// PlaceMany places a hold on each of several people. It names the people that it cannot hold, with the codes of Place.
// Capability: compliance.manage. Errors: validation_failed.
func PlaceMany(ctx context.Context, tx *db.Tx, input ManyInput) (Many, error) {
	done := Many{Results: []ManyResult{}}
	if err := tx.Require(capability.ComplianceManage); err != nil {
		return done, err
	}
	if input.Kind == "" {
		input.Kind = Legal
	}
	one := Input{Terms: Terms{Kind: input.Kind, ReasonCode: input.ReasonCode, Case: input.Case}}
	var bad []errs.Field
	if err := one.check(true); err != nil {
		bad = errs.Of(err).Fields
	}
	bad = append(bad, eachOnce(input.SubjectIDs, 1)...)
	if err := errs.Invalid(bad...); err != nil {
		return done, err
	}
	// In one order, so that two calls do not wait for each other.
	slices.SortFunc(input.SubjectIDs, compare)
	for _, id := range input.SubjectIDs {
		one.SubjectID = id
		placed, err := Place(ctx, tx, one)
		code, err := codeOf(err)
		if err != nil {
			return done, err
		}
		done.add(id, placed.ID, code)
	}
	return done, nil
}

func compare(a, b ids.ID) int { return slices.Compare(a[:], b[:]) }

func eachOnce(all []ids.ID, least int) []errs.Field {
	if len(all) < least || len(all) > mostHeld {
		return []errs.Field{{Path: "subjectIds", Code: "out_of_range", Message: fmt.Sprintf("%d to %d people", least, mostHeld)}}
	}
	seen := map[ids.ID]bool{}
	for i, id := range all {
		if seen[id] {
			return []errs.Field{{Path: fmt.Sprintf("subjectIds[%d]", i), Code: "duplicate", Message: "name each person once"}}
		}
		seen[id] = true
	}
	return nil
}

// LiftMany lifts the holds of a matter that are in force, up to 200 a call. It names the people whose holds it cannot lift, with the
// codes of Lift. Capability: compliance.manage. Errors: validation_failed, hold_not_placed if none is in force.
func LiftMany(ctx context.Context, tx *db.Tx, input LiftInput) (Many, error) {
	done := Many{Results: []ManyResult{}}
	if err := tx.Require(capability.ComplianceManage); err != nil {
		return done, err
	}
	bad := append(Case{Matter: input.Matter}.check(), eachOnce(input.SubjectIDs, 0)...)
	if input.Matter == "" {
		bad = append(bad, errs.Field{Path: "matter", Code: "required", Message: "say which matter"})
	}
	if err := errs.Invalid(bad...); err != nil {
		return done, err
	}
	var rows []models.Hold
	query := tx.NewSelect().Model(&rows).Apply(Filter{Matter: input.Matter, State: standing}.chosen(tx)).Where("h.matter <> ''")
	if len(input.SubjectIDs) > 0 {
		query = query.Where("h.subject_id = any(?)", pgdialect.Array(input.SubjectIDs))
	}
	err := query.Order("h.subject_id", "h.id").Limit(mostHeld + 1).Scan(ctx)
	if err != nil {
		return done, fmt.Errorf("find the holds of a matter: %w", err)
	}
	if len(rows) == 0 {
		return done, errs.New(errs.HoldNotPlaced, "%s", errs.Meaning(errs.HoldNotPlaced))
	}
	if len(rows) > mostHeld {
		rows, done.More = rows[:mostHeld], true
	}
	for _, row := range rows {
		one := Input{SubjectID: row.SubjectID, Terms: Terms{Kind: row.Kind, ReasonCode: row.ReasonCode, SubmissionID: row.SubmissionID, Case: Case{Matter: row.Matter}}}
		lifted, err := one.liftOne(ctx, tx)
		code, err := codeOf(err)
		if err != nil {
			return done, err
		}
		if code == "" && lifted.ID == ids.None {
			continue // somebody else lifted it meanwhile
		}
		done.add(row.SubjectID, lifted.ID, code)
	}
	return done, nil
}

// liftOne lifts the hold that it names, as long as that is in force.
func (in Input) liftOne(ctx context.Context, tx *db.Tx) (Hold, error) {
	if _, err := in.lock(ctx, tx); err != nil {
		return Hold{}, err
	}
	standing, err := in.standing(ctx, tx)
	if err != nil || len(standing) == 0 {
		return Hold{}, err
	}
	return standing[0].lift(ctx, tx)
}

// ReviewInput says when somebody looks at a hold again.
type ReviewInput struct {
	ReviewAt time.Time `json:"reviewAt" doc:"When somebody looks again whether it is still needed"`
}

// Review says that somebody looked at a hold, which is still needed, and when the next look is due. Capability: compliance.manage, within
// reach of the person. Errors: not_found, hold_not_placed for one that is lifted, validation_failed, user_out_of_reach, four_eyes_required.
func Review(ctx context.Context, tx *db.Tx, id ids.ID, input ReviewInput) (Hold, error) {
	if err := tx.Require(capability.ComplianceManage); err != nil {
		return Hold{}, err
	}
	if !input.ReviewAt.After(tx.Now()) {
		return Hold{}, errs.Invalid(errs.Field{Path: "reviewAt", Code: "out_of_range", Message: "a time to come"})
	}
	var rows []models.Hold
	err := tx.NewSelect().Model(&rows).Apply(Filter{}.chosen(tx)).Where("h.id = ?", id).Scan(ctx)
	if err != nil {
		return Hold{}, fmt.Errorf("find a hold: %w", err)
	}
	if len(rows) == 0 {
		return Hold{}, errs.New(errs.NotFound, "There is no such hold in your scope.")
	}
	_, err = Input{SubjectID: rows[0].SubjectID}.lock(ctx, tx)
	if errors.Is(err, errs.UserOutOfReach) {
		err = errs.New(errs.NotFound, "There is no such hold in your scope.")
	}
	if err != nil {
		return Hold{}, err
	}
	h := holdOf(rows[0])
	h.ReviewAt = reviewed(&input.ReviewAt)
	n, err := tx.Exec(ctx, "update holds set review_at = $3 where tenant_id = $1 and id = $2 and lifted_at is null", tx.Tenant(), id, h.ReviewAt)
	if err != nil {
		return Hold{}, fmt.Errorf("review a hold: %w", err)
	}
	if n == 0 {
		return Hold{}, errs.New(errs.HoldNotPlaced, "%s", errs.Meaning(errs.HoldNotPlaced))
	}
	return h, ledger.Append(ctx, tx, ledger.Event{Type: "hold.reviewed", SubjectType: "user", SubjectID: h.SubjectID,
		Payload: map[string]any{"holdId": h.ID, "reviewAt": *h.ReviewAt}})
}
