package compliance_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/compliance"
)

// desk is a tenant with an officer, a person, and kinds of jobs that are as small as they can be.
type desk struct {
	*testing.T
	*compliance.Centre
	operator, officer db.Scope
	person            ids.ID
}

func newDesk(t *testing.T, kinds ...compliance.Kind) *desk {
	t.Helper()
	return newDeskIn(t, dbtest.Clone(t), kinds...)
}

func newDeskIn(t *testing.T, urls dbtest.URLs, kinds ...compliance.Kind) *desk {
	t.Helper()
	store := dbtest.Open(t, db.Options{URL: urls.App, MaxConns: 8})
	blobs, err := blob.Open(t.Context(), "file://"+t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = blobs.Close() })
	d := &desk{T: t, operator: sample.Tenant(t, store)}
	d.Centre = &compliance.Centre{Store: store, Files: compliance.NewFiles(store, blobs), Secret: sample.KeySecret, SLA: 30 * 24 * time.Hour, Kinds: kinds}
	d.operator.All = true
	d.write(d.operator, func(tx *db.Tx) error {
		d.person = sample.User(t, tx).ID
		d.officer = d.as(sample.User(t, tx).ID, capability.ComplianceManage)
		return nil
	})
	return d
}

// as is somebody who reaches the whole tenant.
func (d *desk) as(user ids.ID, holds ...capability.Capability) db.Scope {
	scope := sample.As(d.operator, user, holds...)
	scope.All = true
	return scope
}

func (d *desk) write(as db.Scope, fn func(*db.Tx) error) {
	d.Helper()
	sample.Write(d.T, d.Store, as, fn)
}

func (d *desk) create(as db.Scope, in compliance.Input) (job compliance.Job, err error) {
	err = d.Store.Write(d.Context(), as, func(tx *db.Tx) error {
		job, err = d.Create(d.Context(), tx, in)
		return err
	})
	return job, err
}

func (d *desk) ask(jobType string) compliance.Job {
	d.Helper()
	job, err := d.create(d.officer, compliance.Input{Type: jobType, SubjectID: d.person})
	if err != nil {
		d.Fatal(err)
	}
	return job
}

func (d *desk) work(job compliance.Job) compliance.Job {
	d.Helper()
	done, err := d.Work(d.Context(), d.operator.Tenant, job.ID, nil)
	if err != nil {
		d.Fatal(err)
	}
	return done
}

// told gives the event types of the compliance ledger, the oldest first.
func (d *desk) told() []string {
	d.Helper()
	var types []string
	err := d.Store.Read(d.Context(), d.officer, func(tx *db.Tx) error {
		list, err := compliance.ListLedger(d.Context(), tx, compliance.LedgerFilter{Page: db.Page{Page: 1, Limit: 200}})
		for _, e := range slices.Backward(list.Items) {
			types = append(types, e.EventType)
		}
		return err
	})
	if err != nil {
		d.Fatal(err)
	}
	return types
}

// counting is a kind of two steps; the first comes in pieces.
func counting(pieces int) compliance.Kind {
	return compliance.Kind{Type: compliance.Unlink, Subject: true, Own: true, Artifact: "receipt.json", Steps: []compliance.Step{
		{Name: "pieces", Do: func(_ context.Context, _ *db.Tx, r *compliance.Run) (bool, error) {
			r.Count("things", 10)
			r.Progress(r.Job.DoneN+1, int64(pieces))
			return r.Job.DoneN == int64(pieces), nil
		}},
		{Name: "receipt", Do: func(ctx context.Context, tx *db.Tx, r *compliance.Run) (bool, error) {
			_, err := r.Artifact(ctx, tx, compliance.Artifact{Name: "receipt.json", MediaType: "application/json", Lifetime: time.Hour,
				Write: func(to io.Writer) error { _, err := io.WriteString(to, "{}"); return err }})
			return true, err
		}},
	}}
}

