package webhook

import (
	"context"
	"net/http"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Dying makes the deliverer die wherever the function says so, and others take over after a moment.
func (d *Deliverer) Dying(dies func() bool) *Deliverer {
	d.dies, d.lease, d.pace, d.Poll = dies, 20*time.Millisecond, 0, time.Millisecond
	return d
}

// Retries are the waits after each failure.
var Retries = retries

// Sign signs as calls are signed.
var Sign = sign

// FactsBetween counts the facts of entries behind one number up to another, as the feed makes them.
func FactsBetween(ctx context.Context, tx *db.Tx, behind, to int64) (int, error) {
	facts, _, err := factsOf(ctx, tx, behind, to)
	return len(facts), err
}

// Round takes the next calls to an endpoint and writes down that they were answered, without making them.
func (d *Deliverer) Round(ctx context.Context, tx *db.Tx, endpoint ids.ID, status int) (int, error) {
	r, err := d.take(ctx, tx, endpoint, ids.New())
	for _, c := range r.calls {
		c.fail(status, "", "")
		if status == http.StatusOK {
			c.done, c.state = true, "sent"
		}
	}
	if err == nil && len(r.calls) > 0 {
		err = r.settle(ctx, tx)
	}
	return len(r.calls), err
}

// Hurried makes the deliverer look often, and lets others take over from it soon.
func (d *Deliverer) Hurried() *Deliverer {
	d.lease, d.pace, d.Poll = 300*time.Millisecond, 0, 10*time.Millisecond
	return d
}

// Restless makes the deliverer go on at once after a round.
func (d *Deliverer) Restless() *Deliverer {
	d.pace = 0
	return d
}
