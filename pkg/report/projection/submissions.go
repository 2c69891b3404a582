package projection

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// submissionPlan says what happens to the submissions of a batch: retract leave the reporting
// tables, write enter them; a submission that changed does both. gone were deleted, and nothing of
// them stays.
type submissionPlan struct {
	retract, write, gone []ids.ID
}

const lockSubmissionsSQL = `
select s.id from (select id from unnest($2::uuid[]) n (id) order by id offset 0) n
cross join lateral (select id from submissions where tenant_id = $1 and id = n.id offset 0 for no key update) s`

// lockDeletedSQL does for deleted submissions what the lock of the submission does for others: only
// one of two batches takes them out.
const lockDeletedSQL = `
select r.submission_id from (select id from unnest($2::uuid[]) n (id) order by id offset 0) n
cross join lateral (select submission_id from report_submissions where tenant_id = $1 and submission_id = n.id
	and not exists (select from submissions s where s.tenant_id = $1 and s.id = n.id) offset 0 for update) r`

// inReportsSQL says whether submissions exist, whether they are completed, and whether the
// reporting tables show them.
const inReportsSQL = `
select i.id, s.status is not null, coalesce(s.status = 'completed', false), r.submission_id is not null
from unnest($2::uuid[]) i (id)
left join lateral (select status from submissions where tenant_id = $1 and id = i.id offset 0) s on true
left join lateral (select submission_id from report_submissions where tenant_id = $1 and submission_id = i.id offset 0) r on true
order by i.id`

// compareSubmissions locks the submissions, rolls up their events, and finds out which of
// them the reporting tables do not show as they are.
func compareSubmissions(ctx context.Context, tx *db.Tx, all []ids.ID) (submissionPlan, error) {
	err := execute(ctx, tx, all, lockSubmissions)
	if err != nil || len(all) == 0 {
		return submissionPlan{}, err
	}
	rows, err := tx.Query(ctx, inReportsSQL, tx.Tenant(), all)
	if err != nil {
		return submissionPlan{}, fmt.Errorf("compare submissions: %w", err)
	}
	var p submissionPlan
	var known []ids.ID
	var id ids.ID
	var exists, completed, shown bool
	_, err = pgx.ForEachRow(rows, []any{&id, &exists, &completed, &shown}, func() error {
		if !exists {
			p.gone = append(p.gone, id)
		}
		switch {
		case completed && shown:
			known = append(known, id)
		case completed:
			p.write = append(p.write, id)
		case shown:
			p.retract = append(p.retract, id)
		}
		return nil
	})
	if err != nil {
		return submissionPlan{}, fmt.Errorf("compare submissions: %w", err)
	}
	changed, err := changedSubmissions(ctx, tx, known)
	p.retract = sortedIDs(append(p.retract, changed...))
	p.write = sortedIDs(append(p.write, changed...))
	return p, err
}

func changedSubmissions(ctx context.Context, tx *db.Tx, known []ids.ID) ([]ids.ID, error) {
	if len(known) == 0 {
		return nil, nil
	}
	changed, err := idsOf(ctx, tx, changedSubmissionsSQL, known)
	if err != nil {
		return nil, fmt.Errorf("find changed submissions: %w", err)
	}
	return changed, nil
}

var (
	rollUpEvents          = []operation{{"roll up events", statement("roll_up_events")}}
	lockSubmissions       = append([]operation{{"lock submissions", lockSubmissionsSQL}, {"lock deleted submissions", lockDeletedSQL}}, rollUpEvents...)
	changedSubmissionsSQL = statement("changed_submissions")
	writeItemAttemptsSQL  = statement("write_item_attempts")
	writeItemAttempts     = []operation{{"write item attempts", writeItemAttemptsSQL}}
	writeSubmissions      = []operation{{"write submissions", "insert into report_submissions " + statement("submission_rows")}}
	writeQuestions        = []operation{{"write tags and options", statement("write_question_tags")}, {"write sections", statement("write_question_sections")}}
	countItemAttempts     = []operation{{"count items", statement("count_items")}}
	countCompletions      = []operation{{"count completions", statement("count_completions")}}
	countDurations        = []operation{{"count durations", statement("count_durations")}}
	countSubmissions      = slices.Concat(countCompletions, countDurations)
	dropSubmissions       = []operation{
		{"delete empty choices", statement("delete_empty_choices")},
		{"delete empty times", statement("delete_empty_times")},
		{"delete empty lists", statement("delete_empty_lists")},
		{"delete empty days", statement("delete_empty_days")},
		{"delete empty durations", statement("delete_empty_durations")},
		{"delete empty bands", statement("delete_empty_bands")},
		{"drop choices", "delete from report_item_attempt_choice where tenant_id = $1 and submission_id = any($2)"},
		{"drop item attempts", "delete from report_item_attempts_flat where tenant_id = $1 and submission_id = any($2)"},
		{"drop submissions", "delete from report_submissions where tenant_id = $1 and submission_id = any($2)"},
	}
	dropDeleted = []operation{
		{"drop findings", "delete from report_findings where tenant_id = $1 and submission_id = any($2)"},
		{"drop telemetry", "delete from submission_telemetry_summary where tenant_id = $1 and submission_id = any($2)"},
	}
)

// retract takes submissions out of the cells, deletes the cells that this empties while the rows
// still say which they are, and then the rows.
func retract(ctx context.Context, tx *db.Tx, subjects []ids.ID) error {
	err := execute(ctx, tx, subjects, removed(slices.Concat(countItemAttempts, countSubmissions)))
	if err != nil {
		return err
	}
	return execute(ctx, tx, subjects, dropSubmissions)
}
