package media_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"assess/pkg/author/media"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/shelf"
)

func (s *rack) key(c media.Content) blob.Key {
	return blob.Key{Tenant: s.scope.Tenant, Kind: blob.Media, SHA256: c.SHA256}
}

func (s *rack) holds(t *testing.T, c media.Content) bool {
	t.Helper()
	there, err := s.blobs.Exists(t.Context(), s.key(c))
	if err != nil {
		t.Fatal(err)
	}
	return there
}

// age makes every file of the tenant look as if nobody had touched it for two hours.
func (s *rack) age(t *testing.T) {
	t.Helper()
	s.write(t, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update media_blobs set touched_at = later_by(touched_at, -7200) where tenant_id = $1", tx.Tenant())
		return err
	})
}

func (s *rack) sweep(t *testing.T) int {
	t.Helper()
	n, err := s.files.SweepTenant(t.Context(), s.scope.Tenant)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestSweepDeletesWhatNothingRefersTo(t *testing.T) {
	t.Parallel()
	s := newRack(t)
	shared := sample.PNG(1, 1)
	kept := s.upload(t, "kept.png", shared)
	twin := s.upload(t, "twin.png", shared)
	deleted := s.upload(t, "deleted.png", sample.PNG(1, 1))
	orphan, err := s.keep(t.Context(), sample.PNG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, asset := range []media.Asset{deleted, twin} {
		s.write(t, func(tx *db.Tx) error { return media.DeleteAsset(t.Context(), tx, asset.ID) })
	}
	if n := s.sweep(t); n != 0 || !s.holds(t, orphan) {
		t.Errorf("too early: %d files were swept", n)
	}
	s.age(t)
	if n := s.sweep(t); n != 2 {
		t.Errorf("got %d files swept, want 2", n)
	}
	if s.holds(t, orphan) || s.holds(t, media.Content{SHA256: deleted.Current.SHA256}) {
		t.Error("an orphan is still there")
	}
	if !s.holds(t, media.Content{SHA256: kept.Current.SHA256}) {
		t.Error("a file that a version refers to is gone")
	}
	if n := s.sweep(t); n != 0 {
		t.Errorf("the second sweep found %d", n)
	}
}

// It is not parallel: the job sweeps the tenants of other tests too.
func TestSweepGoesThroughEveryTenantAndBatch(t *testing.T) {
	s := newRack(t)
	s.write(t, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), `insert into media_blobs (tenant_id, sha256, touched_at)
			select $1, encode(sha256(n::text::bytea), 'hex'), now() - interval '2 hours' from generate_series(1, 250) n returning true`, tx.Tenant())
		return err
	})
	if n := s.sweep(t); n != 250 {
		t.Errorf("got %d, want 250", n)
	}
	orphan, err := s.keep(t.Context(), sample.PNG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	s.age(t)
	err = (&shelf.Sweeper{Store: s.store, Shelves: []*shelf.Shelf{s.files.Shelf}}).Work(t.Context(), nil)
	if err != nil || s.holds(t, orphan) {
		t.Errorf("the job left the orphan; error %v", err)
	}
}

// A tenant whose files cannot be deleted stops no other tenant's sweep, no matter which comes first. It is not
// parallel either.
func TestOneTenantsTroubleStopsNoOther(t *testing.T) {
	here := newRack(t)
	there := *here
	there.scope = sample.Tenant(t, here.store)
	for _, pair := range [][2]*rack{{here, &there}, {&there, here}} {
		broken, whole := pair[0], pair[1]
		stuck, err := broken.keep(t.Context(), sample.PNG(1, 1))
		if err != nil {
			t.Fatal(err)
		}
		orphan, err := whole.keep(t.Context(), sample.PNG(1, 1))
		if err != nil {
			t.Fatal(err)
		}
		broken.age(t)
		whole.age(t)
		repair := broken.jam(t, stuck)
		err = (&shelf.Sweeper{Store: here.store, Shelves: []*shelf.Shelf{here.files.Shelf}}).Work(t.Context(), nil)
		if err == nil || whole.holds(t, orphan) {
			t.Errorf("the orphan of the other tenant was left; error %v", err)
		}
		repair()
	}
}

