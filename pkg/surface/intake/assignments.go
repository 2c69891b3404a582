package intake

import (
	"context"
	"io"
	"slices"
	"time"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/exam/assignment"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/wire"
)

var assignments = kind[assignment.ImportRow]{
	name:  "assignments",
	needs: []capability.Capability{capability.AssignmentsCreate},
	columns: []column{
		{name: "evaluation", required: true},
		{name: "targetType", required: true},
		{name: "targetRef", required: true},
		{name: "run_label"},
		{name: "validFrom"},
		{name: "validUntil"},
		{name: "timeZone"},
		{name: "subject"},
		{name: "engagement"},
	},
	plan:  planAssignments,
	apply: applyAssignments,
	place: placeInAssignment,
}

var targetTypes = map[string]string{"userid": models.TargetUser, "email": models.TargetEmail, "groupid": models.TargetGroup,
	"publiclink": models.TargetPublicLink}

// PreviewAssignments shows what CommitAssignments would do. It needs assignments.create, and
// assignments.manage when the file changes assignments that exist.
func PreviewAssignments(ctx context.Context, tx *db.Tx, in Input) (Preview, error) {
	return assignments.preview(ctx, tx, in)
}

// CommitAssignments hands out evaluations of the org unit. An active assignment is found by
// evaluation, target and run label; a file states its window, subject and engagement whole.
// New assignments of a file share a batch, which has the id of the import;
// assignment.Import has the rules. It needs what PreviewAssignments needs. Errors:
// import_invalid, duplicate_assignment when somebody makes one of them at the same time.
func CommitAssignments(ctx context.Context, tx *db.Tx, in Input) (Commit, error) {
	return assignments.commit(ctx, tx, in)
}

// planAssignments takes the file as a whole: an evaluation or a target has several
// spellings, so that only its resolved rows tell which are the same assignment.
func planAssignments(ctx context.Context, tx *db.Tx, _ Input, f *file) ([]record[assignment.ImportRow], error) {
	var records []record[assignment.ImportRow]
	for r := range f.rows() {
		one := parseAssignment(r)
		records = append(records, record[assignment.ImportRow]{key: one.Evaluation, rows: []row{r}, value: one})
	}
	seen := map[assignment.Slot]bool{}
	for some := range slices.Chunk(records, chunk) {
		checks, err := assignment.CheckImport(ctx, tx, valuesOf(some), seen)
		if err != nil {
			return nil, err
		}
		for i, check := range checks {
			report(some[i], check.Problems, placeInAssignment)
			for _, w := range check.Warnings {
				some[i].rows[0].warn(w.Path, w.Code, w.Message)
			}
		}
	}
	return records, nil
}

func parseAssignment(r row) assignment.ImportRow {
	zone := r.zone("timeZone")
	one := assignment.ImportRow{Evaluation: r.text("evaluation"), RunLabel: r.text("run_label"), ValidFrom: r.moment("validFrom", wire.DayBegin, zone),
		ValidUntil: r.moment("validUntil", wire.DayEnd, zone), Subject: r.text("subject"), Engagement: r.text("engagement")}
	one.Type, one.Ref = targetTypes[canonical(r.text("targetType"))], r.text("targetRef")
	return one
}

func valuesOf[T any](records []record[T]) []T {
	values := make([]T, len(records))
	for i, r := range records {
		values[i] = r.value
	}
	return values
}

func applyAssignments(ctx context.Context, tx *db.Tx, in Input, records []record[assignment.ImportRow], done *Commit) error {
	how := assignment.ImportOptions{BatchID: done.ImportID, Invite: in.Invite}
	changes, err := assignment.Import(ctx, tx, valuesOf(records), how)
	for _, change := range changes {
		done.count(string(change))
	}
	return err
}

// placeInAssignment: the problems of a row go by the names of its columns.
func placeInAssignment(r record[assignment.ImportRow], f errs.Field) (row, string) {
	return r.rows[0], f.Path
}

var exportedAssignments = exported[assignment.Exported]{
	columns: []string{"evaluation", "targetType", "targetRef", "run_label", "validFrom", "validUntil", "subject", "engagement"},
	page: func(ctx context.Context, tx *db.Tx, _ authoring.ExportFilter, after ids.ID, limit int) ([]assignment.Exported, error) {
		return assignment.Export(ctx, tx, after, limit)
	},
	id: func(a assignment.Exported) ids.ID { return a.ID },
	rows: func(_ context.Context, _ *db.Tx, _ authoring.ExportFilter, page []assignment.Exported) ([]cells, error) {
		rows := make([]cells, len(page))
		for i, a := range page {
			rows[i] = cells{"evaluation": a.Evaluation, "targetType": a.Type, "targetRef": a.Ref, "run_label": a.RunLabel,
				"validFrom": momentCell(a.ValidFrom), "validUntil": momentCell(a.ValidUntil), "subject": a.Subject, "engagement": a.Engagement}
		}
		return rows, nil
	},
}

// ExportAssignments writes the active assignments of the org unit as a file that CommitAssignments takes: importing it again changes
// nothing. It needs assignments.create and users.read, and gives the number of assignments; assignment.Export says which are left out.
// The caller has called assignment.Take before.
func ExportAssignments(ctx context.Context, tx *db.Tx, in Export, to io.Writer) (int, error) {
	return exportedAssignments.write(ctx, tx, in, to)
}

func momentCell(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
