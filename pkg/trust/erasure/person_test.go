package erasure

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/config"
	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/assignment"
	"assess/pkg/exam/evidence"
	"assess/pkg/exam/remediation"
	"assess/pkg/exam/review"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/people/people"
)

// tenant is a house in which people leave their marks.
type tenant struct {
	*testing.T
	urls     dbtest.URLs
	store    *db.Store
	blobs    *blob.Store
	files    *evidence.Files
	folder   string
	desk     *session.Desk
	operator db.Scope
	reviewer db.Scope
	snapshot authoring.Snapshot
	super    *pgx.Conn
}

// person is somebody whose mark is in every place where the service keeps something about them.
type person struct {
	people.User
	// word is in the address too, mark in all other texts.
	word, mark string
	scope      db.Scope
	submission ids.ID
	evidence   evidence.Evidence
}

func newTenant(t *testing.T) *tenant { t.Helper(); return newTenantIn(t, dbtest.Clone(t)) }

func newTenantIn(t *testing.T, urls dbtest.URLs) *tenant {
	t.Helper()
	h := &tenant{T: t, urls: urls, store: dbtest.Open(t, db.Options{URL: urls.App, MaxConns: 8}), desk: session.NewDesk(), folder: filepath.Join(t.TempDir(), "blob")}
	var err error
	h.blobs, err = blob.Open(t.Context(), "file://"+h.folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.blobs.Close() })
	h.super, err = pgx.Connect(t.Context(), urls.Super)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.super.Close(context.WithoutCancel(t.Context())) }) //nolint:errcheck // only read from
	h.files = evidence.NewFiles(h.store, h.blobs, config.Default().Blob)
	h.operator = sample.Tenant(t, h.store)
	h.write(h.operator, func(tx *db.Tx) error {
		h.reviewer = sample.As(h.operator, sample.User(t, tx).ID, capability.SubmissionsRead, capability.SubmissionsReview, capability.EvidenceManage,
			capability.EvidenceRead, capability.RemediationsManage, capability.SessionsProctor, capability.AssignmentsOverride)
		sample.User(t, tx, capability.TenantAdmin)
		essay := scoring.Key{QType: scoring.Essay, Weight: 2, ContributesToScore: true}
		limit := 3600
		h.snapshot = sample.Published(t, tx, authoring.Settings{ReviewPolicy: "four_eyes", TimeLimitSeconds: &limit}, sample.Choice("A"), essay)
		return nil
	})
	return h
}

func (h *tenant) write(as db.Scope, fn func(*db.Tx) error) {
	h.Helper()
	sample.Write(h.T, h.store, as, fn)
}

// job is how the steps of a job run.
func (h *tenant) job() db.Scope { return db.System(h.operator.Tenant, "compliance") }

// newPerson makes somebody with a name, and marks everywhere.
func (h *tenant) newPerson(name string) *person {
	h.Helper()
	// Digits: letters of an id at random would be a part of the name, which others may bear.
	id := ids.New()
	p := &person{word: "x" + new(big.Int).SetBytes(id[:]).String()}
	p.mark = `Mär"k' ` + p.word
	h.write(h.operator, func(tx *db.Tx) error {
		var err error
		p.User, err = people.CreateUser(h.Context(), tx, people.UserInput{Email: "Old." + p.word + "@Example.org", Name: name + " " + p.mark,
			Metadata: map[string]any{"badge": p.mark}})
		p.scope = sample.As(h.operator, p.ID, capability.SessionsTake, capability.AssignmentsMonitor)
		return err
	})
	h.write(h.operator, func(tx *db.Tx) error {
		email := p.word + "@example.org"
		var err error
		p.User, err = people.UpdateUser(h.Context(), tx, p.ID, people.UserPatch{Email: &email})
		return err
	})
	h.take(p)
	h.judge(p)
	h.sql(p)
	return p
}

