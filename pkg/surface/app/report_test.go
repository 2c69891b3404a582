package app_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/dev/await"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// alter changes the database behind the back of everybody.
func (h *house) alter(t *testing.T, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), h.pg.SuperURL(database))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // the statement has ended
	_, err = conn.Exec(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
}

// answer gives status and text of a call, also of a failed one.
func (h *house) answer(t *testing.T, method, path, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://"+h.address+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.token)
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", ids.New().String())
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// reported waits until n submissions are in the reports.
func (h *house) reported(t *testing.T, n int) {
	t.Helper()
	await.Until(t, fmt.Sprintf("%d submissions are in the reports", n), func() bool {
		found := 0
		h.insistOn(t, h.scope, func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), "select count(*) from report_submissions where tenant_id = $1", tx.Tenant()).Scan(&found)
		})
		return found == n
	})
}

// ask queues the percentiles of all questions and waits until the job has ended.
func (h *house) ask(t *testing.T) projection.Job {
	t.Helper()
	var j projection.Job
	h.insist(t, "/reporting/percentiles/recompute", ids.New().String(), nil, &j)
	await.Until(t, "the job has ended", func() bool {
		status, err := h.try(http.MethodGet, "/reporting/jobs/"+j.ID.String(), "", nil, &j)
		if err != nil || status != http.StatusOK {
			t.Fatalf("read the job: %d, %v", status, err)
		}
		return j.State != models.ReportJobQueued && j.State != models.ReportJobRunning
	})
	return j
}

// These make the database refuse questions, and end that.
const (
	staleSQL  = `update report_question_health_rollup set percentiles_stale = true`
	refuseSQL = `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'this row is refused'; end $$;
		create trigger refuse before update on report_question_health_rollup for each row execute function refuse()`
	acceptSQL = `drop function refuse() cascade`
)

// TestFailedReportJob lets a job of a running server fail: it says so and why, the server works on,
// and the same job goes on as soon as the cause is gone.
func TestFailedReportJob(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	d := h.start(t)
	h.token = h.admin(t)
	h.sit(t, 0)
	h.reported(t, 1)
	h.alter(t, staleSQL)
	h.alter(t, refuseSQL)
	failed := h.ask(t)
	if failed.State != models.ReportJobFailed || failed.ErrorCode == nil || *failed.ErrorCode != "internal_error" || failed.FinishedAt == nil || failed.Done != 0 {
		t.Errorf("the database refused, and the job is %+v", failed)
	}
	if _, text := h.answer(t, http.MethodGet, "/api/v1/reporting/jobs/"+failed.ID.String(), ""); strings.Contains(text, "refused") {
		t.Errorf("the job tells what the database said: %s", text)
	}
	if status := d.ready(t); status != http.StatusOK {
		t.Errorf("the server is not ready any more: %d", status)
	}
	if status, text := h.answer(t, http.MethodGet, "/metrics", ""); status != http.StatusOK || !strings.Contains(text, "assessd_projection_waiting 0\n") {
		t.Errorf("metrics: %d, %.300s", status, text)
	}
	h.alter(t, acceptSQL)
	// assessctl projection run --resume does just this.
	var done projection.Job
	for done.State != models.ReportJobCompleted {
		var err error
		done, err = projection.RunPiece(t.Context(), h.store, h.scope.Tenant, failed.ID)
		if err != nil {
			t.Fatal(err)
		}
	}
	if done.ErrorCode != nil || done.Done != *done.Total || done.Done == 0 {
		t.Errorf("the job went on and is %+v", done)
	}
	h.alter(t, staleSQL)
	if again := h.ask(t); again.State != models.ReportJobCompleted || again.Done == 0 {
		t.Errorf("asked for again, it is %+v", again)
	}
	d.terminate(t)
	if log := d.log.String(); !strings.Contains(log, "report job failed") || !strings.Contains(log, failed.ID.String()) {
		t.Errorf("the log does not say that the job failed:\n%s", log)
	}
}

