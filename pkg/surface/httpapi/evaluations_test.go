package httpapi_test

import (
	"slices"
	"testing"

	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Draws take terms and nothing else: raw tags are not copied into new interfaces
// (specification, section 2.8).
func TestDrawsTakeTermsAlone(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	for _, field := range []string{"tags", "tagFilter", "excludeTags"} {
		draw := map[string]any{"count": 1, "taxonomyTermIds": []ids.ID{ids.New()}, field: []string{"x"}}
		sections := []any{map[string]any{"title": "One", "items": []any{map[string]any{"draw": draw}}}}
		got := w.send(t, request{method: "POST", path: "/evaluations", token: w.home.Token, key: ids.New().String(),
			body: map[string]any{"title": "T", "sections": sections}})
		want(t, got, 422, errs.ValidationFailed)
		fields, _ := got.problem.Details["fields"].([]any)
		if !slices.ContainsFunc(fields, func(f any) bool { return f.(map[string]any)["path"] == "sections[0].items[0].draw."+field }) {
			t.Errorf("%s: got %s", field, got.body)
		}
	}
}
