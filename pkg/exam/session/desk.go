package session

import (
	"context"
	"fmt"

	"github.com/maypok86/otter/v2"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

const (
	// maxCachedItems bounds the digested snapshots by the number of their items.
	maxCachedItems = 100_000
	// maxCachedSessions bounds how many sessions are remembered, some 200 bytes each.
	maxCachedSessions = 50_000
)

// Desk hands out sessions and takes them back. It keeps things that never change: the snapshots of
// published evaluation versions, digested, and the owner of each session. Neither needs
// invalidation, and rows of the database, not the data kept here, decide what a caller may see.
// Many goroutines may use a Desk; a process needs only one.
type Desk struct {
	forms  *otter.Cache[key, *form]
	owners *otter.Cache[key, owner]
}

// key names a row of a tenant.
type key struct{ tenant, id ids.ID }

// NewDesk makes a Desk that has seen nothing yet.
func NewDesk() *Desk {
	return &Desk{
		forms: otter.Must(&otter.Options[key, *form]{
			MaximumWeight: maxCachedItems,
			Weigher:       func(_ key, f *form) uint32 { return uint32(len(f.items) + 1) },
		}),
		owners: otter.Must(&otter.Options[key, owner]{MaximumSize: maxCachedSessions}),
	}
}

// form gives the digested snapshot of a published evaluation version. The caller took the
// id from a row that it may see.
func (d *Desk) form(ctx context.Context, tx *db.Tx, versionID ids.ID) (*form, error) {
	k := key{tx.Tenant(), versionID}
	kept, ok := d.forms.GetIfPresent(k)
	if ok {
		return kept, nil
	}
	hash, snapshot, err := loadSnapshot(ctx, tx, versionID)
	if err != nil {
		return nil, fmt.Errorf("load snapshot: %w", err)
	}
	digested := digest(hash, snapshot)
	d.forms.Set(k, digested)
	return digested, nil
}
