package erasure

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/config"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
	"assess/pkg/trust/datamap"
	"assess/pkg/trust/residue"
	"assess/pkg/trust/translog"
)

// dumped searches the rows of the whole database.
func (o *office) dumped(identifiers []residue.Identifier) []residue.Met {
	o.Helper()
	met, err := residue.InStream(o.Context(), dbtest.Dump(o, o.super), identifiers)
	if err != nil {
		o.Fatal(err)
	}
	return met
}

// exactly leaves out what only looks like an identifier: in a dump it counts in blocks without the identifier itself,
// and where a block ends is chance. So is the order.
func exactly(met []residue.Met) []string {
	var all []string
	for _, m := range met {
		if m.Form != residue.Alike {
			all = append(all, fmt.Sprint(m))
		}
	}
	slices.Sort(all)
	return all
}

// stored searches the files of the blob store and the mail folder, also in ZIP and PDF.
func (o *office) stored(identifiers []residue.Identifier) []residue.Met {
	o.Helper()
	var all []residue.Met
	for _, folder := range []string{o.folder, o.mail.Folder} {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			met, err := residue.InStream(o.Context(), bytes.NewReader(content), identifiers)
			all = append(all, met...)
			return err
		})
		if err != nil {
			o.Fatal(err)
		}
	}
	return all
}

// closeMatters has others write what they write at the end of a matter.
func (o *office) closeMatters(p *person) {
	o.Helper()
	void := o.attach(p.submission, "nothing of "+p.mark)
	var raised ids.ID
	err := o.super.QueryRow(o.Context(), "select id from submission_cases where submission_id = $1", p.submission).Scan(&raised)
	if err != nil {
		o.Fatal(err)
	}
	o.write(o.reviewer, func(tx *db.Tx) error {
		_, err := evidence.Void(o.Context(), tx, evidence.VoidInput{ID: void.ID, Reason: p.mark})
		return err
	})
	o.write(o.operator, func(tx *db.Tx) error {
		_, err := evidence.Reject(o.Context(), tx, evidence.Claims, evidence.DecideInput{ID: raised, Comment: p.mark})
		return err
	})
}

func (o *office) attachFile(p *person, content []byte) {
	o.Helper()
	received, err := blob.Receive(bytes.NewReader(content), 1<<20)
	if err != nil {
		o.Fatal(err)
	}
	defer received.Close() //nolint:errcheck // only read from
	in := evidence.AttachInput{SubmissionID: p.submission, Kind: "document"}
	every := config.Default().Blob
	every.EvidenceTypes = config.EvidenceTypes
	kept, err := evidence.NewFiles(o.store, o.blobs, every).Keep(o.Context(), o.reviewer, in, received, "")
	if err != nil {
		o.Fatal(err)
	}
	o.write(o.reviewer, func(tx *db.Tx) error {
		_, err := evidence.Attach(o.Context(), tx, in, kept)
		return err
	})
}

