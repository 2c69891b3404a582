package translog_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/review"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/translog"
)

// about gives the findings about submissions as "code", and fails when one names another submission.
func about(t *testing.T, r translog.Report, id ids.ID) []string {
	t.Helper()
	var all []string
	for _, f := range r.Findings {
		if f.SubmissionID == nil || *f.SubmissionID != id {
			t.Errorf("a finding about something else: %+v", f)
		}
		all = append(all, f.Code)
	}
	return all
}

// A change to a submission past the service is found, and the submission is named.
func TestChangedSubmissionsAreFoundAndNamed(t *testing.T) {
	t.Parallel()
	b := newLogbook(t, dbtest.Clone(t))
	e := newExam(b)
	for _, c := range []struct{ name, sql, want string }{
		{"score", "update submissions set score = score + 1 where tenant_id = $1 and id = $2", translog.SubmissionChanged},
		{"outcome", "update submissions set outcome_code = 'pass' where tenant_id = $1 and id = $2", translog.SubmissionChanged},
		{"status", "update submissions set status = 'voided' where tenant_id = $1 and id = $2", translog.SubmissionChanged},
		{"score of an item", "update submission_items set score = 1 where tenant_id = $1 and submission_id = $2 and score = 0", translog.SubmissionChanged},
		{"answer", `update submission_items set response = '{"optionIds": ["B", "C"]}' where tenant_id = $1 and submission_id = $2 and score = 0`, translog.SubmissionChanged},
		{"person", "update submissions set user_id = md5(id::text)::uuid where tenant_id = $1 and id = $2", translog.SubmissionChanged},
		{"item removed", "delete from submission_items where tenant_id = $1 and submission_id = $2 and score = 0", translog.SubmissionChanged},
		{"removed", "delete from submissions where tenant_id = $1 and id = $2", translog.SubmissionMissing},
	} {
		t.Run(c.name, func(t *testing.T) {
			id := e.submit()
			e.project()
			b.sequence()
			wantFound(t, "before", b.verify())
			before := ask[string](b, "select jsonb_build_array(to_jsonb(s), (select jsonb_agg(to_jsonb(i)) from submission_items i where i.tenant_id = $1 and i.submission_id = $2))::text from submissions s where tenant_id = $1 and id = $2", b.scope.Tenant, id)
			b.tamper(c.sql, id)
			if got := about(t, b.verify(), id); len(got) != 1 || got[0] != c.want {
				t.Errorf("found %q, want %s", got, c.want)
			}
			restore(b, before, id)
			wantFound(t, "put back", b.verify())
		})
	}
	t.Run("added", func(t *testing.T) {
		id := e.submit()
		b.tamper("delete from projection_outbox where tenant_id = $1")
		if got := about(t, b.verify(), id); len(got) != 1 || got[0] != translog.SubmissionAdded {
			t.Errorf("found %q", got)
		}
	})
}

// restore puts a submission and its items back as they were.
func restore(b *logbook, before string, id ids.ID) {
	b.t.Helper()
	for _, sql := range []string{
		"with gone as (delete from submission_items where tenant_id = $1 and submission_id = $2) delete from submissions where tenant_id = $1 and id = $2 and $3 <> ''",
		"insert into submissions select (jsonb_populate_record(null::submissions, $3::jsonb -> 0)).* where $1 <> $2",
		"insert into submission_items select (jsonb_populate_record(null::submission_items, item)).* from jsonb_array_elements($3::jsonb -> 1) item where $1 <> $2",
	} {
		_, err := b.super.Exec(b.t.Context(), sql, b.scope.Tenant, id, before)
		if err != nil {
			b.t.Fatalf("%s: %v", sql, err)
		}
	}
}

// A change past the service does not pass for one of the service by being taken up again.
func TestAChangeThatIsTakenUpAgainStaysFound(t *testing.T) {
	t.Parallel()
	b := newLogbook(t, dbtest.Clone(t))
	e := newExam(b)
	id := e.submit()
	e.project()
	b.sequence()
	b.tamper("update submissions set score = score + 1 where tenant_id = $1 and id = $2", id)
	b.tamper("insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) values ($1, 'submission', $2, now())", id)
	wantFound(t, "while it waits", b.verify())
	e.project()
	b.sequence()
	if got := about(t, b.verify(), id); len(got) != 1 || got[0] != translog.StateWithoutCause {
		t.Errorf("found %q", got)
	}
}

