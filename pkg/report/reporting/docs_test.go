package reporting_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/kernel/ids"
	"assess/pkg/report/reporting"
)

// documented are the sections of docs/reporting.md with a table of fields, and the type that each
// is about. A type is spelt out where it first occurs; later it is one row.
var documented = []struct {
	heading string
	value   any
}{
	{"What there are reports about", reporting.ReportedEvaluations{}},
	{"Evaluation summary", reporting.EvaluationSummary{}},
	{"Groups", reporting.GroupSummaries{}},
	{"Cohorts", reporting.CohortSummaries{}},
}

// Every field of a report is in its table, and every row of the table is a field.
func TestEveryFieldIsDocumented(t *testing.T) {
	t.Parallel()
	seen := map[reflect.Type]bool{}
	for _, d := range documented {
		t.Run(d.heading, func(t *testing.T) {
			want := fields(reflect.TypeOf(d.value), "", seen)
			if diff := cmp.Diff(want, rows(t, d.heading)); diff != "" {
				t.Errorf("docs/reporting.md, section %s (-fields +rows):\n%s", d.heading, diff)
			}
		})
	}
}

// TestEveryColumnIsDocumented checks the columns of the CSV files against the same page.
func TestEveryColumnIsDocumented(t *testing.T) {
	t.Parallel()
	want := append([]string{"groupLabel", "run_label_shown"}, reporting.SummaryColumns()...)
	if diff := cmp.Diff(want, rows(t, "CSV of the summary")); diff != "" {
		t.Errorf("docs/reporting.md (-columns +rows):\n%s", diff)
	}
}

var atoms = map[reflect.Type]bool{reflect.TypeFor[time.Time](): true, reflect.TypeFor[ids.ID](): true}

func fields(of reflect.Type, path string, seen map[reflect.Type]bool) []string {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		if of.Kind() == reflect.Slice {
			path += "[]"
		}
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || atoms[of] || seen[of] {
		return []string{path}
	}
	var all []string
	for i := range of.NumField() {
		f := of.Field(i)
		if f.Anonymous {
			all = append(all, embedded(f.Type, path, seen)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		all = append(all, fields(f.Type, strings.TrimPrefix(path+"."+name, "."), seen)...)
	}
	seen[of] = true
	return all
}

// embedded gives the fields of a part that JSON does not show; they are always spelt out.
func embedded(of reflect.Type, path string, seen map[reflect.Type]bool) []string {
	was := seen[of]
	delete(seen, of)
	all := fields(of, path, seen)
	seen[of] = was
	return all
}

var firstCell = regexp.MustCompile("^\\| `([^`]+)` \\|")

// rows gives the first cells of the table under a heading.
func rows(t *testing.T, heading string) []string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/reporting.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, found := strings.Cut(string(text), "\n## "+heading+"\n")
	if !found {
		t.Fatalf("docs/reporting.md has no section %s", heading)
	}
	part, _, _ = strings.Cut(part, "\n## ")
	var all []string
	for line := range strings.Lines(part) {
		if m := firstCell.FindStringSubmatch(line); m != nil {
			all = append(all, m[1])
		}
	}
	return all
}
