package dsar

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"time"

	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/archive"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/datamap"
	"assess/pkg/trust/signer"
)

// Exporter makes exports. Secret is auth.key_secret: it opens the key that signs. Cooldown is how long
// after an export of a person the next one must be forced, and Lifetime how long the file of one is
// kept.
type Exporter struct {
	Store              *db.Store
	Files              *evidence.Files
	Secret             string
	Cooldown, Lifetime time.Duration
}

// Order says whose data are exported, for which job, who requested it, and when.
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

// Write writes the export. It checks no capability: its callers say who may. Errors: not_found,
// storage_unavailable, access.ErrNoKeySecret.
func (e Exporter) Write(ctx context.Context, o Order, to io.Writer) (Result, error) {
	return e.write(ctx, o, to, e.signs(ctx, o.Tenant))
}

func (e Exporter) write(ctx context.Context, o Order, to io.Writer, sign archive.Sign) (Result, error) {
	w := archive.New(to)
	var m archive.Manifest
	err := e.Store.Read(ctx, db.System(o.Tenant, compliance.DSARExport), func(tx *db.Tx) error {
		var err error
		m, err = write(ctx, tx, e.Files, o.Subject, sources, w)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	m.Kind, m.DataMapVersion = compliance.DSARExport, mapVersion
	// It is signed after the snapshot, so that signing needs no second connection.
	receipt, err := w.Close(m, o.receipt(), sign)
	return Result{receipt, m.Counts, m.Missing}, err
}

func (o Order) receipt() archive.Receipt {
	return archive.Receipt{JobID: o.JobID, RequestedBy: requester(o.RequestedBy, o.Subject), IssuedAt: o.At}
}

// mapVersion names the data map: it changes when the map does.
var mapVersion = func() string {
	sum := sha256.Sum256([]byte(datamap.Document()))
	return hex.EncodeToString(sum[:8])
}()

// signs signs in a transaction of its own: the first signature of a tenant makes its key.
func (e Exporter) signs(ctx context.Context, tenant ids.ID) archive.Sign {
	return func(message []byte) (signer.Signature, error) {
		var s signer.Signature
		err := e.Store.Write(ctx, db.System(tenant, compliance.DSARExport), func(tx *db.Tx) error {
			var err error
			s, err = signer.Sign(ctx, tx, e.Secret, message)
			return err
		})
		return s, err
	}
}

// requester names the one who made the request: the id of a user, which names nobody, or a word
// for the person, an operator or the service.
func requester(actor string, subject ids.ID) string {
	if said := who(actor, subject); said != aMember {
		return said
	}
	return actor
}