// jam puts a folder that is not empty in the place of a file: it cannot be deleted like a file.
func (s *rack) jam(t *testing.T, c media.Content) (repair func()) {
	t.Helper()
	file := filepath.Join(s.folder, s.key(c).String())
	err := os.Remove(file)
	if err == nil {
		err = os.MkdirAll(filepath.Join(file, "x"), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		err := os.RemoveAll(file)
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A file that cannot be deleted stays recorded, and the next sweep deletes it.
func TestSweepThatFailsIsRepeated(t *testing.T) {
	t.Parallel()
	s := newRack(t)
	orphan, err := s.keep(t.Context(), sample.PNG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	s.age(t)
	repair := s.jam(t, orphan)
	_, err = s.files.SweepTenant(t.Context(), s.scope.Tenant)
	wantCode(t, err, errs.StorageUnavailable)
	repair()
	if n := s.sweep(t); n != 1 {
		t.Errorf("got %d, want 1", n)
	}
}

func TestSameBytesAtOnce(t *testing.T) {
	t.Parallel()
	s := newRack(t)
	content := sample.PNG(20, 20)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			err := s.uploadAtOnce(t.Context(), content)
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s.write(t, func(tx *db.Tx) error {
		var versions, files int
		err := tx.QueryRow(t.Context(), `select count(*), count(distinct v.sha256) from asset_versions v
			join media_blobs b on b.tenant_id = v.tenant_id and b.sha256 = v.sha256 where v.tenant_id = $1`, tx.Tenant()).Scan(&versions, &files)
		if err == nil && (versions != 8 || files != 1) {
			t.Errorf("got %d versions of %d files, want 8 of one", versions, files)
		}
		return err
	})
}

func (s *rack) uploadAtOnce(ctx context.Context, content []byte) error {
	kept, err := s.keep(ctx, content)
	if err != nil {
		return err
	}
	return s.store.Write(ctx, s.scope, func(tx *db.Tx) error {
		_, err := media.CreateAsset(ctx, tx, "x.png", kept)
		return err
	})
}

// The race that matters: sweeps of an old orphan during uploads of the same bytes. No
// matter which wins, no version may refer to a file that is gone.
func TestSweepBesideUploadsOfTheSameBytes(t *testing.T) {
	t.Parallel()
	s := newRack(t)
	for range 15 {
		content := sample.PNG(4, 4)
		orphan, err := s.keep(t.Context(), content)
		if err != nil {
			t.Fatal(err)
		}
		s.age(t)
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				if _, err := s.files.SweepTenant(t.Context(), s.scope.Tenant); err != nil {
					t.Error(err)
				}
			})
			all.Go(func() {
				if err := s.uploadAtOnce(t.Context(), content); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if err := s.blobs.Verify(t.Context(), s.key(orphan)); err != nil {
			t.Fatalf("a version refers to it: %v", err)
		}
	}
}

// An upload that was stored and then took longer than a sweep waits is refused, and not
// recorded without its file.
func TestUploadThatWasSweptIsRefused(t *testing.T) {
	t.Parallel()
	s := newRack(t)
	kept, err := s.keep(t.Context(), sample.PNG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	s.age(t)
	s.sweep(t)
	err = s.try(t, func(tx *db.Tx) error {
		_, err := media.CreateAsset(t.Context(), tx, "late.png", kept)
		return err
	})
	wantCode(t, err, errs.StorageUnavailable)
}

// A sweep that found an orphan while its version was being recorded deletes nothing.
func TestSweepWaitsForAVersionThatIsBeingRecorded(t *testing.T) {
	t.Parallel()
	s := newRack(t)
	kept, err := s.keep(t.Context(), sample.PNG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	s.age(t)
	s.write(t, func(tx *db.Tx) error {
		_, err := media.CreateAsset(t.Context(), tx, "slow.png", kept)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if n, err := s.files.SweepTenant(ctx, s.scope.Tenant); n != 0 || err != nil {
			t.Errorf("got %d files swept and error %v", n, err)
		}
		return nil
	})
	if !s.holds(t, kept) {
		t.Error("the file is gone")
	}
}
