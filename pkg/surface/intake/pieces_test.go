package intake_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/surface/intake"
)

// inPieces commits users as the command line does, and is interrupted at the piece after so
// many.
func (b bench) inPieces(in intake.Input, pieces int) (intake.Commit, error) {
	read := func(fn func(*db.Tx) error) error { return b.store.Read(b.Context(), b.scope, fn) }
	write := func(fn func(*db.Tx) error) error {
		return b.store.Write(b.Context(), b.scope, func(tx *db.Tx) error {
			err := fn(tx)
			if pieces--; err == nil && pieces < 0 {
				return context.Canceled
			}
			return err
		})
	}
	return intake.CommitUsersInPieces(b.Context(), read, write, in)
}

// No matter what interrupts an import of users, the written pieces stay, each with its
// event, and the same file again goes on from there.
func TestAnInterruptedImportGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var file strings.Builder
	file.WriteString("email,name\n")
	for i := range 3500 {
		fmt.Fprintf(&file, "p%d@x.example,P %d\n", i, i)
	}
	in := intake.Input{Data: []byte(file.String())}
	done, err := b.inPieces(in, 2)
	if err == nil || done.Created != 2000 || b.count("users") != 2000 {
		t.Fatalf("interrupted: %s, %d users, error %v; want 2000 created", counts(done), b.count("users"), err)
	}
	done, err = b.inPieces(in, 10)
	want(t, err, "")
	if got, wanted := counts(done), "total 3500 created 1500 changed 0 unchanged 2000 skipped 0 published 0"; got != wanted || b.count("users") != 3500 {
		t.Errorf("again: %s, %d users; want %s", got, b.count("users"), wanted)
	}
	if n := b.number("select count(*) from ledger_events where tenant_id = $1 and event_type = 'users.imported'"); n != 4 {
		t.Errorf("%d events of imports, want one for each piece that wrote", n)
	}
}

func TestPiecesWriteNothingUnlessEveryRowIsValid(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var file strings.Builder
	file.WriteString("email\n")
	for i := range 1500 {
		fmt.Fprintf(&file, "p%d@x.example\n", i)
	}
	file.WriteString("nobody\n")
	in := intake.Input{Data: []byte(file.String())}
	_, err := b.inPieces(in, 10)
	want(t, err, errs.ImportInvalid)
	if n := b.count("users"); n != 0 {
		t.Errorf("a refused file left %d users", n)
	}
	in.SkipInvalid = true
	done, err := b.inPieces(in, 10)
	want(t, err, "")
	if got, wanted := counts(done), "total 1501 created 1500 changed 0 unchanged 0 skipped 1 published 0"; got != wanted || done.ErrorCount != 1 {
		t.Errorf("%s with %d errors, want %s", got, done.ErrorCount, wanted)
	}
}
