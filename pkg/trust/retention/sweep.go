package retention

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Sweep is how far a sweep is. It is kept with its job after each piece, so that the next process goes on
// there.
type Sweep struct {
	// At is the moment whose policies and ages count.
	At       time.Time     `json:"at"`
	Policies []PolicySweep `json:"policies"`
	// Place is the policy that the sweep is at.
	Place int `json:"place"`

	// Job is whose sweep it is.
	Job ids.ID `json:"-"`
}

// PolicySweep is what a sweep did by one policy.
type PolicySweep struct {
	Domain   string    `json:"domain"`
	PolicyID ids.ID    `json:"policyId"`
	Action   string    `json:"action"`
	Cutoff   time.Time `json:"cutoff"`
	Counts   Counts    `json:"counts"`
	// Held are rows that are due and that a hold keeps; Problem is the code of the error that stopped
	// the policy.
	Held    int64  `json:"held"`
	Problem string `json:"problem,omitempty"`

	// Target is what of the domain the sweep is at, LastMicros (microseconds since 1970: exact, where a time
	// is written to the millisecond) and LastID the row that it came to.
	Target     int    `json:"target"`
	LastMicros int64  `json:"lastMicros,omitzero"`
	LastID     ids.ID `json:"lastId,omitzero"`

	// Cause is what went wrong, only for the log.
	Cause error `json:"-"`
}

// Begin finds the policies that a sweep carries out.
func Begin(ctx context.Context, tx *db.Tx, at time.Time) (Sweep, error) {
	s := Sweep{At: at.UTC(), Policies: []PolicySweep{}}
	all, err := Policies(ctx, tx, s.At)
	for _, d := range all {
		s.Policies = append(s.Policies, PolicySweep{Domain: d.Domain, PolicyID: d.PolicyID, Action: d.Action, Cutoff: d.Cutoff, Counts: Counts{}})
	}
	return s, err
}

// Step does the next piece, and gives whether the sweep is over. An error of a policy ends that policy,
// and the sweep goes on with the next one.
func (s *Sweep) Step(ctx context.Context, tx *db.Tx, size int) (bool, error) {
	if s.Place >= len(s.Policies) {
		return true, nil
	}
	p := &s.Policies[s.Place]
	before := *p
	before.Counts = Counts{}
	before.Counts.add(p.Counts)
	over, err := p.step(ctx, tx, s.Job, size)
	if passes(ctx, err) {
		return false, err
	}
	if err != nil {
		before.Problem, before.Cause = string(errs.Of(db.Translate(err)).Code), err
		*p, over = before, true
	}
	if over {
		s.Place++
	}
	return s.Place >= len(s.Policies), nil
}

// passes says that an error is not the policy's fault: the transaction is run again, or the process ends.
func passes(ctx context.Context, err error) bool {
	var pe *pgconn.PgError
	return err != nil && (ctx.Err() != nil || !errors.As(err, &pe) || slices.Contains([]string{"40P01", "40001", "57014"}, pe.Code) || pe.Code[:2] == "57" || pe.Code[:2] == "08")
}

// step does a piece of the policy, or nothing of it, and gives whether nothing is left to do.
func (p *PolicySweep) step(ctx context.Context, tx *db.Tx, job ids.ID, size int) (bool, error) {
	t, ok := p.target()
	if !ok {
		return true, nil
	}
	var done piece
	err := tx.Try(ctx, func() error {
		var err error
		done, err = t.erase(ctx, tx, Due{p.Domain, p.PolicyID, p.Action, p.Cutoff, job}, p.cursor(), size)
		return err
	})
	if err != nil {
		return false, err
	}
	p.Counts.add(done.counts)
	p.Held += done.held
	p.LastMicros, p.LastID = done.last.at.UnixMicro(), done.last.id
	if done.looked < size {
		p.Target, p.LastMicros, p.LastID = p.Target+1, 0, ids.None
	}
	_, more := p.target()
	return !more, nil
}

// cursor is the row that the sweep came to; before the first, one that is older than any.
func (p *PolicySweep) cursor() cursor {
	if p.LastID == ids.None {
		return cursor{}
	}
	return cursor{time.UnixMicro(p.LastMicros), p.LastID}
}

// target is what of the domain the sweep is at.
func (p *PolicySweep) target() (target, bool) {
	n := 0
	for _, t := range targets {
		if t.domain != p.Domain || t.deletes && p.Action != "delete" {
			continue
		}
		if n == p.Target {
			return t, true
		}
		n++
	}
	return target{}, false
}
