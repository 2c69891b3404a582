package access_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// ear listens to the announcements about a tenant, from now on.
func ear(t *testing.T, store *db.Store, tenant ids.ID) func(within time.Duration) bool {
	t.Helper()
	conn, err := pgx.ConnectConfig(t.Context(), store.Pool().Config().ConnConfig)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) }) //nolint:errcheck // nothing hangs on it
	_, err = conn.Exec(t.Context(), "listen "+db.AccessChannel)
	if err != nil {
		t.Fatal(err)
	}
	return func(within time.Duration) bool {
		ctx, cancel := context.WithTimeout(t.Context(), within)
		defer cancel()
		for {
			heard, err := conn.WaitForNotification(ctx)
			if err != nil {
				return false
			}
			if heard.Payload == tenant.String() {
				return true
			}
		}
	}
}

// changes are one of each table that decides who may do what. $1 is the tenant, $2 a user.
var changes = map[string]string{
	"users":               "update users set status = 'deactivated' where tenant_id = $1 and id = $2",
	"generations":         "update users set token_generation = token_generation + 1 where tenant_id = $1 and id = $2",
	"user_roles":          "delete from user_roles where tenant_id = $1 and user_id = $2",
	"user_org_units":      "delete from user_org_units where tenant_id = $1 and user_id = $2",
	"roles":               "update roles set name = name || $2::uuid where tenant_id = $1",
	"role_capabilities":   "delete from role_capabilities where tenant_id = $1 and $2::uuid is not null",
	"users and all below": "delete from users where tenant_id = $1 and id = $2",
}

func TestAChangeOfAccessIsAnnouncedOrRefused(t *testing.T) {
	t.Parallel()
	for name, sql := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, "candidate")
			hears := ear(t, h.store, h.scope.Tenant)
			err := h.store.Write(t.Context(), h.scope, func(tx *db.Tx) error {
				_, err := tx.Exec(t.Context(), sql, tx.Tenant(), h.user.ID)
				return err
			})
			if err == nil || !strings.Contains(err.Error(), "is to be announced first") {
				t.Errorf("not announced: %v", err)
			}
			sample.ChangeAccess(t, h.store, h.scope, sql, h.user.ID)
			if !hears(10 * time.Second) {
				t.Error("the change was not heard of")
			}
		})
	}
}

// A savepoint that is rolled back takes the announcement with it, so that the next change needs its own.
func TestAnAnnouncementThatWasTakenBackAllowsNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "candidate")
	err := h.store.Write(t.Context(), h.scope, func(tx *db.Tx) error {
		err := tx.Rehearse(t.Context(), func() error {
			err := tx.AnnounceAccess(t.Context())
			if err == nil {
				_, err = tx.Exec(t.Context(), changes["users"], tx.Tenant(), h.user.ID)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = tx.Exec(t.Context(), changes["users"], tx.Tenant(), h.user.ID)
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "a change of users is to be announced first") {
		t.Errorf("got %v", err)
	}
}

// Processes of an earlier version go on while a newer one has migrated: on one server the trigger announces for them.
// There are none of these where the rows lie on other nodes.
func TestWhatAnEarlierVersionChanges(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "candidate")
	hears := ear(t, h.store, h.scope.Tenant)
	spread := false
	err := h.store.Write(t.Context(), h.scope, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "set local assess.announced = ''")
		if err == nil {
			err = tx.QueryRow(t.Context(), "select exists (select from pg_extension where extname = 'citus')").Scan(&spread)
		}
		if err == nil {
			_, err = tx.Exec(t.Context(), changes["users"], tx.Tenant(), h.user.ID)
		}
		return err
	})
	switch {
	case spread && err == nil:
		t.Error("nobody hears of it, and it is done")
	case !spread && err != nil:
		t.Error(err)
	case !spread && !hears(10*time.Second):
		t.Error("the change was not heard of")
	}
}
