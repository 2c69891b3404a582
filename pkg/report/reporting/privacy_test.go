package reporting

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// mark is in every text field of every user, and in every answer.
const mark = "zzyzx"

// markUsers fills every text and JSON column of the users, including columns that are added later.
// A column that cannot hold the mark fails, and has to be listed here.
func (c *cohort) markUsers(t *testing.T) {
	t.Helper()
	columns := c.strings(t, `select column_name || ' ' || data_type from information_schema.columns where table_schema = 'public'
		and table_name = 'users' and data_type in ('text', 'jsonb', 'character varying') and column_name <> 'status' order by 1`)
	if len(columns) < 4 {
		t.Fatalf("users have only the columns %v", columns)
	}
	for _, column := range columns {
		name, kind, _ := strings.Cut(column, " ")
		value := fmt.Sprintf("'%s-%s-' || id", mark, name)
		if kind == "jsonb" {
			value = fmt.Sprintf(`jsonb_build_object('%[1]s', '%[1]s', 'deep', jsonb_build_object('list', jsonb_build_array('%[1]s')))`, mark)
		}
		c.write(t, func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Exec(ctx, fmt.Sprintf("update users set %s = %s where tenant_id = $1", name, value), c.tenant)
			return err
		})
	}
}

// strings reads a column, on every node where the statement names no tenant.
func (c *cohort) strings(t *testing.T, sql string, args ...any) []string {
	t.Helper()
	var all []string
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		dbtest.AllNodes(t, tx)
		rows, err := tx.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return all
}

// holds says whether any column of a table contains the mark, as text or as bytes.
func (c *cohort) holds(t *testing.T, table string) bool {
	t.Helper()
	found := c.strings(t, `select 'found' from `+table+` t where t::text ilike '%' || $1 || '%'
		or t::text ilike '%' || encode(convert_to($1, 'UTF8'), 'hex') || '%' limit 1`, mark)
	return len(found) > 0
}

