package op

import (
	"assess/pkg/kernel/capability"
	"assess/pkg/report/exception"
)

// Exceptions are the operations on many exceptions at once; operations on one are written by hand.
func Exceptions() []Line {
	return []Line{
		write("POST /defensibility/exceptions/submissions/triage", "triageExceptions", "exceptions bulk-triage SUBMISSION-IDS...", needs(capability.ExceptionsTriage),
			"Set state, owner and suppression of up to 1,000 exceptions; each that cannot be changed is named with the reason", exception.WorkMany),
	}
}
