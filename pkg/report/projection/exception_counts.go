package projection

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/readiness"
)

// standingKey names an engagement or an evaluation whose submissions are counted.
type standingKey struct {
	org    ids.ID
	kind   string
	target ids.ID
}

// standingCount is how many submissions are active, blocked, or wait for somebody.
type standingCount struct{ active, blocked, needsReview int64 }

type standingCounts map[standingKey]standingCount

// add counts a row in with 1, and out with -1; the zero row is not counted.
func (c standingCounts) add(r exceptionRow, sign int64) {
	if r.Submission == ids.None {
		return
	}
	var n standingCount
	if r.Active {
		n.active = sign
		switch readiness.State(r.Readiness) {
		case readiness.NotMet:
			n.blocked = sign
		case readiness.Pending:
			n.needsReview = sign
		}
	}
	c.addTo(standingKey{r.Org, "evaluation", r.Evaluation}, n)
	if r.Engagement != nil {
		c.addTo(standingKey{r.Org, "engagement", *r.Engagement}, n)
	}
}

func (c standingCounts) addTo(k standingKey, n standingCount) {
	was := c[k]
	c[k] = standingCount{was.active + n.active, was.blocked + n.blocked, was.needsReview + n.needsReview}
}

const (
	moveCountsSQL = `
insert into defensibility_exception_counts as c (tenant_id, org_unit_id, kind, target_id, active_n, blocked_n, needs_review_n, first_seen_at, last_computed_at)
select $1, k.org_unit_id, k.kind, k.target_id, k.active_n, k.blocked_n, k.needs_review_n, case when k.blocked_n + k.needs_review_n > 0 then $2::timestamptz end, $2
from unnest($3::uuid[], $4::text[], $5::uuid[], $6::bigint[], $7::bigint[], $8::bigint[])
	k (org_unit_id, kind, target_id, active_n, blocked_n, needs_review_n)
order by k.org_unit_id, k.kind, k.target_id
on conflict (tenant_id, org_unit_id, kind, target_id) do update set active_n = c.active_n + excluded.active_n,
	blocked_n = c.blocked_n + excluded.blocked_n, needs_review_n = c.needs_review_n + excluded.needs_review_n,
	first_seen_at = case when c.blocked_n + c.needs_review_n + excluded.blocked_n + excluded.needs_review_n > 0
		then coalesce(c.first_seen_at, excluded.last_computed_at) end,
	last_computed_at = excluded.last_computed_at`
	// Rows that count nothing are deleted, so that the table equals a rebuild.
	dropCountsSQL = `
delete from defensibility_exception_counts c using unnest($2::uuid[], $3::text[], $4::uuid[]) k (org_unit_id, kind, target_id)
where c.tenant_id = $1 and c.org_unit_id = any($2) and c.org_unit_id = k.org_unit_id and c.kind = k.kind and c.target_id = k.target_id
	and c.active_n = 0 and c.blocked_n = 0 and c.needs_review_n = 0`
	countExceptionsSQL = `
insert into defensibility_exception_counts (tenant_id, org_unit_id, kind, target_id, active_n, blocked_n, needs_review_n, first_seen_at, last_computed_at)
select t.tenant_id, t.org_unit_id, c.kind, c.target_id, count(*), count(*) filter (where t.readiness_state = 'not_met'),
	count(*) filter (where t.readiness_state = 'pending'), min(t.first_seen_at) filter (where t.readiness_state <> 'met'), $2
from defensibility_exception_triage t
cross join lateral (values ('evaluation', t.evaluation_id), ('engagement', t.engagement_id)) c (kind, target_id)
where t.tenant_id = $1 and t.is_active and c.target_id is not null
group by t.tenant_id, t.org_unit_id, c.kind, c.target_id`
	dropOrphansSQL = `
delete from defensibility_exception_triage t
where t.tenant_id = $1 and not exists (select from submissions s where s.tenant_id = $1 and s.id = t.submission_id offset 0)`
)

// apply moves the counts; it is the last step of a batch, and takes its rows in the order of their keys.
func (c standingCounts) apply(ctx context.Context, tx *db.Tx) error {
	keys := slices.SortedFunc(maps.Keys(c), func(a, b standingKey) int {
		return strings.Compare(string(a.org[:])+a.kind+string(a.target[:]), string(b.org[:])+b.kind+string(b.target[:]))
	})
	var orgs, targets []ids.ID
	var kinds []string
	var active, blocked, needsReview []int64
	for _, k := range keys {
		orgs, kinds, targets = append(orgs, k.org), append(kinds, k.kind), append(targets, k.target)
		active, blocked, needsReview = append(active, c[k].active), append(blocked, c[k].blocked), append(needsReview, c[k].needsReview)
	}
	_, err := tx.Exec(ctx, moveCountsSQL, tx.Tenant(), tx.Now(), orgs, kinds, targets, active, blocked, needsReview)
	if err != nil {
		return fmt.Errorf("count exceptions: %w", err)
	}
	_, err = tx.Exec(ctx, dropCountsSQL, tx.Tenant(), orgs, kinds, targets)
	if err != nil {
		return fmt.Errorf("drop empty counts: %w", err)
	}
	return nil
}

// rebuildExceptions judges all submissions anew, in place: what people wrote stays.
func rebuildExceptions(ctx context.Context, tx *db.Tx) error {
	_, err := tx.Exec(ctx, dropOrphansSQL, tx.Tenant())
	if err != nil {
		return fmt.Errorf("drop exceptions of nothing: %w", err)
	}
	all, err := idsOf(ctx, tx, "select id from submissions where tenant_id = $1 order by id")
	if err != nil {
		return fmt.Errorf("list submissions: %w", err)
	}
	for piece := range slices.Chunk(all, rebuildSize) {
		changed, _, err := compareExceptions(ctx, tx, piece, false)
		if err == nil && len(changed) > 0 {
			err = writeExceptions(ctx, tx, changed)
		}
		if err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, countExceptionsSQL, tx.Tenant(), tx.Now())
	if err != nil {
		return fmt.Errorf("count exceptions: %w", err)
	}
	return nil
}

func joinWords(words []string) string { return strings.Join(words, " ") }
