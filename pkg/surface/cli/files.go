package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"assess/config"
	"assess/pkg/author/media"
	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/plural"
)

// openBlobs opens the store of files. It makes the folder only for a private database: elsewhere, a missing folder
// is not the folder of assessd, and files in it would be lost.
func openBlobs(ctx context.Context, c config.Config) (*blob.Store, error) {
	folder, isFolder := strings.CutPrefix(c.Blob.URL, "file://")
	if _, err := os.Stat(folder); isFolder && err != nil && !c.Database.Embedded {
		return nil, Usage("there is no folder %s for files: set blob.url (or ASSESS_BLOB_URL) to what assessd has", folder)
	}
	blobs, err := blob.Open(ctx, c.Blob.URL)
	if err != nil {
		return nil, fmt.Errorf("blob.url: %w", err)
	}
	return blobs, nil
}

// The newest records whose files doctor looks for, and the tenants whose records it looks at.
const (
	examinedFiles   = 3
	examinedTenants = 100
)

// examineFiles looks whether the store of files is the one that the records speak of.
func examineFiles(ctx context.Context, store *db.Store, c config.Config, d *Diagnosis) {
	const mend = "set blob.url to what assessd has, or bring the files back from a backup"
	tenants, err := store.Tenants(ctx)
	if err != nil {
		d.problem("files", err.Error(), "look into the log of PostgreSQL")
		return
	}
	folder, isFolder := strings.CutPrefix(c.Blob.URL, "file://")
	if _, err := os.Stat(folder); isFolder && err != nil {
		// Opening it would make it.
		d.warn("files", "there is no folder "+folder, "start assessd, which makes it, or "+mend)
		return
	}
	blobs, err := blob.Open(ctx, c.Blob.URL)
	if err != nil {
		d.problem("files", err.Error(), "correct blob.url or its permissions")
		return
	}
	defer blobs.Close() //nolint:errcheck // only read from
	looked, missing := 0, 0
	for _, s := range []interface {
		Sample(ctx context.Context, tenant ids.ID, n int) (named, missing int, err error)
	}{media.NewFiles(store, blobs), evidence.NewFiles(store, blobs, c.Blob)} {
		for _, tenant := range tenants[:min(len(tenants), examinedTenants)] {
			found, gone, err := s.Sample(ctx, tenant, examinedFiles)
			if err != nil {
				d.problem("files", err.Error(), "correct blob.url or its permissions")
				return
			}
			looked, missing = looked+found, missing+gone
		}
	}
	if missing > 0 {
		d.problem("files", fmt.Sprintf("%d of %s that records name are not in %s", missing, plural.Of(looked, "file"), c.Redacted().Blob.URL), mend)
		return
	}
	d.ok("files", fmt.Sprintf("%s of the newest records are in %s", plural.Of(looked, "file"), c.Redacted().Blob.URL))
}
