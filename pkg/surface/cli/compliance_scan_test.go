package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assess/pkg/trust/residue"
)

func (d *desk) scanned(line string) (residue.Receipt, int) {
	d.t.Helper()
	got := d.run("compliance scan -o json --tenant northwind " + line)
	var r residue.Receipt
	err := json.Unmarshal(got.out.Bytes(), &r)
	if err != nil {
		d.t.Fatalf("compliance scan %s: %v in %q, stderr %q", line, err, &got.out, &got.err)
	}
	return r, got.exit
}

func TestComplianceScan(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create north --name 'North campus' --tenant northwind")
	d.must("user create mara.quist@example.org --name 'Mara Quist' --tenant northwind --org north")
	d.must("role create Tutor --description 'stands in for Mara Quist' --capabilities users.read --tenant northwind --org north")
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	proof := filepath.Join(dir, "proof")
	r, exit := d.scanned("--subject mara.quist@example.org --receipt " + proof)
	if exit != exitFailed || r.Report.Residue == 0 || r.Report.Rows == 0 {
		t.Errorf("exit %d, %+v", exit, r.Report)
	}
	if text, err := os.ReadFile(filepath.Join(proof, "receipt.json")); err != nil || strings.Contains(string(text), "Quist") {
		t.Errorf("the receipt: %s, %v", text, err)
	}
	r, exit = d.scanned("--identifiers " + file("words.txt", "name: Mara Quist\n"))
	if exit != exitDone || r.Report.Allowed == 0 {
		t.Errorf("somebody has this name: exit %d, %+v", exit, r.Report)
	}
	r, exit = d.scanned("--identifiers " + file("nobody.txt", "name: Nils Holm\nemail: nils@example.org\n"))
	if exit != exitDone || r.Report.Residue != 0 || r.Report.Columns == 0 {
		t.Errorf("nobody: exit %d, %+v", exit, r.Report)
	}
	for line, want := range map[string]int{
		"":                             exitUsage,
		"--subject nobody@example.org": exitNotFound,
		"--subject nonsense":           exitUsage,
		"--identifiers " + filepath.Join(dir, "none"):                                     exitUsage,
		"--identifiers " + file("short.txt", "xyz"):                                       exitUsage,
		"--identifiers " + file("empty.txt", "\n"):                                        exitUsage,
		"--subject mara.quist@example.org --receipt " + proof:                             exitUsage,
		"--identifiers " + file("a.txt", "Nils Holm") + " --receipt " + file("b.txt", ""): exitUsage,
	} {
		if got := d.run("compliance scan --tenant northwind " + line); got.exit != want || strings.Contains(got.err.String(), "xyz") {
			t.Errorf("compliance scan %s: exit %d, want %d, %s", line, got.exit, want, &got.err)
		}
	}
}
