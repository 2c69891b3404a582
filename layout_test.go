package assess_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// rooms is the order of the house: a package imports only packages listed before it, in its own room
// or in a room above. docs/design.md says what each is for, and so does the doc.go of each room.
var rooms = []struct{ name, packages string }{
	{"", "config models migrations"},
	{"pkg/kernel", `errs ids capability plural spelling build metric trace wire pgdev pgdev/psql cluster cluster/start db ledger job blob shelf mail sheet
		content scoring search outgoing capacity`},
	{"pkg/people", "people access idp policy hold"},
	{"pkg/author", "taxonomy media authoring exchange/bank exchange/markup exchange/gift exchange/aiken exchange/moodle exchange/qti exchange/table exchange pack skill"},
	{"pkg/exam", "seb programme assignment submission session inventory review evidence remediation lti"},
	{"pkg/trust", "readiness signer translog archive datamap compliance requests processing unlink restrict residue erasure dsar retention centre standing glassbox webhook"},
	{"pkg/report", "projection exception skills reporting reporting/attempt reportlink page"},
	{"pkg/surface", "op intake httpapi/apidocs httpapi app demo demo/generate replay cli"},
	{"pkg/dev", "await golden browser peer lms dbtest sample apptest"},
	{"", "cmd/assessd cmd/assessctl bench"},
}

// layout lists all packages in the order of the rooms; a room itself holds its doc.go and nothing else.
var layout = func() []string {
	var all []string
	for _, r := range rooms {
		if r.name != "" {
			all = append(all, r.name)
		}
		for _, p := range strings.Fields(r.packages) {
			all = append(all, path.Join(r.name, p))
		}
	}
	return all
}()

// apart lists pairs that the order by itself would allow.
var apart = []struct{ from, to, why string }{
	{"pkg/surface/cli", "pkg/surface/httpapi", "the surfaces do not know each other"},
	{"pkg/surface/cli", "pkg/surface/app", "assessctl works without a server"},
	{"pkg/surface/replay", "pkg/kernel/db", "the replay is a client of the HTTP interface"},
	{"pkg/report/reporting", "pkg/exam/session", "reports read reporting tables"},
	{"pkg/report/reporting", "pkg/author/authoring", "reports read reporting tables"},
	{"pkg/kernel/content", "pkg/kernel/db", "content documents are pure"},
	{"pkg/kernel/scoring", "pkg/kernel/db", "scoring is pure"},
	{"pkg/kernel/search", "pkg/kernel/db", "splitting text is pure"},
	{"pkg/kernel/spelling", "pkg/kernel/errs", "spelling is pure"},
	{"pkg/author/exchange", "pkg/kernel/db", "formats of question banks are pure"},
	{"pkg/author/exchange/bank", "pkg/kernel/db", "formats of question banks are pure"},
	{"pkg/kernel/outgoing", "pkg/kernel/db", "calls go out while no transaction is open"},
	{"pkg/exam/seb", "pkg/kernel/db", "settings of Safe Exam Browser are pure"},
	{"pkg/trust/readiness", "pkg/kernel/db", "readiness is pure"},
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
			if strings.HasPrefix(from, "cmd/") && to != "pkg/surface/app" && to != "pkg/surface/cli" {
				t.Errorf("%s imports %s: a main imports pkg/surface/app or pkg/surface/cli alone", from, to)
			}
		}
	}
}

func TestNoCommandOrServerImportsTestPackages(t *testing.T) {
	t.Parallel()
	forTests := []string{"pkg/dev/await", "pkg/dev/golden", "pkg/dev/browser", "pkg/dev/dbtest", "pkg/dev/sample", "pkg/dev/apptest"}
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

var statement = regexp.MustCompile("(?is)^[`\"]\\s*(select\\s|insert\\s+into\\s|update\\s+\\S+\\s+set\\s|delete\\s+from\\s|with\\s+\\S+\\s+as\\s)")

// The ways in ask the packages of the rooms above, which know the tables, the policies and the
// indexes.
func TestSurfacesHoldNoSQL(t *testing.T) {
	t.Parallel()
	builders := []string{"QueryRow", "NewSelect", "NewInsert", "NewUpdate", "NewDelete", "NewRaw"}
	err := filepath.WalkDir("pkg/surface", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		tree, err := parser.ParseFile(files, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			text, isText := n.(*ast.BasicLit)
			call, isCall := n.(*ast.SelectorExpr)
			if isText && statement.MatchString(text.Value) || isCall && slices.Contains(builders, call.Sel.Name) {
				t.Errorf("%s holds SQL, which belongs into a room above", files.Position(n.Pos()))
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
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

// All CSV for people is written by package sheet, which marks the file and tames cells that spreadsheets would compute. The
// data of the demonstration and of bench are for programs.
func TestCSVIsWrittenInOnePlace(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir("pkg", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		source, err := os.ReadFile(file)
		if strings.Contains(string(source), "csv.NewWriter(") && file != "pkg/kernel/sheet/sheet.go" && file != "pkg/surface/demo/table.go" {
			t.Errorf("%s writes CSV by itself: take sheet.NewWriter", file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// ownClients are files that call addresses from the command line or the settings of the operator, not ones that a user typed.
var ownClients = []string{"pkg/surface/replay/client.go", "pkg/surface/cli/doctor_mail.go", "pkg/surface/cli/remote.go"}

// callsOut finds code that makes a client or a connection by itself.
var callsOut = regexp.MustCompile(`\bhttp\.(Client\{|Get\(|Head\(|Post\(|PostForm\(|Transport\{|DefaultClient|DefaultTransport)|` +
	`\bnew\(http\.(Client|Transport)\)|\bnet\.(Dial\w*\(|Dialer\{)|\btls\.(Dial\w*\(|Dialer\{)`)

// Addresses that somebody typed are called by package outgoing, which checks where a name leads.
func TestCallsGoOutInOnePlace(t *testing.T) {
	t.Parallel()
	own := slices.Clone(ownClients)
	for _, root := range []string{"pkg", "cmd", "config"} {
		err := filepath.WalkDir(root, func(file string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") ||
				strings.HasPrefix(file, "pkg/dev/") || strings.HasPrefix(file, "pkg/kernel/outgoing/") {
				return err
			}
			source, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			found := callsOut.FindString(string(source))
			if i := slices.Index(own, file); i >= 0 {
				own = slices.Delete(own, i, i+1)
			} else if found != "" {
				t.Errorf("%s has %s: take outgoing.New", file, found)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range own {
		t.Errorf("%s is named among the files with a client of their own, and is no more", file)
	}
}
