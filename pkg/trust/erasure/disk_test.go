package erasure

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/trust/translog"
)

// filesWith gives the files below a folder that hold a text.
func filesWith(t *testing.T, dir, text string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if err == nil && bytes.Contains(content, []byte(text)) {
			all = append(all, strings.TrimPrefix(path, dir))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The steps of docs/compliance.md for the operator after a forget job take every byte of the person from the disk: from
// the tables and their indexes, from the statistics and from the write-ahead log.
func TestTheRemedyClearsTheDisk(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	dir, urls := dbtest.OwnServer(t, map[string]string{"wal_recycle": "off"})
	o := newOfficeIn(t, urls)
	ada := o.newPerson("Ada")
	o.closeMatters(ada)
	o.project()
	log := &translog.Service{Store: o.store, Secret: sample.KeySecret, Origin: "assess.example.org"}
	if _, err := log.Sequence(t.Context(), o.operator.Tenant); err != nil {
		t.Fatal(err)
	}
	exec := func(statement string) {
		t.Helper()
		if _, err := o.super.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	exec("analyze")
	exec("checkpoint")
	if len(filesWith(t, dir, ada.word)) < 3 {
		t.Fatal("before, the files hold nothing")
	}
	done := o.forget(ada)
	var receipt Receipt
	if err := json.Unmarshal(o.read(ada, receiptFile), &receipt); err != nil || done.Partial {
		t.Fatalf("%+v, %v", done, err)
	}
	exec(receipt.Remedy)
	exec("checkpoint")
	exec("select pg_switch_wal()")
	exec("checkpoint")
	if left := filesWith(t, dir, ada.word); len(left) > 0 {
		t.Errorf("the person's name is in %v", left)
	}
}
