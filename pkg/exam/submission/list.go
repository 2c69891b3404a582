package submission

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// Summary is a row of a list: no snapshot, no items (specification, section 4.6).
type Summary struct {
	ID                  ids.ID                  `json:"id"`
	UserID              ids.ID                  `json:"userId"`
	UserName            string                  `json:"userName,omitempty" doc:"Name, or else address, of the person; only with users.read or in a report by name, and not of people whose processing is restricted"`
	EvaluationID        ids.ID                  `json:"evaluationId"`
	EvaluationTitle     string                  `json:"evaluationTitle" doc:"Of the version that was taken"`
	EvaluationVersionID ids.ID                  `json:"evaluationVersionId"`
	RunLabel            *string                 `json:"run_label"`
	Status              string                  `json:"status" enum:"completed,voided"`
	ApprovalStatus      string                  `json:"approval_status" enum:"not_required,pending_review,approved,rejected,changes_requested"`
	CompletedAt         time.Time               `json:"completedAt"`
	Score               float64                 `json:"score"`
	MaxScore            float64                 `json:"maxScore"`
	OutcomeCode         string                  `json:"outcome_code" enum:"pass,fail,incomplete"`
	OutcomeLabel        string                  `json:"outcome_label"`
	FeedbackTags        []authoring.FeedbackTag `json:"feedbackTags" nullable:"false" doc:"The tags that publishing froze for feedback"`
}

// What a submission may wait for (Filter.Awaits).
const (
	// AwaitsMarking: an item that counts has to be scored by a person.
	AwaitsMarking = "marking"
	// AwaitsReview: somebody has to approve or reject it.
	AwaitsReview = "review"
)

// maxRunLabel is how long a run label may be, in characters.
const maxRunLabel = 200

// Filter narrows a list; empty fields do not.
type Filter struct {
	db.Page
	// Awaits is marking or review: completed submissions that wait for a person, the one that
	// has waited longest first.
	Awaits string
	// Status is completed or voided.
	Status string
	// Outcome is pass, fail or incomplete.
	Outcome string
	// ApprovalStatus is a state of the review.
	ApprovalStatus string
	// RunLabel chooses the submissions of a run; an empty label chooses submissions without a run.
	RunLabel            *string
	EvaluationVersionID ids.ID
	AssignmentID        ids.ID
	// GroupID chooses submissions under assignments to this group, as reports do; its present members do
	// not matter.
	GroupID ids.ID
	// toGroup are these assignments.
	toGroup []ids.ID
	// From and To bound the time of completion, To being outside.
	From, To time.Time
}

func (f Filter) check() (Filter, error) {
	page, err := f.Page.Check()
	var bad []errs.Field
	if err != nil {
		bad = errs.Of(err).Fields
	}
	oneOf := func(path, value string, values ...string) { bad = append(bad, errs.OneOf(path, value, values)...) }
	oneOf("awaits", f.Awaits, AwaitsMarking, AwaitsReview)
	oneOf("status", f.Status, models.SubmissionCompleted, models.SubmissionVoided)
	oneOf("outcome", f.Outcome, string(scoring.Pass), string(scoring.Fail), string(scoring.Incomplete))
	oneOf("approval_status", f.ApprovalStatus, models.ApprovalNotRequired, models.ApprovalPendingReview, models.ApprovalApproved,
		models.ApprovalRejected, models.ApprovalChangesRequested)
	if !f.From.IsZero() && !f.To.IsZero() && !f.From.Before(f.To) {
		bad = append(bad, errs.Field{Path: "to", Code: "out_of_range", Message: "the end comes after the start"})
	}
	if f.RunLabel != nil {
		bad = append(bad, errs.Line("run_label", *f.RunLabel, maxRunLabel, false)...)
	}
	f.Page = page
	return f, errs.Invalid(bad...)
}

// owner says whose submissions are listed: all in the scope, or the ones that have the id in the column.
type owner struct {
	column string
	id     ids.ID
}

// ListWaiting lists the submissions of the scope that wait for a person, of any evaluation; the
// filter says what they wait for. Capability: submissions.read. Errors: validation_failed.
func ListWaiting(ctx context.Context, tx *db.Tx, f Filter) (db.List[Summary], error) {
	var none db.List[Summary]
	if err := tx.Require(capability.SubmissionsRead); err != nil {
		return none, err
	}
	var bad []errs.Field
	if f.Awaits == "" {
		bad = append(bad, errs.Field{Path: "awaits", Code: "required", Message: "say what the submissions wait for; the other lists are those of an evaluation and of a user"})
	}
	f, err := f.check()
	if err != nil {
		bad = append(bad, errs.Of(err).Fields...)
	}
	if len(bad) > 0 {
		return none, errs.Invalid(bad...)
	}
	return page(ctx, tx, owner{}, f, person.shown)
}

