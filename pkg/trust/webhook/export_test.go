package webhook

import "time"

// Dying makes the deliverer die wherever the function says so, and others take over after a moment.
func (d *Deliverer) Dying(dies func() bool) *Deliverer {
	d.dies, d.lease, d.Poll = dies, 20*time.Millisecond, time.Millisecond
	return d
}

// Retries are the waits after each failure.
var Retries = retries

// Sign signs as calls are signed.
var Sign = sign
