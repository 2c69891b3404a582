package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clipperhouse/displaywidth"
	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"

	"assess/pkg/dev/golden"
)

type badge struct {
	Status  string   `json:"status"`
	Reasons []string `json:"topReasons"`
}

type option struct {
	ID  string   `json:"id"`
	Pct *float64 `json:"pct"`
}

type row struct {
	ID       string           `json:"questionVersionId"`
	Badge    badge            `json:"healthBadge"`
	Attempts int              `json:"attempts"`
	Facility *float64         `json:"facilityPct"`
	Counts   map[string]int64 `json:"statusCounts"`
	Options  []option         `json:"options"`
	Last     *badge           `json:"last"`
	Computed time.Time        `json:"computedAt"`
	Label    string           `json:"outcome_label,omitempty"`
	hidden   string
}

type listed struct {
	Items []row `json:"items"`
	Total int   `json:"total"`
}

func rows() []row {
	half := 0.5
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	return []row{
		{ID: "q-1", Badge: badge{"HEALTHY", []string{}}, Attempts: 120, Facility: &half, Computed: at,
			Counts: map[string]int64{"SCORED": 118, "EXEMPT": 2}, Options: []option{{"A", &half}, {"B", nil}}},
		{ID: "q-2", Badge: badge{"NEEDS_ATTENTION", []string{"TOO_HARD", "HIGH_OMIT"}}, Attempts: 9, Computed: at,
			Counts: map[string]int64{"PENDING": 9}, Last: &badge{Status: "yes"}, Label: "a, \"quoted\" <label>\nof two lines", hidden: "x"},
	}
}

func outlineColumns() []Column[row] {
	return []Column[row]{
		{Header: "Question", Cell: func(r row) string { return r.ID }},
		{Header: "Attempts", Cell: func(r row) string { return strings.Repeat("1", r.Attempts/40+1) }, Align: Right},
		{Header: "Health", Cell: func(r row) string { return r.Badge.Status }, Colour: func(r row) Colour {
			if r.Badge.Status == "HEALTHY" {
				return Good
			}
			return Bad
		}},
		{Header: "Why", Cell: func(r row) string { return strings.Join(r.Badge.Reasons, ", ") }},
		{Header: "Label", Cell: func(r row) string { return r.Label }},
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	for _, format := range []Format{FormatTable, FormatJSON, FormatCSV, FormatYAML} {
		for name, print := range map[string]func(*Shell) error{
			"list":  func(s *Shell) error { return Print(s, rows(), outlineColumns()...) },
			"page":  func(s *Shell) error { return PrintPage(s, listed{rows(), 2}, rows(), outlineColumns()...) },
			"one":   func(s *Shell) error { return PrintOne(s, rows()[1]) },
			"empty": func(s *Shell) error { return Print[row](s, nil) },
		} {
			t.Run(name+" "+string(format), func(t *testing.T) {
				t.Parallel()
				s, c := piped(format)
				err := print(s)
				if err != nil {
					t.Fatal(err)
				}
				golden.Check(t, c.out.Bytes(), "testdata/output/"+name+"."+string(format))
			})
		}
	}
}

func TestColoursAndASCII(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	err := Table(&Screen{Writer: &out, Colour: true, Width: 50}, rows(), outlineColumns()...)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, out.Bytes(), "testdata/output/colour.table")
}

