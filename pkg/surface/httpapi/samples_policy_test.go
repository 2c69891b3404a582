package httpapi_test

import "maps"

func init() {
	maps.Copy(body, map[string]func(p place) any{
		"setRetentionPolicies": func(place) any {
			return map[string]any{"policies": []any{map[string]any{"domain": "submissions", "days": 365, "action": "redact"}}}
		},
		"setVerificationPolicies": func(place) any {
			return map[string]any{"policies": []any{map[string]any{"level": "L2", "appliesTo": "submissions", "requireContext": true,
				"requireStepUp": false, "requiredContextFields": []string{"room"}, "methods": []string{}}}}
		},
	})
}
