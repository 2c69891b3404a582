package dsar

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"time"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/archive"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/signer"
)

// The names of the files that jobs make.
const (
	ExportName = "export.zip"
	PackName   = "privacy-pack.zip"
)

// Arguments are what a request can say besides the person. Force requests an export although there
// was one a moment ago.
type Arguments struct {
	Force bool `json:"force,omitempty" doc:"Export although there was one a moment ago"`
}

// Kind is the kind of job that exports the data held about a person. The person may fetch the
// export. A restriction does not prevent it: the export is for the person.
func (e Exporter) Kind() compliance.Kind {
	return compliance.Kind{Type: compliance.DSARExport, Subject: true, Own: true, Artifact: ExportName, Check: e.check,
		Steps: []compliance.Step{{Name: "export", Do: e.do}}}
}

// check refuses an export within the cooldown of the one before. Because of the lock, requests at
// the same time see one another, in whatever process they run.
func (e Exporter) check(ctx context.Context, tx *db.Tx, in compliance.Input) error {
	var asked Arguments
	err := in.Decode(&asked)
	if err != nil || asked.Force {
		return err
	}
	_, err = tx.Exec(ctx, "select pg_advisory_xact_lock(hashtextextended('dsar_export ' || $1::text || $2::text, 0))", tx.Tenant().String(), in.SubjectID.String())
	if err != nil {
		return fmt.Errorf("wait for other exports of the person: %w", err)
	}
	last, found, err := compliance.Newest(ctx, tx, compliance.DSARExport, in.SubjectID)
	if err != nil || !found || last.Status == models.ComplianceFailed {
		return err
	}
	wait := last.CreatedAt.Add(e.Cooldown).Sub(tx.Now())
	if wait <= 0 {
		return nil
	}
	return errs.New(errs.DSARCooldown, "An export of this person was asked for a moment ago. Try again later, or force it.").With("jobId", last.ID).
		After(max(wait.Truncate(time.Second), time.Second))
}

// told is what the job says of the export at its end.
type told struct {
	archive.Receipt
	MissingFiles int      `json:"missingFiles"`
	Missing      []string `json:"missing,omitempty"`
}

// shownMissing bounds the names of files that the result of a job lists; the manifest has them all.
const shownMissing = 20

// do writes the export into the store.
func (e Exporter) do(ctx context.Context, tx *db.Tx, r *compliance.Run) (bool, error) {
	var result Result
	_, err := r.Artifact(ctx, tx, compliance.Artifact{Name: ExportName, MediaType: "application/zip", Lifetime: e.Lifetime, Write: func(to io.Writer) error {
		var err error
		result, err = e.write(ctx, orderOf(r, tx.Now()), to, e.signsFor(ctx, r))
		return err
	}})
	if err != nil {
		return false, err
	}
	for table, n := range result.Rows {
		r.Count(table, n)
	}
	r.Job.Partial = len(result.Missing) > 0
	return true, r.Result(told{result.Receipt, len(result.Missing), result.Missing[:min(len(result.Missing), shownMissing)]})
}

func orderOf(r *compliance.Run, at time.Time) Order {
	return Order{Tenant: r.Job.TenantID, Subject: r.Person(), JobID: r.Job.ID, RequestedBy: r.Job.RequestedBy, At: at}
}

// signsFor signs with a key that nobody keeps where all will be taken back: the first signature of a
// tenant would make its key.
func (e Exporter) signsFor(ctx context.Context, r *compliance.Run) archive.Sign {
	if !r.Dry {
		return e.signs(ctx, r.Job.TenantID)
	}
	public, private, err := ed25519.GenerateKey(nil)
	return func(message []byte) (signer.Signature, error) {
		if err != nil {
			return signer.Signature{}, errors.New("make a key for a dry run: " + err.Error())
		}
		return signer.Signature{KeyID: ids.None, PublicKey: public, Bytes: ed25519.Sign(private, message)}, nil
	}
}
