package httpapi_test

func init() {
	body["restrictPerson"] = func(p place) any {
		return map[string]any{"subject_id": p.User, "action": "place", "kind": "legal", "reason_code": "audit"}
	}
}
