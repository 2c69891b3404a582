package lti

import (
	"context"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Once sends all grades that are due, until none is.
func (s *Sender) Once(ctx context.Context) error {
	s.pace = 0
	err := s.Send(ctx)
	s.turns.Wait()
	return err
}

// Dying makes the sender die wherever the function says so, and others take over after a moment.
func (s *Sender) Dying(dies func() bool) *Sender {
	s.dies, s.lease, s.pace, s.Poll = dies, 20*time.Millisecond, 0, time.Millisecond
	return s
}

// Round takes the next grades of a platform and settles them as if all had arrived.
func Round(ctx context.Context, tx *db.Tx, platform ids.ID) (int, error) {
	r, err := takeRound(ctx, tx, platform, ids.New(), time.Minute)
	for _, c := range r.calls {
		c.done = true
	}
	if err == nil && r.seen > 0 {
		err = r.settle(ctx, tx)
	}
	return r.seen, err
}

// Attempt is the part of a submission that a grade sees.
type Attempt = attempt

// Grade is what a gradebook should hold for attempts, as a text; empty if it stays as it is.
func Grade(counts, when string, all ...Attempt) string {
	g := gradeOf(counts, when, all)
	if g == nil {
		return ""
	}
	text, err := g.text()
	if err != nil {
		return err.Error()
	}
	return text
}

// SyncOf reads the members of a course if they are due, as the job does.
func (d *Desk) SyncOf(ctx context.Context, tenant, course ids.ID) error {
	return d.syncCourse(ctx, tenant, course)
}

// ForgetTokens makes the desk get all tokens again.
func (d *Desk) ForgetTokens() {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.tokens)
}