// No reporting table and no export tells who somebody is: the projector, its jobs, a rebuild
// and the percentiles run over users who have a mark in every field.
func TestReportingHoldsNoPersonalData(t *testing.T) {
	t.Parallel()
	c := found(t, dbtest.Clone(t))
	c.questions = append(c.questions, ids.New()) // the fifth has parts
	c.addUnit(t, 60)
	c.project(t)
	c.markUsers(t)
	c.markAround(t)
	if !c.holds(t, "users") || !c.holds(t, "submission_items") {
		t.Fatal("the marks are nowhere: the search finds nothing")
	}
	to := epoch.AddDate(1, 0, 0)
	c.event(t)
	for _, in := range []projection.JobInput{{Kind: projection.KindTelemetry}, {Kind: projection.KindRange, To: &to}} {
		c.work(t, in)
	}
	err := projection.Rebuild(t.Context(), c.store, c.tenant, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.event(t)
	c.enqueue(t)
	// report_live_rows has keys and hashes of the others, in transactions that are rolled back. Package skills
	// searches the tables of skills, which are empty here.
	tables := c.strings(t, `select table_name from information_schema.tables where table_schema = 'public'
		and table_name <> 'report_live_rows' and table_name not like 'report\_skill\_%' and (table_name like 'report\_%' or table_name like 'defensibility\_exception\_%' or table_name in ('submission_telemetry_summary', 'projection_outbox', 'ledger_events', 'river_job')) order by 1`)
	for _, table := range append(slices.Clone(projection.Tables), "report_jobs", "submission_telemetry_summary", "projection_outbox", "ledger_events") {
		if !slices.Contains(tables, table) && !strings.HasPrefix(table, "report_skill_") {
			t.Errorf("%s is not searched: %v", table, tables)
		}
	}
	for _, table := range tables {
		if n := c.strings(t, "select 'row' from "+table+" where tenant_id = $1 limit 1", c.tenant); len(n) == 0 {
			t.Errorf("%s is empty: the search proves nothing", table)
		}
	}
	for _, table := range tables {
		if c.holds(t, table) {
			t.Errorf("%s tells who somebody is", table)
		}
	}
	users := c.strings(t, "select id::text from users where tenant_id = $1", c.tenant)
	for _, f := range []HealthFilter{{}, {From: &longAgo}} {
		raw, _ := unzip(t, c.export(t, f))
		for name, content := range raw {
			if bytes.Contains(bytes.ToLower(content), []byte(mark)) {
				t.Errorf("%s tells who somebody is", name)
			}
			for _, user := range users {
				if bytes.Contains(content, []byte(user)) {
					t.Errorf("%s names the user %s", name, user)
				}
			}
		}
	}
}

// markAround makes everything else that leads to rows of the reports, with marks in its words:
// assignments for people, groups and addresses, a finding, and a corrected key.
func (c *cohort) markAround(t *testing.T) {
	t.Helper()
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		for _, sql := range []string{
			`insert into assignments (tenant_id, id, org_unit_id, evaluation_id, target_type, target_ref, token_hash, status, created_by, created_at, updated_at)
				select v.tenant_id, gen_random_uuid(), v.org_unit_id, v.evaluation_id, kind, ref, null, 'active', '` + mark + `', now(), now()
				from evaluation_versions v, (select id from users where tenant_id = $1 order by id limit 1) u,
				lateral (values ('email', u.id::text), ('user_id', u.id::text), ('group_id', gen_random_uuid()::text)) targets (kind, ref)
				where v.tenant_id = $1`,
			`insert into version_snapshots (tenant_id, hash, org_unit_id, created_at, content)
				select tenant_id, hash || ' with sections', org_unit_id, created_at, content || jsonb_build_object('title', '` + mark + `', 'sections', jsonb_build_array(jsonb_build_object(
				'id', gen_random_uuid(), 'title', '` + mark + `', 'items', (select jsonb_agg(jsonb_build_object('questionVersionId', q)) from jsonb_object_keys(content -> 'questions') q))))
				from version_snapshots where tenant_id = $1`,
			`update submissions set snapshot_hash = snapshot_hash || ' with sections' where tenant_id = $1`,
			`update sessions set assignment_id = (select id from assignments where tenant_id = $1 and target_type = 'group_id') where tenant_id = $1`,
			`update submissions set assignment_id = (select id from assignments where tenant_id = $1 and target_type = 'group_id') where tenant_id = $1`,
			`insert into findings (tenant_id, id, org_unit_id, submission_id, code, severity, detail, detected_by, detected_at, ledger_event_id)
				select tenant_id, gen_random_uuid(), org_unit_id, id, 'PHONE_SEEN', 'minor', '` + mark + `', '` + mark + `', now(), gen_random_uuid()
				from submissions where tenant_id = $1 limit 1`,
			`insert into remediations (tenant_id, id, org_unit_id, question_version_id, rule, parameters, reason, state, created_by,
				applied_number, submissions_n, created_at, updated_at, applied_at)
				select tenant_id, gen_random_uuid(), org_unit_id, question_version_id, 'rekey', '{"correctOptionIds":["B"]}', '` + mark + `', 'applied', '` + mark + `',
				1, 1, now(), now(), now() from report_question_health_rollup where tenant_id = $1 limit 1`,
		} {
			_, err := tx.Exec(ctx, sql+" returning true", c.tenant)
			if err != nil {
				return fmt.Errorf("%w in %s", err, sql)
			}
		}
		return nil
	})
}

// enqueue queues something for the projector, as the service does.
func (c *cohort) enqueue(t *testing.T) {
	t.Helper()
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		var id ids.ID
		err := tx.QueryRow(ctx, "select id from submissions where tenant_id = $1 limit 1", c.tenant).Scan(&id)
		if err == nil {
			_, err = tx.Exec(ctx, "insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) values ($1, 'submission', $2, now())", c.tenant, id)
		}
		return err
	})
}

// event records one runtime event after the submission was projected.
func (c *cohort) event(t *testing.T) {
	t.Helper()
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, `insert into session_events (tenant_id, session_id, id, org_unit_id, event_type, occurred_at)
			select tenant_id, id, $2, org_unit_id, 'focus_lost', started_at from submissions where tenant_id = $1 limit 1 returning true`, c.tenant, ids.New())
		return err
	})
}

// work runs a job to its end.
func (c *cohort) work(t *testing.T, in projection.JobInput) {
	t.Helper()
	var j projection.Job
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		var err error
		j, err = projection.QueueProjection(ctx, tx, in)
		return err
	})
	for j.State != "completed" {
		var err error
		j, err = projection.RunPiece(t.Context(), c.store, c.tenant, j.ID)
		if err != nil {
			t.Fatal(err)
		}
	}
}
