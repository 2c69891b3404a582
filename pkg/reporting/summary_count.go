package reporting

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/db"
	"assess/pkg/ids"
	"assess/pkg/projection"
)

// counts are the figures that every block of the summary is made of.
type counts struct {
	started, inProgress, expired, closed, abandoned, uniqueUsers int64
	completed, scored, pass, fail                                int64
	gradedScorePctSum                                            float64
	histogram                                                    []int64
}

func (c *counts) targets() []any {
	return []any{&c.started, &c.inProgress, &c.expired, &c.closed, &c.abandoned, &c.uniqueUsers, &c.completed, &c.scored,
		&c.pass, &c.fail, &c.gradedScorePctSum, &c.histogram}
}

// storedSQL takes the one rollup row of the version, and none when several org units have
// one: a user of two of them would count twice.
const storedSQL = `
select started_n, in_progress_n, expired_n, closed_n, abandoned_n, unique_users_n, completed_n, scored_n, pass_n, fail_n,
	graded_score_pct_sum::float8, histogram
from (select r.*, count(*) over () as units from report_evaluation_rollup r
	where tenant_id = $1 and org_unit_id = any($2) and evaluation_version_id = $3) r
where units = 1`

const countedSQL = `
select st.*, su.completed_n, su.scored_n, su.pass_n, su.fail_n, su.graded_score_pct_sum::float8, su.histogram
from (
	select count(*) as started_n, count(*) filter (where state = 'open'), count(*) filter (where state = 'expired'),
		count(*) filter (where state = 'closed'), count(*) filter (where state = 'abandoned'), count(distinct user_id)
	from report_session_starts
	where tenant_id = $1 and org_unit_id = any($2) and evaluation_version_id = $3
		and ($4::text is null or run_label = $4) and ($5::timestamptz is null or started_at >= $5)
		and ($6::timestamptz is null or started_at < $6)
) st, (
	select ` + projection.CompletionMeasures + `
	from report_submissions r
	where tenant_id = $1 and org_unit_id = any($2) and evaluation_version_id = $3
		and ($4::text is null or run_label = $4) and ($5::timestamptz is null or completed_at >= $5)
		and ($6::timestamptz is null or completed_at < $6)
) su`

func count(ctx context.Context, tx *db.Tx, in SummaryInput) (counts, error) {
	orgs, err := projection.OrgUnits(ctx, tx)
	if err != nil {
		return counts{}, err
	}
	if in.RunLabel == nil && in.From == nil && in.To == nil {
		c, err := stored(ctx, tx, orgs, in.EvaluationVersionID)
		if !errors.Is(err, pgx.ErrNoRows) {
			return c, err
		}
	}
	var c counts
	err = tx.QueryRow(ctx, countedSQL, tx.Tenant(), orgs, in.EvaluationVersionID, in.RunLabel, in.From, in.To).
		Scan(c.targets()...)
	if err != nil {
		return counts{}, fmt.Errorf("count attempts: %w", err)
	}
	return c, nil
}

func stored(ctx context.Context, tx *db.Tx, orgs []ids.ID, version ids.ID) (counts, error) {
	var c counts
	err := tx.QueryRow(ctx, storedSQL, tx.Tenant(), orgs, version).Scan(c.targets()...)
	if err != nil {
		return counts{}, fmt.Errorf("read evaluation rollup: %w", err)
	}
	return c, nil
}
