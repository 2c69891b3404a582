package exchange_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assess/pkg/author/exchange"
	"assess/pkg/author/exchange/bank"
	"assess/pkg/dev/golden"
)

// collections are public question banks, next to the repository.
const collections = "../../../../shared/data"

// collected are the collections of the page, by their folders.
var collected = []struct{ title, folder string }{
	{"GIFT: gift-pegjs and Moodle", "bank/raw/gift"},
	{"Moodle XML: ETH Zürich, Gapfill, R/exams, TU Berlin", "bank/raw/moodle_xml"},
	{"Moodle XML: TU Berlin, moodle-tools", "exchange/moodle_xml_dima"},
	{"QTI 1.2 and 2.1: R/exams", "bank/raw/qti"},
	{"QTI 1.2, 2.1 and 2.2: instructure/qti", "exchange/qti12_21_instructure"},
}

const page = "../../../docs/question-banks.md"

// tally counts the results for a collection.
type tally struct {
	files, items, whole, noticed, scoring, refused int
	broken                                         []string
}

func TestTableOfCollections(t *testing.T) {
	if _, err := os.Stat(collections); err != nil {
		t.Skip("no collections at " + collections)
	}
	var table, broken strings.Builder
	table.WriteString("| collection | files | items | whole | with a notice | scored otherwise | refused |\n|---|---|---|---|---|---|---|\n")
	for _, c := range collected {
		n := tried(t, filepath.Join(collections, c.folder))
		fmt.Fprintf(&table, "| %s | %d | %d | %d | %d | %d | %d |\n", c.title, n.files, n.items, n.whole, n.noticed, n.scoring, n.refused)
		for _, line := range n.broken {
			broken.WriteString("- " + line + "\n")
		}
	}
	golden.Part(t, table.String()+"\nRefused as broken, or not there:\n\n"+broken.String(), page)
}

// tried reads all files of a folder; one with a manifest is a package.
func tried(t *testing.T, root string) tally {
	t.Helper()
	var n tally
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		if d.IsDir() {
			if _, err := os.Stat(filepath.Join(path, "imsmanifest.xml")); err == nil {
				n.file(name, packed(t, path))
				return fs.SkipDir
			}
			return nil
		}
		data, err := os.ReadFile(path)
		n.file(name, data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func packed(t *testing.T, folder string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	err := z.AddFS(os.DirFS(folder))
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func (n *tally) file(name string, data []byte) {
	input := bytes.NewReader(data)
	f, err := exchange.Find(input)
	if err != nil {
		return
	}
	before := n.items
	err = f.Read(input, func(it *bank.Item) error {
		for _, p := range it.Problems {
			if p.Code == bank.Malformed || p.Code == bank.NotThere || p.Code == bank.UnknownFormat {
				n.broken = append(n.broken, "`"+name+"` "+p.Error())
			}
		}
		n.items++
		switch {
		case !it.Usable():
			n.refused++
		case it.Has(bank.Scoring):
			n.scoring++
		case len(it.Notices) > 0:
			n.noticed++
		default:
			n.whole++
		}
		return nil
	})
	var problem *bank.Problem
	if errors.As(err, &problem) {
		n.broken = append(n.broken, "`"+name+"` "+problem.Error())
	}
	if n.items > before || err != nil {
		n.files++
	}
}

// Each item of the collections comes back unchanged from each format that can hold it.
func TestRealBanksComeBackAsTheyWent(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(collections); err != nil {
		t.Skip("no collections at " + collections)
	}
	tried := 0
	err := filepath.WalkDir(collections, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		input := bytes.NewReader(data)
		f, unknown := exchange.Find(input)
		if err != nil || unknown != nil {
			return err
		}
		_ = f.Read(input, func(it *bank.Item) error { // broken files have their own test
			if it.Notices = nil; it.Usable() && it.Passage == "" && it.Kind != bank.Passage {
				tried += comesBack(t, path, it)
			}
			return nil
		})
		return nil
	})
	if err != nil || tried < 500 {
		t.Errorf("%d items came back, %v", tried, err)
	}
}

// comesBack counts the formats that an item comes back from; if something is lost, it may differ.
func comesBack(t *testing.T, path string, it *bank.Item) int {
	t.Helper()
	n := 0
	for _, to := range exchange.Formats {
		if !to.Reads() || !to.Writes() {
			continue
		}
		out := *it
		data := write(t, to, &out)
		if len(out.Notices)+len(out.Problems) > 0 {
			continue
		}
		n++
		back := readAs(t, to, data)
		if len(back) != 1 {
			t.Errorf("%s %s -> %s: %d items", path, it.ID, to.Name, len(back))
			continue
		}
		diff := cmp.Diff(*it, *back[0], cmpopts.IgnoreFields(bank.Item{}, "Line", "Path"), cmpopts.EquateEmpty(), cmpopts.EquateApprox(1e-6, 1e-6),
			cmpopts.SortSlices(func(a, b bank.File) bool { return a.Name < b.Name }))
		if diff != "" {
			t.Errorf("%s %s -> %s: %s", path, it.ID, to.Name, diff)
		}
	}
	return n
}

func TestThePageListsEachLoss(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range bank.Losses {
		row := fmt.Sprintf("| `%s` | %s | %s |\n", l.Code, l.Class, l.Text)
		if !strings.Contains(string(text), row) {
			t.Errorf("the page lacks: %s", row)
		}
	}
}
