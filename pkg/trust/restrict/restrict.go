// Package restrict makes compliance jobs of placing and lifting holds (specification, section 4.9;
// decisions, section 10). What a hold is, and who obeys it, is in package hold.
//
// Error codes: those of hold.Place and hold.Lift.
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

// Input asks for a hold to be placed or lifted.
type Input struct {
	Action string `json:"action" enum:"place,lift"`
	hold.Input
}

// Kind is what a restrict job does: one step, which refuses what cannot be done before the job is stored.
func Kind() compliance.Kind {
	return compliance.Kind{Type: compliance.Restrict, Subject: true, Check: check,
		Steps: []compliance.Step{{Name: "settle", Do: settle}}}
}

// Job is how the job is asked for.
func (in Input) Job() compliance.Input {
	return compliance.Input{Type: compliance.Restrict, SubjectID: in.SubjectID, Arguments: in}
}

// check tries the operation and takes it back, so that a job is stored only for what can be done.
func check(ctx context.Context, tx *db.Tx, asked compliance.Input) error {
	in, ok := asked.Arguments.(Input)
	if !ok {
		return errs.Invalid(errs.Field{Path: "action", Code: "required", Message: "say what to do by POST /compliance/restrict"})
	}
	return tx.Rehearse(ctx, func() error {
		_, err := in.act(ctx, tx)
		return err
	})
}

// settle does it. When the step runs again, because a process died before it was written down, nothing of
// the first time is left.
func settle(ctx context.Context, tx *db.Tx, r *compliance.Run) (bool, error) {
	var in Input
	if err := r.Arguments(&in); err != nil {
		return false, err
	}
	in.SubjectID = r.Person()
	done, err := in.act(ctx, tx)
	if err != nil {
		return false, err
	}
	r.Count("holds", 1)
	return true, r.Result(result{HoldID: done.ID, Action: in.Action, Kind: done.Kind, ReasonCode: done.ReasonCode, SubmissionID: done.SubmissionID})
}

// result is what a job shows at its end.
type result struct {
	HoldID       ids.ID  `json:"holdId"`
	Action       string  `json:"action"`
	Kind         string  `json:"kind"`
	ReasonCode   string  `json:"reason_code"`
	SubmissionID *ids.ID `json:"submission_id"`
}

func (in Input) act(ctx context.Context, tx *db.Tx) (hold.Hold, error) {
	switch in.Action {
	case Place:
		return hold.Place(ctx, tx, in.Input)
	case Lift:
		return hold.Lift(ctx, tx, in.Input)
	}
	return hold.Hold{}, errs.Invalid(errs.Field{Path: "action", Code: "out_of_range", Message: "place or lift"})
}
