package sample

import (
	"testing"

	"assess/pkg/exam/programme"
	"assess/pkg/kernel/db"
)

// Subject makes a subject of the transaction's org unit.
func Subject(t testing.TB, tx *db.Tx) programme.Subject {
	t.Helper()
	s, err := programme.CreateSubject(t.Context(), tx, programme.SubjectInput{ExternalID: word("s"), Name: "Sample subject"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
