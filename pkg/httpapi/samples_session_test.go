package httpapi_test

import (
	"maps"
	"testing"

	"assess/pkg/db"
	"assess/pkg/delivery"
	"assess/pkg/ids"
)

// sessionPlace holds open sessions of Evaluation: Moved is taken over by another device,
// a section of Begun begins.
type sessionPlace struct{ Moved, Begun, Section ids.ID }

func sessionsOf(t *testing.T, tx *db.Tx, desk *delivery.Desk, evaluation, user ids.ID) sessionPlace {
	t.Helper()
	begun := startFor(t, tx, desk, evaluation, user)
	return sessionPlace{Moved: startFor(t, tx, desk, evaluation, user).ID, Begun: begun.ID, Section: begun.Sections[0].ID}
}

func init() {
	maps.Copy(noun, map[string]func(place) map[string]ids.ID{
		"resumeSession": func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Evaluation, "sessionId": p.Moved} },
		"startSection": func(p place) map[string]ids.ID {
			return map[string]ids.ID{"id": p.Evaluation, "sessionId": p.Begun, "sectionId": p.Section}
		},
	})
	maps.Copy(body, map[string]func(place) any{
		"resumeSession": func(place) any { return nil },
		"startSection":  func(place) any { return map[string]any{} },
	})
}
