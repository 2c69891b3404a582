package dsar

import (
	"archive/zip"
	"bytes"
	"crypto/ed25519"
	"io"
	"testing"

	"assess/config"
	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/evidence"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/trust/signer"
)

var private = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))

func sign(message []byte) (signer.Signature, error) {
	return signer.Signature{PublicKey: private.Public().(ed25519.PublicKey), Bytes: ed25519.Sign(private, message)}, nil
}

// room is a tenant with files, in a database of its own.
type room struct {
	*testing.T
	urls     dbtest.URLs
	store    *db.Store
	operator db.Scope
	desk     *session.Desk
	blobs    *blob.Store
	files    *evidence.Files
	sources  []source
}

func newRoom(t *testing.T) *room {
	t.Helper()
	r := &room{T: t, urls: dbtest.Fresh(t), desk: session.NewDesk(), sources: sources}
	r.store = dbtest.Open(t, db.Options{URL: r.urls.App})
	r.operator = sample.Tenant(t, r.store)
	var err error
	r.blobs, err = blob.Open(t.Context(), "file://"+t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.blobs.Close() })
	r.files = evidence.NewFiles(r.store, r.blobs, config.Default().Blob)
	return r
}

// takes has a new person take an exam of n questions, and gives both.
func (r *room) takes(n int) (person, submission ids.ID) {
	r.Helper()
	var snapshot authoring.Snapshot
	sample.Write(r.T, r.store, r.operator, func(tx *db.Tx) error {
		person = sample.User(r.T, tx, "candidate").ID
		var keys []scoring.Key
		for range n {
			keys = append(keys, sample.Choice("A"))
		}
		snapshot = sample.Published(r.T, tx, authoring.Settings{}, keys...)
		return nil
	})
	sample.Write(r.T, r.store, sample.As(r.operator, person, capability.SessionsTake), func(tx *db.Tx) error {
		submission = sample.Submission(r.T, tx, r.desk, snapshot, `{"optionIds":["A"]}`, `{"optionIds":["B"]}`).SubmissionID
		return nil
	})
	return person, submission
}

// unpacked gives the files of an archive.
func unpacked(t *testing.T, packed []byte) map[string][]byte {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, f := range r.File {
		content, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name], err = io.ReadAll(content)
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// The page has an explanation for each domain.
func TestEachDomainIsExplained(t *testing.T) {
	t.Parallel()
	for _, s := range sources {
		if abouts[s.domain] == "" {
			t.Errorf("nothing says what %s is", s.domain)
		}
	}
}