// take has the person take the exam, and leave a second attempt open.
func (h *tenant) take(p *person) {
	h.Helper()
	h.write(p.scope, func(tx *db.Tx) error {
		essay := fmt.Sprintf(`{"text":%q}`, "I am "+p.mark)
		p.submission = sample.Submission(h.T, tx, h.desk, h.snapshot, `{"optionIds":["A"]}`, essay).SubmissionID
		open := sample.Session(h.T, tx, h.desk, h.snapshot.EvaluationID)
		_, err := h.desk.Save(h.Context(), tx, session.SaveInput{EvaluationID: h.snapshot.EvaluationID, SessionID: open.ID,
			Answers: sample.Answers(h.snapshot, "", essay)})
		if err != nil {
			return err
		}
		_, err = h.desk.RecordEvents(h.Context(), tx, session.EventsInput{EvaluationID: h.snapshot.EvaluationID, SessionID: open.ID,
			Events: []session.Event{{Type: "focus_lost"}}})
		return err
	})
	var open ids.ID
	h.write(h.reviewer, func(tx *db.Tx) error {
		err := tx.QueryRow(h.Context(), "select id from sessions where tenant_id = $1 and user_id = $2 and state = 'open'", tx.Tenant(), p.ID).Scan(&open)
		if err != nil {
			return err
		}
		_, err = h.desk.Extend(h.Context(), tx, session.ExtendInput{EvaluationID: h.snapshot.EvaluationID, SessionID: open, ExtraTimeSeconds: 60, Reason: p.mark})
		return err
	})
}

// judge has others write about the person.
func (h *tenant) judge(p *person) {
	h.Helper()
	p.evidence = h.attach(p.submission, p.mark)
	var handed assignment.Created
	h.write(h.operator, func(tx *db.Tx) error {
		var err error
		handed, err = assignment.Create(h.Context(), tx, assignment.CreateInput{Terms: assignment.Terms{EvaluationID: h.snapshot.EvaluationID},
			Type: "user_id", Ref: p.ID.String(), Invite: true})
		return err
	})
	h.write(h.reviewer, func(tx *db.Tx) error {
		found, err := evidence.Detect(h.Context(), tx, evidence.FindingInput{SubmissionID: p.submission, Code: "IDENTITY_MISMATCH", Severity: "major",
			EvidenceIDs: []ids.ID{p.evidence.ID}, Detail: p.mark})
		if err != nil {
			return err
		}
		_, err = evidence.Raise(h.Context(), tx, evidence.Claims, evidence.RaiseInput{SubmissionID: p.submission, Statement: p.mark, FindingIDs: []ids.ID{found.ID}})
		if err != nil {
			return err
		}
		items := h.snapshot.Sections[0].Items
		_, err = remediation.Mark(h.Context(), tx, remediation.MarkInput{SubmissionID: p.submission, ItemID: items[1].ItemID, Score: 1, Comment: p.mark})
		if err != nil {
			return err
		}
		_, err = remediation.Create(h.Context(), tx, remediation.Input{Rule: "full_credit", QuestionVersionID: items[0].QuestionVersionID,
			SubmissionIDs: []ids.ID{p.submission}, Reason: p.mark})
		if err != nil {
			return err
		}
		_, err = review.RequestChanges(h.Context(), tx, review.Input{SubmissionID: p.submission, Comment: p.mark})
		if err != nil {
			return err
		}
		extra := 1
		_, err = assignment.SetOverride(h.Context(), tx, handed.Items[0].ID, assignment.OverrideInput{UserID: p.ID, ExtraAttempts: &extra, Reason: p.mark})
		return err
	})
}

func (h *tenant) attach(submission ids.ID, text string) evidence.Evidence {
	h.Helper()
	received, err := blob.Receive(bytes.NewReader([]byte(text)), 1<<20)
	if err != nil {
		h.Fatal(err)
	}
	defer received.Close() //nolint:errcheck // only read from
	in := evidence.AttachInput{SubmissionID: submission, Kind: "document"}
	content, err := h.files.Keep(h.Context(), h.reviewer, in, received, "text/plain")
	if err != nil {
		h.Fatal(err)
	}
	var made evidence.Evidence
	h.write(h.reviewer, func(tx *db.Tx) error {
		made, err = evidence.Attach(h.Context(), tx, in, content)
		return err
	})
	return made
}