// TestReportsTellTheLogNothing calls every route of the reports about somebody who has marks in
// every field, well and badly, and with a database that refuses: the marks are in no answer of an
// error, in none that names nobody, and nowhere in the log.
func TestReportsTellTheLogNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	d := h.start(t)
	h.token = h.admin(t)
	h.invite(t)
	h.users[0] = h.marked(t)
	submission := h.sit(t, 0).session
	h.reported(t, 1)
	h.ask(t)
	named, errors := 0, 0
	look := func(want func(int) bool, method, path, body string) {
		status, text := h.answer(t, method, "/api/v1/reporting"+path, body)
		if !want(status) {
			t.Errorf("%s %s: %d %.300s", method, path, status, text)
		}
		marked := strings.Contains(strings.ToLower(text), "zzyzx")
		switch isNamed := strings.HasPrefix(path, "/session-attempts"); {
		case status >= 400:
			errors++
			if marked {
				t.Errorf("%s %s: the error tells who somebody is: %s", method, path, text)
			}
		case marked && isNamed:
			named++
		case marked:
			t.Errorf("%s %s tells who somebody is: %s", method, path, text)
		}
	}
	good := func(status int) bool { return status < 300 }
	bad := func(status int) bool { return status >= 400 && status < 500 }
	broken := func(status int) bool { return status >= 500 }
	paths := []string{"/evaluation-summary?", "/evaluation-summary/export?", "/evaluation-summary/groups?", "/evaluation-summary/groups/export?",
		"/evaluation-summary/cohorts?", "/evaluation-summary/cohorts/export?", "/question-health?", "/question-health/export?",
		"/question-versions/" + h.questions[0].String() + "/health?", "/findings?submissionId=" + submission.String(),
		"/session-attempts/" + submission.String() + "?", "/session-attempts/" + submission.String() + "/export?", "/jobs?"}
	about := "&evaluationVersionId=" + h.version.String()
	ask := func(want func(int) bool, more string) {
		for _, path := range paths {
			if strings.Contains(path, "summary") || strings.HasPrefix(path, "/question-health") {
				path += about
			}
			look(want, http.MethodGet, path+more, "")
		}
	}
	ask(good, "")
	look(good, http.MethodPost, "/projections", fmt.Sprintf(`{"kind":"submission","submissionIds":[%q]}`, submission))
	for _, body := range []string{`{"kind":"submission","submissionIds":["` + ids.New().String() + `"]}`, `{"kind":"` + markName + `"}`, `{`} {
		status, _ := h.answer(t, http.MethodPost, "/api/v1/reporting/projections", body)
		if !bad(status) {
			t.Errorf("%s: %d", body, status)
		}
	}
	for _, path := range []string{"/jobs/" + ids.New().String(), "/session-attempts/" + ids.New().String(),
		"/question-versions/" + ids.New().String() + "/health", "/question-health?sort=none", "/evaluation-summary"} {
		look(bad, http.MethodGet, path, "")
	}
	// PostgreSQL puts the values of rows into its details.
	h.alter(t, `create function refuse() returns boolean language plpgsql as $$ begin
		raise exception 'refused' using errcode = 'data_exception', detail = (select string_agg(u::text, ' ') from users u), hint = '`+markName+`';
	end $$`)
	for _, table := range []string{"report_question_health_rollup", "report_question_day", "report_evaluation_day", "report_submissions", "report_findings", "report_jobs"} {
		h.alter(t, "create policy refuse on "+table+" as restrictive using (refuse())")
	}
	for _, path := range []string{paths[0], paths[1], paths[4], paths[6], paths[7], paths[8], "/jobs?"} {
		if strings.Contains(path, "summary") || strings.HasPrefix(path, "/question-health") {
			path += about
		}
		look(broken, http.MethodGet, path, "")
	}
	if named < 2 || errors < 12 {
		t.Errorf("%d answers named the person, and %d were errors: the search proves little", named, errors)
	}
	d.terminate(t)
	log := strings.ToLower(d.log.String())
	if !strings.Contains(log, "request failed") {
		t.Errorf("no failure is in the log:\n%s", log)
	}
	for _, line := range strings.Split(log, "\n") {
		if strings.Contains(line, "zzyzx") {
			t.Errorf("the log tells who somebody is: %s", line)
		}
	}
}
