package httpapi_test

import (
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// unbounded are the texts of inputs that have no greatest length of their own: the file of an
// import, which http.import_limit bounds, the tags of a report, which are looked up as they are, and
// media types, which a header bounds.
var unbounded = []string{"#/components/schemas/ImportBody.csv", "tag[]", "Content-Type"}

// The description tells people who write clients how long a text may be.
func TestEachTextOfAnInputHasAGreatestLength(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	var texts int
	var walk func(ref *openapi3.SchemaRef, path string)
	walk = func(ref *openapi3.SchemaRef, path string) {
		if ref == nil || seen[ref.Ref] {
			return
		}
		if ref.Ref != "" {
			seen[ref.Ref], path = true, ref.Ref
		}
		s := ref.Value
		for _, one := range slices.Concat(s.AnyOf, s.OneOf, s.AllOf) {
			walk(one, path)
		}
		for name, field := range s.Properties {
			walk(field, path+"."+name)
		}
		walk(s.Items, path+"[]")
		if !s.Type.Includes("string") {
			return
		}
		texts++
		if s.MaxLength == nil && s.Enum == nil && s.Format == "" && !slices.Contains(unbounded, path) {
			t.Errorf("%s may be of any length", path)
		}
	}
	for _, item := range described(t).Paths.Map() {
		for _, op := range item.Operations() {
			for _, p := range op.Parameters {
				walk(p.Value.Schema, p.Value.Name)
			}
			if op.RequestBody == nil {
				continue
			}
			for _, body := range op.RequestBody.Value.Content {
				walk(body.Schema, op.OperationID)
			}
		}
	}
	if texts < 100 {
		t.Errorf("looked at %d texts", texts)
	}
}