// sql writes rows that signing in and calls by HTTP would leave.
func (h *tenant) sql(p *person) {
	h.Helper()
	h.write(h.operator, func(tx *db.Tx) error {
		err := tx.AnnounceAccess(h.Context())
		if err != nil {
			return err
		}
		for _, statement := range []string{
			`insert into magic_links (tenant_id, id, user_id, created_at, expires_at) select $1, gen_random_uuid(), $2, now(), now() where $3 <> ''`,
			`insert into link_principals (tenant_id, id, org_unit_id, submission_id, can_view_readiness_reasons, include_evidence, created_by, created_at, expires_at, code_hash)
				select $1, gen_random_uuid(), org_unit_id, id, true, 'files', 'operator:x', now(), now() + interval '1 day', sha256(convert_to($3, 'UTF8') || uuid_send(id))
				from submissions where tenant_id = $1 and user_id = $2`,
			`insert into step_up_proofs (tenant_id, id, user_id, method, created_at, expires_at) select $1, gen_random_uuid(), $2, 'magic_link', now(), now() where $3 <> ''`,
			`insert into idempotency_keys (tenant_id, actor, method, path, key, body_hash, status, body, created_at)
				select $1, 'user:' || $2::uuid, 'POST', '/x', 'k', '', 200, convert_to($3, 'UTF8'), now()`,
			`insert into idempotency_keys (tenant_id, actor, method, path, key, body_hash, status, body, created_at)
				select $1, 'operator:else', 'POST', '/x', 'k' || $2::uuid, '', 200, convert_to(to_jsonb($3::text)::text, 'UTF8'), now()`,
			`insert into inventory_views (tenant_id, id, org_unit_id, kind, name, visibility, owner_id, filter, created_at, updated_at)
				select $1, gen_random_uuid(), org_unit_id, 'questions', $3, 'personal', $2, '{}', now(), now() from user_org_units where tenant_id = $1 and user_id = $2`,
			`insert into inventory_views (tenant_id, id, org_unit_id, kind, name, visibility, owner_id, filter, created_at, updated_at)
				select $1, gen_random_uuid(), org_unit_id, 'questions', 'Of ' || $3, 'shared', $2, '{}', now(), now() from user_org_units where tenant_id = $1 and user_id = $2`,
			`insert into groups (tenant_id, id, org_unit_id, name, created_at, updated_at)
				select $1, $2, org_unit_id, 'Group ' || $2::uuid, now(), now() from user_org_units where tenant_id = $1 and user_id = $2 and $3 <> ''`,
			`insert into group_members (tenant_id, group_id, user_id, org_unit_id, added_at)
				select $1, $2, $2, org_unit_id, now() from user_org_units where tenant_id = $1 and user_id = $2 and $3 <> ''`,
			`insert into user_roles (tenant_id, user_id, role_id, granted_at)
				select $1, $2, id, now() from roles where tenant_id = $1 and system_key = 'candidate' and $3 <> '' on conflict do nothing`,
			`insert into verifications (tenant_id, subject_id, id, org_unit_id, applies_to, policy_ref, kind, fields, actor, verified_at)
				select $1, id, gen_random_uuid(), org_unit_id, 'evidence', 'p', 'auth.session', jsonb_build_object('place', $3::text), 'operator:x', now()
				from submissions where tenant_id = $1 and user_id = $2`,
			`insert into compliance_jobs (tenant_id, id, job_type, status, subject_id, requested_by, sla_due_at, created_at, stepped_at, completed_at)
				select $1, $2, 'dsar_export', 'completed', $2, 'operator:x', now(), now(), now(), now() where $3 <> ''`,
			`insert into compliance_requests (tenant_id, id, kind, channel, state, subject_id, received_at, clock_from, due_at, recorded_by, created_at)
				select $1, $2, 'access', 'letter', 'received', $2, now(), now(), now(), 'operator:x', now() where $3 <> ''`,
			`insert into compliance_request_notes (tenant_id, request_id, id, author, sealed, created_at)
				select $1, $2, $2, 'operator:x', $3::text::bytea, now()`,
			`insert into user_accounts (tenant_id, id, user_id, source, source_id, subject, linked_by, linked_at)
				select $1, gen_random_uuid(), $2, 'oidc', gen_random_uuid(), $3, 'operator:x', now()`,
			`insert into privacy_links (tenant_id, id, user_id, open_hash, created_at, expires_at)
				select $1, gen_random_uuid(), $2, $3::text::bytea, now(), now() + interval '1 hour'`,
			`insert into ended_tokens (tenant_id, user_id, token_id, expires_at) select $1, $2, gen_random_uuid(), now() where $3 <> ''`,
			`insert into identity_providers (tenant_id, id, slug, name, issuer, client_id, scopes, claims, email_trust, domains, provisioning, joined_id, role_ids,
					groups, created_at, updated_at)
				select $1, $2, ($2::uuid)::text, 'North', 'https://example.org', 'x', '{}', '{}', 'never', '{}', 'off', org_unit_id, '{}', '[]', now(), now()
				from user_org_units where tenant_id = $1 and user_id = $2 and $3 <> ''`,
			`insert into sign_in_flows (tenant_id, id, provider_id, state_hash, browser_hash, sealed, redirect_uri, code_challenge, state, created_at, expires_at,
					purpose, user_id)
				select $1, $2, $2, ($2::uuid)::text::bytea, '', '', 'https://example.org', '', $3, now(), now(), 'link', $2`,
			`insert into lti_platforms (tenant_id, id, name, issuer, client_id, auth_url, token_url, keys_url, audience, identity, roles, created_at, updated_at)
				select $1, $2, 'North', 'https://example.org', ($2::uuid)::text, 'x', 'x', 'x', 'x', 'create', '[]', now(), now() where $3 <> ''`,
			`insert into lti_deployments (tenant_id, id, platform_id, deployment_id, created_at, updated_at) select $1, $2, $2, '1', now(), now() where $3 <> ''`,
			`insert into lti_contexts (tenant_id, id, org_unit_id, deployment_id, context_id, title, group_id, created_at)
				select $1, $2, org_unit_id, $2, '1', 'x', $2, now() from user_org_units where tenant_id = $1 and user_id = $2 and $3 <> ''`,
			`insert into lti_links (tenant_id, id, org_unit_id, platform_id, deployment_id, context_id, link_id, title, assignment_id, created_at, updated_at)
				select a.tenant_id, $2, a.org_unit_id, $2, $2, $2, '1', 'x', a.id, now(), now() from assignments a where a.tenant_id = $1 and $3 <> '' limit 1`,
			`insert into lti_scores (tenant_id, id, org_unit_id, platform_id, link_id, user_id, answer, next_at, created_at)
				select k.tenant_id, gen_random_uuid(), k.org_unit_id, k.platform_id, k.id, $2, $3, now(), now() from lti_links k where k.tenant_id = $1 and k.id = $2`,
			`insert into lti_deep_links (tenant_id, id, deployment_id, user_id, flow_hash, proof_hash, return_url, course, multiple, line_item, in_window, created_at, expires_at)
				select $1, gen_random_uuid(), $2, $2, ($2::uuid)::text::bytea, '', 'https://example.org', $3, false, false, false, now(), now() + interval '1 hour'`,
			`insert into lti_pending_accounts (tenant_id, id, deployment_id, secret_hash, sealed, created_at, expires_at, used_at, user_id)
				select $1, gen_random_uuid(), $2, ($2::uuid)::text::bytea, $3::text::bytea, now(), now() + interval '1 hour', now(), $2`,
			`insert into webhook_endpoints (tenant_id, id, url, events, sealed_secret, since_seq, created_by, created_at, updated_at)
				select $1, $2, 'https://example.org/', '{}', '', 0, 'operator:x', now(), now() where $3 <> ''`,
			`insert into webhook_deliveries (tenant_id, id, endpoint_id, event_id, event_type, seq, subject, user_id, body, occurred_at, next_at, answer, created_at)
				select $1, gen_random_uuid(), $2, gen_random_uuid(), 'user.deactivated', 1, ($2::uuid)::text, $2, '{}', now(), now(), $3, now()`,
			`insert into compliance_blobs (tenant_id, sha256, touched_at) select $1, encode(sha256(($2::uuid)::text::bytea), 'hex'), now() where $3 <> ''`,
			`insert into compliance_artifacts (tenant_id, job_id, name, media_type, size_bytes, sha256, created_at, expires_at)
				select $1, $2, 'export.zip', 'application/zip', 1, encode(sha256(($2::uuid)::text::bytea), 'hex'), now(), now() where $3 <> ''`,
		} {
			_, err := tx.Exec(h.Context(), statement+" returning true", tx.Tenant(), p.ID, p.mark)
			if err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	})
}

// marks gives the tables of the whole database that hold a text of plain letters, in whatever case, with the
// number of rows. Bytes are looked through, too.
func (h *tenant) marks(text string) map[string]int {
	h.Helper()
	rows, err := h.super.Query(h.Context(), `select c.oid::regclass::text from pg_class c
		where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, to_regnamespace('river'))`)
	if err != nil {
		h.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		h.Fatal(err)
	}
	found := map[string]int{}
	for _, table := range tables {
		var n int
		err := h.super.QueryRow(h.Context(), "select count(*) from "+table+` t where position(lower($1) in lower(t::text)) > 0
			or position(encode(convert_to($1, 'UTF8'), 'hex') in t::text) > 0`, text).Scan(&n)
		if err != nil {
			h.Fatal(err)
		}
		if n > 0 {
			found[table] = n
		}
	}
	return found
}
