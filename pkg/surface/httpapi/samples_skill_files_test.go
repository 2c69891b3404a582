package httpapi_test

import (
	"assess/pkg/kernel/ids"
)

func init() {
	file := func(place) any {
		return map[string]any{"CFDocument": map[string]any{"identifier": ids.New(), "title": "Nursing"},
			"CFItems": []any{map[string]any{"identifier": ids.New(), "fullStatement": "Calculates doses", "humanCodingScheme": "N1"}}}
	}
	body["previewSkills"], body["commitSkills"] = file, file
	for _, id := range []string{"exportSkillPackage", "exportSkills"} {
		noun[id] = func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Framework} }
		tenantWide[id] = true
	}
}
