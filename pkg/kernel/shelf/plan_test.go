package shelf

import (
	"errors"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// stored is how many files the tenant below has, and orphans how many of them no record names.
const (
	stored  = 5000
	orphans = 20
)

// storedSQL makes files with records, and some without that nobody has touched for hours: $1 tenant, $2 org unit, $3 asset.
var storedSQL = []string{
	`insert into tenants (id, slug, name, created_at) select $1, 't-' || $1::uuid, 'T', now() where $2::uuid is not null and $3::uuid is not null`,
	`insert into org_units (tenant_id, id, slug, name, created_at) select $1, $2, 'o', 'O', now() where $3::uuid is not null`,
	`insert into media_blobs select $1, encode(sha256(n::text::bytea), 'hex'), now() - interval '10 minutes' * (n % 2)
		from generate_series(1, 5000) n where $2::uuid is not null and $3::uuid is not null`,
	`insert into assets (tenant_id, id, org_unit_id, name, name_key, media_type, current_id, created_at, updated_at)
		select $1, $3, $2, 'A', 'a', 'image/png', $3, now(), now()`,
	`insert into asset_versions (tenant_id, id, org_unit_id, asset_id, number, media_type, size_bytes, sha256, created_at)
		select $1, case n when 1 then $3 else gen_random_uuid() end, $2, $3, n, 'image/png', 1, encode(sha256(n::text::bytea), 'hex'), now()
		from generate_series(1, 5000) n`,
	`insert into media_blobs select $1, encode(sha256(('orphan ' || n)::bytea), 'hex'), now() - interval '2 hours'
		from generate_series(1, 20) n where $2::uuid is not null and $3::uuid is not null`,
}

// Among many files the sweep finds by an index the ones that nobody has touched lately, and
// looks for the records that name them by their hashes, as the foreign key does.
func TestSweepLooksForRecordsByHash(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	urls := dbtest.Fresh(t)
	store := dbtest.Open(t, db.Options{URL: urls.App})
	blobs, err := blob.Open(t.Context(), "file://"+t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = blobs.Close() })
	tenant, org, asset := ids.New(), ids.New(), ids.New()
	err = store.Write(t.Context(), db.System(tenant, "test"), func(tx *db.Tx) error {
		for _, sql := range storedSQL {
			_, err := tx.Exec(t.Context(), sql, tenant, org, asset)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s := New(Kind{Blob: blob.Media, Claims: "media_blobs", Records: "asset_versions", Held: "sha256"}, store, blobs)
	again := errors.New("undone, for the next plans")
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		err := store.Write(t.Context(), db.System(tenant, "test"), func(tx *db.Tx) error {
			plans.Force(t, tx)
			reads := dbtest.ReadsOf(t, tx, func() error {
				n, err := s.sweep(t.Context(), tx)
				if err == nil && n != orphans {
					t.Errorf("%d files were deleted, want %d", n, orphans)
				}
				return err
			})
			for _, table := range []string{"media_blobs", "asset_versions"} {
				if r := reads[table]; r == (dbtest.Reads{}) || r.ReadThrough || r.Entries > 10*orphans || r.Rows > 10*orphans {
					t.Errorf("%s: %+v of %d rows", table, r, stored)
				}
			}
			return again
		})
		if !errors.Is(err, again) {
			t.Fatal(err)
		}
	}, urls)
}
