package lti

import (
	"context"
	"errors"
	"time"

	"assess/models"
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

// Hurried makes the sender wait for nothing; others take over a moment after it was killed.
func (s *Sender) Hurried() *Sender {
	s.lease, s.pace, s.Poll = 20*time.Millisecond, 0, time.Millisecond
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

// Steps are the parts of launches, picks and rosters that read rows, each in the caller's transaction.
type Steps struct {
	platform models.LTIPlatform
	deployed models.LTIDeployment
}

// StepsOf prepares steps for the deployment of a course.
func StepsOf(ctx context.Context, tx *db.Tx, deployment ids.ID) (s Steps, err error) {
	s.deployed, err = findRow[models.LTIDeployment](ctx, tx, "deployment", "id = ?", deployment)
	if err == nil {
		s.platform, err = findPlatform(ctx, tx, "id = ?", s.deployed.PlatformID)
	}
	return s, err
}

// Launch finds the person and the activity of a launch.
func (s Steps) Launch(ctx context.Context, tx *db.Tx, subject, course, activity, evaluation string) error {
	l := launch{platform: s.platform, deployment: s.deployed}
	l.Subject, l.Context.ID, l.Link.ID, l.Roles, l.Custom = subject, course, activity, []string{inCourse + "Learner"}, map[string]any{"evaluation": evaluation}
	l.Link.Title = "Final exam"
	_, err := l.person(ctx, tx)
	if err == nil {
		_, _, err = l.findLink(ctx, tx)
	}
	if err == nil {
		err = l.noteRoster(ctx, tx)
	}
	return err
}

// Flow takes up a launch that is at the platform.
func (Steps) Flow(ctx context.Context, tx *db.Tx, state, browser string) error {
	_, err := takeFlow(ctx, tx, state, browser)
	return err
}

// Pick finds a pick.
func (Steps) Pick(ctx context.Context, tx *db.Tx, flow, proof string) error {
	_, err := findPick(ctx, tx, flow, proof)
	return err
}

// Pending finds an account that waits.
func (Steps) Pending(ctx context.Context, tx *db.Tx, secret string) error {
	_, err := findPending(ctx, tx, secret, "")
	return err
}

// Roster takes a course that is due, looks its members up, and ends.
func (Steps) Roster(ctx context.Context, tx *db.Tx, course ids.ID, subjects ...string) error {
	r := &roster{}
	mine, err := r.begin(ctx, tx, course)
	if err != nil || !mine {
		return errors.Join(err, errors.New("somebody else has the course"))
	}
	var batch []member
	for _, s := range subjects {
		batch = append(batch, member{Subject: s})
	}
	found, err := r.known(ctx, tx, batch)
	for _, k := range found {
		r.stay = append(r.stay, k.user)
	}
	if err == nil {
		err = r.finish(ctx, tx, nil)
	}
	return err
}

// ForgetTokens makes the desk get all tokens again.
func (d *Desk) ForgetTokens() {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.tokens)
}
