package evidence_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"assess/pkg/dev/sample"
	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func TestCheckFindsWhatBecameOfAFile(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	for _, tt := range []struct {
		name string
		harm func(e evidence.Evidence)
		want string
		open errs.Code
	}{
		{"nothing happened", func(evidence.Evidence) {}, "ok", ""},
		{"a bit flipped", func(e evidence.Evidence) { r.flip(e.SHA256) }, "changed", errs.FileDamaged},
		{"cut short", func(e evidence.Evidence) { r.harm(os.Truncate(r.path(e.SHA256), 3)) }, "changed", errs.FileDamaged},
		{"missing", func(e evidence.Evidence) { r.harm(os.Remove(r.path(e.SHA256))) }, "missing", errs.FileDamaged},
	} {
		e := r.picture()
		tt.harm(e)
		got, err := r.verify(e.ID)
		if err != nil || got.Integrity != tt.want || got.CheckedAt == nil {
			t.Errorf("%s: got %s at %v and error %v, want %s", tt.name, got.Integrity, got.CheckedAt, err, tt.want)
		}
		if stored := r.get(e.ID); stored.Integrity != tt.want {
			t.Errorf("%s: stored %s", tt.name, stored.Integrity)
		}
		last := r.events(e.ID)[1]
		if last.Type != "evidence.integrity.checked" || last.Payload["result"] != tt.want || last.Payload["sha256"] != e.SHA256 {
			t.Errorf("%s: ledger has %v", tt.name, last)
		}
		file, err := r.files.Open(t.Context(), r.operator.Tenant, e, true)
		wantCode(t, err, tt.open)
		if err == nil {
			_ = file.Close()
		}
	}
}

