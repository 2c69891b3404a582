package centre

import (
	"bytes"
	"context"
	"testing"

	"assess/config"
	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/evidence"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/policy"
	"assess/pkg/trust/compliance"
)

// shelved is a tenant with submissions that files belong to.
type shelved struct {
	*office
	files    *evidence.Files
	operator db.Scope
	exam     authoring.Snapshot
	person   ids.ID
}

func (o *office) newShelved(domain, action string) *shelved {
	o.Helper()
	s := &shelved{office: o, files: evidence.NewFiles(o.store, o.blobs, config.Default().Blob), operator: sample.Tenant(o.T, o.store)}
	s.operator.All = true
	sample.Write(o.T, o.store, s.operator, func(tx *db.Tx) error {
		_, err := policy.SetRetention(o.Context(), tx, policy.RetentionInput{Policies: []policy.Retention{{Domain: domain, Days: 30, Action: action}}})
		s.exam = sample.Published(o.T, tx, authoring.Settings{}, sample.Choice("A"))
		s.person = sample.User(o.T, tx, "candidate").ID
		return err
	})
	return s
}

func (s *shelved) submit() (submission ids.ID) {
	s.Helper()
	sample.Write(s.T, s.store, sample.As(s.operator, s.person, capability.SessionsTake), func(tx *db.Tx) error {
		submission = sample.Submission(s.T, tx, session.NewDesk(), s.exam, `{"optionIds":["A"]}`).SubmissionID
		return nil
	})
	return submission
}

// attach keeps a file about a submission, and records it unless the upload is still under way.
func (s *shelved) attach(submission ids.ID, text string, underWay bool) string {
	s.Helper()
	received, err := blob.Receive(bytes.NewReader([]byte(text)), 1<<20)
	if err != nil {
		s.Fatal(err)
	}
	defer received.Close() //nolint:errcheck // only read from
	in := evidence.AttachInput{SubmissionID: submission, Kind: "document"}
	content, err := s.files.Keep(s.Context(), s.operator, in, received, "text/plain")
	if err == nil && !underWay {
		sample.Write(s.T, s.store, s.operator, func(tx *db.Tx) error {
			_, err := evidence.Attach(s.Context(), tx, in, content)
			return err
		})
	}
	if err != nil {
		s.Fatal(err)
	}
	return content.SHA256
}

func (s *shelved) holds(hash string, exists func(ctx context.Context, tenant ids.ID, sha256 string) (bool, error)) bool {
	s.Helper()
	there, err := exists(s.Context(), s.operator.Tenant, hash)
	if err != nil {
		s.Fatal(err)
	}
	return there
}

// The files of records that a sweep erases are gone when the job is done. Files of other records, and of uploads that
// are under way, stay.
func TestFilesGoWithTheSweep(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	heap := dbtest.Heap(t, o.urls)
	for _, c := range []struct{ domain, action, age string }{
		{"submissions", "delete", "update submissions set retain_until = now() - interval '1 day' where tenant_id = $1 and id = $2"},
		{"evidence", "redact", "update evidence set created_at = now() - interval '40 days' where tenant_id = $1 and submission_id = $2"},
		{"evidence", "delete", "update evidence set created_at = now() - interval '40 days' where tenant_id = $1 and submission_id = $2"},
		{"exports", "redact", "update compliance_artifacts set created_at = now() - interval '40 days' where tenant_id = $1 and $2::uuid is not null"},
	} {
		s := o.newShelved(c.domain, c.action)
		old, young := s.submit(), s.submit()
		goes, shared, stays := s.attach(old, "old", false), s.attach(old, "of both", false), s.attach(young, "young", false)
		s.attach(young, "of both", false)
		export := o.ask(matter{operator: s.operator, person: s.person}, o.kind(compliance.DSARExport))
		export, err := o.Work(t.Context(), s.operator.Tenant, export.ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		made := export.ArtifactRefs[0].SHA256
		upload := s.attach(young, "under way", true)
		if _, err := heap.Exec(t.Context(), c.age, s.operator.Tenant, old); err != nil {
			t.Fatal(err)
		}
		sweep := o.ask(matter{operator: s.operator}, o.kind(compliance.RetentionSweep))
		done, err := o.Work(t.Context(), s.operator.Tenant, sweep.ID, nil)
		if err != nil || done.Status != models.ComplianceCompleted || done.Partial {
			t.Fatalf("%s, %s: %+v, %v", c.domain, c.action, done, err)
		}
		exports := c.domain == "exports"
		for what, got := range map[string]bool{
			"the old file stays":              s.holds(goes, s.files.Exists) == exports,
			"the file of both stays":          s.holds(shared, s.files.Exists),
			"the young file stays":            s.holds(stays, s.files.Exists),
			"the upload stays":                s.holds(upload, s.files.Exists),
			"the export stays as it ought to": s.holds(made, o.Files.Exists) != exports,
		} {
			if !got {
				t.Errorf("%s, %s: not so: %s", c.domain, c.action, what)
			}
		}
	}
}
