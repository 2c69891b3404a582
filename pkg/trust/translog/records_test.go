package translog_test

import (
	"slices"
	"testing"
	"time"

	"assess/models"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/evidence"
	"assess/pkg/exam/remediation"
	"assess/pkg/exam/review"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/people/hold"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/translog"
)

// recorded is a submission with a record of every kind that the ledger tells of.
func recorded(b *logbook) ids.ID {
	b.t.Helper()
	e := newExam(b)
	id := e.submit()
	sum := "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	b.tamper("insert into evidence_blobs (tenant_id, sha256, touched_at) values ($1, $2, now())", sum)
	sample.Write(b.t, b.store, b.scope, func(tx *db.Tx) error {
		cause := submission.Cause{Reason: models.ScoredByPerson, Actor: tx.Actor().String()}
		result := scoring.Result{Score: 2, MaxScore: 2, OutcomeCode: "pass", OutcomeLabel: "Pass"}
		return submission.Rescore(b.t.Context(), tx, cause, []submission.Rescoring{{SubmissionID: id, Result: result}})
	})
	item := ask[ids.ID](b, "select item_id from submission_items where tenant_id = $1 and submission_id = $2 order by id limit 1", b.scope.Tenant, id)
	sample.Write(b.t, b.store, b.scope, func(tx *db.Tx) error {
		_, err := remediation.Mark(b.t.Context(), tx, remediation.MarkInput{SubmissionID: id, ItemID: item, Score: 0.25})
		return err
	})
	var file, claim ids.ID
	sample.Write(b.t, b.store, b.scope, func(tx *db.Tx) error {
		made, err := evidence.Attach(b.t.Context(), tx, evidence.AttachInput{SubmissionID: id}, evidence.Content{SHA256: sum, SizeBytes: 4, MediaType: "text/plain"})
		file = made.ID
		return err
	})
	sample.Write(b.t, b.store, b.scope, func(tx *db.Tx) error {
		seen, err := evidence.Detect(b.t.Context(), tx, evidence.FindingInput{SubmissionID: id, Code: "PHONE_SEEN", Severity: "major", EvidenceIDs: []ids.ID{file}})
		if err != nil {
			return err
		}
		made, err := evidence.Raise(b.t.Context(), tx, evidence.Claims, evidence.RaiseInput{SubmissionID: id, Statement: "A phone.", FindingIDs: []ids.ID{seen.ID}})
		claim = made.ID
		if err == nil {
			_, err = evidence.Raise(b.t.Context(), tx, evidence.Disputes, evidence.RaiseInput{SubmissionID: id, Statement: "It was off."})
		}
		if err == nil {
			_, err = evidence.Void(b.t.Context(), tx, evidence.VoidInput{ID: file, Reason: "Twice."})
		}
		if err == nil {
			_, err = review.Void(b.t.Context(), tx, review.Input{SubmissionID: id, Comment: "Void."})
		}
		return err
	})
	judge := b.scope
	judge.Actor.Name = "judge"
	sample.Write(b.t, b.store, judge, func(tx *db.Tx) error {
		_, err := evidence.Uphold(b.t.Context(), tx, evidence.Claims, evidence.DecideInput{ID: claim, Comment: "Seen."})
		return err
	})
	user := ask[ids.ID](b, "select user_id from submissions where tenant_id = $1 and id = $2", b.scope.Tenant, id)
	for range 2 {
		sample.Write(b.t, b.store, b.scope, func(tx *db.Tx) error {
			_, err := hold.Place(b.t.Context(), tx, hold.Input{SubjectID: user, Terms: hold.Terms{Kind: "legal", ReasonCode: "litigation",
				Case: hold.Case{Matter: "2026-014", ReviewAt: new(time.Now().Add(time.Hour))}}})
			return err
		})
		sample.Write(b.t, b.store, b.scope, func(tx *db.Tx) error {
			_, err := hold.Lift(b.t.Context(), tx, hold.Input{SubjectID: user, Terms: hold.Terms{Kind: "legal"}})
			return err
		})
	}
	sample.Write(b.t, b.store, b.scope, func(tx *db.Tx) error {
		job := models.ComplianceJob{TenantID: b.scope.Tenant, ID: b.job(tx), JobType: compliance.RetentionSweep}
		return compliance.Record(b.t.Context(), tx, job, compliance.Entry{State: compliance.Completed, Domain: "submissions", Counts: map[string]int64{"submissions": 3}})
	})
	e.project()
	b.execute(id, "{context_missing}")
	b.sequence()
	return id
}

