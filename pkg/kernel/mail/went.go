package mail

import (
	"context"
	"errors"
)

// The states in which a record keeps how its mail went.
const (
	Queued = "queued"
	Sent   = "sent"
	Failed = "failed"
)

// Went gives the record of a sending that ended with err: the state, the code of the problem ("uncertain" or "refused"), and the error
// with which the job is tried again, unless this was its last attempt. A mail that may have arrived is not sent again.
func Went(err error, last bool) (state, problem string, again error) {
	switch {
	case err == nil:
		return Sent, "", nil
	case errors.Is(err, ErrUncertain):
		return Failed, "uncertain", nil
	case last:
		return Failed, "refused", err
	}
	return Queued, "", err
}

// SendUnlessNone sends a message that no record is kept of, and counts one that may have arrived as sent. Without a message it does nothing.
func SendUnlessNone(ctx context.Context, sender Sender, message *Message) error {
	if message == nil {
		return nil
	}
	_, _, again := Went(sender.Send(ctx, *message), false)
	return again
}
