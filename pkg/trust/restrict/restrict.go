// Package restrict makes compliance jobs of placing and lifting holds (specification, section 4.9;
// decisions, section 10). What a hold is, and who obeys it, is in package hold.
//
// Error codes: the codes of hold.Place and hold.Lift.
package restrict

import (
	"context"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/hold"
	"assess/pkg/trust/compliance"
)

// The actions.
const (
	Place = "place"
	Lift  = "lift"
)

// Actions are all of them.
var Actions = []string{Place, Lift}

// Arguments are what a job is told besides its subject.
type Arguments struct {
	Action string `json:"action" enum:"place,lift"`
	hold.Terms
}

// Kind is the job type restrict: one step, taken at once. A hold that waited behind a queued forget would hold
// nothing.
func Kind() compliance.Kind {
	return compliance.Kind{Type: compliance.Restrict, Subject: true, Check: check, AtOnce: true,
		Steps: []compliance.Step{{Name: "settle", Do: settle}}}
}

// check refuses arguments that the step could not read.
func check(_ context.Context, _ *db.Tx, in compliance.Input) error { return in.Decode(&Arguments{}) }

func settle(ctx context.Context, tx *db.Tx, r *compliance.Run) (bool, error) {
	var a Arguments
	if err := r.Arguments(&a); err != nil {
		return false, err
	}
	done, err := a.Settle(ctx, tx, r.Person())
	if err != nil {
		return false, err
	}
	r.Count("holds", 1)
	return true, r.Result(map[string]any{"holdId": done.ID, "action": a.Action, "kind": done.Kind, "reason_code": done.ReasonCode,
		"submission_id": done.SubmissionID})
}

// Settle places or lifts the hold.
func (a Arguments) Settle(ctx context.Context, tx *db.Tx, person ids.ID) (hold.Hold, error) {
	in := hold.Input{SubjectID: person, Terms: a.Terms}
	switch a.Action {
	case Place:
		return hold.Place(ctx, tx, in)
	case Lift:
		return hold.Lift(ctx, tx, in)
	}
	return hold.Hold{}, errs.Invalid(errs.Field{Path: "action", Code: "out_of_range", Message: "place or lift"})
}