// execute writes the execution of a submission, as the projector does where something was required.
func (b *logbook) execute(id ids.ID, reasons string) {
	b.t.Helper()
	sample.Write(b.t, b.store, b.scope, func(tx *db.Tx) error {
		_, err := tx.Exec(b.t.Context(), `insert into submission_executions (tenant_id, submission_id, org_unit_id, logic_version, reasons, written_at)
			select tenant_id, id, org_unit_id, 'v1', $3, now() from submissions where tenant_id = $1 and id = $2`, tx.Tenant(), id, reasons)
		return err
	})
}

// Each kind of record is edited, removed and forged, past triggers and policies or with the role of the programs, and each time
// the table, the row and the field are named.
func TestChangedRecordsAreFoundAndNamed(t *testing.T) {
	t.Parallel()
	b := newLogbook(t, dbtest.Clone(t))
	id := recorded(b)
	older := b.checkpoint()
	wantFound(t, "after what the service does", b.verify(older))
	for _, c := range []struct {
		table, sql string
		code       string
		field      string
		programs   bool // may do it
	}{
		{"score_versions", "update score_versions set score = score + 1 where tenant_id = $1 and number = 1", translog.RecordChanged, "score", false},
		{"score_versions", "update score_versions set outcome_code = 'fail' where tenant_id = $1 and number = 2", translog.RecordChanged, "outcome_code", false},
		{"score_versions", "delete from score_versions where tenant_id = $1 and number = 1", translog.RecordMissing, "", false},
		{"score_versions", `insert into score_versions (tenant_id, submission_id, number, org_unit_id, reason, actor, score, max_score, outcome_code, outcome_label, created_at)
			select tenant_id, submission_id, 4, org_unit_id, reason, actor, 1, max_score, outcome_code, outcome_label, created_at from score_versions
			where tenant_id = $1 and number = 2`, translog.RecordAdded, "", true},
		{"submission_decisions", "update submission_decisions set decision = 'approve' where tenant_id = $1", translog.RecordChanged, "decision", false},
		{"submission_decisions", "update submission_decisions set actor = 'operator:other' where tenant_id = $1", translog.RecordChanged, "actor", false},
		{"submission_decisions", "update submission_decisions set decided_at = later_by(decided_at, 0.000001) where tenant_id = $1", translog.RecordChanged, "decided_at", false},
		{"submission_decisions", "delete from submission_decisions where tenant_id = $1", translog.RecordMissing, "", false},
		{"submission_decisions", `insert into submission_decisions (tenant_id, submission_id, id, org_unit_id, decision, actor, decided_at)
			select tenant_id, submission_id, gen_random_uuid(), org_unit_id, 'approve', actor, decided_at from submission_decisions where tenant_id = $1`, translog.RecordAdded, "", true},
		{"evidence", "update evidence set sha256 = repeat('0', 64) where tenant_id = $1", translog.RecordChanged, "sha256", false},
		{"evidence", "update evidence set kind = 'photo' where tenant_id = $1", translog.RecordChanged, "kind", false},
		{"evidence", "update evidence set storage_tier = 'COLD' where tenant_id = $1", translog.RecordChanged, "storage_tier", false},
		{"evidence", "update evidence set voided_by = 'operator:other' where tenant_id = $1", translog.RecordChanged, "voided_by", false},
		{"evidence", "delete from evidence where tenant_id = $1", translog.RecordMissing, "", false},
		{"evidence", `insert into evidence (tenant_id, id, org_unit_id, submission_id, kind, media_type, size_bytes, sha256, storage_tier, integrity, added_by, created_at)
			select tenant_id, gen_random_uuid(), org_unit_id, submission_id, kind, media_type, size_bytes, sha256, storage_tier, 'unchecked', added_by, created_at
			from evidence where tenant_id = $1`, translog.RecordAdded, "", true},
		{"findings", "update findings set severity = 'minor' where tenant_id = $1", translog.RecordChanged, "severity", false},
		{"findings", "update findings set ledger_event_id = gen_random_uuid() where tenant_id = $1", translog.RecordChanged, "ledger_event_id", false},
		{"findings", "delete from findings where tenant_id = $1", translog.RecordMissing, "", false},
		{"findings", `insert into findings (tenant_id, id, org_unit_id, submission_id, code, severity, detected_by, detected_at, ledger_event_id)
			select tenant_id, gen_random_uuid(), org_unit_id, submission_id, code, 'critical', detected_by, detected_at, ledger_event_id
			from findings where tenant_id = $1`, translog.RecordAdded, "", true},
		{"item_marks", "update item_marks set score = score + 0.5 where tenant_id = $1", translog.RecordChanged, "score", false},
		{"item_marks", "update item_marks set actor = 'operator:other' where tenant_id = $1", translog.RecordChanged, "actor", false},
		{"item_marks", "update item_marks set marked_at = later_by(marked_at, 1) where tenant_id = $1", translog.RecordChanged, "marked_at", false},
		{"item_marks", "delete from item_marks where tenant_id = $1", translog.RecordMissing, "", false},
		{"item_marks", `insert into item_marks (tenant_id, submission_id, submission_item_id, number, org_unit_id, score, actor, score_version, marked_at)
			select tenant_id, submission_id, submission_item_id, 2, org_unit_id, 1, actor, score_version + 1, marked_at from item_marks where tenant_id = $1`, translog.RecordAdded, "", true},
		{"submission_cases", "update submission_cases set state = 'rejected' where tenant_id = $1 and kind = 'claim'", translog.RecordChanged, "state", true},
		{"submission_cases", "update submission_cases set decided_by = 'operator:other' where tenant_id = $1 and kind = 'claim'", translog.RecordChanged, "decided_by", true},
		{"submission_cases", "update submission_cases set raised_by = 'operator:other' where tenant_id = $1 and kind = 'dispute'", translog.RecordChanged, "raised_by", true},
		{"submission_cases", "delete from submission_cases where tenant_id = $1 and kind = 'dispute'", translog.RecordMissing, "", false},
		{"submission_cases", `insert into submission_cases (tenant_id, id, org_unit_id, submission_id, kind, state, statement, raised_by, raised_at)
			select tenant_id, gen_random_uuid(), org_unit_id, submission_id, 'claim', 'open', statement, raised_by, raised_at
			from submission_cases where tenant_id = $1 and kind = 'dispute'`, translog.RecordAdded, "", true},
		{"users", "update users set held = true where tenant_id = $1 and id = (select user_id from submissions where tenant_id = $1)", translog.RecordChanged, "held", true},
		{"users", "update users set restricted = true where tenant_id = $1 and id = (select user_id from submissions where tenant_id = $1)", translog.RecordChanged, "restricted", true},
		{"holds", "update holds set lifted_at = later_by(lifted_at, 1) where tenant_id = $1 and id = (select min(id::text)::uuid from holds where tenant_id = $1)", translog.RecordChanged, "lifted_at", true},
		{"holds", "update holds set reason_code = 'other' where tenant_id = $1 and id = (select min(id::text)::uuid from holds where tenant_id = $1)", translog.RecordChanged, "reason_code", false},
		{"holds", "update holds set matter = 'other' where tenant_id = $1 and id = (select min(id::text)::uuid from holds where tenant_id = $1)", translog.RecordChanged, "matter", false},
		{"holds", "update holds set review_at = now() where tenant_id = $1 and id = (select min(id::text)::uuid from holds where tenant_id = $1)", translog.RecordChanged, "review_at", true},
		{"holds", "delete from holds where tenant_id = $1 and id = (select min(id::text)::uuid from holds where tenant_id = $1)", translog.RecordMissing, "", false},
		{"holds", `insert into holds (tenant_id, id, subject_id, kind, reason_code, placed_by, placed_at, lifted_by, lifted_at)
			select tenant_id, gen_random_uuid(), subject_id, kind, reason_code, placed_by, placed_at, lifted_by, lifted_at from holds
			where tenant_id = $1 and id = (select min(id::text)::uuid from holds where tenant_id = $1)`, translog.RecordAdded, "", true},
		{"compliance_ledger", `update compliance_ledger set counts = '{"submissions": 4}' where tenant_id = $1 and event_type = 'retention_sweep.completed'`, translog.RecordChanged, "counts", false},
		{"compliance_ledger", "update compliance_ledger set domain = 'evidence' where tenant_id = $1 and event_type = 'retention_sweep.completed'", translog.RecordChanged, "domain", false},
		{"compliance_ledger", "delete from compliance_ledger where tenant_id = $1 and event_type = 'retention_sweep.completed'", translog.RecordMissing, "", false},
		{"compliance_ledger", `insert into compliance_ledger (tenant_id, id, event_type, job_id, domain, counts, created_at)
			select tenant_id, gen_random_uuid(), event_type, job_id, 'evidence', counts, created_at from compliance_ledger
			where tenant_id = $1 and event_type = 'retention_sweep.completed'`, translog.RecordAdded, "", true},
		{"submission_executions", "update submission_executions set reasons = '{}' where tenant_id = $1", translog.RecordChanged, "reasons", false},
		{"submission_executions", "update submission_executions set logic_version = 'v0' where tenant_id = $1", translog.RecordChanged, "reasons", false},
		{"submission_executions", "delete from submission_executions where tenant_id = $1", translog.RecordChanged, "reasons", false},
		{"submissions", "update submissions set hold_flag = not hold_flag where tenant_id = $1", translog.RecordChanged, "hold_flag", true},
		{"submissions", "update submissions set approval_status = 'approved' where tenant_id = $1", translog.SubmissionChanged, "", true},
		{"submissions", "update submissions set retain_until = now() where tenant_id = $1", translog.SubmissionChanged, "", true},
	} {
		t.Run(c.code+" "+c.table+" "+c.field, func(t *testing.T) {
			saved := ask[string](b, "select coalesce(jsonb_agg(to_jsonb(x)), '[]')::text from "+c.table+" x where tenant_id = $1", b.scope.Tenant)
			if c.programs {
				sample.Write(t, b.store, b.scope, func(tx *db.Tx) error {
					n, err := tx.Exec(t.Context(), c.sql, tx.Tenant())
					if err == nil && n == 0 {
						t.Error("changed nothing")
					}
					return err
				})
			} else {
				b.tamper(c.sql)
			}
			r := b.verify(older)
			named := slices.ContainsFunc(r.Findings, func(f translog.Finding) bool {
				return f.Code == c.code && (f.Field == c.field && f.Table == c.table && f.Row != "" || f.SubmissionID != nil && *f.SubmissionID == id)
			})
			if !named || len(r.Findings) != 1 {
				t.Errorf("found %+v", r.Findings)
			}
			_, err := b.super.Exec(t.Context(), "delete from "+c.table+" where tenant_id = $1", b.scope.Tenant)
			if err != nil {
				t.Fatal(err)
			}
			columns := ask[string](b, "select string_agg(attname, ', ') from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''", c.table)
			b.tamper("insert into "+c.table+" ("+columns+") select "+columns+" from jsonb_populate_recordset(null::"+c.table+", $2::jsonb) r where tenant_id = $1", saved)
			wantFound(t, "put back", b.verify(older))
		})
	}
}

