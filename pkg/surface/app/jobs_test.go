package app_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/config"
	"assess/pkg/author/authoring"
	"assess/pkg/dev/await"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/assignment"
	"assess/pkg/exam/remediation"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/job"
	"assess/pkg/people/access"
	"assess/pkg/people/people"
	"assess/pkg/people/policy"
	"assess/pkg/report/projection"
	"assess/pkg/trust/centre"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/requests"
	"assess/pkg/trust/unlink"
	"assess/pkg/trust/webhook"
)

// Every kind of job finds work in a tenant and does it at its first attempt, on one server and on a cluster, where no
// statement may look over all nodes.
func TestEveryJobDoesItsWork(t *testing.T) {
	t.Parallel()
	urls := dbtest.Fresh(t)
	h := &house{address: freeAddress(t), mails: t.TempDir(), blobs: t.TempDir(),
		store: dbtest.Open(t, db.Options{URL: urls.App, MaxConns: 4})}
	h.furnish(t)
	w := h.leaveWork(t)
	d := h.run(t, "ASSESS_DATABASE_URL="+urls.App, "ASSESS_SESSIONS_ABANDON_AFTER=24h", "ASSESS_PROJECTOR_PERCENTILES_EVERY=1s",
		"ASSESS_LEDGER_CHECKPOINT_EVERY=1s")
	super, err := pgx.Connect(t.Context(), urls.Super)
	if err != nil {
		t.Fatal(err)
	}
	defer super.Close(context.Background()) //nolint:errcheck // only read from
	kinds, _ := jobKinds(t)
	defer func() {
		if t.Failed() {
			t.Logf("still to be done: %q\n%s", append(h.idleKinds(t, super, kinds), h.waiting(t, w)...), d.log)
		}
	}()
	await.Until(t, "every job did its work", func() bool { return len(h.idleKinds(t, super, kinds)) == 0 && len(h.waiting(t, w)) == 0 })
	var failed string
	err = super.QueryRow(t.Context(), "select coalesce(string_agg(kind || ': ' || errors::text, e'\\n'), '') from river.river_job where cardinality(errors) > 0").Scan(&failed)
	if err != nil || failed != "" {
		t.Errorf("jobs failed: %s, %v", failed, err)
	}
}

// work is the work that was left for the jobs of a tenant.
type work struct{ overdue, idle, remedy, schedule, unlinked ids.ID }

// leaveWork leaves something for every kind of job.
func (h *house) leaveWork(t *testing.T) work {
	t.Helper()
	var w work
	desk := session.NewDesk()
	here := h.scope
	here.All = false
	for i := range 3 {
		sample.Write(t, h.store, sample.As(here, h.users[i], capability.SessionsTake), func(tx *db.Tx) error {
			open := sample.Session(t, tx, desk, h.evaluation)
			if i == 0 {
				w.overdue = open.ID
				return nil
			}
			_, err := desk.Submit(t.Context(), tx, session.SubmitInput{EvaluationID: h.evaluation, SessionID: open.ID})
			return err
		})
	}
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		untimed := sample.Published(t, tx, authoring.Settings{}, sample.Choice("A"))
		idle, err := desk.Start(t.Context(), tx, session.StartInput{EvaluationID: untimed.EvaluationID, UserID: &h.users[3]})
		if err != nil {
			return err
		}
		w.idle = idle.ID
		for _, ago := range []struct {
			session ids.ID
			column  string
		}{{w.overdue, "deadline_at"}, {w.idle, "last_activity_at"}} {
			_, err := tx.Exec(t.Context(), "update sessions set started_at = later_by(started_at, -172800), "+ago.column+" = later_by("+ago.column+
				", -172800) where tenant_id = $1 and id = $2", tx.Tenant(), ago.session)
			if err != nil {
				return err
			}
		}
		remedy, err := remediation.Create(t.Context(), tx, remediation.Input{EvaluationVersionID: &h.version, QuestionVersionID: h.questions[0],
			Rule: remediation.RuleFullCredit, Reason: "the key was wrong"})
		if err != nil {
			return err
		}
		w.remedy = remedy.ID
		_, err = remediation.Apply(t.Context(), tx, w.remedy)
		return err
	})
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		in := assignment.ScheduleInput{EvaluationID: h.evaluation, TargetType: "user_id", TargetRefs: []string{h.users[4].String()},
			Timing: assignment.Timing{Rule: "FREQ=DAILY", TimeZone: "UTC", StartsAt: tx.Now().Add(time.Hour), RunLabel: "run {date}"}}
		schedule, err := assignment.CreateSchedule(t.Context(), tx, in)
		if err != nil {
			return err
		}
		w.schedule = schedule.ID
		_, err = tx.Exec(t.Context(), "update assignment_schedules set starts_at = later_by(starts_at, -7200), next_at = later_by(next_at, -7200) where tenant_id = $1 and id = $2",
			tx.Tenant(), w.schedule)
		if err != nil {
			return err
		}
		invited := assignment.CreateInput{Type: "user_id", Ref: h.users[5].String(), Invite: true}
		invited.EvaluationID, invited.RunLabel = h.evaluation, "invited"
		_, err = assignment.Create(t.Context(), tx, invited)
		if err != nil {
			return err
		}
		var kept policy.RetentionInput
		for _, domain := range policy.Domains {
			kept.Policies = append(kept.Policies, policy.Retention{Domain: domain, Days: 30, Action: policy.Delete})
		}
		_, err = policy.SetRetention(t.Context(), tx, kept)
		if err != nil {
			return err
		}
		moved := "moved@example.org"
		_, err = people.UpdateUser(t.Context(), tx, h.users[6], people.UserPatch{Email: &moved})
		if err != nil {
			return err
		}
		for _, kind := range []string{projection.KindRange, projection.KindTelemetry} {
			_, err = projection.QueueProjection(t.Context(), tx, projection.JobInput{Kind: kind, EvaluationVersionID: &h.version})
			if err != nil {
				return err
			}
		}
		_, err = projection.QueuePercentiles(t.Context(), tx)
		if err == nil {
			_, err = projection.QueueRecalculation(t.Context(), tx, projection.RecalculateInput{})
		}
		if err != nil {
			return err
		}
		endpoint := ids.New()
		_, err = tx.Exec(t.Context(), `insert into webhook_endpoints (tenant_id, id, url, events, sealed_secret, state, disabled_reason, since_seq, created_by, created_at, updated_at)
			values ($1, $2, 'https://example.org/', '{}', '', 'disabled', 'gone', 0, 'user:' || $3::uuid, now(), now())`, tx.Tenant(), endpoint, h.users[0])
		if err == nil {
			err = job.Insert(t.Context(), tx, webhook.MailDisabled{Tenant: tx.Tenant(), Endpoint: endpoint})
		}
		if err == nil {
			_, err = requests.CreateRecipient(t.Context(), tx, requests.RecipientInput{Name: "Watchful Ltd", Role: "processor", Purpose: "integrity", Contact: "privacy@watchful.example"})
		}
		if err != nil {
			return err
		}
		asked, err := requests.Record(t.Context(), tx, requests.Input{Kind: requests.Rectification, Channel: "letter", SubjectID: &h.users[6]})
		if err == nil {
			_, err = requests.Verify(t.Context(), tx, asked.ID, requests.Identification{Identity: "document"})
		}
		if err == nil {
			_, err = requests.Decide(t.Context(), tx, asked.ID, requests.Decision{Decision: requests.Granted})
		}
		if err == nil {
			_, err = requests.CarryOut(t.Context(), tx, &compliance.Centre{}, asked.ID, requests.Execution{})
		}
		return err
	})
	err := access.NewAuthority(h.store, sample.Auth()).RequestLink(t.Context(), access.LoginInput{Tenant: h.slug, Email: h.email}, "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	err = access.NewAuthority(h.store, sample.Auth()).RequestPrivacyLink(t.Context(), h.slug, h.email, "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	h.leavePerson(t, &w)
	return w
}

