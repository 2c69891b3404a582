package projection

import (
	"context"
	"slices"
	"testing"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// assigned is an assignment to a group, or to a user.
type assigned struct {
	id, user ids.ID
}

// assign assigns each of the evaluations to two groups and two of the users.
func (w *world) assign(t testing.TB) {
	t.Helper()
	for i := range w.versions {
		v := &w.versions[i]
		earlier := slices.IndexFunc(w.versions[:i], func(o version) bool { return o.evaluation == v.evaluation })
		if earlier >= 0 {
			v.assigned = w.versions[earlier].assigned
			continue
		}
		for n := range 4 {
			a, kind, target := assigned{id: ids.New()}, "group_id", ids.New()
			if n >= 2 {
				a.user, kind, target = w.users[n], "user_id", w.users[n]
			}
			w.write(t, func(ctx context.Context, tx *db.Tx) error {
				_, err := tx.Exec(ctx, `insert into assignments (tenant_id, id, org_unit_id, evaluation_id, target_type, target_ref, status,
					created_by, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, 'active', 'test', $7, $7)`,
					w.tenant, a.id, v.org, v.evaluation, kind, target.String(), epoch)
				if err != nil {
					return err
				}
				return w.queue(ctx, tx, "assignment", a.id)
			})
			v.assigned = append(v.assigned, a)
		}
	}
}
