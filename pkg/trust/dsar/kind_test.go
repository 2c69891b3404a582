package dsar

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"assess/models"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/archive"
	"assess/pkg/trust/compliance"
)

// centre works on jobs of this package.
func (r *room) centre() *compliance.Centre {
	e := Exporter{Store: r.store, Files: r.files, Secret: sample.KeySecret, Cooldown: 15 * time.Minute, Lifetime: time.Hour}
	return &compliance.Centre{Store: r.store, Files: compliance.NewFiles(r.store, r.blobs), Secret: sample.KeySecret, SLA: 720 * time.Hour,
		Kinds: []compliance.Kind{e.Kind(), e.PackKind()}}
}

// ask creates a job in the name of the operator.
func (r *room) ask(c *compliance.Centre, of string, person ids.ID, arguments json.RawMessage) (compliance.Job, error) {
	var job compliance.Job
	err := r.store.Write(r.Context(), r.operator, func(tx *db.Tx) error {
		var err error
		job, err = c.Create(r.Context(), tx, compliance.Input{Type: of, SubjectID: person, Arguments: arguments})
		return err
	})
	return job, err
}

// done creates a job and brings it to its end.
func (r *room) done(c *compliance.Centre, of string, person ids.ID, arguments json.RawMessage) compliance.Job {
	r.Helper()
	job, err := r.ask(c, of, person, arguments)
	if err == nil {
		job, err = c.Work(r.Context(), r.operator.Tenant, job.ID, nil)
	}
	if err != nil {
		r.Fatal(err)
	}
	return job
}

