package dsar

import (
	"context"
	"io"
	"time"

	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/archive"
	"assess/pkg/trust/signer"
)

// JobType is the type of the jobs that export what is held about a person.
const JobType = "dsar_export"

// Exporter makes exports. Secret is auth.key_secret: it opens the key that signs.
type Exporter struct {
	Store  *db.Store
	Files  *evidence.Files
	Secret string
}

// Order says whose data are exported, for which job, by whom it was asked for, and when.
type Order struct {
	Tenant, Subject, JobID ids.ID
	RequestedBy            string
	At                     time.Time
}

// Result tells of an export.
type Result struct {
	archive.Receipt
	// Rows counts the records by table.
	Rows map[string]int64
	// Missing are files of evidence that the store does not have as they were.
	Missing []string
}

// Write writes the export. It asks for no capability: its callers say who may. Errors: not_found,
// storage_unavailable, access.ErrNoKeySecret.
func (e Exporter) Write(ctx context.Context, o Order, to io.Writer) (Result, error) {
	scope := db.System(o.Tenant, JobType)
	w := archive.New(to)
	var m archive.Manifest
	err := e.Store.Snapshot(ctx, scope, func(tx *db.Tx) error {
		var err error
		m, err = write(ctx, tx, e.Files, o.Subject, sources, w)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	m.Kind = JobType
	// It is signed after the snapshot, so that no export holds one connection and waits for another.
	receipt, err := w.Close(m, archive.Receipt{JobID: o.JobID, RequestedBy: requester(o.RequestedBy, o.Subject), IssuedAt: o.At}, e.signs(ctx, scope))
	return Result{receipt, m.Counts, m.Missing}, err
}

// signs signs in a transaction of its own: the first signature of a tenant makes its key.
func (e Exporter) signs(ctx context.Context, scope db.Scope) archive.Sign {
	return func(message []byte) (signer.Signature, error) {
		var s signer.Signature
		err := e.Store.Write(ctx, scope, func(tx *db.Tx) error {
			var err error
			s, err = signer.Sign(ctx, tx, e.Secret, message)
			return err
		})
		return s, err
	}
}

// requester says who asked: the id of a user, which names nobody, or what else it was.
func requester(actor string, subject ids.ID) string {
	if said := who(actor, subject); said != aMember {
		return said
	}
	return actor
}
