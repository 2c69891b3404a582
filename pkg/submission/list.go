package submission

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/authoring"
	"assess/pkg/capability"
	"assess/pkg/db"
	"assess/pkg/errs"
	"assess/pkg/ids"
	"assess/pkg/scoring"
)

// Summary is a row of a list: no snapshot, no items (specification, section 4.6).
type Summary struct {
	ID           ids.ID                  `json:"id"`
	UserID       ids.ID                  `json:"userId"`
	CompletedAt  time.Time               `json:"completedAt"`
	Score        float64                 `json:"score"`
	MaxScore     float64                 `json:"maxScore"`
	OutcomeCode  string                  `json:"outcome_code" enum:"pass,fail,incomplete"`
	OutcomeLabel string                  `json:"outcome_label"`
	FeedbackTags []authoring.FeedbackTag `json:"feedbackTags" nullable:"false" doc:"The tags that publishing froze for feedback"`
}

// Filter narrows a list; empty fields do not.
type Filter struct {
	db.Page
	// Status is completed or voided.
	Status string
	// Outcome is pass, fail or incomplete.
	Outcome string
	// ApprovalStatus is a state of the review.
	ApprovalStatus string
	RunLabel       string
	AssignmentID   ids.ID
	// From and To bound the time of completion, To being outside.
	From, To time.Time
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
	oneOf("approvalStatus", f.ApprovalStatus, models.ApprovalNotRequired, models.ApprovalPendingReview, models.ApprovalApproved,
		models.ApprovalRejected, models.ApprovalChangesRequested)
	if !f.From.IsZero() && !f.To.IsZero() && !f.From.Before(f.To) {
		bad = append(bad, errs.Field{Path: "to", Code: "out_of_range", Message: "the end comes after the start"})
	}
	if strings.ContainsRune(f.RunLabel, 0) || !utf8.ValidString(f.RunLabel) {
		bad = append(bad, errs.Field{Path: "runLabel", Code: "invalid_text", Message: "the text has NUL characters or is not valid UTF-8"})
	}
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
	rows, total, err := pageOf(ctx, tx, column, owner, f)
	if err != nil {
		return db.List[Summary]{}, err
	}
	frozen, err := frozenOf(ctx, tx, rows)
	if err != nil {
		return db.List[Summary]{}, err
	}
	var items []Summary
	for _, r := range rows {
		items = append(items, Summary{ID: r.ID, UserID: r.UserID, CompletedAt: r.CompletedAt.UTC(), Score: r.Score, MaxScore: r.MaxScore,
			OutcomeCode: r.OutcomeCode, OutcomeLabel: r.OutcomeLabel, FeedbackTags: frozen[r.SnapshotHash].tags})
	}
	return db.NewList(items, f.Page, total), nil
}

func pageOf(ctx context.Context, tx *db.Tx, column string, owner ids.ID, f Filter) ([]models.Submission, int, error) {
	total, err := f.matching(tx, column, owner).Count(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("count submissions: %w", err)
	}
	var rows []models.Submission
	err = f.rows(tx, column, owner, &rows).Scan(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("list submissions: %w", err)
	}
	return rows, int(total), nil
}

// matching finds what the filter lets pass of an owner, which column names.
func (f Filter) matching(tx *db.Tx, column string, owner ids.ID) *bun.SelectQuery {
	return tx.NewSelect().TableExpr("submissions as s").Where("s.tenant_id = ? and s.? = ?", tx.Tenant(), bun.Ident(column), owner).
		Apply(inScope(tx)).Apply(f.narrow)
}

// rows finds the ids of the page first, which the index gives alone, and then reads these
// rows and no others.
func (f Filter) rows(tx *db.Tx, column string, owner ids.ID, into *[]models.Submission) *bun.SelectQuery {
	found := f.matching(tx, column, owner).Column("s.id").Order("s.completed_at desc", "s.id").
		Limit(int64(f.Limit)).Offset(int64(f.Offset()))
	return tx.NewSelect().Model(into).Column("s.id", "s.evaluation_id", "s.user_id", "s.status", "s.completed_at",
		"s.score", "s.max_score", "s.outcome_code", "s.outcome_label", "s.snapshot_hash").
		Where("s.tenant_id = ? and s.id in (?)", tx.Tenant(), found).
		Order("s.completed_at desc", "s.id")
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
	equal := func(column, value string) {
		if value != "" {
			q = q.Where("s.? = ?", bun.Ident(column), value)
		}
	}
	equal("status", f.Status)
	equal("outcome_code", f.Outcome)
	equal("approval_status", f.ApprovalStatus)
	equal("run_label", f.RunLabel)
	if f.AssignmentID != ids.None {
		q = q.Where("s.assignment_id = ?", f.AssignmentID)
	}
	if !f.From.IsZero() {
		q = q.Where("s.completed_at >= ?", f.From)
	}
	if !f.To.IsZero() {
		q = q.Where("s.completed_at < ?", f.To)
	}
	return q
}
