package authoring

import (
	"time"

	"assess/models"
	"assess/pkg/errs"
)

// checkChangeable refuses a change of what is archived.
func checkChangeable(status string) error {
	if status == models.AuthoringArchived {
		return errs.New(errs.Archived, "It is archived; restore it first.")
	}
	return nil
}

// checkFresh refuses a change that was made from an older state than the stored one.
func checkFresh(sent *time.Time, stored time.Time) error {
	if sent == nil || sent.Equal(stored) {
		return nil
	}
	return errs.New(errs.StaleUpdate, "Somebody changed it since you read it.").
		With("updatedAt", stored.UTC().Format("2006-01-02T15:04:05.000Z07:00"))
}

// advance gives the time of a change. It always moves forward, even for a transaction that
// began before the last one committed: optimistic locking compares these times.
func advance(now, last time.Time) time.Time {
	if now.After(last) {
		return now
	}
	return last.Add(time.Millisecond).UTC()
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func reference(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
