package httpapi_test

import (
	"maps"

	"assess/pkg/kernel/ids"
)

func init() {
	one := func(id func(place) ids.ID) func(place) map[string]ids.ID {
		return func(p place) map[string]ids.ID { return map[string]ids.ID{"id": id(p)} }
	}
	platform := one(func(p place) ids.ID { return p.LTI.Platform })
	maps.Copy(noun, map[string]func(place) map[string]ids.ID{
		"getPlatform": platform, "updatePlatform": platform,
		"allowDeployment": one(func(p place) ids.ID { return p.LTI.Deployment }),
		"blockDeployment": one(func(p place) ids.ID { return p.LTI.SpareDeployment }),
		"syncCourse":      one(func(p place) ids.ID { return p.LTI.Course }),
		"updateLink":      one(func(p place) ids.ID { return p.LTI.Link }),
		"retryLTIScore":   one(func(p place) ids.ID { return p.LTI.Score }),
	})
	for _, id := range []string{"getPlatform", "updatePlatform", "allowDeployment", "blockDeployment"} {
		tenantWide[id] = true
	}
	for _, id := range []string{"createRegistration", "rotateLTIKey", "blockDeployment", "syncCourse", "retryLTIScore"} {
		body[id] = func(place) any { return nil }
	}
	body["createPlatform"] = func(place) any {
		return map[string]any{"name": "Moodle", "issuer": "https://moodle.example.org", "clientId": ids.New().String(), "authUrl": "https://moodle.example.org/auth",
			"tokenUrl": "https://moodle.example.org/token", "keysUrl": "https://moodle.example.org/keys"}
	}
	body["updatePlatform"] = func(place) any { return map[string]any{"identity": "link"} }
	body["allowDeployment"] = func(p place) any { return map[string]any{"orgUnitId": p.OrgUnit} }
	body["updateLink"] = func(place) any { return map[string]any{"counts": "latest"} }
}