// A record that a job deletes with its submission is no finding; a record that goes while its
// submission stays is one.
func TestRecordsOfDeletedSubmissionsAreNotMissed(t *testing.T) {
	t.Parallel()
	b := newLogbook(t, dbtest.Clone(t))
	id := recorded(b)
	erase := func() {
		sample.Write(t, b.store, b.scope, func(tx *db.Tx) error { return translog.Erased(t.Context(), tx, b.job(tx), []ids.ID{id}) })
	}
	erase()
	b.sequence()
	wantFound(t, "redacted", b.verify())
	b.tamper("delete from findings where tenant_id = $1")
	if r := b.verify(); len(r.Findings) != 1 || r.Findings[0].Code != translog.RecordMissing || r.Findings[0].Table != "findings" {
		t.Errorf("found %+v", r.Findings)
	}
	for _, table := range []string{"case_findings", "submission_cases", "item_marks", "finding_evidence", "evidence", "submission_decisions", "item_scores", "score_versions"} {
		_, err := b.super.Exec(t.Context(), "delete from "+table+" where tenant_id = $1 and submission_id = $2", b.scope.Tenant, id)
		if err != nil {
			t.Fatal(err)
		}
	}
	b.remove(id)
	erase()
	b.sequence()
	wantFound(t, "deleted", b.verify())
	b.tamper("update submission_executions set reasons = '{}' where tenant_id = $1")
	if r := b.verify(); len(r.Findings) != 1 || r.Findings[0].Table != "submission_executions" {
		t.Errorf("found %+v", r.Findings)
	}
}