func (r *room) harm(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// The same bytes sent again mend the file for all evidence that has them.
func TestSameBytesMendAFile(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	content := sample.PNG(5, 5)
	e := r.attach(evidence.AttachInput{SubmissionID: r.submission}, content)
	r.flip(e.SHA256)
	again := r.attach(evidence.AttachInput{SubmissionID: r.submission}, content)
	if again.ID == e.ID || again.SHA256 != e.SHA256 {
		t.Errorf("got %+v", again)
	}
	if got, err := r.verify(e.ID); err != nil || got.Integrity != "ok" {
		t.Errorf("got %s and error %v", got.Integrity, err)
	}
}

// A store that is away says nothing of the file: no result is recorded.
func TestStoreThatIsAwayIsNoFinding(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	e := r.picture()
	// A link to itself can be neither read nor found to be missing.
	r.harm(os.Remove(r.path(e.SHA256)))
	r.harm(os.Symlink(r.path(e.SHA256), r.path(e.SHA256)))
	_, err := r.verify(e.ID)
	wantCode(t, err, errs.StorageUnavailable)
	if got := r.get(e.ID); got.Integrity != "unchecked" {
		t.Errorf("got %s", got.Integrity)
	}
	report, err := r.files.CheckAll(t.Context(), r.reviewer, evidence.CheckFilter{}, r.store.Write, func(int64, int64) {})
	if err != nil || report.Failed != 1 || report.Checked != 0 {
		t.Errorf("got %+v and error %v", report, err)
	}
}

// Checking and voiding at the same moment both hold.
func TestCheckBesideVoid(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	for range 5 {
		e := r.picture()
		var both sync.WaitGroup
		both.Go(func() {
			if _, err := r.void(e.ID); err != nil {
				t.Error(err)
			}
		})
		both.Go(func() {
			if _, err := r.verify(e.ID); err != nil {
				t.Error(err)
			}
		})
		both.Wait()
		if got := r.get(e.ID); got.Status != "voided" || got.Integrity != "ok" || len(r.events(e.ID)) != 3 {
			t.Errorf("got %s %s and %v", got.Status, got.Integrity, types(r.events(e.ID)))
		}
	}
}

func TestCheckAllGoesThroughTheScope(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	var sound, changed, missing evidence.Evidence
	for _, e := range []*evidence.Evidence{&sound, &changed, &missing} {
		*e = r.picture()
	}
	other, _ := r.submit()
	for range 60 { // more than one piece
		r.attach(evidence.AttachInput{SubmissionID: other}, []byte("the same\n"))
	}
	r.flip(changed.SHA256)
	r.harm(os.Remove(r.path(missing.SHA256)))
	check := func(f evidence.CheckFilter, how func(context.Context, db.Scope, func(*db.Tx) error) error) evidence.CheckReport {
		var done, of int64
		got, err := r.files.CheckAll(t.Context(), r.reviewer, f, how, func(n, total int64) { done, of = n, total })
		if err != nil || done != of || done != int64(got.Checked+got.Failed) {
			t.Errorf("%d of %d, error %v", done, of, err)
		}
		return got
	}
	counts := func(r evidence.CheckReport) [4]int { return [4]int{r.Checked, r.OK, r.Changed, r.Missing} }
	if got := counts(check(evidence.CheckFilter{}, r.store.DryRun)); got != [4]int{63, 61, 1, 1} {
		t.Errorf("dry run: got %v", got)
	}
	if got := r.get(changed.ID); got.Integrity != "unchecked" {
		t.Errorf("the dry run recorded %s", got.Integrity)
	}
	report := check(evidence.CheckFilter{SubmissionID: &r.submission}, r.store.Write)
	if got := counts(report); got != [4]int{3, 1, 1, 1} {
		t.Errorf("a submission: got %v", got)
	}
	if got := idsOf(report.Problems); len(got) != 2 || got[0] != changed.ID || got[1] != missing.ID {
		t.Errorf("problems: got %v", got)
	}
	since := time.Now().Add(-time.Hour)
	if got := counts(check(evidence.CheckFilter{NotSince: &since}, r.store.Write)); got != [4]int{62, 60, 1, 1} {
		t.Errorf("going on: got %v; what is not sound is looked at again", got)
	}
	stranger := ids.New()
	_, err := r.files.CheckAll(t.Context(), r.reviewer, evidence.CheckFilter{SubmissionID: &stranger}, r.store.Write, func(int64, int64) {})
	wantCode(t, err, errs.NotFound)
}

// age makes every claim look as if nobody had touched it for two hours.
func (r *room) age() {
	r.write(r.operator, func(tx *db.Tx) error {
		_, err := tx.Exec(r.t.Context(), "update evidence_blobs set touched_at = later_by(touched_at, -7200) where tenant_id = $1", tx.Tenant())
		return err
	})
}

func (r *room) sweep() int {
	r.t.Helper()
	n, err := r.files.SweepTenant(r.t.Context(), r.operator.Tenant)
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}

// An upload whose transaction failed leaves a file that the sweep removes, and nothing else.
func TestSweepRemovesWhatNothingNames(t *testing.T) {
	t.Parallel()
	r, other := newRoom(t), newRoom(t)
	content := sample.PNG(4, 4)
	named := r.picture()
	_, err := r.void(named.ID)
	if err != nil {
		t.Fatal(err)
	}
	in := evidence.AttachInput{SubmissionID: r.submission}
	orphan, err := r.keep(in, content)
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the commit failed")
	_, err = try(r, r.proctor, func(tx *db.Tx) (evidence.Evidence, error) {
		e, err := evidence.Attach(t.Context(), tx, in, orphan)
		return e, errors.Join(err, broken)
	})
	if !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
	theirs := other.attach(evidence.AttachInput{SubmissionID: other.submission}, content)
	if n := r.sweep(); n != 0 {
		t.Errorf("too early: %d", n)
	}
	r.age()
	other.age()
	if n := r.sweep() + other.sweep(); n != 1 {
		t.Errorf("got %d files swept, want 1", n)
	}
	if _, err := os.Stat(r.path(orphan.SHA256)); !os.IsNotExist(err) {
		t.Errorf("the orphan is still there: %v", err)
	}
	if got, err := r.verify(named.ID); err != nil || got.Integrity != "ok" {
		t.Errorf("voided evidence: %s and error %v", got.Integrity, err)
	}
	if got, err := other.verify(theirs.ID); err != nil || got.Integrity != "ok" {
		t.Errorf("the same bytes of another tenant: %s and error %v", got.Integrity, err)
	}
	_, err = try(r, r.proctor, func(tx *db.Tx) (evidence.Evidence, error) { return evidence.Attach(t.Context(), tx, in, orphan) })
	wantCode(t, err, errs.StorageUnavailable)
}

func TestSameBytesAtOnceShareAFile(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	content := sample.PNG(20, 20)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() { r.attach(evidence.AttachInput{SubmissionID: r.submission}, content) })
	}
	all.Wait()
	files, err := filepath.Glob(filepath.Join(r.folder, r.operator.Tenant.String(), "evidence", "*"))
	if err != nil || len(files) != 1 {
		t.Errorf("got files %v and error %v", files, err)
	}
}

// The whole way through a server that speaks S3.
func TestEvidenceInABucket(t *testing.T) {
	backend := s3mem.New()
	err := backend.CreateBucket("files")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	r := roomOn(t, "s3://files?region=eu-central-1&use_path_style=true&endpoint="+url.QueryEscape(server.URL))
	e, lost := r.picture(), r.picture()
	key := func(e evidence.Evidence) string {
		return blob.Key{Tenant: r.operator.Tenant, Kind: blob.Evidence, SHA256: e.SHA256}.String()
	}
	_, err = backend.DeleteObject("files", key(lost))
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[ids.ID]string{e.ID: "ok", lost.ID: "missing"} {
		if got, err := r.verify(id); err != nil || got.Integrity != want {
			t.Errorf("got %s and error %v, want %s", got.Integrity, err, want)
		}
	}
	orphan, err := r.keep(evidence.AttachInput{SubmissionID: r.submission}, sample.PNG(2, 2))
	if err != nil {
		t.Fatal(err)
	}
	r.age()
	if n := r.sweep(); n != 1 {
		t.Errorf("got %d files swept, want 1", n)
	}
	if there, err := r.files.Exists(t.Context(), r.operator.Tenant, orphan.SHA256); err != nil || there {
		t.Errorf("the orphan: there %v, error %v", there, err)
	}
}