func inZIP(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	entry, err := w.Create("word/document.xml")
	if err == nil {
		_, err = entry.Write([]byte(text))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func inPDF(t *testing.T, text string) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, err := fmt.Fprintf(w, "BT (%s) Tj ET", text)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Appendf(nil, "%%PDF-1.7\n1 0 obj\n<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream\nendobj\n%%%%EOF\n",
		packed.Len(), packed.Bytes())
}

// unmarked gives the columns that forgetting erases and that hold no mark of the person: nothing shows that
// they are erased.
func (o *office) unmarked(p *person) []string {
	o.Helper()
	var all []string
	for _, table := range datamap.Tables {
		for _, column := range table.Columns {
			personal := column.Class == datamap.Identifier || column.Class == datamap.FreeText
			if table.Subject == "" || table.Row == datamap.Keep || !personal || column.Stays != "" {
				continue
			}
			var n int
			err := o.super.QueryRow(o.Context(), fmt.Sprintf("select count(*) from %s t where (%s) and position($3 in lower(t.%s::text)) > 0",
				table.Name, table.Subject, column.Name), o.operator.Tenant, p.ID, p.word).Scan(&n)
			if err != nil {
				o.Fatal(err)
			}
			if n == 0 {
				all = append(all, table.Name+"."+column.Name)
			}
		}
	}
	return all
}

// No dump of the database, no file and no message names the person, in any form; all else is as it was.
func TestNoByteOfAPersonStays(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ada, grace := o.newPerson("Ada"), o.newPerson("Grace")
	for _, p := range []*person{ada, grace} {
		o.attachFile(p, inZIP(t, "by "+p.mark))
		o.attachFile(p, inPDF(t, "by "+p.word))
		o.closeMatters(p)
		o.post(p)
	}
	o.project()
	log := &translog.Service{Store: o.store, Secret: sample.KeySecret, Origin: "assess.example.org"}
	if _, err := log.Sequence(t.Context(), o.operator.Tenant); err != nil {
		t.Fatal(err)
	}
	if left := o.unmarked(ada); len(left) > 0 {
		t.Errorf("no mark stands in %v", left)
	}
	// The word is the one text that is in all marks, and in nobody else's.
	of := func(p *person) []residue.Identifier {
		return append(residue.Of(p.User), residue.Identifier{Kind: residue.ExternalID, Value: p.word})
	}
	adas, graces, figures := of(ada), of(grace), o.figures(ada)
	before, beforeFiles := o.dumped(graces), o.stored(graces)
	if got := o.dumped(adas); len(got) < 4 || len(o.stored(adas)) < 3 {
		t.Fatalf("before: a dump holds %v, files hold %v", got, o.stored(adas))
	}

	done := o.forget(ada)
	if done.Partial {
		t.Errorf("the job is partial: %s", o.read(ada, residueFile))
	}
	// What the two share is no mark: "Mär'k" is in both names.
	marks := slices.DeleteFunc(slices.Clone(adas), func(i residue.Identifier) bool { return i.Kind == residue.NamePart })
	if got := o.dumped(marks); len(got) > 0 {
		t.Errorf("a dump holds %v", got)
	}
	if got := o.stored(marks); len(got) > 0 {
		t.Errorf("files hold %v", got)
	}
	if diff := cmp.Diff(exactly(before), exactly(o.dumped(graces))); diff != "" {
		t.Errorf("somebody else lost marks: %s", diff)
	}
	if diff := cmp.Diff(exactly(beforeFiles), exactly(o.stored(graces))); diff != "" {
		t.Errorf("somebody else lost files: %s", diff)
	}
	o.project()
	if diff := cmp.Diff(figures, o.figures(ada)); diff != "" {
		t.Errorf("figures changed: %s", diff)
	}
	o.sound(log)
}

// Somebody of the same name keeps it, and the receipt says by which rule it is still there.
func TestSomebodyElseMayHaveTheSameName(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ada := o.newPerson("Ada")
	o.write(o.operator, func(tx *db.Tx) error {
		_, err := people.CreateUser(t.Context(), tx, people.UserInput{Email: "namesake@example.org", Name: ada.Name})
		return err
	})
	done := o.forget(ada)
	var report residue.Report
	if err := json.Unmarshal(o.read(ada, residueFile), &report); err != nil {
		t.Fatal(err)
	}
	if done.Partial || !report.Clean() || report.Allowed == 0 {
		t.Errorf("partial %v, the search: %+v", done.Partial, report)
	}
	for _, f := range report.Findings {
		if f.Table != "users" || f.Verdict != residue.Allowed || f.Rule != residue.AnotherPerson {
			t.Errorf("found: %+v", f)
		}
	}
	if left := o.marks(ada.word); len(left) != 1 || left["users"] != 1 {
		t.Errorf("marks stand in %v, want the record of the namesake alone", left)
	}
}
