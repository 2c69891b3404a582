package media_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/author/media"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func TestCheckNamesWhatCannotBeShown(t *testing.T) {
	t.Parallel()
	s := newRack(t)
	picture, paper := s.upload(t, "leaf.png", sample.PNG(1, 1)), s.upload(t, "leaf.pdf", []byte("%PDF-1.7\n"))
	elsewhere := newRack(t).upload(t, "theirs.png", sample.PNG(1, 1))
	uses := []media.Use{{Path: "a", Asset: picture.ID}, {Path: "b", Asset: ids.New()}, {Path: "c", Asset: paper.ID},
		{Path: "d", Asset: elsewhere.ID}, {Path: "e", Asset: picture.ID}}
	s.write(t, func(tx *db.Tx) error {
		found, err := media.Check(t.Context(), tx, uses)
		if err != nil {
			return err
		}
		var got []string
		for _, f := range found {
			got = append(got, f.Path+" "+f.Code)
		}
		if diff := cmp.Diff([]string{"b unknown_asset", "c not_an_image", "d unknown_asset"}, got); diff != "" {
			t.Error(diff)
		}
		pins, err := media.Pin(t.Context(), tx, []ids.ID{picture.ID, elsewhere.ID, picture.ID, elsewhere.ID})
		if err != nil {
			return err
		}
		if diff := cmp.Diff(map[ids.ID]ids.ID{picture.ID: picture.Current.ID}, pins); diff != "" {
			t.Errorf("pins: %s", diff)
		}
		return nil
	})
}

func TestAssetInAnotherOrgUnitIsUnknown(t *testing.T) {
	t.Parallel()
	s := newRack(t)
	asset := s.upload(t, "leaf.png", sample.PNG(1, 1))
	nextDoor := s.scope
	s.write(t, func(tx *db.Tx) error {
		nextDoor.OrgUnit, nextDoor.All = sample.OrgUnit(t, tx, "next-door").ID, false
		return nil
	})
	err := s.store.Write(t.Context(), nextDoor, func(tx *db.Tx) error {
		pins, err := media.Pin(t.Context(), tx, []ids.ID{asset.ID})
		if err == nil && len(pins) != 0 {
			t.Error("it was pinned")
		}
		return media.DeleteAsset(t.Context(), tx, asset.ID)
	})
	wantCode(t, err, errs.NotFound)
}

func TestDeleteAsset(t *testing.T) {
	t.Parallel()
	type use = func(t *testing.T, tx *db.Tx, asset, other ids.ID)
	passage := func(status string) use {
		return func(t *testing.T, tx *db.Tx, asset, _ ids.ID) { addPassage(t, tx, asset, status) }
	}
	for _, tt := range []struct {
		name string
		use  use
		code errs.Code
		key  string
	}{
		{"unused", func(*testing.T, *db.Tx, ids.ID, ids.ID) {}, "", ""},
		{"a draft question", func(t *testing.T, tx *db.Tx, asset, _ ids.ID) { question(t, tx, asset) }, errs.AssetInUse, "draftQuestions"},
		{"a published question", func(t *testing.T, tx *db.Tx, asset, _ ids.ID) { publish(t, tx, question(t, tx, asset)) }, errs.AssetInUse, "publishedQuestions"},
		{"a draft passage", passage("draft"), errs.AssetInUse, "draftPassages"},
		{"a published passage", passage("published"), errs.AssetInUse, "publishedPassages"},
		{"another asset's question", func(t *testing.T, tx *db.Tx, _, other ids.ID) { question(t, tx, other) }, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newRack(t)
			asset, other := s.upload(t, "leaf.png", sample.PNG(1, 1)), s.upload(t, "other.png", sample.PNG(1, 1))
			s.write(t, func(tx *db.Tx) error {
				tt.use(t, tx, asset.ID, other.ID)
				return nil
			})
			err := s.try(t, func(tx *db.Tx) error { return media.DeleteAsset(t.Context(), tx, asset.ID) })
			wantCode(t, err, tt.code)
			if tt.code == "" {
				wantCode(t, s.try(t, func(tx *db.Tx) error { return media.DeleteAsset(t.Context(), tx, asset.ID) }), errs.NotFound)
				return
			}
			for _, key := range []string{"publishedQuestions", "draftQuestions", "publishedPassages", "draftPassages"} {
				want := 0
				if key == tt.key {
					want = 1
				}
				if got := errs.Of(err).Details[key]; got != want {
					t.Errorf("%s: got %v, want %d", key, got, want)
				}
			}
		})
	}
}

