package reporting

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"assess/pkg/projection"
)

// The page of the figures names every field, column, file and flag of question health.
func TestThePageNamesEveryFigureOfQuestionHealth(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/question-health.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	names := fieldsOf(reflect.TypeFor[QuestionHealthDetail]())
	for _, table := range tables {
		names = append(append(names, table.name), table.columns...)
	}
	names = append(names, projection.FlagCodes()...)
	for _, name := range names {
		if !strings.Contains(page, "`"+name+"`") && !strings.Contains(page, "."+name+"`") {
			t.Errorf("docs/question-health.md does not name %s", name)
		}
	}
	if len(names) < 120 {
		t.Errorf("only %d names were looked for", len(names))
	}
}

// fieldsOf lists the JSON names of a type, those of the types inside too.
func fieldsOf(of reflect.Type) []string {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || of.PkgPath() == "time" {
		return nil
	}
	var names []string
	for i := range of.NumField() {
		f := of.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := fieldsOf(f.Type)
		// A group of fields is named by its fields.
		if name != "" && len(inner) == 0 {
			names = append(names, name)
		}
		names = append(names, inner...)
	}
	return names
}
