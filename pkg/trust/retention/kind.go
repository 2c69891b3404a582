package retention

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/riverqueue/river"

	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/trust/compliance"
)

// dryRows bounds how many rows a dry run erases and takes back, a policy: it is one transaction.
const dryRows = 2000

// Kind is the job type retention_sweep: one step that comes again for each piece, one that deletes the files of the
// erased records, and one that gives an account of it.
func Kind(files *evidence.Files) compliance.Kind {
	return compliance.Kind{Type: compliance.RetentionSweep, Proof: compliance.Always, Steps: []compliance.Step{{Name: "sweep", Do: sweep, GivesWay: true},
		{Name: "files", Outside: func(ctx context.Context, r *compliance.Run) error { return dropFiles(ctx, r, files) }},
		{Name: "account", Do: account}}}
}

// dropFiles deletes the files that the sweep let go of, except files that other records hold.
func dropFiles(ctx context.Context, r *compliance.Run, files *evidence.Files) error {
	_, err := files.SweepTenant(ctx, r.Job.TenantID)
	if err == nil {
		_, err = r.Files.SweepTenant(ctx, r.Job.TenantID)
	}
	return err
}

// sweep does the next piece. The result of the job says how far it is, and later how it ended.
func sweep(ctx context.Context, tx *db.Tx, r *compliance.Run) (bool, error) {
	s, err := progress(ctx, tx, r)
	if err != nil {
		return false, err
	}
	s.Job = r.Job.ID
	before := s.total()
	over, err := s.Step(ctx, tx, PieceSize)
	if err != nil {
		return false, err
	}
	for table, n := range s.total() {
		r.Count(table, n-before[table])
	}
	if r.Dry && !over && s.Policies[s.Place].looked() >= dryRows {
		r.Job.Partial, s.Place = true, s.Place+1
		over = s.Place >= len(s.Policies)
	}
	r.Job.DoneN++
	return over, r.Result(s)
}

// progress gives how far the sweep of a job is; before its first piece, what there is to do.
func progress(ctx context.Context, tx *db.Tx, r *compliance.Run) (Sweep, error) {
	var s Sweep
	err := json.Unmarshal(r.Job.Result, &s)
	if err != nil {
		return s, fmt.Errorf("decode progress of sweep: %w", err)
	}
	if !s.At.IsZero() {
		return s, nil
	}
	return Begin(ctx, tx, r.Job.CreatedAt)
}

// total adds up what the policies did.
func (s Sweep) total() Counts {
	all := Counts{}
	for _, p := range s.Policies {
		all.add(p.Counts)
	}
	return all
}

// looked is how many rows a policy came to, give or take the rows that go with them.
func (p PolicySweep) looked() int64 {
	n := p.Held
	for _, rows := range p.Counts {
		n += rows
	}
	return n
}

// account writes a row of the compliance ledger for each policy, and incidents for what was left.
func account(ctx context.Context, tx *db.Tx, r *compliance.Run) (bool, error) {
	s, err := progress(ctx, tx, r)
	if err != nil {
		return false, err
	}
	for _, p := range s.Policies {
		e := compliance.Entry{State: compliance.Completed, Domain: p.Domain, PolicyID: p.PolicyID, Cutoff: &p.Cutoff, Counts: p.Counts}
		switch {
		case p.Problem != "":
			e.State, r.Job.Partial = compliance.Failed, true
		case p.Held > 0:
			e.State, r.Job.Partial = compliance.Blocked, true
		}
		if err := compliance.Record(ctx, tx, r.Job, e); err != nil {
			return false, err
		}
	}
	return true, s.record(ctx, tx, r.Job.ID)
}

// Args starts a sweep of every tenant that has a policy.
type Args struct{}

// Kind names the job of the queue.
func (Args) Kind() string { return "retention" }

// Worker starts the sweeps that nobody starts by hand.
type Worker struct {
	river.WorkerDefaults[Args]
	Centre *compliance.Centre
}

// Work starts a sweep of each tenant, and goes on with the next one where that fails.
func (w *Worker) Work(ctx context.Context, _ *river.Job[Args]) error {
	tenants, err := w.Centre.Store.Tenants(ctx)
	if err != nil {
		return fmt.Errorf("list tenants: %w", err)
	}
	var problems []error
	for _, tenant := range tenants {
		problems = append(problems, w.Centre.Store.Write(ctx, db.System(tenant, "retention"), func(tx *db.Tx) error { return start(ctx, tx, w.Centre) }))
	}
	return errors.Join(problems...)
}

// start starts a sweep where something is to be carried out and none is on its way.
func start(ctx context.Context, tx *db.Tx, c *compliance.Centre) error {
	due, err := Policies(ctx, tx, tx.Now())
	if err != nil || len(due) == 0 {
		return err
	}
	var busy bool
	err = tx.QueryRow(ctx, `select exists (select from compliance_jobs
		where tenant_id = $1 and status in ('queued', 'running') and job_type = $2)`, tx.Tenant(), compliance.RetentionSweep).Scan(&busy)
	if err != nil {
		return fmt.Errorf("look for a sweep: %w", db.Translate(err))
	}
	if busy {
		return nil
	}
	_, err = c.Create(ctx, tx, compliance.Input{Type: compliance.RetentionSweep})
	if errors.Is(err, errs.Conflict) {
		return nil
	}
	return err
}
