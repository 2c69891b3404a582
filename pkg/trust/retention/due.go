package retention

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/policy"
)

const (
	submissions = "submissions"
	files       = "evidence"
)

// Due is a policy to carry out: records older than the cutoff are redacted or deleted.
type Due struct {
	Domain   string
	PolicyID ids.ID
	Action   string
	Cutoff   time.Time
	// Job is the sweep that carries it out.
	Job ids.ID
}

// basis is how submissions name the policy.
func (d Due) basis() string { return "policy:" + d.PolicyID.String() }

// basesSQL gives the policies by which submissions are over at $2. basis is made before, since behind a
// policy nothing computed from an outer row is looked up by an index (docs/queries.md).
const basesSQL = `
with p as materialized (
	select id, action, 'policy:' || id as basis from retention_policies
	where tenant_id = $1 and domain = 'submissions' and days is not null
)
select p.id, p.action from p cross join lateral (
	select from submissions where tenant_id = $1 and retention_basis = p.basis and retain_until <= $2 and erased_at is null limit 1) s
order by p.id`

// Policies gives the policies to carry out at a moment, in the order of the domains. The caller may read policies.
func Policies(ctx context.Context, tx *db.Tx, at time.Time) ([]Due, error) {
	rows, err := tx.Query(ctx, basesSQL, tx.Tenant(), at)
	if err != nil {
		return nil, fmt.Errorf("find policies of submissions: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Due, error) {
		d := Due{Domain: submissions, Cutoff: at}
		err := row.Scan(&d.PolicyID, &d.Action)
		return d, err
	})
	if err != nil {
		return nil, fmt.Errorf("find policies of submissions: %w", err)
	}
	now, err := policy.GetRetention(ctx, tx)
	if err != nil {
		return nil, err
	}
	for _, p := range now.Policies {
		if p.Domain != submissions {
			all = append(all, Due{Domain: p.Domain, PolicyID: p.ID, Action: *p.Action, Cutoff: at.Add(-time.Duration(*p.Days) * 24 * time.Hour)})
		}
	}
	return all, nil
}