// fetch reads a file of a job as somebody.
func (r *room) fetch(c *compliance.Centre, as db.Scope, job ids.ID, name string) ([]byte, error) {
	var file models.ComplianceArtifact
	err := r.store.Write(r.Context(), as, func(tx *db.Tx) error {
		var err error
		file, err = c.View(r.Context(), tx, job, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	content, err := c.Files.Open(r.Context(), as.Tenant, file, true)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	return io.ReadAll(content)
}

func TestAJobExports(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.operator.All = true
	c := r.centre()
	person, submission := r.takes(2)
	kept := sample.Evidence(t, r.store, r.operator, r.files, submission)
	job := r.done(c, compliance.DSARExport, person, nil)
	var said told
	err := json.Unmarshal(job.Result, &said)
	if err != nil {
		t.Fatal(err)
	}
	if job.Status != models.ComplianceCompleted || job.Partial || len(job.ArtifactRefs) != 1 || job.Counts["submission_items"] != 2 ||
		said.JobID != job.ID || said.SubjectID != person || said.RequestedBy != anOperator || said.ExportVersion != 1 {
		t.Errorf("got %+v, which says %+v", job, said)
	}
	packed, err := r.fetch(c, sample.As(r.operator, person), job.ID, ExportName)
	if err != nil {
		t.Fatalf("the person cannot have it: %v", err)
	}
	files := unpacked(t, packed)
	if string(files["files/"+kept.FileName()]) == "" {
		t.Error("the evidence is not in it")
	}
	_, err = r.fetch(c, sample.As(r.operator, ids.New(), capability.UsersManage), job.ID, ExportName)
	if !errors.Is(err, errs.NotFound) {
		t.Errorf("somebody else: %v, want not_found", err)
	}
	// The second export does not hold the traces of the first.
	again, err := r.fetch(c, r.operator, r.done(c, compliance.DSARExport, person, compliance.Arguments(Arguments{Force: true})).ID, ExportName)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range unpacked(t, again) {
		if !slices.Contains([]string{"receipt.json", "receipt.sig"}, name) && string(content) != string(files[name]) {
			t.Errorf("%s is another one in the second export", name)
		}
	}
}

// If many make a request at once, one gets an export; the others are told to wait.
func TestExportsCoolDown(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.operator.All = true
	c := r.centre()
	person, _ := r.takes(1)
	failures := make([]error, 4)
	var all sync.WaitGroup
	for i := range failures {
		all.Go(func() { _, failures[i] = r.ask(c, compliance.DSARExport, person, nil) })
	}
	all.Wait()
	refused := slices.DeleteFunc(failures, func(err error) bool { return err == nil })
	if len(refused) != 3 {
		t.Fatalf("%d of 4 were refused, want 3", len(refused))
	}
	for _, err := range refused {
		if after := errs.Of(err).RetryAfter; !errors.Is(err, errs.DSARCooldown) || after < 14*time.Minute || after > 15*time.Minute {
			t.Errorf("got %v, and to wait %s", err, after)
		}
	}
	_, err := r.ask(c, compliance.DSARExport, person, compliance.Arguments(Arguments{Force: true}))
	if err != nil {
		t.Errorf("by force: %v", err)
	}
	_, err = r.ask(c, compliance.DSARExport, ids.New(), nil)
	if !errors.Is(err, errs.NotFound) {
		t.Errorf("nobody: %v, want not_found", err)
	}
}

// A file that is lost is named, and keeps nothing else back.
func TestAnExportWithoutALostFileIsPartial(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.operator.All = true
	c := r.centre()
	person, submission := r.takes(1)
	kept := sample.Evidence(t, r.store, r.operator, r.files, submission)
	err := r.blobs.Delete(t.Context(), blob.Key{Tenant: r.operator.Tenant, Kind: blob.Evidence, SHA256: kept.SHA256})
	if err != nil {
		t.Fatal(err)
	}
	job := r.done(c, compliance.DSARExport, person, nil)
	if job.Status != models.ComplianceCompleted || !job.Partial {
		t.Errorf("got %s, partial %v", job.Status, job.Partial)
	}
	packed, err := r.fetch(c, r.operator, job.ID, ExportName)
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct{ Missing []string }
	err = json.Unmarshal(unpacked(t, packed)["manifest.json"], &manifest)
	if err != nil || !slices.Equal(manifest.Missing, []string{"files/" + kept.FileName()}) {
		t.Errorf("the manifest misses %v: %v", manifest.Missing, err)
	}
}

// A dry run counts what an export would hold, and leaves nothing behind.
func TestADryRunOfAnExportLeavesNothing(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.operator.All = true
	c := r.centre()
	person, _ := r.takes(2)
	var preview compliance.Job
	var jobs, keys int
	err := r.store.Write(t.Context(), r.operator, func(tx *db.Tx) error {
		var err error
		preview, err = c.Preview(t.Context(), tx, compliance.Input{Type: compliance.DSARExport, SubjectID: person})
		return err
	})
	if err == nil {
		err = r.store.Read(t.Context(), r.operator, func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), `select (select count(*) from compliance_jobs where tenant_id = $1), (select count(*) from trust_keys where tenant_id = $1)`, tx.Tenant()).Scan(&jobs, &keys)
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	if preview.Counts["submission_items"] != 2 || !preview.DryRun || jobs+keys != 0 {
		t.Errorf("got %+v; %d jobs and %d keys are there", preview, jobs, keys)
	}
}

// A pack has the newest export, policies, entries and proofs under one manifest, also where there was
// no export before; it is not for the person.
func TestAPackGathersEverything(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.operator.All = true
	c := r.centre()
	person, _ := r.takes(1)
	first := r.done(c, compliance.PrivacyPack, person, nil)
	export := r.done(c, compliance.DSARExport, person, nil)
	second := r.done(c, compliance.PrivacyPack, person, nil)
	for job, from := range map[ids.ID]ids.ID{first.ID: first.ID, second.ID: export.ID} {
		packed, err := r.fetch(c, r.operator, job, PackName)
		if err != nil {
			t.Fatal(err)
		}
		files := unpacked(t, packed)
		var manifest archive.Manifest
		err = json.Unmarshal(files["manifest.json"], &manifest)
		if err != nil {
			t.Fatal(err)
		}
		if len(manifest.Artifacts) != 1 || manifest.Artifacts[0].JobID != from || manifest.Artifacts[0].CreatedAt.IsZero() {
			t.Fatalf("the artifacts are %+v, want the export of %s", manifest.Artifacts, from)
		}
		of := manifest.Artifacts[0]
		if sum := sha256.Sum256(files[of.Name]); hex.EncodeToString(sum[:]) != of.SHA256 || unpacked(t, files[of.Name])["index.html"] == nil {
			t.Errorf("%s is not the export", of.Name)
		}
		for _, name := range []string{"policies.json", "ledger/entries.json", "data-map.md", "README.txt"} {
			if len(files[name]) == 0 {
				t.Errorf("%s is missing", name)
			}
		}
		// Nothing has been sequenced here, so each event waits for its proof.
		if manifest.Counts["entries"] == 0 || manifest.Counts["unproven"] == 0 {
			t.Errorf("counts %v", manifest.Counts)
		}
		_, err = r.fetch(c, sample.As(r.operator, person), job, PackName)
		if !errors.Is(err, errs.NotFound) {
			t.Errorf("the person: %v, want not_found", err)
		}
	}
}
