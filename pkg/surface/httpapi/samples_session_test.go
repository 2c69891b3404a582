package httpapi_test

import (
	"maps"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// sessionPlace holds open sessions of Evaluation: Moved is taken over by another device, a
// section of Begun begins, Shut is User's and closed. Slow is User's and has a time limit; its
// evaluation is Timed. Seen is one of Pictured, which shows Asset.
type sessionPlace struct{ Moved, Begun, Section, Shut, Slow, Timed, Seen, Pictured ids.ID }

func sessionsOf(t *testing.T, tx *db.Tx, desk *session.Desk, p place) sessionPlace {
	t.Helper()
	seconds := 3600
	timed := sample.Published(t, tx, authoring.Settings{TimeLimitSeconds: &seconds}, sample.Choice("A")).EvaluationID
	pictured := sample.Evaluation(t, tx, sample.Pictured(t, tx, p.Asset, ids.None).ID).ID
	begun := startFor(t, tx, desk, p.Evaluation, p.Actor)
	return sessionPlace{Moved: startFor(t, tx, desk, p.Evaluation, p.Actor).ID, Begun: begun.ID, Section: begun.Sections[0].ID,
		Shut: startFor(t, tx, desk, p.Evaluation, p.User).ID, Slow: startFor(t, tx, desk, timed, p.User).ID, Timed: timed,
		Seen: startFor(t, tx, desk, pictured, p.Actor).ID, Pictured: pictured}
}

func init() {
	maps.Copy(noun, map[string]func(place) map[string]ids.ID{
		"resumeSession": func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Evaluation, "sessionId": p.Moved} },
		"listSessions":  func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Evaluation} },
		"probeLockdown": bySession,
		"getSessionAsset": func(p place) map[string]ids.ID {
			return map[string]ids.ID{"id": p.Pictured, "sessionId": p.Seen, "assetId": p.Asset}
		},
		"closeSession":  func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Evaluation, "sessionId": p.Shut} },
		"extendSession": func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Timed, "sessionId": p.Slow} },
		"startSection": func(p place) map[string]ids.ID {
			return map[string]ids.ID{"id": p.Evaluation, "sessionId": p.Begun, "sectionId": p.Section}
		},
	})
	maps.Copy(body, map[string]func(place) any{
		"resumeSession": func(place) any { return nil },
		"closeSession":  func(place) any { return map[string]any{"reason": "because"} },
		"extendSession": func(place) any { return map[string]any{"extraTimeSeconds": 60, "reason": "because"} },
		"startSection":  func(place) any { return map[string]any{} },
	})
}
