package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// past runs statements that bypass all policies and triggers: on a cluster the ones of every node, because Citus passes the settings
// of a transaction on to all of them.
func (d *desk) past(statements ...string) {
	d.t.Helper()
	super, err := pgx.Connect(d.t.Context(), d.urls.Super)
	if err != nil {
		d.t.Fatal(err)
	}
	defer super.Close(d.t.Context()) //nolint:errcheck // nothing hangs on it
	err = pgx.BeginFunc(d.t.Context(), super, func(tx pgx.Tx) error {
		for _, sql := range append([]string{"set local citus.propagate_set_commands = 'local'", "set local session_replication_role = replica"}, statements...) {
			if _, err := tx.Exec(d.t.Context(), sql); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

// diagnosed runs doctor and wants an exit code and a finding; none where the finding is empty.
func (d *desk) diagnosed(exit int, finding string) {
	d.t.Helper()
	got := d.run("doctor")
	if got.exit != exit || !strings.Contains(got.out.String(), finding) {
		d.t.Errorf("exit %d, want %d and %q:\n%s", got.exit, exit, finding, &got.out)
	}
}

func TestDoctorLooksAtTheLog(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("tenant create northwind --name Northwind")
	d.diagnosed(exitDone, "ok       ledger: events are under signed checkpoints; ledger.checkpoint_url is not set")
	d.past("update ledger_events set occurred_at = now() - interval '2 hours'")
	d.diagnosed(exitDone, "warning  ledger: events of 1 tenant wait for a signed checkpoint, the oldest for 2h0m")
	d.must("ledger sequence --tenant northwind")
	d.diagnosed(exitDone, "ok       ledger: events are under signed checkpoints;")

	kept := filepath.Join(t.TempDir(), "checkpoints")
	settings, err := os.ReadFile(d.settings)
	if err == nil {
		err = os.WriteFile(d.settings, append(settings, "ledger: {checkpoint_url: 'file://"+kept+"'}\n"...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	d.past("update ledger_checkpoints set created_at = now() - interval '3 hours'", "update ledger_logs set published = 0")
	d.diagnosed(exitFailed, "problem  ledger: checkpoints of 1 tenant have no copy in ledger.checkpoint_url, the oldest for 3h0m")
	d.must("ledger sequence --tenant northwind")
	d.diagnosed(exitDone, "ok       ledger: events are under signed checkpoints, which have their copies")

	d.past("update ledger_logs set published = 9000000000000")
	d.diagnosed(exitFailed, "problem  ledger: the copies of the checkpoints of 1 tenant are marked as made beyond the newest checkpoint")
	d.past("update ledger_logs set published = signed")
	d.past("insert into trust_keys (tenant_id, id, public_key, sealed_seed, created_at, retired_at, signed_by) " +
		"select tenant_id, gen_random_uuid(), sha256('x'), 'x', now(), now(), id from trust_keys")
	d.diagnosed(exitFailed, "problem  ledger: trust_keys of 1 tenant has keys that no key of the chain signed")
	d.past("delete from trust_keys where signed_by is not null")

	d.past("update trust_keys set sealed_seed = sealed_seed || '\\x00'::bytea")
	d.diagnosed(exitFailed, "problem  ledger: auth.key_secret does not open the key that signs for 1 tenant")
}