// leavePerson creates the job that removes somebody's name from their attempts.
func (h *house) leavePerson(t *testing.T, w *work) {
	t.Helper()
	blobs, err := blob.Open(t.Context(), "file://"+h.blobs)
	if err != nil {
		t.Fatal(err)
	}
	defer blobs.Close() //nolint:errcheck // nothing was written
	office := centre.New(h.store, blobs, config.Default())
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		job, err := office.Create(t.Context(), tx, compliance.Input{Type: compliance.Unlink, SubjectID: h.users[1], Arguments: compliance.Arguments(unlink.Arguments{})})
		w.unlinked = job.ID
		return err
	})
}

// idleKinds gives the kinds without a completed job.
func (h *house) idleKinds(t *testing.T, super *pgx.Conn, kinds []string) []string {
	t.Helper()
	rows, err := super.Query(t.Context(), `select kind from unnest($1::text[]) kind
		where not exists (select from river.river_job j where j.kind = kind.kind and j.state = 'completed') order by 1`, kinds)
	if err != nil {
		t.Fatal(err)
	}
	left, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// waiting says which of the work is still to be done.
func (h *house) waiting(t *testing.T, w work) []string {
	t.Helper()
	var left []string
	err := h.store.Read(t.Context(), h.scope, func(tx *db.Tx) error {
		left = nil
		for _, is := range []struct {
			what, sql, want string
			about           []any
		}{
			{"the session without time", "select state from sessions where tenant_id = $1 and id = $2", "expired", []any{w.overdue}},
			{"the idle session", "select state from sessions where tenant_id = $1 and id = $2", "abandoned", []any{w.idle}},
			{"the remediation", "select state from remediations where tenant_id = $1 and id = $2", "applied", []any{w.remedy}},
			{"runs of the schedule", "select (count(*) > 0)::text from assignments where tenant_id = $1 and schedule_id = $2", "true", []any{w.schedule}},
			{"the unlinking", "select status from compliance_jobs where tenant_id = $1 and id = $2", "completed", []any{w.unlinked}},
			{"jobs of reports", "select coalesce(string_agg(distinct state, ' '), '') from report_jobs where tenant_id = $1", "completed", nil},
			{"the sweep of retention", "select coalesce(max(status), '') from compliance_jobs where tenant_id = $1 and job_type = $2", "completed", []any{compliance.RetentionSweep}},
			{"the outbox", "select count(*)::text from projection_outbox where tenant_id = $1", "0", nil},
			{"percentiles", "select count(*)::text from report_question_health_rollup where tenant_id = $1 and percentiles_stale", "0", nil},
			{"events outside the log", `select (max(e.seq) - coalesce((select l.signed from ledger_logs l where l.tenant_id = $1), 0))::text
				from ledger_events e where e.tenant_id = $1`, "0", nil},
		} {
			var got string
			err := tx.QueryRow(t.Context(), is.sql, append([]any{tx.Tenant()}, is.about...)...).Scan(&got)
			if err != nil {
				return fmt.Errorf("%s: %w", is.what, err)
			}
			if got != is.want {
				left = append(left, is.what+": "+got)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	mails, err := os.ReadDir(h.mails)
	if err != nil {
		t.Fatal(err)
	}
	if len(mails) < 3 {
		left = append(left, fmt.Sprintf("%d mails of a link, an invitation and an address that changed", len(mails)))
	}
	return left
}
