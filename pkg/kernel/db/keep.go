package db

import "errors"

// Keep ends an operation with an error and with its effect: the transaction commits, and
// the caller gets err. It is for the rare answer that both refuses and changes something,
// such as question_in_use, which archives what cannot be deleted (specification, section
// 7.5). A dry run keeps nothing. Errors are not stored for an idempotency key, so a
// repetition has to end the same way by itself.
func Keep(err error) error {
	if err == nil {
		return nil
	}
	return &kept{err}
}

type kept struct{ err error }

func (k *kept) Error() string { return k.err.Error() }
func (k *kept) Unwrap() error { return k.err }

// asKept gives the error that is to be answered after a commit, or nil of none.
func asKept(err error) error {
	var k *kept
	if errors.As(err, &k) {
		return k.err
	}
	return nil
}