// ListByEvaluation lists the submissions of all versions of an evaluation, newest first.
// Capability: submissions.read. Errors: not_found, validation_failed.
func ListByEvaluation(ctx context.Context, tx *db.Tx, evaluation ids.ID, f Filter) (db.List[Summary], error) {
	return listOf(ctx, tx, (*models.Evaluation)(nil), "evaluation", evaluation, f)
}

// ListByUser lists the submissions of a person, newest first. Capability:
// submissions.read. Errors: not_found, validation_failed.
func ListByUser(ctx context.Context, tx *db.Tx, user ids.ID, f Filter) (db.List[Summary], error) {
	return listOf(ctx, tx, (*models.User)(nil), "user", user, f)
}

// listOf lists the submissions of an owner, whose table is given and which must exist in the
// scope.
func listOf(ctx context.Context, tx *db.Tx, owners any, noun string, id ids.ID, f Filter) (db.List[Summary], error) {
	var none db.List[Summary]
	err := tx.Require(capability.SubmissionsRead)
	if err != nil {
		return none, err
	}
	f, err = f.check()
	if err != nil {
		return none, err
	}
	err = exists(ctx, tx, owners, noun, id)
	if err != nil {
		return none, err
	}
	return page(ctx, tx, owner{noun + "_id", id}, f, person.shown)
}

// exists looks for an owner in the scope. Errors: not_found.
func exists(ctx context.Context, tx *db.Tx, owners any, noun string, id ids.ID) error {
	there, err := tx.NewSelect().Model(owners).Where("tenant_id = ? and id = ?", tx.Tenant(), id).Exists(ctx)
	if err != nil {
		return fmt.Errorf("find %s: %w", noun, err)
	}
	if !there {
		return errs.New(errs.NotFound, "There is no such %s in your scope.", noun)
	}
	return nil
}

// ListNamed lists the attempts at an evaluation version for a report by name, newest first. Capability:
// reporting.view_named. Errors: not_found, validation_failed.
func ListNamed(ctx context.Context, tx *db.Tx, f Filter) (db.List[Summary], error) {
	err := tx.Require(capability.ReportingViewNamed)
	if err != nil {
		return db.List[Summary]{}, err
	}
	f, err = f.check()
	if err != nil {
		return db.List[Summary]{}, err
	}
	var evaluation ids.ID
	err = tx.QueryRow(ctx, "select evaluation_id from evaluation_versions where tenant_id = $1 and id = $2", tx.Tenant(), f.EvaluationVersionID).Scan(&evaluation)
	if errors.Is(err, pgx.ErrNoRows) {
		return db.List[Summary]{}, errs.New(errs.NotFound, "There is no such evaluation version in your scope.")
	}
	if err != nil {
		return db.List[Summary]{}, fmt.Errorf("find evaluation version: %w", err)
	}
	return page(ctx, tx, owner{"evaluation_id", evaluation}, f, person.called)
}

// page reads a page of a list; who says how people are called in it.
func page(ctx context.Context, tx *db.Tx, of owner, f Filter, who func(person, *db.Tx) string) (db.List[Summary], error) {
	f, err := f.resolve(ctx, tx)
	if err != nil {
		return db.List[Summary]{}, err
	}
	rows, total, err := pageOf(ctx, tx, of, f)
	if err != nil {
		return db.List[Summary]{}, err
	}
	frozen, err := frozenOf(ctx, tx, rows)
	if err != nil {
		return db.List[Summary]{}, err
	}
	names, err := named(ctx, tx, rows)
	if err != nil {
		return db.List[Summary]{}, err
	}
	var items []Summary
	for _, r := range names {
		items = append(items, Summary{ID: r.ID, UserID: r.UserID, UserName: who(r.person, tx), EvaluationID: r.EvaluationID, EvaluationTitle: r.version.Title, EvaluationVersionID: r.EvaluationVersionID, RunLabel: r.RunLabel,
			Status: r.Status, ApprovalStatus: r.ApprovalStatus, CompletedAt: r.CompletedAt.UTC(), Score: r.Score, MaxScore: r.MaxScore,
			OutcomeCode: r.OutcomeCode, OutcomeLabel: r.OutcomeLabel, FeedbackTags: frozen[r.SnapshotHash].tags})
	}
	return db.NewList(items, f.Page, total), nil
}

