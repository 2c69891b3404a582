package pack

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// holdings has the org unit's copies of one kind of a revision: only ids, which are joined in this program. Within one
// transaction the tables fill from nothing, so that PostgreSQL could not know how to join them.
type holdings struct {
	// sources are the records of the library by their versions, heads their newest versions in the revision.
	sources, heads map[ids.ID]ids.ID
	copies         map[ids.ID]copyOf
	// versions are the versions of the org unit by the versions of the library.
	versions map[ids.ID]ids.ID
}

// copyOf is a record of the org unit; head is the version of the source that the newest install chose for it.
type copyOf struct{ record, head ids.ID }

func (i *installer) holdings(ctx context.Context, kind string) (holdings, error) {
	h := holdings{sources: map[ids.ID]ids.ID{}, heads: map[ids.ID]ids.ID{}, copies: map[ids.ID]copyOf{}, versions: map[ids.ID]ids.ID{}}
	var a, b, c ids.ID
	for _, read := range []struct {
		sql  string
		args []any
		into []any
		note func()
	}{
		{"select ref::uuid, source_id from library_entries where tenant_id = $1 and revision_id = $2 and kind = $3 order by number",
			[]any{i.tx.Tenant(), i.revision.ID, kind}, []any{&a, &b}, func() { h.sources[a], h.heads[b] = b, a }},
		{"select source_id, copy_id, head_id from library_copies where tenant_id = $1 and org_unit_id = $2 and library_id = $3 and kind = $4",
			[]any{i.tx.Tenant(), i.in.OrgUnitID, i.revision.LibraryID, kind}, []any{&a, &b, &c}, func() { h.copies[a] = copyOf{b, c} }},
		{"select source_version_id, version_id from library_copied_versions where tenant_id = $1 and org_unit_id = $2 and library_id = $3 and kind = $4",
			[]any{i.tx.Tenant(), i.in.OrgUnitID, i.revision.LibraryID, kind}, []any{&a, &b}, func() { h.versions[a] = b }},
	} {
		rows, err := i.tx.Query(ctx, read.sql, read.args...)
		if err == nil {
			_, err = pgx.ForEachRow(rows, read.into, func() error {
				read.note()
				return nil
			})
		}
		if err != nil {
			return h, fmt.Errorf("find copies of %ss: %w", kind, err)
		}
	}
	return h, nil
}

// local is the org unit's record and version for a version of the pack.
type local struct{ record, version ids.ID }

// locals gives the org unit's record and version for every version of a kind: the copy, or, for a record that it kept, the
// version in use. It is called after all of the kind are copied.
func (i *installer) locals(ctx context.Context, kind string) (map[ids.ID]local, error) {
	if i.local[kind] != nil {
		return i.local[kind], nil
	}
	h, err := i.holdings(ctx, kind)
	if err != nil {
		return nil, err
	}
	kept := map[ids.ID]bool{}
	for source := range i.kept {
		if c, there := h.copies[source]; there {
			kept[c.record] = true
		}
	}
	used := map[ids.ID]ids.ID{}
	if len(kept) > 0 {
		rows, err := i.tx.Query(ctx, fmt.Sprintf("select id, published_id from %ss where tenant_id = $1 and id = any($2)", kind), i.tx.Tenant(), inOrder(kept))
		if err != nil {
			return nil, fmt.Errorf("find copies of %ss: %w", kind, err)
		}
		var record ids.ID
		var version *ids.ID
		_, err = pgx.ForEachRow(rows, []any{&record, &version}, func() error {
			if version != nil {
				used[record] = *version
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("find copies of %ss: %w", kind, err)
		}
	}
	found := make(map[ids.ID]local, len(h.sources))
	for version, source := range h.sources {
		l := local{h.copies[source].record, h.versions[version]}
		if i.kept[source] {
			l.version = used[l.record]
		}
		if l.record != ids.None && l.version != ids.None {
			found[version] = l
		}
	}
	i.local[kind] = found
	return found, nil
}

// versionsOf gives the org unit's records and versions for versions of questions or passages.
func (i *installer) versionsOf(ctx context.Context, kind string, versions []ids.ID) (map[ids.ID]local, error) {
	all, err := i.locals(ctx, kind)
	if err != nil {
		return nil, err
	}
	found := make(map[ids.ID]local, len(versions))
	for _, v := range versions {
		l, there := all[v]
		if !there {
			return nil, errs.New(errs.PackDamaged, "The pack names a %s that it does not hold.", kind)
		}
		found[v] = l
	}
	return found, nil
}
