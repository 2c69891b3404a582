package attempt

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// copies is how many more attempts like the first one a tenant has.
const copies = 500

// copySQL writes submissions like the first one with everything that belongs to them: other users,
// who have overrides of the same assignment.
var copySQL = []string{
	`create temporary table copied as select gen_random_uuid() as id, gen_random_uuid() as person, n from generate_series(1, $2::int) n where $1::uuid is not null`,
	`insert into users select n.* from submissions s join users u on u.tenant_id = s.tenant_id and u.id = s.user_id, copied c,
		lateral jsonb_populate_record(u, jsonb_build_object('id', c.person, 'email', c.person, 'email_key', c.person)) n where s.id = $1 and $2 > 0`,
	`insert into sessions select n.* from sessions s, copied c,
		lateral jsonb_populate_record(s, jsonb_build_object('id', c.id, 'user_id', c.person)) n where s.id = $1 and $2 > 0`,
	`insert into submissions select n.* from submissions s, copied c,
		lateral jsonb_populate_record(s, jsonb_build_object('id', c.id, 'user_id', c.person)) n where s.id = $1 and $2 > 0`,
	`insert into submission_items select n.* from submission_items i, copied c,
		lateral jsonb_populate_record(i, jsonb_build_object('submission_id', c.id)) n where i.submission_id = $1 and $2 > 0`,
	`insert into item_scores select n.* from item_scores i, copied c,
		lateral jsonb_populate_record(i, jsonb_build_object('submission_id', c.id)) n where i.submission_id = $1 and $2 > 0`,
	`insert into submission_telemetry_summary select n.* from submission_telemetry_summary t, copied c,
		lateral jsonb_populate_record(t, jsonb_build_object('submission_id', c.id)) n where t.submission_id = $1 and $2 > 0`,
	`insert into report_submissions select n.* from report_submissions r, copied c,
		lateral jsonb_populate_record(r, jsonb_build_object('submission_id', c.id, 'user_id', c.person)) n where r.submission_id = $1 and $2 > 0`,
	`insert into version_snapshots select v.tenant_id, c.id::text, v.org_unit_id, '{}', v.created_at from submissions s
		join version_snapshots v on v.tenant_id = s.tenant_id and v.hash = s.snapshot_hash, copied c where s.id = $1 and $2 > 0`,
	`insert into assignment_overrides select n.* from assignment_overrides o, copied c,
		lateral jsonb_populate_record(o, jsonb_build_object('user_id', c.person)) n
		where o.assignment_id = (select assignment_id from submissions where id = $1) and $2 > 0`,
}

// Whatever else a tenant has, the report of an attempt reads only the rows of this attempt, by
// indexes; also while the tenant is too young for statistics.
func TestReportReadsTheRowsOfOneAttempt(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	urls := dbtest.Fresh(t)
	r := roomIn(t, urls)
	id := r.corrected()
	super, err := pgx.Connect(t.Context(), urls.Super)
	if err != nil {
		t.Fatal(err)
	}
	defer super.Close(t.Context())
	for _, sql := range copySQL {
		_, err := super.Exec(t.Context(), sql, id, copies)
		if err != nil {
			t.Fatalf("%v in %s", err, sql)
		}
	}
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) { r.readsLittle(t, plans, id) }, urls)
}

// roomIn is a room in a database of its own, with its own store.
func roomIn(t *testing.T, urls dbtest.URLs) *room {
	t.Helper()
	store := dbtest.Open(t, db.Options{URL: urls.App, MaxConns: 4})
	return roomOf(t, store)
}

// corrected is an attempt with everything that a report looks for: events, an assignment
// with an override, and corrected scores.
func (r *room) corrected() ids.ID {
	r.Helper()
	id, _ := r.take(func(_ int, item session.Item) (string, int64) { return answered(item, true), 5000 }, "focus_lost", "paste")
	assignment := ids.New()
	r.exec(`insert into assignments (tenant_id, id, org_unit_id, evaluation_id, target_type, target_ref, status, created_by, created_at, updated_at)
		select tenant_id, $3, org_unit_id, evaluation_id, 'user_id', user_id::text, 'active', 'test', started_at, started_at
		from submissions where tenant_id = $1 and id = $2`, id, assignment)
	r.exec(`insert into assignment_overrides (tenant_id, assignment_id, user_id, org_unit_id, extra_time_seconds, extra_attempts, reason, created_by, created_at, updated_at)
		select tenant_id, $3, user_id, org_unit_id, 600, 0, '', 'test', started_at, started_at from submissions where tenant_id = $1 and id = $2`, id, assignment)
	r.exec("update submissions set assignment_id = $3 where tenant_id = $1 and id = $2", id, assignment)
	r.markEssay(id)
	r.project()
	return id
}

func (r *room) readsLittle(t *testing.T, plans dbtest.Plans, id ids.ID) {
	t.Helper()
	var report Report
	var reads map[string]dbtest.Reads
	sample.Write(r, r.store, r.analyst, func(tx *db.Tx) error {
		plans.Force(t, tx)
		reads = dbtest.ReadsOf(t, tx, func() (err error) {
			report, err = Get(r.Context(), tx, GetInput{SubmissionID: id})
			return err
		})
		return nil
	})
	if report.Session.Overrides == nil || report.Integrity.TelemetrySummary.State != "recorded" || report.Summary.LatestScoreVersion < 2 {
		t.Errorf("the report lacks what it should look for: %+v", report.Summary)
	}
	for table, n := range reads {
		if n.Rows+n.Entries > int64(4*len(report.Items)) {
			t.Errorf("%s: %+v", table, n)
		}
	}
	for _, table := range []string{"submissions", "submission_items", "item_scores", "submission_telemetry_summary", "report_submissions",
		"sessions", "users", "assignment_overrides", "version_snapshots"} {
		if n, read := reads[table]; !read || n.ReadThrough {
			t.Errorf("%s was read from end to end, or not at all: %+v", table, n)
		}
	}
}
