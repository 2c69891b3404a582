package evidence_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"assess/config"
	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/evidence"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// room is a tenant with a submission of a candidate, and people around it.
type room struct {
	t      *testing.T
	store  *db.Store
	blobs  *blob.Store
	files  *evidence.Files
	folder string

	operator, candidate, stranger, proctor, reviewer db.Scope
	submission, item                                 ids.ID
}

func newRoom(t *testing.T) *room {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "blob")
	r := roomOn(t, "file://"+folder)
	r.folder = folder
	return r
}

func roomOn(t *testing.T, address string) *room {
	t.Helper()
	return roomIn(t, sample.Store(t), address)
}

func roomIn(t *testing.T, store *db.Store, address string) *room {
	t.Helper()
	r := &room{t: t, store: store}
	var err error
	r.blobs, err = blob.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.blobs.Close() })
	r.files = evidence.NewFiles(r.store, r.blobs, config.Default().Blob)
	r.operator = sample.Tenant(t, r.store)
	r.write(r.operator, func(tx *db.Tx) error {
		r.candidate = sample.As(r.operator, sample.User(t, tx).ID, capability.SessionsTake)
		r.stranger = sample.As(r.operator, sample.User(t, tx).ID, capability.SessionsTake)
		r.proctor = sample.As(r.operator, sample.User(t, tx).ID, capability.EvidenceManage)
		r.reviewer = sample.As(r.operator, sample.User(t, tx).ID, capability.EvidenceRead, capability.SubmissionsReview, capability.ReportingView)
		return nil
	})
	r.submission, r.item = r.submit()
	return r
}

// submit makes a submission of the candidate's and gives one of its items.
func (r *room) submit() (ids.ID, ids.ID) {
	r.t.Helper()
	var submission, item ids.ID
	r.write(r.operator, func(tx *db.Tx) error {
		s := sample.Published(r.t, tx, authoring.Settings{}, sample.Choice("A"))
		desk, user := session.NewDesk(), r.candidate.Actor.ID
		open, err := desk.Start(r.t.Context(), tx, session.StartInput{EvaluationID: s.EvaluationID, UserID: &user})
		if err != nil {
			return err
		}
		done, err := desk.Submit(r.t.Context(), tx, session.SubmitInput{EvaluationID: s.EvaluationID, SessionID: open.ID})
		submission, item = done.SubmissionID, s.Sections[0].Items[0].ItemID
		return err
	})
	return submission, item
}

func (r *room) write(as db.Scope, fn func(*db.Tx) error) {
	r.t.Helper()
	sample.Write(r.t, r.store, as, fn)
}

// try runs an operation that may fail and gives its result.
func try[T any](r *room, as db.Scope, do func(*db.Tx) (T, error)) (T, error) {
	r.t.Helper()
	var got T
	err := r.store.Write(r.t.Context(), as, func(tx *db.Tx) error {
		var err error
		got, err = do(tx)
		return err
	})
	return got, err
}

// must is try for what has to succeed.
func must[T any](r *room, as db.Scope, do func(*db.Tx) (T, error)) T {
	r.t.Helper()
	got, err := try(r, as, do)
	if err != nil {
		r.t.Fatal(err)
	}
	return got
}

// keep is the first half of an upload.
func (r *room) keep(in evidence.AttachInput, content []byte) (evidence.Content, error) {
	file, err := blob.Receive(bytes.NewReader(content), r.files.Limit())
	if err != nil {
		return evidence.Content{}, err
	}
	defer file.Close()
	return r.files.Keep(r.t.Context(), r.proctor, in, file, "")
}

// attach is both halves.
func (r *room) attach(in evidence.AttachInput, content []byte) evidence.Evidence {
	r.t.Helper()
	kept, err := r.keep(in, content)
	if err != nil {
		r.t.Fatal(err)
	}
	return must(r, r.proctor, func(tx *db.Tx) (evidence.Evidence, error) { return evidence.Attach(r.t.Context(), tx, in, kept) })
}

// picture attaches a new picture to the submission.
func (r *room) picture() evidence.Evidence {
	r.t.Helper()
	return r.attach(evidence.AttachInput{SubmissionID: r.submission, Kind: "photo"}, sample.PNG(8, 8))
}

func (r *room) get(id ids.ID) evidence.Evidence {
	r.t.Helper()
	return must(r, r.reviewer, func(tx *db.Tx) (evidence.Evidence, error) { return evidence.Get(r.t.Context(), tx, id) })
}

func (r *room) void(id ids.ID) (evidence.Evidence, error) {
	return try(r, r.proctor, func(tx *db.Tx) (evidence.Evidence, error) {
		return evidence.Void(r.t.Context(), tx, evidence.VoidInput{ID: id, Reason: "the wrong person"})
	})
}

// verify is a check as the interface does it.
func (r *room) verify(id ids.ID) (evidence.Evidence, error) {
	found, err := r.files.Check(r.t.Context(), r.reviewer, id)
	if err != nil {
		return evidence.Evidence{}, err
	}
	all, err := try(r, r.reviewer, func(tx *db.Tx) ([]evidence.Evidence, error) {
		return evidence.RecordChecks(r.t.Context(), tx, found)
	})
	if err != nil {
		return evidence.Evidence{}, err
	}
	return all[0], nil
}

// path is where the file of evidence lies.
func (r *room) path(sha256 string) string {
	return filepath.Join(r.folder, blob.Key{Tenant: r.operator.Tenant, Kind: blob.Evidence, SHA256: sha256}.String())
}

// flip turns one bit of a stored file.
func (r *room) flip(sha256 string) {
	r.t.Helper()
	content, err := os.ReadFile(r.path(sha256))
	if err != nil {
		r.t.Fatal(err)
	}
	content[len(content)/2] ^= 1
	err = os.WriteFile(r.path(sha256), content, 0o600)
	if err != nil {
		r.t.Fatal(err)
	}
}

// logged is an event of the ledger.
type logged struct {
	Type, Actor string
	Payload     map[string]any
}

// events gives what the ledger says of a subject, in order.
func (r *room) events(subject ids.ID) []logged {
	r.t.Helper()
	var all []logged
	r.write(r.operator, func(tx *db.Tx) error {
		all = nil
		rows, err := tx.Query(r.t.Context(), `select event_type, actor, payload::text from ledger_events
			where tenant_id = $1 and subject_id = $2 order by seq`, tx.Tenant(), subject)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var one logged
			var payload string
			err := rows.Scan(&one.Type, &one.Actor, &payload)
			if err == nil {
				err = json.Unmarshal([]byte(payload), &one.Payload)
			}
			if err != nil {
				return err
			}
			all = append(all, one)
		}
		return rows.Err()
	})
	return all
}

func types(all []logged) []string {
	var names []string
	for _, e := range all {
		names = append(names, e.Type)
	}
	return names
}

func wantCode(t *testing.T, err error, code errs.Code) {
	t.Helper()
	if (code == "" && err != nil) || (code != "" && !errors.Is(err, code)) {
		t.Errorf("got error %v, want %q", err, code)
	}
}

// wantField expects validation_failed with one field.
func wantField(t *testing.T, err error, path, code string) {
	t.Helper()
	if !errors.Is(err, errs.ValidationFailed) || len(errs.Of(err).Fields) != 1 {
		t.Errorf("got error %v, want %s %s", err, path, code)
		return
	}
	if f := errs.Of(err).Fields[0]; f.Path != path || f.Code != code {
		t.Errorf("got field %s %s, want %s %s", f.Path, f.Code, path, code)
	}
}
