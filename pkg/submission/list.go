package submission

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/capability"
	"assess/pkg/db"
	"assess/pkg/errs"
	"assess/pkg/ids"
	"assess/pkg/scoring"
)

// Summary is a row of a list: no snapshot, no items (specification, section 4.6).
type Summary struct {
	ID           ids.ID    `json:"id"`
	UserID       ids.ID    `json:"userId"`
	CompletedAt  time.Time `json:"completedAt"`
	Score        float64   `json:"score"`
	MaxScore     float64   `json:"maxScore"`
	OutcomeCode  string    `json:"outcome_code" enum:"pass,fail,incomplete"`
	OutcomeLabel string    `json:"outcome_label"`
}

// Filter narrows a list; empty fields do not.
type Filter struct {
	db.Page
	// Status is completed or voided.
	Status string
	// Outcome is pass, fail or incomplete.
	Outcome string
}

func (f Filter) check() (Filter, error) {
	page, err := f.Page.Check()
	var bad []errs.Field
	if err != nil {
		bad = errs.Of(err).Fields
	}
	oneOf := func(path, value string, values ...string) {
		if value != "" && !slices.Contains(values, value) {
			bad = append(bad, errs.Field{Path: path, Code: "out_of_range", Message: "there is no such value"})
		}
	}
	oneOf("status", f.Status, models.SubmissionCompleted, models.SubmissionVoided)
	oneOf("outcome", f.Outcome, string(scoring.Pass), string(scoring.Fail), string(scoring.Incomplete))
	f.Page = page
	return f, errs.Invalid(bad...)
}

// ListByEvaluation lists the submissions of all versions of an evaluation, newest first.
// Capability: submissions.read. Errors: not_found, validation_failed.
func ListByEvaluation(ctx context.Context, tx *db.Tx, evaluation ids.ID, f Filter) (db.List[Summary], error) {
	return list(ctx, tx, (*models.Evaluation)(nil), "evaluation", evaluation, f)
}

// ListByUser lists the submissions of a person, newest first. Capability:
// submissions.read. Errors: not_found, validation_failed.
func ListByUser(ctx context.Context, tx *db.Tx, user ids.ID, f Filter) (db.List[Summary], error) {
	return list(ctx, tx, (*models.User)(nil), "user", user, f)
}

// list lists the submissions of an owner, whose table is given and which must exist in the
// scope.
func list(ctx context.Context, tx *db.Tx, owners any, noun string, owner ids.ID, f Filter) (db.List[Summary], error) {
	var none db.List[Summary]
	err := tx.Require(capability.SubmissionsRead)
	if err != nil {
		return none, err
	}
	f, err = f.check()
	if err != nil {
		return none, err
	}
	exists, err := tx.NewSelect().Model(owners).Where("tenant_id = ? and id = ?", tx.Tenant(), owner).Exists(ctx)
	if err != nil {
		return none, fmt.Errorf("find %s: %w", noun, err)
	}
	if !exists {
		return none, errs.New(errs.NotFound, "There is no such %s in your scope.", noun)
	}
	return page(ctx, tx, noun+"_id", owner, f)
}

func page(ctx context.Context, tx *db.Tx, column string, owner ids.ID, f Filter) (db.List[Summary], error) {
	var rows []models.Submission
	total, err := tx.NewSelect().Model(&rows).
		Column("id", "user_id", "completed_at", "score", "max_score", "outcome_code", "outcome_label").
		Where("s.tenant_id = ? and s.? = ?", tx.Tenant(), bun.Ident(column), owner).
		Apply(inScope(tx)).Apply(f.narrow).
		Order("s.completed_at desc", "s.id").Limit(int64(f.Limit)).Offset(int64(f.Offset())).ScanAndCount(ctx)
	if err != nil {
		return db.List[Summary]{}, fmt.Errorf("list submissions: %w", err)
	}
	return db.NewList(summaries(rows), f.Page, int(total)), nil
}

func inScope(tx *db.Tx) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		if tx.Scope().All {
			return q
		}
		return q.Where("s.org_unit_id = ?", tx.Scope().OrgUnit)
	}
}

func (f Filter) narrow(q *bun.SelectQuery) *bun.SelectQuery {
	if f.Status != "" {
		q = q.Where("s.status = ?", f.Status)
	}
	if f.Outcome != "" {
		q = q.Where("s.outcome_code = ?", f.Outcome)
	}
	return q
}

func summaries(rows []models.Submission) []Summary {
	var all []Summary
	for _, r := range rows {
		all = append(all, Summary{ID: r.ID, UserID: r.UserID, CompletedAt: r.CompletedAt.UTC(), Score: r.Score,
			MaxScore: r.MaxScore, OutcomeCode: r.OutcomeCode, OutcomeLabel: r.OutcomeLabel})
	}
	return all
}