// Changes by the service are no finding: a void, a redaction, a deletion that says so.
func TestWhatTheServiceDoesIsTakenUp(t *testing.T) {
	t.Parallel()
	b := newLogbook(t, dbtest.Clone(t))
	e := newExam(b)
	voided, redacted, deleted, untouched := e.submit(), e.submit(), e.submit(), e.submit()
	e.project()
	if done := b.sequence(); done.Submissions != 4 {
		t.Errorf("got %+v, want 4 submissions", done)
	}
	sample.Write(t, b.store, b.scope, func(tx *db.Tx) error {
		_, err := review.Void(t.Context(), tx, review.Input{SubmissionID: voided, Comment: "Void."})
		return err
	})
	b.tamper("update submission_items set response = null where tenant_id = $1 and submission_id = $2", redacted)
	b.remove(deleted)
	sample.Write(t, b.store, b.scope, func(tx *db.Tx) error {
		return translog.Erased(t.Context(), tx, b.job(tx), []ids.ID{redacted, deleted})
	})
	wantFound(t, "while it waits", b.verify())
	e.project()
	if done := b.sequence(); done.Submissions != 3 {
		t.Errorf("got %+v, want 3 submissions", done)
	}
	wantFound(t, "database", b.verify())
	r := b.offline(b.export(), b.keys())
	wantFound(t, "export", r)
	if r.Submissions != 7 {
		t.Errorf("got %d states in the export, want 7", r.Submissions)
	}
	sample.Write(t, b.store, b.scope, func(tx *db.Tx) error { return translog.TakeUp(t.Context(), tx, []ids.ID{untouched, deleted}) })
	if done := b.sequence(); done.Submissions != 0 || done.Events != 0 {
		t.Errorf("nothing changed: got %+v", done)
	}
}

// Changed states, and a changed batch, do not fit the event that names them.
func TestChangedBatchesAreFound(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"state changed":   "update ledger_states set state_hash = repeat('0', 64) where tenant_id = $1 and position = 1",
		"state removed":   "delete from ledger_states where tenant_id = $1 and position = 2",
		"states swapped":  "update ledger_states set submission_id = (select submission_id from ledger_states s where s.tenant_id = $1 and position = 0) where tenant_id = $1 and position = 1",
		"version changed": "update ledger_states set score_version = 2 where tenant_id = $1 and position = 0",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newLogbook(t, dbtest.Clone(t))
			e := newExam(b)
			for range 3 {
				e.submit()
			}
			e.project()
			b.sequence()
			seq := b.last()
			b.tamper(sql)
			for what, r := range map[string]translog.Report{"database": b.verify(), "offline": b.offline(b.export(), b.keys())} {
				if got := found(r); len(got) == 0 || got[0] != at(translog.BatchChanged, seq) {
					t.Errorf("%s: found %q", what, got)
				}
			}
		})
	}
}

