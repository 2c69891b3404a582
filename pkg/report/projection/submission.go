package projection

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// submissionPlan says what happens to the submissions of a batch: those in retract leave
// the reporting tables, those in write enter them; one that changed does both.
type submissionPlan struct {
	retract, write []ids.ID
}

const lockSubmissionsSQL = `
select id from submissions where tenant_id = $1 and id = any($2) order by id for no key update`

// telemetrySQL rolls raw events up and deletes them (decisions, section 4). Events that
// come after a first projection add to the summary that is there.
const telemetrySQL = `
with gone as (
	delete from session_events e using submissions s
	where e.tenant_id = $1 and e.session_id = any($2) and s.tenant_id = $1 and s.id = e.session_id
	returning e.tenant_id, s.org_unit_id, e.session_id, e.event_type, e.occurred_at
)
insert into submission_telemetry_summary as t (tenant_id, org_unit_id, submission_id, events_n, focus_lost_n,
	fullscreen_exit_n, copy_n, paste_n, network_lost_n, heartbeat_n, last_activity_at)
select tenant_id, org_unit_id, session_id, count(*),
	count(*) filter (where event_type = 'focus_lost'), count(*) filter (where event_type = 'fullscreen_exit'),
	count(*) filter (where event_type = 'copy'), count(*) filter (where event_type = 'paste'),
	count(*) filter (where event_type = 'network_lost'), count(*) filter (where event_type = 'heartbeat'),
	max(occurred_at)
from gone group by tenant_id, org_unit_id, session_id
on conflict (tenant_id, submission_id) do update set
	events_n = t.events_n + excluded.events_n,
	focus_lost_n = t.focus_lost_n + excluded.focus_lost_n,
	fullscreen_exit_n = t.fullscreen_exit_n + excluded.fullscreen_exit_n,
	copy_n = t.copy_n + excluded.copy_n,
	paste_n = t.paste_n + excluded.paste_n,
	network_lost_n = t.network_lost_n + excluded.network_lost_n,
	heartbeat_n = t.heartbeat_n + excluded.heartbeat_n,
	last_activity_at = greatest(t.last_activity_at, excluded.last_activity_at)`

var rollUpEvents = []statement{{"roll up events", telemetrySQL}}

const standingSQL = `
select s.id, s.status = 'completed', r.submission_id is not null
from submissions s
left join report_submissions r on r.tenant_id = s.tenant_id and r.submission_id = s.id
where s.tenant_id = $1 and s.id = any($2)
order by s.id`