func question(t *testing.T, tx *db.Tx, asset ids.ID) ids.ID {
	t.Helper()
	q, err := authoring.CreateQuestion(t.Context(), tx, showing(asset))
	if err != nil {
		t.Fatal(err)
	}
	return q.ID
}

func publish(t *testing.T, tx *db.Tx, id ids.ID) {
	t.Helper()
	_, err := authoring.PublishQuestion(t.Context(), tx, id)
	if err != nil {
		t.Fatal(err)
	}
}

func addPassage(t *testing.T, tx *db.Tx, asset ids.ID, status string) {
	t.Helper()
	passage, version := ids.New(), ids.New()
	_, err := tx.Exec(t.Context(), `insert into passages (tenant_id, id, org_unit_id, title, status, created_at, updated_at)
		values ($1, $2, $3, 'P', 'draft', now(), now())`, tx.Tenant(), passage, tx.Scope().OrgUnit)
	if err == nil {
		_, err = tx.Exec(t.Context(), `insert into passage_versions (tenant_id, id, org_unit_id, passage_id, number, status, title, body, extracts,
				content_hash, canonical_scheme, hash_scheme, created_at, updated_at)
			values ($1, $2, $3, $4, 1, $5, 'P', $6::text::jsonb, '{}', '', '', '', now(), now())`,
			tx.Tenant(), version, tx.Scope().OrgUnit, passage, status, string(showing(asset).Stem))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A deletion waits for a concurrent transaction that pins the asset, and then the asset is
// in use; had it come first, the asset would be missing. A deleted asset is never pinned.
func TestDeleteBesidePublish(t *testing.T) {
	t.Parallel()
	s := newRack(t)
	t.Run("the publish is first", func(t *testing.T) {
		asset := s.upload(t, "leaf.png", sample.PNG(1, 1))
		deleted := make(chan error, 1)
		s.write(t, func(tx *db.Tx) error {
			pins, err := media.Pin(t.Context(), tx, []ids.ID{asset.ID})
			if err != nil || len(pins) != 1 {
				t.Fatalf("pins %v, error %v", pins, err)
			}
			go func() {
				deleted <- s.store.Write(t.Context(), s.scope, func(tx *db.Tx) error { return media.DeleteAsset(t.Context(), tx, asset.ID) })
			}()
			select {
			case err := <-deleted:
				t.Errorf("the deletion did not wait: %v", err)
			case <-time.After(200 * time.Millisecond):
			}
			publish(t, tx, question(t, tx, asset.ID))
			return nil
		})
		wantCode(t, <-deleted, errs.AssetInUse)
	})
	t.Run("the deletion is first", func(t *testing.T) {
		asset := s.upload(t, "leaf.png", sample.PNG(1, 1))
		pinned := make(chan map[ids.ID]ids.ID, 1)
		s.write(t, func(tx *db.Tx) error {
			err := media.DeleteAsset(t.Context(), tx, asset.ID)
			go func() {
				var pins map[ids.ID]ids.ID
				err := s.store.Write(t.Context(), s.scope, func(tx *db.Tx) error {
					var err error
					pins, err = media.Pin(t.Context(), tx, []ids.ID{asset.ID})
					return err
				})
				if err != nil {
					t.Error(err)
				}
				pinned <- pins
			}()
			time.Sleep(100 * time.Millisecond)
			return err
		})
		if pins := <-pinned; len(pins) != 0 {
			t.Errorf("got pins %v, want none", pins)
		}
	})
}

// Many at once, in any order: each asset ends deleted, or shown by a question.
func TestDeleteBesidePublishInAnyOrder(t *testing.T) {
	t.Parallel()
	s := newRack(t)
	for range 8 {
		asset := s.upload(t, "leaf.png", sample.PNG(1, 1))
		created, deleted := make(chan error, 1), make(chan error, 1)
		go func() {
			created <- s.store.Write(t.Context(), s.scope, func(tx *db.Tx) error {
				found, err := media.Check(t.Context(), tx, []media.Use{{Path: "stem", Asset: asset.ID}})
				if err != nil {
					return err
				}
				if err := errs.Invalid(found...); err != nil {
					return err
				}
				_, err = authoring.CreateQuestion(t.Context(), tx, showing(asset.ID))
				return err
			})
		}()
		go func() {
			deleted <- s.store.Write(t.Context(), s.scope, func(tx *db.Tx) error { return media.DeleteAsset(t.Context(), tx, asset.ID) })
		}()
		c, d := <-created, <-deleted
		switch {
		case c == nil && errors.Is(d, errs.AssetInUse), d == nil && errors.Is(c, errs.ValidationFailed):
		default:
			t.Errorf("created: %v; deleted: %v", c, d)
		}
	}
}
