package compliance

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/wire"
)

// The job types (decisions, section 6).
const (
	Forget         = "forget"
	Restrict       = "restrict"
	DSARExport     = "dsar_export"
	PrivacyPack    = "privacy_pack"
	Unlink         = "unlink"
	RetentionSweep = "retention_sweep"
)

// Types lists them.
var Types = []string{Forget, Restrict, DSARExport, PrivacyPack, Unlink, RetentionSweep}

// Kind is what jobs of a type do.
type Kind struct {
	Type string
	// Subject says whether a job is about a person.
	Subject bool
	// Check decodes the arguments and refuses a job before it is stored; nil takes no arguments and refuses
	// none. It locks what the job relies on.
	Check func(ctx context.Context, tx *db.Tx, in Input) error
	// Proof says whether a user needs a step-up proof for a job; nil: for none. The call consumes it.
	Proof func(ctx context.Context, tx *db.Tx, in Input) (bool, error)
	Steps []Step
	// Artifact is the file whose hash the ledger gets at the end; empty for none.
	Artifact string
	// Own says that the person may fetch what a job about them made.
	Own bool
	// AtOnce does the steps in the transaction that creates the job, so a job that waits cannot come first.
	AtOnce bool
}

// Always is the Proof of a type whose every job needs one.
func Always(context.Context, *db.Tx, Input) (bool, error) { return true, nil }

// Step is a part of a job that ends whole. It may run again after a crash, and then leads to the same
// end.
type Step struct {
	Name string
	// Outside works on things outside the database, before the transaction of the step. A dry run
	// leaves it out. Nil for most.
	Outside func(ctx context.Context, r *Run) error
	// Do works in the transaction that writes the step down. False says that there is more: what was
	// done so far is committed, and the step comes again. Nil: there was nothing to do but Outside.
	Do func(ctx context.Context, tx *db.Tx, r *Run) (done bool, err error)
	// GivesWay has the work rest after each piece for twice as long as the piece took: most of the machine stays
	// with people who take an exam meanwhile.
	GivesWay bool
}

// Run is one job while it is worked on.
type Run struct {
	*Centre
	Job models.ComplianceJob
	// Dry says that everything will be taken back.
	Dry bool
	// counts are the rows that the step has touched, by table.
	counts map[string]int64
}

// Count adds rows of a table to what the step did.
func (r *Run) Count(table string, rows int64) {
	if rows != 0 {
		r.counts[table] += rows
	}
}

// Progress says how much of all there is to do is done: rows, submissions, files.
func (r *Run) Progress(done, total int64) { r.Job.DoneN, r.Job.TotalN = done, &total }

// Person is the person the job is about.
func (r *Run) Person() ids.ID { return db.OrZero(r.Job.SubjectID) }

// Arguments decodes the arguments of the job.
func (r *Run) Arguments(into any) error {
	err := json.Unmarshal(r.Job.Arguments, into)
	if err != nil {
		return fmt.Errorf("decode arguments of job: %w", err)
	}
	return nil
}

// Result keeps what the job has to say at its end: ids, codes and figures, never a name.
func (r *Run) Result(value any) error {
	encoded, err := wire.Marshal(value) // clients read it as it is
	if err != nil {
		return fmt.Errorf("encode result of job: %w", err)
	}
	r.Job.Result = encoded
	return nil
}

// Centre works on jobs of its kinds.
type Centre struct {
	Store *db.Store
	Files *Files
	// Secret is auth.key_secret, which receipts are signed and identifiers sealed with.
	Secret string
	// SLA is how long a job may take from its request (GDPR, article 12(3)).
	SLA   time.Duration
	Kinds []Kind
	// Ended hears of the end of each job, in its transaction; nil: nobody does.
	Ended func(ctx context.Context, tx *db.Tx, job models.ComplianceJob) error
}

func (c *Centre) kind(jobType string) (Kind, error) {
	i := slices.IndexFunc(c.Kinds, func(k Kind) bool { return k.Type == jobType })
	if i < 0 {
		return Kind{}, fmt.Errorf("no kind of job is called %q", jobType)
	}
	return c.Kinds[i], nil
}
