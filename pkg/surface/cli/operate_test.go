package cli

import (
	"testing"

	"assess/pkg/surface/op"
)

// Every result of the table has a view, every list one that reads all its pages.
func TestTheTableOfOperationsIsWhole(t *testing.T) {
	t.Parallel()
	for _, l := range op.All() {
		if l.Command == "" {
			continue
		}
		v, known := views[l.Result]
		if !known {
			t.Errorf("%s: views does not show %s", l.Command, l.Result)
		}
		for _, f := range l.Fields() {
			if f.Name == "limit" && v.whole == nil {
				t.Errorf("%s has pages, and the view of %s does not read them all", l.Command, l.Result)
			}
			if f.Name == "dryRun" && !l.Rehearsed {
				t.Errorf("%s has dryRun: mark it as rehearsed", l.Command)
			}
		}
	}
}

// A flag is the name of the field as people write flags.
func TestFlagsAreJSONNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"createTerms": "create-terms", "orgUnitId": "org-unit-id", "run_label": "run-label", "from": "from"} {
		if got := kebab(name); got != want {
			t.Errorf("%s becomes %s, want %s", name, got, want)
		}
	}
}
