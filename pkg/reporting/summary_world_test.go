package reporting

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"assess/pkg/db"
	"assess/pkg/dbtest"
	"assess/pkg/ids"
)

// fair is a tenant with an evaluation of two versions, people, groups and assignments. Its
// attempts are kept here too, so that they can be counted without the reporting tables.
type fair struct {
	*cohort
	org, evaluation ids.ID
	hashes          []string
	users, groups   []ids.ID
	assigned        []assigned
	tried           []*tried
}

type assigned struct {
	id, target ids.ID
	kind       string
	run        *string
}

// tried is one attempt; items are one of each question.
type tried struct {
	id, user               ids.ID
	version                int
	by                     *assigned
	run                    *string
	state, method, outcome string
	started                time.Time
	ended                  *time.Time
	voided                 bool
	focus, exits           int
	score                  int
	items                  []triedItem
}

type triedItem struct {
	status  string
	score   int
	omitted bool
	ms      *int64
}

func newFair(t *testing.T) *fair {
	t.Helper()
	store, err := db.Open(t.Context(), db.Options{URL: dbtest.Clone(t).App, MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return &fair{cohort: &cohort{store: store}}
}

// exec runs a statement as the system.
func (f *fair) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	f.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, sql, args...)
		if err != nil {
			return fmt.Errorf("%w in %s", err, sql)
		}
		return nil
	})
}

// open founds a new tenant.
func (f *fair) open(t *testing.T, rt *rapid.T) {
	t.Helper()
	*f = fair{cohort: &cohort{store: f.store, tenant: ids.New()}, org: ids.New(), evaluation: ids.New()}
	f.questions = []ids.ID{ids.New(), ids.New()}
	f.exec(t, "insert into tenants (id, slug, name, created_at) values ($1, $2, 'T', $3)", f.tenant, "f-"+f.tenant.String(), epoch)
	f.exec(t, "insert into org_units (tenant_id, id, slug, name, created_at) values ($1, $2, 'o', 'O', $3)", f.tenant, f.org, epoch)
	f.exec(t, "insert into evaluations (tenant_id, id, org_unit_id, title, status, created_at, updated_at) values ($1, $2, $3, 'E', 'published', $4, $4)",
		f.tenant, f.evaluation, f.org, epoch)
	for number := range 2 {
		version := ids.New()
		f.versions, f.hashes = append(f.versions, version), append(f.hashes, version.String())
		f.exec(t, `insert into version_snapshots (tenant_id, hash, org_unit_id, content, created_at) values ($1, $2, $3, jsonb_build_object(
			'questions', jsonb_build_object($4::text, '{"structuredTags":{"topic":["a"]}}'::jsonb, $5::text, '{"structuredTags":{"topic":["a","b"]}}'::jsonb),
			'sections', jsonb_build_array(
				jsonb_build_object('id', $6::text, 'items', jsonb_build_array(jsonb_build_object('questionVersionId', $4::text))),
				jsonb_build_object('id', $7::text, 'items', jsonb_build_array(jsonb_build_object('questionVersionId', $5::text))))), $8)`,
			f.tenant, version.String(), f.org, f.questions[0], f.questions[1], ids.New(), ids.New(), epoch)
		f.exec(t, `insert into evaluation_versions (tenant_id, id, org_unit_id, evaluation_id, number, status, title, sections, settings,
			snapshot_hash, created_at, updated_at) values ($1, $2, $3, $4, $5, 'published', 'E', '[]', '{}', $6, $7, $7)`,
			f.tenant, version, f.org, f.evaluation, number+1, version.String(), epoch)
	}
	for i := range 5 {
		f.users, f.groups = append(f.users, ids.New()), append(f.groups, ids.New())
		f.exec(t, "insert into users (tenant_id, id, email, email_key, created_at, updated_at) values ($1, $2, $3, $3, $4, $4)",
			f.tenant, f.users[i], fmt.Sprintf("u%d@example.org", i), epoch)
	}
	f.groups = f.groups[:2]
	for i, group := range f.groups {
		f.exec(t, "insert into groups (tenant_id, id, org_unit_id, name, join_token, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $6)",
			f.tenant, group, f.org, fmt.Sprintf("Group %d", i), group.String(), epoch)
	}
	f.assign(t, rt)
}

func drawRun(rt *rapid.T) *string {
	run := rapid.SampledFrom([]string{"", "spring", "summer"}).Draw(rt, "run")
	if run == "" {
		return nil
	}
	return &run
}

func (f *fair) assign(t *testing.T, rt *rapid.T) {
	t.Helper()
	kinds := rapid.SampledFrom([][]string{{"user_id", "email"}, {"user_id", "email", "group_id", "public_link"}, {"group_id"}}).Draw(rt, "kinds")
	for range rapid.IntRange(0, 6).Draw(rt, "assignments") {
		a := assigned{id: ids.New(), kind: rapid.SampledFrom(kinds).Draw(rt, "kind"), run: drawRun(rt)}
		var target any
		switch a.kind {
		case "user_id", "email":
			a.target = rapid.SampledFrom(f.users).Draw(rt, "invitee")
			target = a.target.String()
		case "group_id":
			a.target = rapid.SampledFrom(f.groups).Draw(rt, "group")
			target = a.target.String()
		}
		if slices.ContainsFunc(f.assigned, func(b assigned) bool {
			return a.kind != "public_link" && b.kind == a.kind && b.target == a.target && label(b.run) == label(a.run)
		}) {
			continue
		}
		f.assigned = append(f.assigned, a)
		f.exec(t, `insert into assignments (tenant_id, id, org_unit_id, evaluation_id, target_type, target_ref, run_label, status, created_by,
			created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8, 'test', $9, $9)`,
			f.tenant, a.id, f.org, f.evaluation, a.kind, target, a.run, rapid.SampledFrom([]string{"active", "closed"}).Draw(rt, "status"), epoch)
		f.queue(t, "assignment", a.id)
	}
}

