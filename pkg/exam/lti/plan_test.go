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

// Among twenty thousand launches, picks, courses, activities and members each step of a launch, a pick and a roster looks only at its own.
func TestWhatALaunchReads(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	urls := dbtest.Fresh(t)
	store := dbtest.Open(t, db.Options{URL: urls.App, MaxConns: 12, KeySecret: sample.KeySecret})
	c := campusIn(t, store).allow().hands()
	c.enrol(learner("ada"), learner("bo"))
	c.mustLaunch(ada)
	pick := c.mustPick(teach, nil)
	c.write(func(tx *db.Tx) error {
		_, err := lti.UpdatePlatform(t.Context(), tx, c.platform.ID, lti.PlatformPatch{Identity: new(lti.IdentityLink)})
		return err
	})
	secret, course := c.unlinked(bo), c.course()
	state := c.begin("browser", ada, c.exam()).Get("state")
	super := dbtest.Heap(t, urls)
	_, err := super.Exec(t.Context(), "create temporary table crowd as select gen_random_uuid() as id, n from generate_series(1, 20000) n")
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		`insert into users (tenant_id, id, name, status, created_at, updated_at) select $1::uuid, id, 'x', 'active', now(), now() from crowd`,
		`insert into user_accounts (tenant_id, id, user_id, source, source_id, subject, linked_by, linked_at)
			select p.tenant_id, c.id, c.id, 'lti', p.id, c.id::text, 'operator:x', now() from lti_platforms p, crowd c where p.tenant_id = $1`,
		`insert into lti_flows (tenant_id, id, platform_id, state_hash, browser_hash, nonce_hash, created_at, expires_at)
			select p.tenant_id, c.id, p.id, sha256(c.id::text::bytea), 'x', 'x', now(), now() + interval '1 hour' from lti_platforms p, crowd c where p.tenant_id = $1`,
		`insert into lti_deep_links (tenant_id, id, deployment_id, user_id, flow_hash, proof_hash, return_url, course, multiple, line_item, in_window, created_at, expires_at)
			select k.tenant_id, c.id, k.deployment_id, k.user_id, sha256(c.id::text::bytea), 'x', 'x', 'x', true, true, true, now(), now() + interval '1 hour' from lti_deep_links k, crowd c where k.tenant_id = $1`,
		`insert into lti_pending_accounts (tenant_id, id, deployment_id, secret_hash, sealed, created_at, expires_at)
			select k.tenant_id, c.id, k.deployment_id, sha256(c.id::text::bytea), 'x', now(), now() + interval '1 hour' from lti_pending_accounts k, crowd c where k.tenant_id = $1`,
		`insert into lti_links (tenant_id, id, org_unit_id, platform_id, deployment_id, context_id, link_id, title, assignment_id, created_at, updated_at)
			select k.tenant_id, c.id, k.org_unit_id, k.platform_id, k.deployment_id, k.context_id, c.id::text, 'x', k.assignment_id, now(), now() from lti_links k, crowd c where k.tenant_id = $1`,
		`insert into lti_contexts (tenant_id, id, org_unit_id, deployment_id, context_id, title, group_id, created_at, members_url, sync_at)
			select k.tenant_id, c.id, k.org_unit_id, k.deployment_id, c.id::text, 'x', c.id, now(), 'x', now() + interval '1 day' from lti_contexts k, crowd c where k.tenant_id = $1`,
		`insert into group_members (tenant_id, group_id, user_id, org_unit_id, added_at)
			select k.tenant_id, c.id, c.id, k.org_unit_id, now() from lti_contexts k, crowd c where k.tenant_id = $1 and k.context_id = '42'`,
		`insert into lti_deployments (tenant_id, id, platform_id, deployment_id, created_at, updated_at)
			select p.tenant_id, c.id, p.id, c.id::text, now(), now() from lti_platforms p, crowd c where p.tenant_id = $1`,
	} {
		_, err := super.Exec(t.Context(), sql, c.scope.Tenant)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) { c.readsLittle(t, plans, pick, secret, state, course) }, urls)
}

func (c *campus) readsLittle(t *testing.T, plans dbtest.Plans, pick lti.PickInput, secret, state string, course lti.Course) {
	t.Helper()
	var steps lti.Steps
	c.write(func(tx *db.Tx) error {
		var err error
		steps, err = lti.StepsOf(t.Context(), tx, course.DeploymentID)
		return err
	})
	system := db.System(c.scope.Tenant, "lti")
	system.OrgUnit = c.scope.OrgUnit
	for name, do := range map[string]func(ctx context.Context, tx *db.Tx) error{
		"a launch": func(ctx context.Context, tx *db.Tx) error {
			return steps.Launch(ctx, tx, "ada", "42", "7", c.evaluation.String())
		},
		"a launch that comes back": func(ctx context.Context, tx *db.Tx) error { return steps.Flow(ctx, tx, state, "browser") },
		"a pick":                   func(ctx context.Context, tx *db.Tx) error { return steps.Pick(ctx, tx, pick.Flow, pick.Proof) },
		"an account that waits":    func(ctx context.Context, tx *db.Tx) error { return steps.Pending(ctx, tx, secret) },
		"a roster":                 func(ctx context.Context, tx *db.Tx) error { return steps.Roster(ctx, tx, course.ID, "ada", "bo") },
		"courses to read": func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Exec(ctx, "select tenant, course from lti_to_sync(clock_timestamp(), 64)")
			return err
		},
	} {
		err := c.store.DryRun(t.Context(), system, func(tx *db.Tx) error {
			plans.Force(t, tx)
			_, err := tx.Exec(t.Context(), "update lti_contexts set sync_at = now() - interval '1 minute' where tenant_id = $1 and id = $2", tx.Tenant(), course.ID)
			if err != nil {
				return err
			}
			dbtest.ByIndex(t, tx, name, 30, func() error { return do(t.Context(), tx) },
				"lti_flows", "lti_deep_links", "lti_pending_accounts", "lti_deployments", "lti_contexts", "lti_links", "user_accounts", "users", "group_members")
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
