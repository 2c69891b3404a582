package submission

import (
	"context"
	"fmt"
	"io"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/kernel/sheet"
)

// ResultsInput chooses the results of an evaluation that somebody takes along by name.
type ResultsInput struct {
	EvaluationID ids.ID
	// Filter chooses as in lists; the page of it plays no part.
	Filter
	// Format is csv (the default) or xlsx.
	Format string
	// Progress, if given, gets the number of lines written so far from time to time.
	Progress func(done int)
}

// check needs reporting.view_named.
func (in ResultsInput) check(ctx context.Context, tx *db.Tx) (ResultsInput, error) {
	err := tx.Require(capability.ReportingViewNamed)
	if err != nil {
		return in, err
	}
	if in.Format == "" {
		in.Format = sheet.CSV
	}
	in.Page = db.Page{}
	bad := errs.OneOf("format", in.Format, sheet.Formats)
	in.Filter, err = in.Filter.check()
	if err != nil {
		bad = append(bad, errs.Of(err).Fields...)
	}
	if len(bad) > 0 {
		return in, errs.Invalid(bad...)
	}
	return in, exists(ctx, tx, (*models.Evaluation)(nil), "evaluation", in.EvaluationID)
}

// TakeResults writes down in the ledger that somebody takes the results of an evaluation by name, and
// which. It is committed before ExportResults begins, so that no name leaves unseen. Capability:
// reporting.view_named. Errors: not_found, validation_failed.
func TakeResults(ctx context.Context, tx *db.Tx, in ResultsInput) error {
	in, err := in.check(ctx, tx)
	if err != nil {
		return err
	}
	return ledger.Append(ctx, tx, ledger.Event{Type: "results.exported", SubjectType: "evaluation", SubjectID: in.EvaluationID,
		Payload: map[string]any{"format": in.Format, "capability": capability.ReportingViewNamed, "filters": in.applied()}})
}

// applied names what narrows the results.
func (f Filter) applied() map[string]any {
	found := map[string]any{}
	add := func(name string, value any, given bool) {
		if given {
			found[name] = value
		}
	}
	add("status", f.Status, f.Status != "")
	add("outcome", f.Outcome, f.Outcome != "")
	add("approval_status", f.ApprovalStatus, f.ApprovalStatus != "")
	add("run_label", f.RunLabel, f.RunLabel != nil)
	add("evaluationVersionId", f.EvaluationVersionID, f.EvaluationVersionID != ids.None)
	add("assignmentId", f.AssignmentID, f.AssignmentID != ids.None)
	add("groupId", f.GroupID, f.GroupID != ids.None)
	add("from", f.From, !f.From.IsZero())
	add("to", f.To, !f.To.IsZero())
	return found
}

// result is a submission with the names of the things that belong to it.
type result struct {
	models.Submission
	person  person
	version version
	group   group
}

// resultColumns are the columns of the export, in order. docs/reporting.md describes each.
var resultColumns = []struct {
	name string
	of   func(r result) any
}{
	{"submissionId", func(r result) any { return r.ID.String() }},
	{"userId", func(r result) any { return r.UserID.String() }},
	{"name", func(r result) any { return r.person.Name }},
	{"email", func(r result) any { return r.person.Email }},
	{"processingRestricted", func(r result) any { return r.person.Restricted }},
	{"evaluationId", func(r result) any { return r.EvaluationID.String() }},
	{"evaluationTitle", func(r result) any { return r.version.Title }},
	{"evaluationVersionId", func(r result) any { return r.EvaluationVersionID.String() }},
	{"versionNumber", func(r result) any { return r.version.Number }},
	{"run_label", func(r result) any { return orNil(r.RunLabel) }},
	{"assignmentId", func(r result) any { return orNil(r.AssignmentID) }},
	{"groupId", func(r result) any { return orNil(r.group.ID) }},
	{"groupName", func(r result) any { return orNil(r.group.Name) }},
	{"status", func(r result) any { return r.Status }},
	{"approval_status", func(r result) any { return r.ApprovalStatus }},
	{"completionMethod", func(r result) any { return r.CompletionMethod }},
	{"startedAt", func(r result) any { return r.StartedAt }},
	{"completedAt", func(r result) any { return r.CompletedAt }},
	{"score", func(r result) any { return r.Score }},
	{"maxScore", func(r result) any { return r.MaxScore }},
	{"outcome_code", func(r result) any { return r.OutcomeCode }},
	{"outcome_label", func(r result) any { return r.OutcomeLabel }},
	{"pending", func(r result) any { return r.Pending }},
	{"scoreVersion", func(r result) any { return r.ScoreVersion }},
}

func orNil[T any](value *T) any {
	if value == nil {
		return nil
	}
	if text, is := any(*value).(string); is {
		return text
	}
	return fmt.Sprint(*value)
}

// ResultColumns names the columns of ExportResults in order.
func ResultColumns() []string {
	var names []string
	for _, c := range resultColumns {
		names = append(names, c.name)
	}
	return names
}

// ExportResults writes the submissions of an evaluation with name and e-mail address, newest first, a
// line each, and gives their number. Whose processing is restricted has a line without either.
// Capability: reporting.view_named. Errors: not_found, validation_failed, also for more lines than a file
// of the format takes.
func ExportResults(ctx context.Context, tx *db.Tx, in ResultsInput, to io.Writer) (int, error) {
	in, err := in.check(ctx, tx)
	if err != nil {
		return 0, err
	}
	file, err := sheet.New(in.Format, to)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	var heads []any
	for _, c := range resultColumns {
		heads = append(heads, c.name)
	}
	err = file.Line(heads)
	if err != nil {
		return 0, err
	}
	in.Filter, err = in.resolve(ctx, tx)
	if err != nil {
		return 0, err
	}
	n, err := in.write(ctx, tx, file)
	if err != nil {
		return n, err
	}
	return n, file.Finish()
}

// resultsPage is how many submissions are in memory at once.
const resultsPage = 1_000

// write goes through the submissions page by page, along the index of the list.
func (in ResultsInput) write(ctx context.Context, tx *db.Tx, file sheet.Sheet) (int, error) {
	done := 0
	for after := (models.Submission{}); ; {
		page, err := in.page(ctx, tx, after)
		if err != nil {
			return done, err
		}
		for _, r := range page {
			line := make([]any, len(resultColumns))
			for i, c := range resultColumns {
				line[i] = c.of(r)
			}
			err = file.Line(line)
			if err != nil {
				return done, err
			}
		}
		done += len(page)
		if in.Progress != nil {
			in.Progress(done)
		}
		if len(page) < resultsPage {
			return done, nil
		}
		after = page[len(page)-1].Submission
	}
}

// page reads the submissions that come after one in the list. Submissions of the same moment are told
// apart by their ids.
func (in ResultsInput) page(ctx context.Context, tx *db.Tx, after models.Submission) ([]result, error) {
	var rows []models.Submission
	err := in.exportedRows(tx, after, &rows).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	return named(ctx, tx, rows)
}

func (in ResultsInput) exportedRows(tx *db.Tx, after models.Submission, into *[]models.Submission) *bun.SelectQuery {
	found := in.matching(tx, owner{"evaluation_id", in.EvaluationID}).Column("s.id")
	if after.ID != ids.None {
		found = found.Where("s.completed_at <= ?", after.CompletedAt).
			Where("(s.completed_at < ? or s.id > ?)", after.CompletedAt, after.ID)
	}
	return tx.NewSelect().Model(into).
		Where("s.tenant_id = ? and s.id in (?)", tx.Tenant(), found.Order(in.order(false)...).Limit(resultsPage)).
		Order(in.order(false)...)
}
