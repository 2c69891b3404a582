package taxonomy

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	"assess/pkg/errs"
)

// checkFresh refuses a change that was made from an older state than the stored one.
func checkFresh(sent *time.Time, stored time.Time) error {
	if sent == nil || sent.Equal(stored) {
		return nil
	}
	return errs.New(errs.StaleUpdate, "Somebody changed it since you read it.").
		With("updatedAt", stored.UTC().Format("2006-01-02T15:04:05.000Z07:00"))
}

// advance gives the time of a change, which always moves forward: optimistic locking
// compares these times.
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

// found names what was looked for where there is none.
func found(noun string, err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return errs.New(errs.NotFound, "There is no such %s.", noun)
	}
	if err != nil {
		return fmt.Errorf("find %s: %w", noun, err)
	}
	return nil
}
