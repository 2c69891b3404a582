package httpapi

import (
	"path"

	"github.com/danielgtaylor/huma/v2"

	"assess/pkg/trust/readiness"
)

// listReasons puts the reasons of readiness into the description, from the rules that give them: where
// they are shown, and where a list is narrowed to one.
func listReasons(d *huma.OpenAPI) {
	var codes []any
	for _, code := range readiness.Codes() {
		codes = append(codes, code)
	}
	for _, s := range d.Components.Schemas.Map() {
		if p := s.Properties["reasons"]; p != nil && p.Items != nil && p.Items.Type == huma.TypeString {
			p.Items.Enum = codes
		}
	}
	list := d.Paths[path.Join(prefix, "/defensibility/exceptions/submissions")]
	for _, p := range list.Get.Parameters {
		if p.Name == "reason" {
			p.Schema.Enum = codes
		}
	}
}