func TestAJobGoesThroughItsSteps(t *testing.T) {
	t.Parallel()
	d := newDesk(t, counting(3))
	asked := d.ask(compliance.Unlink)
	if asked.Status != "queued" || asked.Progress.Of != 2 || asked.Progress.Step != "pieces" || asked.SLAState != "on_track" {
		t.Errorf("asked for: %+v", asked)
	}
	var seen []string
	done, err := d.Work(t.Context(), d.operator.Tenant, asked.ID, func(j compliance.Job) {
		seen = append(seen, fmt.Sprintf("%s %d/%d", j.Status, j.Progress.Steps, j.Progress.Done))
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(seen, ", "), "running 0/1, running 0/2, running 1/0, completed 2/0"; got != want {
		t.Errorf("progress was %s, want %s", got, want)
	}
	if done.Status != "completed" || done.Counts["things"] != 30 || done.DurationMs == nil || len(done.ArtifactRefs) != 1 || !done.ArtifactRefs[0].Available {
		t.Errorf("done: %+v", done)
	}
	again := d.work(done)
	if again.CompletedAt == nil || !again.CompletedAt.Equal(*done.CompletedAt) {
		t.Errorf("work on a job that is done changed it: %+v", again)
	}
	if got := strings.Join(d.told(), " "); got != "unlink.requested unlink.completed" {
		t.Errorf("the ledger tells %s", got)
	}
}

// A job that is killed between two pieces, or in the middle of one, ends as one that was not.
func TestAKilledJobGoesOn(t *testing.T) {
	t.Parallel()
	whole := counting(3)
	for at := range 4 {
		kind, calls := whole, 0
		kind.Steps = slices.Clone(whole.Steps)
		for i, step := range kind.Steps {
			kind.Steps[i].Do = func(ctx context.Context, tx *db.Tx, r *compliance.Run) (bool, error) {
				done, err := step.Do(ctx, tx, r)
				if calls++; err == nil && calls == at+1 {
					err = errors.New("killed")
				}
				return done, err
			}
		}
		d := newDesk(t, kind)
		asked := d.ask(compliance.Unlink)
		if _, err := d.Work(t.Context(), d.operator.Tenant, asked.ID, nil); err == nil {
			t.Fatalf("call %d was not killed", at)
		}
		if done := d.work(asked); done.Counts["things"] != 30 || len(done.ArtifactRefs) != 1 || len(d.told()) != 2 {
			t.Errorf("killed in call %d it ended as %+v and told %v", at, done, d.told())
		}
	}
}

// Any number of processes may work on a job: each piece is done once.
func TestManyWorkOnOneJob(t *testing.T) {
	t.Parallel()
	d := newDesk(t, counting(20))
	asked := d.ask(compliance.Unlink)
	results := make(chan error, 4)
	for range cap(results) {
		go func() {
			_, err := d.Work(t.Context(), d.operator.Tenant, asked.ID, nil)
			results <- err
		}()
	}
	for range cap(results) {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if done := d.work(asked); done.Counts["things"] != 200 {
		t.Errorf("%d things, want 200", done.Counts["things"])
	}
}

func TestTheOlderJobOfAPersonComesFirst(t *testing.T) {
	t.Parallel()
	var order []string
	noted := func(name string) compliance.Kind {
		return compliance.Kind{Type: name, Subject: true, Steps: []compliance.Step{{Name: "note",
			Do: func(context.Context, *db.Tx, *compliance.Run) (bool, error) {
				order = append(order, name)
				return true, nil
			}}}}
	}
	d := newDesk(t, noted(compliance.Unlink), noted(compliance.Forget))
	d.ask(compliance.Unlink)
	d.work(d.ask(compliance.Forget))
	if got := strings.Join(order, " "); got != "unlink forget" {
		t.Errorf("order was %s", got)
	}
}

func TestAHoldBlocksAJobForGood(t *testing.T) {
	t.Parallel()
	kind := compliance.Kind{Type: compliance.Forget, Subject: true, Steps: []compliance.Step{{Name: "erase",
		Do: func(context.Context, *db.Tx, *compliance.Run) (bool, error) {
			return false, errs.New(errs.HoldActive, "a hold stands")
		}}}}
	d := newDesk(t, kind)
	done := d.work(d.ask(compliance.Forget))
	if done.Status != "blocked" || !done.Blocked || done.BlockedReason == nil || *done.BlockedReason != "hold_active" || done.CompletedAt == nil {
		t.Errorf("got %+v", done)
	}
	if got := strings.Join(d.told(), " "); got != "forget.requested forget.blocked" {
		t.Errorf("the ledger tells %s", got)
	}
}

// A preview does what the job does, says the same, and leaves nothing.
func TestAPreviewLeavesNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t, counting(3))
	var shown compliance.Job
	d.write(d.officer, func(tx *db.Tx) error {
		var err error
		shown, err = d.Preview(t.Context(), tx, compliance.Input{Type: compliance.Unlink, SubjectID: d.person})
		return err
	})
	if !shown.DryRun || shown.Status != "completed" || shown.Counts["things"] != 30 {
		t.Errorf("preview: %+v", shown)
	}
	if told := d.told(); len(told) != 0 {
		t.Errorf("the ledger tells %v", told)
	}
	if done := d.work(d.ask(compliance.Unlink)); done.Counts["things"] != shown.Counts["things"] {
		t.Errorf("the job touched %v, the preview %v", done.Counts, shown.Counts)
	}
}

func TestWhoMayStartAJob(t *testing.T) {
	t.Parallel()
	d := newDesk(t, counting(1))
	narrow, reader, stranger := d.officer, d.as(ids.New(), capability.ComplianceRead), sample.Tenant(t, d.Store)
	narrow.All = false
	stranger.All = true
	for name, tt := range map[string]struct {
		as   db.Scope
		in   compliance.Input
		want errs.Code
	}{
		"one org unit":         {narrow, compliance.Input{Type: compliance.Unlink, SubjectID: d.person}, errs.Forbidden},
		"a reader":             {reader, compliance.Input{Type: compliance.Unlink, SubjectID: d.person}, errs.Forbidden},
		"another tenant":       {stranger, compliance.Input{Type: compliance.Unlink, SubjectID: d.person}, errs.NotFound},
		"nobody":               {d.officer, compliance.Input{Type: compliance.Unlink}, errs.ValidationFailed},
		"an unknown person":    {d.officer, compliance.Input{Type: compliance.Unlink, SubjectID: ids.New()}, errs.NotFound},
		"an unknown type":      {d.officer, compliance.Input{Type: "delete", SubjectID: d.person}, errs.ValidationFailed},
		"an unknown argument":  {d.officer, compliance.Input{Type: compliance.Unlink, SubjectID: d.person, Arguments: []byte(`{"now":true}`)}, errs.ValidationFailed},
		"arguments of a shape": {d.officer, compliance.Input{Type: compliance.Unlink, SubjectID: d.person, Arguments: []byte(`[1]`)}, errs.ValidationFailed},
	} {
		if _, err := d.create(tt.as, tt.in); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
	if told := d.told(); len(told) != 0 {
		t.Errorf("the ledger tells %v", told)
	}
}

func (d *desk) list(f compliance.JobFilter) int {
	d.Helper()
	f.Page = db.Page{Page: 1, Limit: 50}
	total := -1
	err := d.Store.Read(d.Context(), d.officer, func(tx *db.Tx) error {
		list, err := compliance.ListJobs(d.Context(), tx, f)
		total = list.Total
		return err
	})
	if err != nil {
		d.Fatal(err)
	}
	return total
}

func TestJobsAreListedByTheirTime(t *testing.T) {
	t.Parallel()
	d := newDesk(t, counting(1))
	late := d.ask(compliance.Unlink)
	d.work(late)
	d.SLA = -time.Hour
	d.ask(compliance.Unlink)
	for state, want := range map[string]int{"on_track": 1, "at_risk": 0, "breached": 1, "": 2} {
		if got := d.list(compliance.JobFilter{SLAState: state}); got != want {
			t.Errorf("%q: %d jobs, want %d", state, got, want)
		}
	}
	for name, f := range map[string]compliance.JobFilter{"type": {Type: compliance.Forget}, "person": {SubjectID: ids.New()}, "status": {Status: "failed"}} {
		if got := d.list(f); got != 0 {
			t.Errorf("%s: %d jobs, want none", name, got)
		}
	}
}

func (d *desk) view(as db.Scope, job ids.ID, name string) error {
	return d.Store.Write(d.Context(), as, func(tx *db.Tx) error {
		_, err := d.View(d.Context(), tx, job, name)
		return err
	})
}

func TestWhoMayFetchAFile(t *testing.T) {
	t.Parallel()
	d := newDesk(t, counting(1))
	done := d.work(d.ask(compliance.Unlink))
	colleague := d.as(ids.New(), capability.ComplianceRead)
	requester, other := d.officer, d.as(ids.New(), capability.ComplianceManage)
	requester.Capabilities, requester.All = capability.NewSet(capability.ComplianceRead), false
	former := d.officer
	former.Capabilities, former.All = nil, false
	own := d.as(d.person)
	own.All = false
	for name, tt := range map[string]struct {
		as   db.Scope
		file string
		want errs.Code
	}{
		"who asked for it": {requester, "receipt.json", ""}, "who asked for it and has no role any more": {former, "receipt.json", errs.NotFound}, "the person": {own, "receipt.json", ""}, "an officer": {other, "receipt.json", ""},
		"a reader": {colleague, "receipt.json", errs.NotFound}, "another file": {other, "export.zip", errs.NotFound},
	} {
		err := d.view(tt.as, done.ID, tt.file)
		if (tt.want == "") != (err == nil) || err != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
	if err := d.view(other, ids.New(), "receipt.json"); !errors.Is(err, errs.NotFound) {
		t.Errorf("of another job: %v", err)
	}
	d.write(d.operator, func(tx *db.Tx) error {
		hashes, err := compliance.EraseArtifacts(t.Context(), tx, d.person)
		if len(hashes) != 1 {
			t.Errorf("%d files let go", len(hashes))
		}
		return err
	})
	if err := d.view(other, done.ID, "receipt.json"); !errors.Is(err, errs.ArtifactExpired) {
		t.Errorf("what was let go: %v", err)
	}
}

// A file whose time is over goes with its bytes, and one whose time is not stays.
func TestFilesGoWhenTheirTimeIsOver(t *testing.T) {
	t.Parallel()
	urls := dbtest.Clone(t)
	d := newDeskIn(t, urls, counting(1))
	done := d.work(d.ask(compliance.Unlink))
	sha256 := done.ArtifactRefs[0].SHA256
	expire := func() bool {
		t.Helper()
		err := (&compliance.Expirer{Centre: d.Centre}).Work(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		there, err := d.Files.Exists(t.Context(), d.operator.Tenant, sha256)
		if err != nil {
			t.Fatal(err)
		}
		return there
	}
	if !expire() {
		t.Error("a file went before its time")
	}
	super, err := pgx.Connect(t.Context(), urls.Super)
	if err != nil {
		t.Fatal(err)
	}
	defer super.Close(t.Context()) //nolint:errcheck // the test is over
	_, err = super.Exec(t.Context(), "update compliance_artifacts set expires_at = now() where tenant_id = $1", d.operator.Tenant)
	if err != nil {
		t.Fatal(err)
	}
	if expire() {
		t.Error("the file is there though its time is over")
	}
}
