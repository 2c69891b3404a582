package sample

import (
	"bytes"
	"testing"

	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Evidence attaches a small picture to a submission that is committed.
func Evidence(t testing.TB, store *db.Store, scope db.Scope, files *evidence.Files, submission ids.ID) evidence.Evidence {
	t.Helper()
	received, err := blob.Receive(bytes.NewReader(PNG(8, 8)), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer received.Close() //nolint:errcheck // only read from
	in := evidence.AttachInput{SubmissionID: submission, Kind: "screenshot"}
	kept, err := files.Keep(t.Context(), scope, in, received, "image/png")
	if err != nil {
		t.Fatal(err)
	}
	var made evidence.Evidence
	Write(t, store, scope, func(tx *db.Tx) error {
		made, err = evidence.Attach(t.Context(), tx, in, kept)
		return err
	})
	return made
}

// Finding records a finding about a submission.
func Finding(t testing.TB, tx *db.Tx, submission ids.ID, shownBy ...ids.ID) evidence.Finding {
	t.Helper()
	f, err := evidence.Detect(t.Context(), tx, evidence.FindingInput{SubmissionID: submission, Code: "IDENTITY_MISMATCH",
		Severity: "major", EvidenceIDs: shownBy, Detail: "The face is another one."})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Case raises a claim or a dispute about a submission.
func Case(t testing.TB, tx *db.Tx, kind evidence.CaseKind, submission ids.ID, findings ...ids.ID) evidence.Case {
	t.Helper()
	c, err := evidence.Raise(t.Context(), tx, kind, evidence.RaiseInput{SubmissionID: submission, Statement: "It was not so.", FindingIDs: findings})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