func TestCellsKeepTheirBlanks(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	err := Table(&Screen{Writer: &out}, []string{"top", "  below", "▁  █"},
		Column[string]{Header: "Tree", Cell: func(s string) string { return s }})
	if err != nil {
		t.Fatal(err)
	}
	if want := "Tree\n---------\ntop\n  below\n▁  █\n"; out.String() != want {
		t.Errorf("got\n%swant\n%s", &out, want)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestAFailedWriteIsAnError(t *testing.T) {
	t.Parallel()
	for _, format := range []Format{FormatTable, FormatJSON, FormatCSV, FormatYAML} {
		s, _ := piped(format)
		s.Screen.Writer = full{}
		if Print(s, rows(), outlineColumns()...) == nil || PrintOne(s, rows()[0]) == nil {
			t.Errorf("%s: the full disk went unnoticed", format)
		}
	}
}

// anything draws a value of the kinds that JSON has.
func anything(depth int) *rapid.Generator[any] {
	scalars := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.String().AsAny(),
		rapid.Float64Range(-1e9, 1e9).AsAny(), rapid.Int32().AsAny(),
		rapid.StringOf(rapid.SampledFrom([]rune(" \n\t\rab:#-'\"é|\u0085"))).AsAny(),
		rapid.SampledFrom([]string{"yes", "null", "1e3", "0x1f", "2030-01-01", "~", "- a", "a: b", " x ", "\n", "# no", "!t", "é\u2028"}).AsAny(),
	}
	if depth == 0 {
		return rapid.OneOf(scalars...)
	}
	deeper := rapid.Deferred(func() *rapid.Generator[any] { return anything(depth - 1) })
	return rapid.OneOf(append(scalars, rapid.SliceOfN(deeper, 0, 4).AsAny(), rapid.MapOfN(rapid.String(), deeper, 0, 4).AsAny())...)
}

func TestYAMLSaysWhatJSONSays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := anything(3).Draw(t, "value")
		var asJSON, asYAML bytes.Buffer
		err := errors.Join(writeJSON(&Screen{Writer: &asJSON}, value), writeYAML(&Screen{Writer: &asYAML}, value))
		if err != nil {
			t.Fatal(err)
		}
		var fromJSON, fromYAML any
		err = errors.Join(json.Unmarshal(asJSON.Bytes(), &fromJSON), yaml.Unmarshal(asYAML.Bytes(), &fromYAML))
		if err != nil {
			t.Fatalf("%v\n%s", err, &asYAML)
		}
		again, err := json.Marshal(fromYAML)
		if err != nil {
			t.Fatal(err)
		}
		var got any
		err = json.Unmarshal(again, &got)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(fromJSON, got); diff != "" {
			t.Fatalf("(-JSON +YAML):\n%s\n%s", diff, &asYAML)
		}
	})
}

// A script that reads a column by its name must find it for all data.
func TestCSVHeaderDoesNotDependOnTheData(t *testing.T) {
	t.Parallel()
	want := []string{"questionVersionId", "healthBadge.status", "healthBadge.topReasons", "attempts", "facilityPct",
		"statusCounts", "options", "last.status", "last.topReasons", "computedAt", "outcome_label"}
	for _, list := range [][]row{nil, {{}}, {{Label: "x", Last: &badge{}, Options: []option{{}}}}} {
		s, c := piped(FormatCSV)
		err := Print(s, list)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(c.out.String(), "\ufeff"))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, lines[0]); diff != "" {
			t.Errorf("header (-want +got):\n%s", diff)
		}
	}
}

func TestATableFitsTheScreen(t *testing.T) {
	t.Parallel()
	word := rapid.StringOfN(rapid.SampledFrom([]rune("abc é日\x1b\t")), 0, 60, -1)
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.SliceOfN(word, 4, 4), 1, 5).Draw(t, "rows")
		width := rapid.IntRange(60, 200).Draw(t, "width")
		var cols []Column[[]string]
		for i, header := range []string{"One", "Two", "Three", "Four"} {
			cols = append(cols, Column[[]string]{Header: header, Cell: func(r []string) string { return r[i] }})
		}
		var out bytes.Buffer
		err := Table(&Screen{Writer: &out, Width: width, Unicode: true}, list, cols...)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if got := displaywidth.String(strings.TrimSpace(line)); got > width || strings.ContainsAny(line, "\x1b\t") {
				t.Fatalf("line of %d outlineColumns, want at most %d and no controls: %q", got, width, line)
			}
		}
		if kept := letters(out.String()); !slices.Equal(kept, letters("OneTwoThreeFour"+strings.Join(slices.Concat(list...), ""))) {
			t.Fatalf("the table lost or made letters:\n%s", &out)
		}
	})
}

func letters(s string) []rune {
	out := []rune(strings.Map(func(r rune) rune {
		if strings.ContainsRune(" ─\n\t\x1b", r) {
			return -1
		}
		return r
	}, s))
	slices.Sort(out)
	return out
}
