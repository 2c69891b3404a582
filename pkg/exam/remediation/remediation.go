package remediation

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Remediation is a correction of one question in many submissions.
type Remediation struct {
	ID                  ids.ID     `json:"id"`
	EvaluationVersionID *ids.ID    `json:"evaluationVersionId" doc:"All its submissions; null for chosen ones"`
	QuestionVersionID   ids.ID     `json:"questionVersionId"`
	Rule                string     `json:"rule" enum:"exempt_question,rekey,full_credit,adjust_item"`
	Parameters          Parameters `json:"parameters"`
	Reason              string     `json:"reason"`
	State               string     `json:"state" enum:"draft,applying,applied,reverting,reverted,failed"`
	Submissions         int        `json:"submissions" doc:"How many it is about; of a draft for an evaluation version, 0 until it is applied"`
	Done                int        `json:"done" doc:"How many of them the newest apply or revert has seen"`
	Changed             int        `json:"changed" doc:"How many of them got a new version of their scores by it"`
	AlsoLater           bool       `json:"also_later" doc:"Whether it also corrects submissions that come after it, while it is applied; each of them adds to submissions and done"`
	OpenSessions        int        `json:"openSessions" doc:"How many sessions of the version were open when somebody last applied or reverted it"`
	CreatedBy           string     `json:"createdBy" doc:"user:<id> or operator:<name>"`
	StartedBy           *string    `json:"startedBy" doc:"Who applied or reverted it last"`
	CreatedAt           time.Time  `json:"createdAt"`
	UpdatedAt           time.Time  `json:"updatedAt"`
	AppliedAt           *time.Time `json:"appliedAt"`
	RevertedAt          *time.Time `json:"revertedAt"`
}

// Location is where the interface shows it.
func (r Remediation) Location() string { return "/api/v1/remediations/" + r.ID.String() }

// UnderWay says that submissions are being corrected.
func (r Remediation) UnderWay() bool {
	return r.State == models.RemediationApplying || r.State == models.RemediationReverting
}

func view(row models.Remediation) (Remediation, error) {
	r, err := ruleOf(row)
	if err != nil {
		return Remediation{}, fmt.Errorf("read remediation: %w", err)
	}
	return Remediation{ID: row.ID, EvaluationVersionID: row.EvaluationVersionID, QuestionVersionID: row.QuestionVersionID, Rule: row.Rule,
		Parameters: r.Parameters, Reason: row.Reason, State: row.State, Submissions: row.SubmissionsN, Done: row.DoneN, Changed: row.ChangedN,
		AlsoLater: row.AlsoLater, OpenSessions: row.OpenN,
		CreatedBy: row.CreatedBy, StartedBy: row.StartedBy, CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC(),
		AppliedAt: db.UTC(row.AppliedAt), RevertedAt: db.UTC(row.RevertedAt)}, nil
}

// Get gives a remediation. Capability: remediations.manage. Errors: not_found.
func Get(ctx context.Context, tx *db.Tx, id ids.ID) (Remediation, error) {
	row, err := find(ctx, tx, id, false)
	if err != nil {
		return Remediation{}, err
	}
	return view(row)
}

// States are the states that a list can be narrowed to.
var States = []string{models.RemediationDraft, models.RemediationApplying, models.RemediationApplied, models.RemediationReverting,
	models.RemediationReverted, models.RemediationFailed}

// Filter narrows a list; empty fields do not.
type Filter struct {
	State               string `query:"state" enum:"draft,applying,applied,reverting,reverted,failed"`
	EvaluationVersionID ids.ID `query:"evaluationVersionId" noun:"evaluation-version"`
	db.Page
}

// List gives the remediations of the scope, newest first. Capability: remediations.manage.
// Errors: validation_failed.
func List(ctx context.Context, tx *db.Tx, f Filter) (db.List[Remediation], error) {
	var none db.List[Remediation]
	if err := tx.Require(capability.RemediationsManage); err != nil {
		return none, err
	}
	page, err := f.Check()
	var bad []errs.Field
	if err != nil {
		bad = errs.Of(err).Fields
	}
	err = errs.Invalid(append(bad, errs.OneOf("state", f.State, States)...)...)
	if err != nil {
		return none, err
	}
	var rows []models.Remediation
	q := tx.NewSelect().Model(&rows).Apply(tx.InScope, db.Only("state", f.State), db.Only("evaluation_version_id", f.EvaluationVersionID))
	total, err := db.ReadPage(ctx, q, page, &rows, "r.id desc")
	if err != nil {
		return none, fmt.Errorf("list remediations: %w", err)
	}
	var items []Remediation
	for _, row := range rows {
		one, err := view(row)
		if err != nil {
			return none, err
		}
		items = append(items, one)
	}
	return db.NewList(items, page, total), nil
}

// find reads a remediation of the scope, and locks it if it is going to change.
func find(ctx context.Context, tx *db.Tx, id ids.ID, hold bool) (models.Remediation, error) {
	var row models.Remediation
	if err := tx.Require(capability.RemediationsManage); err != nil {
		return row, err
	}
	return read(ctx, tx, id, hold)
}

func read(ctx context.Context, tx *db.Tx, id ids.ID, hold bool) (models.Remediation, error) {
	var row models.Remediation
	q := tx.NewSelect().Model(&row).Where("r.tenant_id = ? and r.id = ?", tx.Tenant(), id)
	if hold {
		q = q.For("no key update") // the projector may go on writing down what came later
	}
	err := q.Scan(ctx)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return row, errs.New(errs.NotFound, "There is no such remediation in your scope.")
	case err != nil:
		return row, fmt.Errorf("find remediation: %w", err)
	}
	return row, nil
}