func pageOf(ctx context.Context, tx *db.Tx, of owner, f Filter) ([]models.Submission, int, error) {
	counted, err := f.matching(tx, of).Count(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("count submissions: %w", err)
	}
	total := int(counted)
	var rows []models.Submission
	w := f.Window(total)
	if w.Take == 0 {
		return nil, total, nil
	}
	err = f.rows(tx, of, w, &rows).Scan(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("list submissions: %w", err)
	}
	return rows, total, nil
}

// matching finds what the filter lets pass of an owner.
func (f Filter) matching(tx *db.Tx, of owner) *bun.SelectQuery {
	q := tx.NewSelect().Model((*models.Submission)(nil)).Apply(tx.InScope)
	if of.column != "" {
		q = q.Where("s.? = ?", bun.Ident(of.column), of.id)
	}
	return q.Apply(f.narrow)
}

// order is the order of the list, or its reverse. Submissions that wait for a person are a queue.
func (f Filter) order(fromEnd bool) []string {
	switch {
	case f.Awaits != "" && fromEnd:
		return []string{"s.completed_at desc", "s.id desc"}
	case f.Awaits != "":
		return []string{"s.completed_at", "s.id"}
	case fromEnd:
		return []string{"s.completed_at", "s.id desc"}
	}
	return []string{"s.completed_at desc", "s.id"}
}

// rows first finds the ids of the page, from the nearer end and with nothing but the index, and then reads
// these rows and no others.
func (f Filter) rows(tx *db.Tx, of owner, w db.Window, into *[]models.Submission) *bun.SelectQuery {
	found := f.matching(tx, of).Column("s.id").Order(f.order(w.FromEnd)...).
		Limit(int64(w.Take)).Offset(int64(w.Skip))
	return tx.NewSelect().Model(into).Column("s.id", "s.evaluation_id", "s.evaluation_version_id", "s.user_id", "s.run_label", "s.status", "s.approval_status", "s.completed_at",
		"s.score", "s.max_score", "s.outcome_code", "s.outcome_label", "s.snapshot_hash").
		Where("s.tenant_id = ? and s.id in (?)", tx.Tenant(), found).
		Order(f.order(false)...)
}

// resolve reads what the filter names by way of something else. The assignments of a group are as many as
// it was handed evaluations and runs.
func (f Filter) resolve(ctx context.Context, tx *db.Tx) (Filter, error) {
	if f.GroupID == ids.None {
		return f, nil
	}
	err := tx.NewSelect().Table("assignments").Column("id").Where("tenant_id = ? and target_ref = ? and target_type = ?",
		tx.Tenant(), f.GroupID.String(), models.TargetGroup).Scan(ctx, &f.toGroup)
	if err != nil {
		return f, fmt.Errorf("find assignments of a group: %w", err)
	}
	return f, nil
}

func (f Filter) narrow(q *bun.SelectQuery) *bun.SelectQuery {
	equal := func(column, value string) {
		if value != "" {
			q = q.Where("s.? = ?", bun.Ident(column), value)
		}
	}
	switch f.Awaits {
	case AwaitsMarking:
		q = q.Where("s.status = 'completed' and s.pending and not s.texts_erased")
	case AwaitsReview:
		q = q.Where("s.status = 'completed' and s.approval_status = 'pending_review' and not s.texts_erased")
	}
	equal("status", f.Status)
	equal("outcome_code", f.Outcome)
	equal("approval_status", f.ApprovalStatus)
	if f.RunLabel != nil {
		q = q.Where("coalesce(s.run_label, '') = ?", *f.RunLabel)
	}
	if f.EvaluationVersionID != ids.None {
		// Written so that no index is keyed by it: all submissions of a version would be read and sorted for each page.
		q = q.Where("s.evaluation_version_id is not distinct from ?", f.EvaluationVersionID)
	}
	if f.AssignmentID != ids.None {
		q = q.Where("s.assignment_id = ?", f.AssignmentID)
	}
	if f.GroupID != ids.None {
		q = q.Where("s.assignment_id = any(?::uuid[])", pgdialect.Array(f.toGroup))
	}
	if !f.From.IsZero() {
		q = q.Where("s.completed_at >= ?", f.From)
	}
	if !f.To.IsZero() {
		q = q.Where("s.completed_at < ?", f.To)
	}
	return q
}
