package httpapi_test

import (
	"encoding/json"
	"maps"

	"assess/pkg/kernel/ids"
)

func init() {
	maps.Copy(noun, map[string]func(p place) map[string]ids.ID{
		"listUserSubmissions":       func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.User} },
		"startSession":              func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Evaluation} },
		"getSession":                bySession,
		"saveAnswers":               bySession,
		"recordEvents":              bySession,
		"submitSession":             bySession,
		"listEvaluationSubmissions": func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Evaluation} },
		"exportResults":             func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Evaluation} },
		"getSubmission":             func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Submission} },
		"listDecisions":             func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Submission} },
		"approveSubmission":         func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Undecided[0]} },
		"rejectSubmission":          func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Undecided[1]} },
		"requestChanges":            func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Undecided[2]} },
		"reopenSubmission":          func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Decided} },
		"voidSubmission":            func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Submission} },
		"hashSubmission":            func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Submission} },
		"questionHealth":            func(p place) map[string]ids.ID { return map[string]ids.ID{"questionVersionId": p.QuestionVersion} },
	})
	maps.Copy(body, map[string]func(p place) any{
		"startSession":         func(p place) any { return map[string]any{"assignmentId": p.Assignment} },
		"saveAnswers":          func(p place) any { return answers(p.Item, `{"optionIds":["A"]}`) },
		"recordEvents":         func(place) any { return map[string]any{"events": []any{map[string]any{"type": "focus_lost"}}} },
		"submitSession":        func(place) any { return map[string]any{} },
		"approveSubmission":    func(place) any { return map[string]any{} },
		"rejectSubmission":     reason,
		"requestChanges":       reason,
		"reopenSubmission":     reason,
		"voidSubmission":       reason,
		"hashSubmission":       func(place) any { return nil },
		"recomputePercentiles": func(place) any { return nil },
	})
}

func bySession(p place) map[string]ids.ID {
	return map[string]ids.ID{"id": p.Evaluation, "sessionId": p.Session}
}

func reason(place) any { return map[string]any{"comment": "because"} }

func answers(item ids.ID, response string) any {
	return map[string]any{"answers": []any{map[string]any{"itemId": item, "sequence": 1, "response": json.RawMessage(response)}}}
}
