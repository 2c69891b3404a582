package demo_test

import (
	"bytes"
	"encoding/csv"
	"slices"
	"testing"

	"assess/pkg/surface/demo"
)

// A wrong key changes the key of one item, in every language, and no answer.
func TestMiskeyed(t *testing.T) {
	t.Parallel()
	right := demo.Sample()
	wrong, err := right.Miskeyed("CHE02", "A")
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	before, after := rows(t, right.QuestionsCSV()), rows(t, wrong.QuestionsCSV())
	for i, row := range after {
		if slices.Equal(before[i], row) {
			continue
		}
		changed++
		if row[0] != "CHE02" || !slices.Contains(row, "A") {
			t.Errorf("changed: %v", row)
		}
	}
	if changed != 2 {
		t.Errorf("%d rows changed, want the two languages of one question", changed)
	}
	for i, item := range wrong.Items {
		if was := right.Items[i]; (item.Key != was.Key) != (item.ID == "CHE02") {
			t.Errorf("%s: %s became %s", item.ID, was.Key, item.Key)
		}
	}
	if _, err := right.Miskeyed("NONE", "A"); err == nil {
		t.Error("an unknown item is keyed")
	}
}

func rows(t *testing.T, file []byte) [][]string {
	t.Helper()
	all, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all
}
