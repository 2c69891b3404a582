package lti_test

import (
	"context"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/lti"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Among twenty thousand grades each statement looks only at the ones it is about.
func TestWhatIsRead(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	urls := dbtest.Fresh(t)
	store := dbtest.Open(t, db.Options{URL: urls.App, MaxConns: 12, KeySecret: sample.KeySecret})
	g := &gradebook{campus: campusIn(t, store).allow()}
	g.ada = g.mustLaunch(ada)
	made := g.handIn(6, g.ada.User.ID)
	super := dbtest.Heap(t, urls)
	for _, sql := range []string{
		`create temporary table crowd as select gen_random_uuid() as id, n from generate_series(1, 20000) n`,
		`insert into users (tenant_id, id, name, status, created_at, updated_at) select $1::uuid, id, 'x', 'active', now(), now() from crowd`,
		`insert into lti_scores (tenant_id, id, org_unit_id, platform_id, link_id, user_id, state, next_at, created_at)
			select k.tenant_id, c.id, k.org_unit_id, k.platform_id, k.id, c.id, case when n % 200 = 0 then 'refused' else 'sent' end, now(), now() from lti_links k, crowd c where k.tenant_id = $1`,
		`insert into user_accounts (tenant_id, id, user_id, source, source_id, subject, linked_by, linked_at)
			select p.tenant_id, c.id, c.id, 'lti', p.id, c.id::text, 'operator:x', now() from lti_platforms p, crowd c where p.tenant_id = $1`,
	} {
		args := []any{g.scope.Tenant}
		if sql[:6] == "create" {
			args = nil
		}
		_, err := super.Exec(t.Context(), sql, args...)
		if err != nil {
			t.Fatal(err)
		}
	}
	system := db.System(g.scope.Tenant, "lti")
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		for _, c := range []struct {
			name string
			most int64
			do   func(ctx context.Context, tx *db.Tx) error
		}{
			{"what is handed in", 20, func(ctx context.Context, tx *db.Tx) error { return lti.TakeUp(ctx, tx, []ids.ID{made[0]}) }},
			{"a round of grades", 60, func(ctx context.Context, tx *db.Tx) error {
				n, err := lti.Round(ctx, tx, g.platform.ID)
				if n != 1 {
					t.Errorf("%d grades in a round", n)
				}
				return err
			}},
			{"who has something to send", 20, func(ctx context.Context, tx *db.Tx) error {
				_, err := tx.Exec(ctx, "select tenant, platform from lti_to_send(clock_timestamp(), 16)")
				return err
			}},
			{"what was refused", 250, func(ctx context.Context, tx *db.Tx) error {
				_, err := lti.ListScores(ctx, tx, lti.ScoreFilter{State: "refused"})
				return err
			}},
		} {
			err := store.DryRun(t.Context(), system, func(tx *db.Tx) error {
				plans.Force(t, tx)
				var err error
				dbtest.ByIndex(t, tx, c.name, c.most, func() error {
					err = c.do(t.Context(), tx)
					return err
				}, "lti_scores", "user_accounts")
				return err
			})
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}, urls)
}
