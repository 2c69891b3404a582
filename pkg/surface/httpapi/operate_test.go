package httpapi

import (
	"net/url"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/surface/op"
)

func TestAListInAQuery(t *testing.T) {
	t.Parallel()
	input := reflect.TypeFor[struct {
		ID    string   `path:"id"`
		Kinds []string `query:"kinds"`
		Meta  []string `query:"meta,explode"`
		Name  string   `query:"name"`
		Limit int      `query:"limit" default:"25"`
	}]()
	query := url.Values{"kinds": {"a,b"}, "meta": {"a,b", "c"}, "name": {"a,b"}}
	got := map[string][]string{}
	for _, f := range op.Fields(input) {
		got[f.Name] = sent(func(string) string { return "one" }, query, f)
	}
	want := map[string][]string{"id": {"one"}, "kinds": {"a", "b"}, "meta": {"a,b", "c"}, "name": {"a,b"}, "limit": {"25"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
