package intake_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/surface/intake"
)

// bench is a tenant to import into.
type bench struct {
	*testing.T
	store *db.Store
	scope db.Scope
}

func newBench(t *testing.T) bench {
	t.Helper()
	store := sample.Store(t)
	return bench{t, store, sample.Tenant(t, store)}
}

func (b bench) as(holds ...capability.Capability) bench {
	b.scope = sample.As(b.scope, ids.New(), holds...)
	return b
}

type (
	previewer func(context.Context, *db.Tx, intake.Input) (intake.Preview, error)
	committer func(context.Context, *db.Tx, intake.Input) (intake.Commit, error)
)

// preview runs as the surfaces do it: in a dry run.
func (b bench) preview(do previewer, in intake.Input) (intake.Preview, error) {
	b.Helper()
	var p intake.Preview
	err := b.store.DryRun(b.Context(), b.scope, func(tx *db.Tx) error {
		var err error
		p, err = do(b.Context(), tx, in)
		return err
	})
	return p, err
}

func (b bench) commit(do committer, in intake.Input) (intake.Commit, error) {
	b.Helper()
	var c intake.Commit
	err := b.store.Write(b.Context(), b.scope, func(tx *db.Tx) error {
		var err error
		c, err = do(b.Context(), tx, in)
		return err
	})
	return c, err
}

// must commits a file without problems.
func (b bench) must(do committer, csv string) intake.Commit {
	b.Helper()
	c, err := b.commit(do, intake.Input{Data: []byte(csv), CreateTerms: true})
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// counts of a commit in one line.
func counts(c intake.Commit) string {
	return fmt.Sprintf("total %d created %d changed %d unchanged %d skipped %d published %d",
		c.Total, c.Created, c.Changed, c.Unchanged, c.Skipped, c.Published)
}

// problems of a preview as "line:column:code".
func problems(p intake.Preview) []string {
	shown := []string{}
	for _, e := range p.Errors {
		shown = append(shown, fmt.Sprintf("%d:%s:%s", e.Line, e.Column, e.Code))
	}
	return shown
}

func want(t *testing.T, err error, code errs.Code) {
	t.Helper()
	if (code == "" && err != nil) || (code != "" && !errors.Is(err, code)) {
		t.Fatalf("error = %v, want %q", err, code)
	}
}

func (b bench) count(table string) int {
	b.Helper()
	var n int
	err := b.store.Read(b.Context(), b.scope, func(tx *db.Tx) error {
		return tx.NewSelect().Table(table).ColumnExpr("count(*)").Where("tenant_id = ?", tx.Tenant()).Scan(b.Context(), &n)
	})
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// testdataFolder finds a folder of the real data sets. Without it the test is skipped on a
// developer's machine and fails where CI is set.
func testdataFolder(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("ASSESS_TESTDATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "data")
	}
	dir = filepath.Join(dir, name)
	_, err := os.Stat(dir)
	if err != nil && os.Getenv("CI") != "" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skipf("no real data: set ASSESS_TESTDATA to the folder that holds %s", name)
	}
	return dir
}

// testdata reads a file of the question banks.
func testdata(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(testdataFolder(t, "bank"), name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
