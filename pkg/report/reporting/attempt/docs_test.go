package attempt

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/ids"
)

// docs/reporting.md has every field of the report and no other.
func TestDocumentsListEveryField(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "reporting.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(page), "\n## Session attempt report\n")
	if !found {
		t.Fatal("docs/reporting.md has no section for the report")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	section, _, _ = strings.Cut(section, "\n| flag |")
	var listed []string
	for line := range strings.Lines(section) {
		if strings.HasPrefix(line, "| `") {
			for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(strings.Split(line, "|")[1], -1) {
				listed = append(listed, name[1])
			}
		}
	}
	fields := fieldsOf("", reflect.TypeFor[Report]())
	slices.Sort(listed)
	slices.Sort(fields)
	if diff := cmp.Diff(slices.Compact(fields), listed); diff != "" {
		t.Errorf("docs/reporting.md (-code +page):\n%s", diff)
	}
}

// Every column of the export is in its table, in the order of the file, and says which field of the
// report it comes from.
func TestDocumentsListEveryColumn(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "reporting.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(page), "\n## CSV of the session attempt report\n")
	if !found {
		t.Fatal("docs/reporting.md has no section for the export")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	known := fieldsOf("", reflect.TypeFor[Report]())
	var listed, columns []string
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || !strings.HasPrefix(cells[1], " `") {
			continue
		}
		listed = append(listed, strings.Trim(cells[1], " `"))
		of := strings.TrimRight(strings.Fields(cells[2])[0], ",;")
		if !slices.Contains(known, of) {
			t.Errorf("%s is said to be %s, which is no field of the report", listed[len(listed)-1], of)
		}
	}
	for _, f := range fields {
		columns = append(columns, f.name)
	}
	if diff := cmp.Diff(columns, listed); diff != "" {
		t.Errorf("docs/reporting.md (-code +page):\n%s", diff)
	}
}

// leaves are types that are shown as one value.
var leaves = []reflect.Type{reflect.TypeFor[time.Time](), reflect.TypeFor[ids.ID](), reflect.TypeFor[authoring.Snapshot]()}

// fieldsOf lists the fields by their JSON names; the fields of Figures as "*.".
func fieldsOf(path string, of reflect.Type) []string {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Struct && !slices.Contains(leaves, of.Elem()) {
		return fieldsOf(path+"[]", of.Elem())
	}
	if of.Kind() != reflect.Struct || slices.Contains(leaves, of) {
		return []string{path}
	}
	var fields []string
	for i := range of.NumField() {
		f := of.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Type == reflect.TypeFor[Figures]():
			fields = append(fields, fieldsOf("*", f.Type)...)
		case f.Anonymous:
			fields = append(fields, fieldsOf(path, f.Type)...)
		case f.IsExported():
			fields = append(fields, fieldsOf(strings.TrimPrefix(path+"."+name, "."), f.Type)...)
		}
	}
	return fields
}