// compareSubmissions locks the submissions, rolls up their events, and finds out which of
// them the reporting tables do not show as they are.
func compareSubmissions(ctx context.Context, tx *db.Tx, all []ids.ID) (submissionPlan, error) {
	err := run(ctx, tx, all, slices.Concat([]statement{{"lock submissions", lockSubmissionsSQL}}, rollUpEvents))
	if err != nil || len(all) == 0 {
		return submissionPlan{}, err
	}
	rows, err := tx.Query(ctx, standingSQL, tx.Tenant(), all)
	if err != nil {
		return submissionPlan{}, fmt.Errorf("compare submissions: %w", err)
	}
	var p submissionPlan
	var known []ids.ID
	var id ids.ID
	var completed, shown bool
	_, err = pgx.ForEachRow(rows, []any{&id, &completed, &shown}, func() error {
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

// changedSQL compares what the tables show with what they would show if the submissions
// were written now.
var changedSQL = `
with ` + tagsCTE + `, fresh as materialized (` + itemSource + `),
stored as materialized (
	select f.*, c.correct_selected, c.incorrect_selected, c.total_correct
	from report_item_attempts_flat f
	left join report_item_attempt_choice c using (tenant_id, submission_id, submission_item_id)
	where f.tenant_id = $1 and f.submission_id = any($2)
)
select submission_id from ((table fresh except all table stored) union all (table stored except all table fresh)) d
union
select submission_id from (
	(` + submissionSource + ` except all ` + storedSubmissions + `) union all
	(` + storedSubmissions + ` except all ` + submissionSource + `)) d`

const storedSubmissions = `
select * from report_submissions where tenant_id = $1 and submission_id = any($2)`

func changedSubmissions(ctx context.Context, tx *db.Tx, known []ids.ID) ([]ids.ID, error) {
	if len(known) == 0 {
		return nil, nil
	}
	changed, err := idsOf(ctx, tx, changedSQL, known)
	if err != nil {
		return nil, fmt.Errorf("find changed submissions: %w", err)
	}
	return changed, nil
}

var (
	addItems         = itemCounting(chosen).merge()
	countSubmissions = slices.Concat(completionCounting(chosen).merge(), durationCounting(chosen).merge())
	dropSubmissions  = []statement{
		{"drop choices", "delete from report_item_attempt_choice where tenant_id = $1 and submission_id = any($2)"},
		{"drop item attempts", "delete from report_item_attempts_flat where tenant_id = $1 and submission_id = any($2)"},
		{"drop submissions", "delete from report_submissions where tenant_id = $1 and submission_id = any($2)"},
	}
	writeRecords = []statement{{"write submissions", "insert into report_submissions " + submissionSource}}
	writeFacts   = []statement{{"write tags and options", writeFactsSQL}, {"write sections", writeSectionsSQL}}
)

func retract(ctx context.Context, tx *db.Tx, subjects []ids.ID) error {
	err := run(ctx, tx, subjects, slices.Concat(addItems, countSubmissions), out)
	if err != nil {
		return err
	}
	return run(ctx, tx, subjects, slices.Concat(sweepItems, sweepCompletions, dropSubmissions))
}

// submissionSource is report_submissions as the submissions make it. A submission without anything
// to earn has no share of it. Nothing is pending once there is an outcome, and survey items hold
// up none. An import without times gives the same instant twice. No total is below 0, and the last
// tenth is closed at 100 %.
const submissionSource = `(
with surveys as materialized (
	select v.hash, array_agg((i ->> 'itemId')::uuid) as items
	from version_snapshots v, jsonb_array_elements(v.content -> 'sections') t, jsonb_array_elements(t -> 'items') i
	where v.tenant_id = $1 and v.hash in (select distinct snapshot_hash from submissions where tenant_id = $1 and id = any($2))
		and not (i #>> '{key,contributesToScore}')::boolean
	group by v.hash
)
select s.tenant_id, s.org_unit_id, s.id as submission_id, s.evaluation_id, s.evaluation_version_id, s.user_id,
	coalesce(s.run_label, '') as run_label, s.started_at, s.completed_at, s.completion_method, s.outcome_code,
	s.outcome_code <> 'incomplete' or not exists (select from ` + submission.NewestItems + ` i
		where i.score_status = 'PENDING' and i.item_id <> all(coalesce(y.items, '{}'))) as is_scored,
	s.score, s.max_score,
	p.pct as score_pct, least(floor(p.pct * 10), 9)::smallint as score_tenth,
	case when s.completed_at >= s.started_at + case s.completion_method when 'imported' then interval '1 millisecond' else '0' end
		then floor(extract(epoch from s.completed_at - s.started_at) * 1000)::bigint end
		as duration_ms,
	s.assignment_id, case a.target_type when 'group_id' then a.target_ref::uuid end as group_id,
	t.submission_id is not null as telemetry_known,
	coalesce(t.focus_lost_n, 0) as focus_lost_n, coalesce(t.fullscreen_exit_n, 0) as fullscreen_exit_n
from submissions s
left join submission_telemetry_summary t on t.tenant_id = s.tenant_id and t.submission_id = s.id
left join assignments a on a.tenant_id = s.tenant_id and a.id = s.assignment_id
left join surveys y on y.hash = s.snapshot_hash
cross join lateral (select round(s.score / nullif(s.max_score, 0), 10) as pct) p
where s.tenant_id = $1 and s.id = any($2))`
