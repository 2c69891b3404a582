package reporting

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/db"
	"assess/pkg/ids"
	"assess/pkg/projection"
)

// mark stands in every field of every user that can hold a word, and in every answer.
const mark = "zzyzx"

// markUsers fills every text and JSON column of the users: columns that come later too. What
// a column may not hold fails, and has to be said here.
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

func (c *cohort) strings(t *testing.T, sql string, args ...any) []string {
	t.Helper()
	var all []string
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		rows, err := tx.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return all
}

// holds says whether any column of a table holds the mark, as text or as bytes.
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
	c := newCohort(t, 60)
	c.markUsers(t)
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
	tables := c.strings(t, `select table_name from information_schema.tables where table_schema = 'public'
		and (table_name like 'report\_%' or table_name = 'submission_telemetry_summary') order by 1`)
	for _, table := range append(slices.Clone(projection.Tables), "report_jobs", "submission_telemetry_summary") {
		if !slices.Contains(tables, table) {
			t.Errorf("%s is not searched: %v", table, tables)
		}
	}
	for _, table := range []string{"report_item_attempts_flat", "report_question_health_rollup", "report_submissions", "report_jobs", "submission_telemetry_summary"} {
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

// event records one runtime event after the submission was projected.
func (c *cohort) event(t *testing.T) {
	t.Helper()
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, `insert into session_events (tenant_id, session_id, id, org_unit_id, event_type, occurred_at)
			select tenant_id, id, $2, org_unit_id, 'focus_lost', started_at from submissions where tenant_id = $1 limit 1`, c.tenant, ids.New())
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
