package reporting

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/report/projection"
)

var anyHeading = regexp.MustCompile("\n##")

var quoted = regexp.MustCompile("`([^`]+)`")

// inTicks gives the words in backticks.
func inTicks(text string) []string {
	var all []string
	for _, m := range quoted.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

// healthTable gives the rows of the table under a heading of docs/question-health.md.
func healthTable(t *testing.T, heading string) [][]string {
	t.Helper()
	return pageTable(t, "question-health.md", heading)
}

// pageTable gives the rows of the table under a heading of a page.
func pageTable(t *testing.T, page, heading string) [][]string {
	t.Helper()
	raw, err := os.ReadFile("../../../docs/" + page)
	if err != nil {
		t.Fatal(err)
	}
	_, part, found := strings.Cut(string(raw), "\n"+heading+"\n")
	if !found {
		t.Fatalf("docs/%s has no section %s", page, heading)
	}
	part = anyHeading.Split(part, 2)[0]
	var all [][]string
	for line := range strings.Lines(part) {
		if strings.HasPrefix(line, "| `") {
			all = append(all, strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|"))
		}
	}
	return all
}

// Every field of question health is in the table, and every name in the table is a field: a row
// names a field, or a group of fields and behind it, in its definition, the fields of the group.
func TestThePageHasTheFieldsOfQuestionHealth(t *testing.T) {
	t.Parallel()
	var want, got []string
	owners := map[string]bool{}
	rows := healthTable(t, "## Fields")
	for _, row := range rows {
		for _, path := range inTicks(row[0]) {
			owners[path] = true
			got = append(got, path)
			for _, inner := range inTicks(row[1]) {
				got = append(got, path+": "+inner)
			}
		}
	}
	for _, path := range healthFields("", reflect.TypeFor[QuestionHealthDetail]()) {
		owner := path
		for owner != "" && !owners[owner] {
			owner = owner[:max(strings.LastIndex(owner, "."), 0)]
		}
		if owner == "" {
			t.Errorf("no row has the field %s", path)
			continue
		}
		want = append(want, owner)
		for inner := range strings.SplitSeq(strings.TrimPrefix(strings.TrimPrefix(path, owner), "."), ".") {
			if inner != "" {
				want = append(want, owner+": "+inner)
			}
		}
	}
	same(t, want, got)
	for _, path := range healthFields("", reflect.TypeFor[HealthRow]()) {
		if !slices.Contains(healthFields("", reflect.TypeFor[QuestionHealthDetail]()), path) {
			t.Errorf("the list has %s, and the page of one question does not", path)
		}
	}
}

// The table of flags has the flags of the code, and no others.
func TestThePageHasTheFlagsOfQuestionHealth(t *testing.T) {
	t.Parallel()
	var flags []string
	for _, row := range healthTable(t, "## Flags") {
		code := inTicks(row[0])[0]
		flags = append(flags, code)
		if said := strings.TrimSpace(row[len(row)-1]); said != projection.Called(code) {
			t.Errorf("%s is called %q in the page, and %q elsewhere", code, said, projection.Called(code))
		}
	}
	same(t, projection.FlagCodes(), flags)
}

// same compares without order and repetitions.
func same(t *testing.T, want, got []string) {
	t.Helper()
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(slices.Compact(want), slices.Compact(got)); diff != "" {
		t.Errorf("docs/question-health.md (-code +page):\n%s", diff)
	}
}

// healthFields lists the fields by their JSON names, including fields inside groups.
func healthFields(path string, of reflect.Type) []string {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || of.PkgPath() == "time" {
		return []string{path}
	}
	var all []string
	for i := range of.NumField() {
		f := of.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous {
			all = append(all, healthFields(path, f.Type)...)
			continue
		}
		all = append(all, healthFields(strings.TrimPrefix(path+"."+name, "."), f.Type)...)
	}
	return all
}
