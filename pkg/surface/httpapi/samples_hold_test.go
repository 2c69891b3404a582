package httpapi_test

func init() {
	body["restrictPerson"] = func(p place) any {
		return map[string]any{"subject_id": p.User, "action": "place", "kind": "legal", "reason_code": "audit"}
	}
}

func init() {
	body["sweepRetention"] = func(place) any { return map[string]any{} }
}
