package httpapi_test

import (
	"fmt"
	"maps"

	"assess/pkg/kernel/ids"
)

func init() {
	theirs := func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Theirs} }
	maps.Copy(noun, map[string]func(p place) map[string]ids.ID{
		"getSchedule":           scheduled,
		"updateSchedule":        scheduled,
		"deleteSchedule":        scheduled,
		"getAssignment":         assigned,
		"updateAssignment":      theirs,
		"redeemAssignment":      func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Unredeemed} },
		"rotateAssignmentToken": assigned,
		"getAssignmentSEB":      func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Locked} },
		"overrideAssignment":    theirs,
		"inviteToAssignment":    assigned,
		"monitorAssignment":     assigned,
		"getSubject":            subject,
		"updateSubject":         subject,
		"getEngagement":         engagement,
		"updateEngagement":      engagement,
		"getRequirement":        requirement,
		"updateRequirement":     requirement,
		"deleteSubject":         func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.SpareSubject} },
		"deleteEngagement":      func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.SpareEngagement} },
		"deleteRequirement":     func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.SpareRequirement} },
	})
	maps.Copy(body, map[string]func(p place) any{
		"createSchedule": func(p place) any {
			return map[string]any{"evaluationId": p.Evaluation, "target_type": "user_id", "targetRefs": []any{p.User}, "rule": "FREQ=WEEKLY",
				"timeZone": "Europe/Berlin", "startsAt": "2031-01-01T08:00:00Z", "run_label": ids.New().String() + " {date}"}
		},
		"updateSchedule": func(place) any { return map[string]any{"status": "paused"} },
		"createAssignment": func(p place) any {
			return map[string]any{"evaluationId": p.Evaluation, "target_type": "user_id", "target_ref": p.User, "run_label": ids.New(),
				"withToken": true}
		},
		"previewAssignments":    assignmentCSV,
		"commitAssignments":     assignmentCSV,
		"redeemAssignmentToken": func(p place) any { return map[string]any{"token": p.RedeemToken} },
		"updateAssignment":      func(place) any { return map[string]any{"validUntil": "2099-01-01T00:00:00Z"} },
		"redeemAssignment":      func(place) any { return nil },
		"rotateAssignmentToken": func(place) any { return nil },
		"overrideAssignment": func(p place) any {
			return map[string]any{"userId": p.User, "extraTimeSeconds": 60, "reason": "fire alarm"}
		},
		"inviteToAssignment": func(place) any { return map[string]any{} },
		"createSubject":      func(place) any { return map[string]any{"externalId": ids.New(), "name": "N"} },
		"updateSubject":      func(place) any { return map[string]any{"name": "changed"} },
		"createEngagement": func(p place) any {
			return map[string]any{"externalId": ids.New(), "name": "N", "subjectId": p.Subject}
		},
		"updateEngagement": func(place) any { return map[string]any{"name": "changed", "clear": []string{"endsAt"}} },
		"createRequirement": func(p place) any {
			return map[string]any{"externalId": ids.New(), "programme": "P", "name": "N", "evaluationId": p.Evaluation}
		},
		"updateRequirement": func(place) any { return map[string]any{"name": "changed", "status": "retired"} },
		"previewSubjects":   csv("externalId,name\ns1,One\n"),
		"commitSubjects":    csv("externalId,name\ns1,One\n"),
	})
}

func scheduled(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Schedule} }

func assigned(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Assignment} }

func subject(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Subject} }

func engagement(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Engagement} }

func requirement(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Requirement} }

func assignmentCSV(p place) any {
	return map[string]any{"csv": fmt.Sprintf("evaluation,targetType,targetRef,run_label\n%s,user_id,%s,%s\n", p.Evaluation, p.User, ids.New())}
}
