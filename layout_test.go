package assess_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layout is the order of the house: a package imports only what stands before it.
// docs/design.md says what each room is for.
var layout = strings.Fields(`
	config models migrations
	pkg/errs pkg/ids pkg/capability pkg/plural
	pkg/pgdev pkg/pgdev/psql pkg/db pkg/ledger pkg/job pkg/blob pkg/shelf pkg/mail
	pkg/content pkg/scoring pkg/search
	pkg/people pkg/access pkg/taxonomy pkg/media pkg/policy
	pkg/authoring
	pkg/programme pkg/assignment
	pkg/submission pkg/delivery
	pkg/inventory
	pkg/review
	pkg/evidence
	pkg/correction
	pkg/projection pkg/reporting pkg/reporting/attempt
	pkg/intake
	pkg/httpapi/apidocs pkg/httpapi
	pkg/app
	pkg/demo pkg/demo/generate pkg/replay
	pkg/page
	pkg/cli
	pkg/golden pkg/dbtest pkg/sample pkg/apptest
	cmd/assessd cmd/assessctl bench
`)

// apart lists pairs that the order alone would allow.
var apart = []struct{ from, to, why string }{
	{"pkg/cli", "pkg/httpapi", "the surfaces do not know each other"},
	{"pkg/cli", "pkg/app", "assessctl works without a server"},
	{"pkg/replay", "pkg/db", "the replay is a client of the HTTP interface"},
	{"pkg/reporting", "pkg/delivery", "reports read reporting tables"},
	{"pkg/reporting", "pkg/authoring", "reports read reporting tables"},
	{"pkg/content", "pkg/db", "content documents are pure"},
	{"pkg/scoring", "pkg/db", "scoring is pure"},
	{"pkg/search", "pkg/db", "splitting text is pure"},
}

const module = "assess"

type goPackage struct {
	ImportPath string
	Imports    []string
}

func TestPackagesImportOnlyWhatStandsBeforeThem(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		from := strings.TrimPrefix(p.ImportPath, module+"/")
		place := slices.Index(layout, from)
		if place < 0 {
			t.Errorf("%s has no place in the layout", from)
			continue
		}
		for _, to := range ours(p.Imports) {
			if other := slices.Index(layout, to); other > place {
				t.Errorf("%s imports %s, which stands after it", from, to)
			}
			for _, a := range apart {
				if a.from == from && a.to == to {
					t.Errorf("%s imports %s: %s", from, to, a.why)
				}
			}
			if strings.HasPrefix(from, "cmd/") && to != "pkg/app" && to != "pkg/cli" {
				t.Errorf("%s imports %s: a main imports pkg/app or pkg/cli alone", from, to)
			}
		}
	}
}

func TestNoCommandOrServerImportsTestPackages(t *testing.T) {
	t.Parallel()
	forTests := []string{"pkg/golden", "pkg/dbtest", "pkg/sample", "pkg/apptest"}
	for _, p := range packages(t) {
		from := strings.TrimPrefix(p.ImportPath, module+"/")
		if slices.Contains(forTests, from) || from == "bench" {
			continue
		}
		for _, to := range ours(p.Imports) {
			if slices.Contains(forTests, to) {
				t.Errorf("%s imports %s, which is for tests", from, to)
			}
		}
	}
}

func ours(imports []string) []string {
	var out []string
	for _, i := range imports {
		if to, ok := strings.CutPrefix(i, module+"/"); ok {
			out = append(out, to)
		}
	}
	return out
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if p.ImportPath != module {
			all = append(all, p)
		}
	}
}
