package httpapi_test

import (
	"maps"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/ids"
)

func init() {
	maps.Copy(noun, map[string]func(p place) map[string]ids.ID{
		"getQuestion":           func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Question} },
		"updateQuestion":        func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Question} },
		"createQuestionVersion": func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.SettledQuestion} },
		"listQuestionVersions":  func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Question} },
		"getQuestionVersion": func(p place) map[string]ids.ID {
			return map[string]ids.ID{"id": p.Question, "versionId": p.QuestionVersion}
		},
		"listEvaluationVersions":  func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Evaluation} },
		"listPassageVersions":     func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Passage} },
		"getPassageVersion":       func(p place) map[string]ids.ID { return versionOf(p.Passage, p.PassageVersion) },
		"getPassage":              func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Passage} },
		"updatePassage":           func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Passage} },
		"createPassageVersion":    func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.SettledPassage} },
		"publishPassage":          func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.PassageDraft} },
		"getPassageQuestions":     func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Passage} },
		"setPassageQuestions":     func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Passage} },
		"passageUsage":            func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Passage} },
		"archivePassage":          func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.ShelvedPassage} },
		"restorePassage":          func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.ShelvedPassage} },
		"deletePassage":           func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.UnusedPassage} },
		"publishQuestion":         func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Draft} },
		"getEvaluation":           func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Evaluation} },
		"updateEvaluation":        func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Evaluation} },
		"createEvaluationVersion": func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.SettledEvaluation} },
		"publishEvaluation":       func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.EvaluationDraft} },
		"questionUsage":           func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Question} },
		"archiveQuestion":         func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Shelved} },
		"restoreQuestion":         func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Shelved} },
		"deleteQuestion":          func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Unused} },
		"evaluationUsage":         func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Evaluation} },
		"archiveEvaluation":       func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.ShelvedEvaluation} },
		"restoreEvaluation":       func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.ShelvedEvaluation} },
		"deleteEvaluation":        func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.UnusedEvaluation} },
		"getQuestionView":         func(p place) map[string]ids.ID { return map[string]ids.ID{"viewId": p.QuestionView} },
		"updateQuestionView":      func(p place) map[string]ids.ID { return map[string]ids.ID{"viewId": p.QuestionView} },
		"deleteQuestionView":      func(p place) map[string]ids.ID { return map[string]ids.ID{"viewId": p.QuestionView} },
		"getEvaluationView":       func(p place) map[string]ids.ID { return map[string]ids.ID{"viewId": p.EvaluationView} },
		"updateEvaluationView":    func(p place) map[string]ids.ID { return map[string]ids.ID{"viewId": p.EvaluationView} },
		"deleteEvaluationView":    func(p place) map[string]ids.ID { return map[string]ids.ID{"viewId": p.EvaluationView} },
		"getEvaluationVersion":    func(p place) map[string]ids.ID { return versionOf(p.Evaluation, p.EvaluationVersion) },
		"configureFeedback":       func(p place) map[string]ids.ID { return versionOf(p.Open, p.OpenVersion) },
		"previewEvaluation":       func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Open} },
	})
	maps.Copy(body, map[string]func(p place) any{
		"createQuestion":       func(place) any { return sample.QuestionInput("A") },
		"updateQuestion":       func(place) any { return map[string]any{"weight": 3} },
		"createEvaluation":     func(p place) any { return sample.EvaluationInput(p.Question) },
		"updateEvaluation":     func(place) any { return map[string]any{"title": "New title"} },
		"createPassage":        func(place) any { return sample.PassageInput() },
		"updatePassage":        func(place) any { return map[string]any{"title": "New title"} },
		"setPassageQuestions":  func(p place) any { return map[string]any{"questionIds": []ids.ID{p.Question}} },
		"createPassageVersion": func(place) any { return nil },
		"publishPassage":       func(place) any { return nil },
		"archivePassage":       func(place) any { return nil },
		"restorePassage":       func(place) any { return nil },
		"previewQuestions":     csv("externalId,qtype,stem,optionA,optionB,correct\nq1,mcq,S,a,b,A\n"),
		"commitQuestions":      csv("externalId,qtype,stem,optionA,optionB,correct\nq1,mcq,S,a,b,A\n"),
		"previewPassages":      csv("externalId,title,text\np1,T,a\n"),
		"commitPassages":       csv("externalId,title,text\np1,T,a\n"),
		"previewEvaluations":   csv("evaluation,title,question\ne1,T,missing\n"),
		"commitEvaluations":    csv("evaluation,title,question\ne1,T,missing\n"),
		"publishQuestion":      func(place) any { return nil },
		"archiveQuestion":      func(place) any { return nil },
		"restoreQuestion":      func(place) any { return nil },
		"createQuestionView": func(place) any {
			return map[string]any{"name": "V " + ids.New().String(), "filter": map[string]any{"status.draft": true}}
		},
		"updateQuestionView": func(place) any { return map[string]any{"filter": map[string]any{"include_descendants": true}} },
		"createEvaluationView": func(place) any {
			return map[string]any{"name": "V " + ids.New().String(), "filter": map[string]any{"status.draft": true}}
		},
		"updateEvaluationView":    func(place) any { return map[string]any{"filter": map[string]any{"include_descendants": true}} },
		"bulkQuestions":           func(p place) any { return map[string]any{"action": "restore", "ids": []ids.ID{p.Shelved}} },
		"bulkEvaluations":         func(p place) any { return map[string]any{"action": "restore", "ids": []ids.ID{p.ShelvedEvaluation}} },
		"archiveEvaluation":       func(place) any { return nil },
		"restoreEvaluation":       func(place) any { return nil },
		"publishEvaluation":       func(place) any { return nil },
		"createQuestionVersion":   func(place) any { return nil },
		"createEvaluationVersion": func(place) any { return nil },
		"configureFeedback": func(place) any {
			return map[string]any{"feedback_mode": "items", "feedbackPolicy": map[string]any{"showCorrect": true}}
		},
		"previewEvaluation": func(place) any { return map[string]any{"seed": 7, "answers": []any{}} },
	})
}

func versionOf(evaluation, version ids.ID) map[string]ids.ID {
	return map[string]ids.ID{"id": evaluation, "versionId": version}
}
