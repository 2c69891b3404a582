package retention

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/config"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/policy"
	"assess/pkg/trust/datamap"
)

// A piece of a sweep reads the rows of its own size: among thousands that are due and thousands that are not,
// whatever PostgreSQL knows of the tables, and however it plans.
func TestAPieceReadsItsRowsAlone(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	urls := dbtest.Fresh(t)
	o := newOffice(t, dbtest.Open(t, db.Options{URL: urls.App}), policy.Delete)
	super := dbtest.Heap(t, urls)
	o.fill(super)
	const size, most = 10, 100
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		for name, cutoff := range map[string]time.Time{"due": o.later, "not due": time.Now().Add(-time.Hour)} {
			err := o.store.DryRun(t.Context(), db.System(o.operator.Tenant, "retention_sweep"), func(tx *db.Tx) error {
				plans.Force(t, tx)
				for i, target := range targets {
					d := Due{Domain: target.domain, PolicyID: ids.New(), Action: policy.Delete, Cutoff: cutoff}
					if target.domain == submissions {
						err := tx.QueryRow(t.Context(), "select id from retention_policies where tenant_id = $1 and domain = 'submissions'", tx.Tenant()).Scan(&d.PolicyID)
						if err != nil {
							return err
						}
					}
					found, err := 0, error(nil)
					reads := dbtest.ReadsOf(t, tx, func() error {
						rows, err := target.next(t.Context(), tx, d, cursor{}, size)
						found = len(rows)
						return err
					})
					if err != nil || name == "due" && found != size {
						t.Errorf("%s, target %d of %s: %d rows, %v", name, i, target.domain, found, err)
					}
					for table, r := range reads {
						if r.ReadThrough && r.Rows > most || r.Rows > most {
							said, _ := json.Marshal(r)
							t.Errorf("%s, target %d of %s: %s of %s", name, i, target.domain, said, table)
						}
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		// A forecast counts each record once, and not once for each month.
		err := o.store.Read(t.Context(), o.operator, func(tx *db.Tx) error {
			plans.Force(t, tx)
			var f Forecast
			reads := dbtest.ReadsOf(t, tx, func() error {
				var err error
				f, err = LookAhead(t.Context(), tx)
				return err
			})
			if len(f.Items) < len(policy.Domains) {
				t.Errorf("the forecast is about %+v", f.Items)
			}
			for table, r := range reads {
				if r.Rows > 3100 {
					t.Errorf("a forecast looks at %d rows of %s", r.Rows, table)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}, urls)
}

// fill makes thousands of rows in each table that a sweep looks through.
func (o *office) fill(super *pgx.Conn) {
	o.Helper()
	blobs, err := blob.Open(o.Context(), "file://"+o.TempDir())
	if err != nil {
		o.Fatal(err)
	}
	o.Cleanup(func() { _ = blobs.Close() })
	person, submission := o.submit()
	sample.Evidence(o.T, o.store, o.operator, evidence.NewFiles(o.store, blobs, config.Default().Blob), submission)
	sample.DropChecks(o.T, super)
	for _, name := range []string{"sessions", "submissions", "evidence"} {
		table, _ := datamap.Find(name)
		sample.Crowd(o.T, super, o.operator.Tenant, person, table, 3000)
	}
	for _, sql := range []string{
		"update submissions s set retain_until = now() + interval '30 days', retention_basis = 'policy:' || (select id from retention_policies p where p.tenant_id = $1 and p.domain = 'submissions') where tenant_id = $1",
		"update sessions set ended_at = started_at where tenant_id = $1",
		"insert into session_events (tenant_id, session_id, id, org_unit_id, event_type, occurred_at) select tenant_id, id, gen_random_uuid(), org_unit_id, 'copy', now() from sessions where tenant_id = $1",
		"insert into submission_telemetry_summary select tenant_id, org_unit_id, id, 1, 1, 0, 0, 0, 0, 0, now() from submissions where tenant_id = $1",
		"update evidence set submission_id = s.id from (select id, row_number() over () as n from submissions where tenant_id = $1) s, (select id, row_number() over () as n from evidence where tenant_id = $1) e where evidence.id = e.id and s.n = e.n",
		"insert into compliance_jobs (tenant_id, id, job_type, status, created_at, sla_due_at, stepped_at, requested_by) select $1, gen_random_uuid(), 'dsar_export', 'completed', now(), now(), now(), 'system:x' from generate_series(1, 3000)",
		"insert into compliance_artifacts (tenant_id, job_id, name, media_type, size_bytes, sha256, created_at, expires_at) select tenant_id, id, 'x', 'x', 1, 'x', created_at, created_at from compliance_jobs where tenant_id = $1",
	} {
		tag, err := super.Exec(o.Context(), sql, o.operator.Tenant)
		if err != nil || tag.RowsAffected() < 3000 {
			o.Fatalf("%s: %v, %v", sql, tag, err)
		}
	}
}
