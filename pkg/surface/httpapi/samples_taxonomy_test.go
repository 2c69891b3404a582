package httpapi_test

import (
	"maps"

	"assess/pkg/kernel/ids"
)

func init() {
	maps.Copy(body, map[string]func(p place) any{
		"createFacet": func(place) any { return map[string]any{"label": "F " + ids.New().String()} },
		"createTerm":  func(p place) any { return map[string]any{"facetId": p.Facet, "label": "T " + ids.New().String()} },
	})
}
