package assignment_test

import (
	"testing"
	"time"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/assignment"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
)

// A start that waits for an override begins with the terms of the override.
func TestStartBesideAnOverrideGetsItsTime(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{TimeLimitSeconds: ptr(600)})
	who := d.candidate()
	made := d.create("group_id", d.group(who).String())
	if _, err := d.redeem(who, made.ID); err != nil {
		t.Fatal(err)
	}
	type started struct {
		open session.Session
		err  error
	}
	done := make(chan started, 1)
	sample.Write(t, d.store, d.operator, func(tx *db.Tx) error {
		_, err := assignment.SetOverride(t.Context(), tx, made.ID, assignment.OverrideInput{UserID: who.Actor.ID, ExtraTimeSeconds: ptr(300), Reason: "late bus"})
		if err != nil {
			return err
		}
		go func() {
			s, err := d.start(who, made.ID)
			done <- started{s, err}
		}()
		sample.AwaitBlocked(t, tx)
		return nil
	})
	got := <-done
	if got.err != nil || got.open.DeadlineAt.Sub(got.open.StartedAt) != 900*time.Second {
		t.Errorf("the session lasts from %v to %v, %v; want 900 s", got.open.StartedAt, got.open.DeadlineAt, got.err)
	}
}

// Nobody else of the group waits for an override that is being given: the test would not end.
func TestOverrideKeepsNobodyElseWaiting(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	who, other := d.candidate(), d.candidate()
	made := d.create("group_id", d.group(who, other).String())
	if _, err := d.redeem(other, made.ID); err != nil {
		t.Fatal(err)
	}
	sample.Write(t, d.store, d.operator, func(tx *db.Tx) error {
		_, err := assignment.SetOverride(t.Context(), tx, made.ID, assignment.OverrideInput{UserID: who.Actor.ID, ExtraAttempts: ptr(1), Reason: "late bus"})
		if err != nil {
			return err
		}
		_, err = d.start(other, made.ID)
		return err
	})
}