// A proof is enough for an auditor who has nothing but the keys.
func TestASubmissionIsProved(t *testing.T) {
	t.Parallel()
	b := newLogbook(t, dbtest.Clone(t))
	e := newExam(b)
	id := e.submit()
	prove := func() (translog.Bundle, error) {
		return show(b, func(ctx context.Context, tx *db.Tx) (translog.Bundle, error) {
			return translog.SubmissionProof(ctx, tx, id)
		})
	}
	if _, err := prove(); !errors.Is(err, errs.NotSequenced) {
		t.Errorf("too early: got %v", err)
	}
	for range 4 {
		e.submit()
	}
	e.project()
	b.sequence()
	b.say(300)
	b.sequence()
	bundle, err := prove()
	if err != nil {
		t.Fatal(err)
	}
	hash := ""
	sample.Write(t, b.store, b.scope, func(tx *db.Tx) error {
		h, err := submission.Hash(t.Context(), tx, id)
		hash = h.StateHash
		return err
	})
	if bundle.Submission.SubmissionID != id || *bundle.Submission.StateHash != hash || *bundle.Submission.ScoreVersion != 1 {
		t.Errorf("got %+v, want the state %s", bundle.Submission, hash)
	}
	check := func(change func(*translog.Bundle), keys []string) translog.Report {
		t.Helper()
		var again translog.Bundle
		if err := json.Unmarshal(mustJSON(bundle), &again); err != nil {
			t.Fatal(err)
		}
		change(&again)
		path := filepath.Join(t.TempDir(), "proof.json")
		text, err := json.MarshalIndent(again, "", "  ")
		if err == nil {
			err = os.WriteFile(path, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		r, err := translog.VerifyFile(translog.FileInput{Path: path, Keys: keys, Older: []translog.Older{b.checkpoint()}})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	keys, other := b.keys(), "another"
	wantFound(t, "a proof", check(func(*translog.Bundle) {}, keys))
	wantFound(t, "a proof with its own keys", check(func(*translog.Bundle) {}, nil))
	for name, change := range map[string]func(*translog.Bundle){
		"another state":  func(b *translog.Bundle) { b.Submission.StateHash = &other },
		"another person": func(b *translog.Bundle) { b.Submission.SubmissionID = ids.New() },
		"another place":  func(b *translog.Bundle) { b.Batch.Index++ },
		"no path":        func(b *translog.Bundle) { b.Batch = nil },
		"a shorter path": func(b *translog.Bundle) { b.Inclusion.Hashes = b.Inclusion.Hashes[1:] },
		"another event": func(b *translog.Bundle) {
			b.Event = json.RawMessage(`{"seq": 3, "eventType": "submissions.sequenced"}`)
		},
		"a place beyond":    func(b *translog.Bundle) { b.Inclusion.Index = 1 << 40 },
		"a place before":    func(b *translog.Bundle) { b.Inclusion.Index = -1 },
		"what is no hash":   func(b *translog.Bundle) { b.Inclusion.Hashes[0] = "x" },
		"another log's key": func(b *translog.Bundle) {},
	} {
		checked := keys
		if name == "another log's key" {
			stranger := newLogbook(t, b.urls)
			stranger.say(1)
			stranger.sequence()
			checked = stranger.keys()
		}
		if r := check(change, checked); r.Sound() {
			t.Errorf("%s: nothing was found", name)
		}
	}
}

func TestWhoMayHaveAProof(t *testing.T) {
	t.Parallel()
	b := newLogbook(t, dbtest.Clone(t))
	e := newExam(b)
	id := e.submit()
	e.project()
	b.sequence()
	elsewhere := b.scope
	sample.Write(t, b.store, b.scope, func(tx *db.Tx) error {
		elsewhere.OrgUnit = sample.OrgUnit(t, tx, "elsewhere").ID
		return nil
	})
	var here int64
	for seq := b.last(); here == 0; seq-- { // an event of the org unit
		if ask[bool](b, "select coalesce(org_unit_id = $2, false) from ledger_events where tenant_id = $1 and seq = $3", b.scope.Tenant, b.scope.OrgUnit, seq) {
			here = seq
		}
	}
	var nowhere int64 // and one of none
	for seq := int64(1); nowhere == 0; seq++ {
		if ask[bool](b, "select org_unit_id is null from ledger_events where tenant_id = $1 and seq = $2", b.scope.Tenant, seq) {
			nowhere = seq
		}
	}
	ofNowhere := func(ctx context.Context, tx *db.Tx) error {
		_, err := translog.EventProof(ctx, tx, nowhere)
		return err
	}
	submissionProof := func(ctx context.Context, tx *db.Tx) error {
		_, err := translog.SubmissionProof(ctx, tx, id)
		return err
	}
	eventProof := func(ctx context.Context, tx *db.Tx) error {
		_, err := translog.EventProof(ctx, tx, here)
		return err
	}
	consistency := func(ctx context.Context, tx *db.Tx) error {
		_, err := translog.Consistency(ctx, tx, 1, 0)
		return err
	}
	newest := func(ctx context.Context, tx *db.Tx) error {
		_, err := translog.NewestCheckpoint(ctx, tx)
		return err
	}
	user := ids.New()
	for _, c := range []struct {
		name  string
		scope db.Scope
		do    func(context.Context, *db.Tx) error
		want  error
	}{
		{"a submission", sample.As(b.scope, user, "submissions.read"), submissionProof, nil},
		{"a submission of another org unit", sample.As(elsewhere, user, "submissions.read"), submissionProof, errs.NotFound},
		{"a submission without the capability", sample.As(b.scope, user, "compliance.read"), submissionProof, errs.Forbidden},
		{"an event", sample.As(b.scope, user, "compliance.read"), eventProof, nil},
		{"an event of another org unit", sample.As(elsewhere, user, "compliance.read"), eventProof, errs.NotFound},
		{"an event of another org unit, with scope_all", sample.As(elsewhere, user, "compliance.read", "scope.all"), eventProof, nil},
		{"an event of no org unit", sample.As(b.scope, user, "compliance.read"), ofNowhere, errs.NotFound},
		{"an event of no org unit, with scope_all", sample.As(b.scope, user, "compliance.read", "scope.all"), ofNowhere, nil},
		{"an event without the capability", sample.As(b.scope, user, "submissions.read"), eventProof, errs.Forbidden},
		{"consistency without the capability", sample.As(b.scope, user), consistency, errs.Forbidden},
		{"a checkpoint", sample.As(b.scope, user), newest, nil},
	} {
		err := b.store.Read(t.Context(), c.scope, func(tx *db.Tx) error { return c.do(t.Context(), tx) })
		if c.want == nil && err != nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
}

// A published snapshot is compared with the hash that it is stored under.
func TestChangedSnapshotsAreFound(t *testing.T) {
	t.Parallel()
	b := newLogbook(t, dbtest.Clone(t))
	e := newExam(b)
	e.submit()
	e.project()
	b.sequence()
	wantFound(t, "before", b.verify())
	before := ask[string](b, "select content::text from version_snapshots where tenant_id = $1", b.scope.Tenant)
	b.tamper(`update version_snapshots set content = content || '{"title": "Changed"}' where tenant_id = $1`)
	wantFound(t, "changed", b.verify(), translog.SnapshotChanged+" 0")
	b.tamper("update version_snapshots set content = $2::text::jsonb where tenant_id = $1", before)
	wantFound(t, "put back", b.verify())
}