func label(run *string) string {
	if run == nil {
		return ""
	}
	return *run
}

func (f *fair) queue(t *testing.T, kind string, id ids.ID) {
	t.Helper()
	f.exec(t, "insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) values ($1, $2, $3, $4)", f.tenant, kind, id, epoch)
}

// try makes an attempt and writes it down.
func (f *fair) try(t *testing.T, rt *rapid.T) {
	t.Helper()
	s := &tried{id: ids.New(), user: rapid.SampledFrom(f.users).Draw(rt, "user"), version: rapid.IntRange(0, 1).Draw(rt, "version"), run: drawRun(rt)}
	if len(f.assigned) > 0 && rapid.IntRange(0, 3).Draw(rt, "assigned") > 0 {
		s.by = &f.assigned[rapid.IntRange(0, len(f.assigned)-1).Draw(rt, "by")]
		s.run = s.by.run
		if s.by.kind == "user_id" || s.by.kind == "email" {
			s.user = s.by.target
		}
	}
	s.started = epoch.Add(time.Duration(rapid.IntRange(0, 6*24*60).Draw(rt, "minutes")) * time.Minute)
	s.state = rapid.SampledFrom([]string{"submitted", "submitted", "submitted", "expired", "open", "closed", "abandoned"}).Draw(rt, "state")
	f.exec(t, `insert into sessions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, started_by, state, assignment_id,
		run_label, started_at, last_activity_at, seed) values ($1, $2, $3, $4, $5, $6, 'test', $7, $8, $9, $10, $10, 1)`,
		f.tenant, s.id, f.org, f.evaluation, f.versions[s.version], s.user, s.state, s.assignment(), s.run, s.started)
	if s.state == "submitted" || s.state == "expired" {
		f.submit(t, rt, s)
	}
	f.queue(t, rapid.SampledFrom([]string{"session", "submission"}).Draw(rt, "kind"), s.id)
	f.tried = append(f.tried, s)
}

func (s *tried) assignment() *ids.ID {
	if s.by == nil {
		return nil
	}
	return &s.by.id
}

func (f *fair) submit(t *testing.T, rt *rapid.T, s *tried) {
	t.Helper()
	ended := s.started.Add(time.Duration(rapid.IntRange(-1, 40*3600).Draw(rt, "took")) * time.Second)
	s.ended, s.voided = &ended, rapid.IntRange(0, 6).Draw(rt, "voided") == 0
	s.method = rapid.SampledFrom([]string{"submitted", "auto_submitted", "proctor_submitted", "imported"}).Draw(rt, "method")
	s.outcome, s.score = rapid.SampledFrom([]string{"pass", "fail", "incomplete"}).Draw(rt, "outcome"), rapid.IntRange(0, 20).Draw(rt, "score")
	s.focus, s.exits = rapid.IntRange(0, 2).Draw(rt, "focus"), rapid.IntRange(0, 1).Draw(rt, "exits")
	status := map[bool]string{true: "voided", false: "completed"}[s.voided]
	f.exec(t, `insert into submissions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, submitted_by, status,
		completion_method, started_at, completed_at, score, max_score, outcome_code, outcome_label, assignment_id, run_label, snapshot_hash,
		approval_status) values ($1, $2, $3, $4, $5, $6, 'test', $7, $8, $9, $10, $11::int, 20, $12, '', $13, $14, $15, 'not_required')`,
		f.tenant, s.id, f.org, f.evaluation, f.versions[s.version], s.user, status, s.method, s.started, ended, s.score, s.outcome,
		s.assignment(), s.run, f.hashes[s.version])
	for i, question := range f.questions {
		item := triedItem{status: "SCORED", score: rapid.IntRange(0, 1).Draw(rt, "right"), omitted: rapid.IntRange(0, 4).Draw(rt, "omitted") == 0}
		if s.outcome == "incomplete" && rapid.Bool().Draw(rt, "pending") {
			item.status, item.omitted = "PENDING", false
		}
		if rapid.Bool().Draw(rt, "timed") {
			ms := rapid.Int64Range(0, 9000).Draw(rt, "ms")
			item.ms = &ms
		}
		s.items = append(s.items, item)
		f.exec(t, `insert into submission_items (tenant_id, submission_id, id, org_unit_id, item_id, question_version_id, position, qtype, response,
			score_status, score_method, score, max_score, is_correct, is_omitted, correct_selected, incorrect_selected, total_correct, time_spent_ms)
			values ($1, $2, $3, $4, $3, $5, $6, 'numeric', '{"number":1}', $7, 'key', $8::int, 1, $8::int = 1, $9, 0, 0, 0, $10)`,
			f.tenant, s.id, ids.New(), f.org, question, i, item.status, item.score, item.omitted, item.ms)
	}
	for kind, n := range map[string]int{"focus_lost": s.focus, "fullscreen_exit": s.exits} {
		for range n {
			f.exec(t, "insert into session_events (tenant_id, session_id, id, org_unit_id, event_type, occurred_at) values ($1, $2, $3, $4, $5, $6)",
				f.tenant, s.id, ids.New(), f.org, kind, s.started)
		}
	}
	f.queue(t, "submission", s.id)
}