// A submission that has no execution gets none later.
func TestAnAddedExecutionIsFound(t *testing.T) {
	t.Parallel()
	b := newLogbook(t, dbtest.Clone(t))
	e := newExam(b)
	id := e.submit()
	e.project()
	b.sequence()
	wantFound(t, "after a submit", b.verify())
	b.execute(id, "{}")
	if r := b.verify(); len(r.Findings) != 1 || r.Findings[0].Table != "submission_executions" {
		t.Errorf("found %+v", r.Findings)
	}
	sample.Write(t, b.store, b.scope, func(tx *db.Tx) error { return translog.TakeUp(t.Context(), tx, []ids.ID{id}) })
	b.sequence()
	if r := b.verify(); len(r.Findings) != 1 || r.Findings[0].Code != translog.StateWithoutCause {
		t.Errorf("taken up again: found %+v", r.Findings)
	}
}

// A row that queues a submission for its state is no reason for a change, and neither is an event from before, an event
// about somebody else or an erasure without a job.
func TestAChangeNeedsItsEvent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(b *logbook, id ids.ID)
		want   []string
	}{
		"a changed score": {func(b *logbook, id ids.ID) {
			b.tamper("update submissions set score = score + 1, outcome_code = 'pass' where tenant_id = $1 and id = $2", id)
		}, []string{translog.StateWithoutCause}},
		"a changed decision": {func(b *logbook, id ids.ID) {
			b.tamper("update submissions set approval_status = 'approved' where tenant_id = $1 and id = $2", id)
		}, []string{translog.StateWithoutCause}},
		"a deletion": {func(b *logbook, id ids.ID) { b.remove(id) }, []string{translog.SubmissionMissing}},
		"an erasure without a job": {func(b *logbook, id ids.ID) {
			b.remove(id)
			sample.Write(b.t, b.store, b.scope, func(tx *db.Tx) error {
				return translog.Erased(b.t.Context(), tx, ids.New(), []ids.ID{id})
			})
		}, []string{translog.ErasureWithoutJob}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newLogbook(t, dbtest.Clone(t))
			e := newExam(b)
			id, other := e.submit(), e.submit()
			e.project()
			b.sequence()
			sample.Write(t, b.store, b.scope, func(tx *db.Tx) error {
				_, err := review.Void(t.Context(), tx, review.Input{SubmissionID: other, Comment: "Void."})
				return err
			})
			c.change(b, id)
			sample.Write(t, b.store, b.scope, func(tx *db.Tx) error { return translog.TakeUp(t.Context(), tx, []ids.ID{id}) })
			e.project()
			b.sequence()
			if got := about(t, b.verify(), id); !slices.Equal(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}
