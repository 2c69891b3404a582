package media_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/author/media"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// rack is a tenant with a file store.
type rack struct {
	store  *db.Store
	blobs  *blob.Store
	files  *media.Files
	scope  db.Scope
	folder string
}

func newRack(t *testing.T) *rack {
	t.Helper()
	s := &rack{store: sample.Store(t), folder: filepath.Join(t.TempDir(), "blob")}
	s.scope = sample.Tenant(t, s.store)
	var err error
	s.blobs, err = blob.Open(t.Context(), "file://"+s.folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.blobs.Close() })
	s.files = media.NewFiles(s.store, s.blobs)
	return s
}

func (s *rack) write(t *testing.T, fn func(*db.Tx) error) {
	t.Helper()
	sample.Write(t, s.store, s.scope, fn)
}

// keep stores the bytes of a file, as the first half of an upload.
func (s *rack) keep(ctx context.Context, content []byte) (media.Content, error) {
	file, err := blob.Receive(bytes.NewReader(content), 1<<20)
	if err != nil {
		return media.Content{}, err
	}
	defer file.Close()
	return s.files.Keep(ctx, s.scope, file, "")
}

// upload is both halves.
func (s *rack) upload(t *testing.T, name string, content []byte) media.Asset {
	t.Helper()
	kept, err := s.keep(t.Context(), content)
	if err != nil {
		t.Fatal(err)
	}
	var asset media.Asset
	s.write(t, func(tx *db.Tx) error {
		asset, err = media.CreateAsset(t.Context(), tx, name, kept)
		return err
	})
	return asset
}

// try runs an operation that may fail.
func (s *rack) try(t *testing.T, fn func(*db.Tx) error) error {
	t.Helper()
	return s.store.Write(t.Context(), s.scope, fn)
}

func wantCode(t *testing.T, err error, code errs.Code) {
	t.Helper()
	if (code == "" && err != nil) || (code != "" && !errors.Is(err, code)) {
		t.Fatalf("got error %v, want %q", err, code)
	}
}

// showing is a question whose stem shows an asset.
func showing(asset ids.ID) authoring.QuestionInput {
	in := sample.QuestionInput("A")
	in.Stem = json.RawMessage(fmt.Sprintf(`{"defaultLocale":"en","locales":{"en":{"schemaVersion":"passage-rich-content/v1","type":"doc","blocks":[
		{"type":"paragraph","children":[{"text":"What is it?"}]},{"type":"image","assetId":%q,"alt":"A leaf"}]}}}`, asset))
	for i := range in.Options {
		in.Options[i].Content = json.RawMessage(`{"defaultLocale":"en","locales":{"en":{"schemaVersion":"passage-rich-content/v1","type":"doc","blocks":[
			{"type":"paragraph","children":[{"text":"x"}]}]}}}`)
	}
	return in
}

func TestAssetIsReadAsItWasUploaded(t *testing.T) {
	t.Parallel()
	s := newRack(t)
	created := s.upload(t, "  Leaf.png ", sample.PNG(3, 2))
	var got media.Asset
	s.write(t, func(tx *db.Tx) error {
		var err error
		got, err = media.GetAsset(t.Context(), tx, created.ID)
		return err
	})
	if diff := cmp.Diff(created, got); diff != "" {
		t.Errorf("read after create (-created +read):\n%s", diff)
	}
	v := got.Current
	if got.Name != "Leaf.png" || got.MediaType != "image/png" || v.Number != 1 || *v.Width != 3 || *v.Height != 2 || len(got.Versions) != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestAssetNames(t *testing.T) {
	t.Parallel()
	s := newRack(t)
	kept, err := s.keep(t.Context(), sample.PNG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "  ", "a\x00b", "a\nb", "a\xffb", string(bytes.Repeat([]byte("x"), 201))} {
		err := s.try(t, func(tx *db.Tx) error {
			_, err := media.CreateAsset(t.Context(), tx, name, kept)
			return err
		})
		if !errors.Is(err, errs.ValidationFailed) {
			t.Errorf("%q: got %v, want validation_failed", name, err)
		}
	}
}

func TestNewVersionIsShownByDraftsAlone(t *testing.T) {
	t.Parallel()
	s := newRack(t)
	first := s.upload(t, "leaf.png", sample.PNG(2, 2))
	newer, err := s.keep(t.Context(), sample.PNG(4, 4))
	if err != nil {
		t.Fatal(err)
	}
	var second media.Asset
	s.write(t, func(tx *db.Tx) error {
		pins, err := media.Pin(t.Context(), tx, []ids.ID{first.ID})
		if err != nil || pins[first.ID] != first.Current.ID {
			t.Errorf("got pins %v, error %v", pins, err)
		}
		second, err = media.AddVersion(t.Context(), tx, first.ID, newer)
		return err
	})
	if second.Current.Number != 2 || second.Current.SHA256 != newer.SHA256 || len(second.Versions) != 2 || !second.UpdatedAt.After(first.UpdatedAt) {
		t.Errorf("got %+v", second)
	}
	s.write(t, func(tx *db.Tx) error {
		_, current, err := media.FindVersion(t.Context(), tx, first.ID, ids.None)
		if err != nil || current.ID != second.Current.ID {
			t.Errorf("current: got %v and error %v", current, err)
		}
		_, old, err := media.FindVersion(t.Context(), tx, first.ID, first.Current.ID)
		if err != nil || old.SHA256 != first.Current.SHA256 {
			t.Errorf("old: got %v and error %v", old, err)
		}
		return nil
	})
}

func TestVersionRules(t *testing.T) {
	t.Parallel()
	s := newRack(t)
	picture := sample.PNG(2, 2)
	asset := s.upload(t, "leaf.png", picture)
	other := s.upload(t, "other.png", sample.PNG(2, 2))
	for _, tt := range []struct {
		name    string
		id      ids.ID
		content []byte
		code    errs.Code
	}{
		{"the same bytes", asset.ID, picture, errs.Conflict},
		{"another kind", asset.ID, []byte("%PDF-1.7\n"), errs.ValidationFailed},
		{"nobody's asset", ids.New(), sample.PNG(2, 2), errs.NotFound},
		{"the bytes of another asset", other.ID, picture, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			kept, err := s.keep(t.Context(), tt.content)
			if err != nil {
				t.Fatal(err)
			}
			wantCode(t, s.try(t, func(tx *db.Tx) error {
				_, err := media.AddVersion(t.Context(), tx, tt.id, kept)
				return err
			}), tt.code)
		})
	}
}

func TestListAssets(t *testing.T) {
	t.Parallel()
	s := newRack(t)
	for _, name := range []string{"Leaf.png", "leaf 2.png", "LEAFLET.pdf", "root_.png", "root%.png"} {
		content := sample.PNG(1, 1)
		if name == "LEAFLET.pdf" {
			content = []byte("%PDF-1.7\n")
		}
		s.upload(t, name, content)
	}
	for _, tt := range []struct {
		name   string
		filter media.AssetFilter
		want   []string
	}{
		{"all, newest first", media.AssetFilter{}, []string{"root%.png", "root_.png", "LEAFLET.pdf", "leaf 2.png", "Leaf.png"}},
		{"by name, in any case", media.AssetFilter{NamePrefix: "LeAf"}, []string{"leaf 2.png", "Leaf.png", "LEAFLET.pdf"}},
		{"signs are letters", media.AssetFilter{NamePrefix: "root%"}, []string{"root%.png"}},
		{"name and kind", media.AssetFilter{NamePrefix: "leaf", MediaType: "image/*"}, []string{"leaf 2.png", "Leaf.png"}},
		{"type", media.AssetFilter{MediaType: "application/pdf"}, []string{"LEAFLET.pdf"}},
		{"a type that is not taken", media.AssetFilter{MediaType: "image/svg+xml"}, nil},
		{"a page", media.AssetFilter{Page: db.Page{Page: 2, Limit: 2}}, []string{"LEAFLET.pdf", "leaf 2.png"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.write(t, func(tx *db.Tx) error {
				list, err := media.ListAssets(t.Context(), tx, tt.filter)
				if err != nil {
					return err
				}
				var got []string
				for _, a := range list.Items {
					got = append(got, a.Name)
					if a.Current.SHA256 == "" {
						t.Errorf("%s has no current version", a.Name)
					}
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Error(diff)
				}
				return nil
			})
		})
	}
}

func TestCapabilities(t *testing.T) {
	t.Parallel()
	s := newRack(t)
	asset := s.upload(t, "leaf.png", sample.PNG(1, 1))
	kept, err := s.keep(t.Context(), sample.PNG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	may := func(fn func(*db.Tx) error, holds ...capability.Capability) bool {
		err := s.store.DryRun(t.Context(), sample.As(s.scope, ids.New(), holds...), fn)
		if err != nil && !errors.Is(err, errs.Forbidden) {
			t.Error(err)
		}
		return err == nil
	}
	read := func(tx *db.Tx) error { _, err := media.GetAsset(t.Context(), tx, asset.ID); return err }
	list := func(tx *db.Tx) error { _, err := media.ListAssets(t.Context(), tx, media.AssetFilter{}); return err }
	bytes := func(tx *db.Tx) error { _, _, err := media.FindVersion(t.Context(), tx, asset.ID, ids.None); return err }
	create := func(tx *db.Tx) error { _, err := media.CreateAsset(t.Context(), tx, "x", kept); return err }
	remove := func(tx *db.Tx) error { return media.DeleteAsset(t.Context(), tx, asset.ID) }
	languages := func(tx *db.Tx) error { _, err := media.SetLocales(t.Context(), tx, media.LocalesInput{}); return err }
	for _, c := range media.Readers {
		if !may(read, c) || !may(list, c) || !may(bytes, c) {
			t.Errorf("%s does not read", c)
		}
	}
	for name, fn := range map[string]func(*db.Tx) error{"create": create, "remove": remove} {
		if !may(fn, capability.MediaManage) || may(fn, capability.QuestionsRead, capability.QuestionsWrite) {
			t.Errorf("%s needs media.manage and nothing else", name)
		}
	}
	if !may(languages, capability.LocalesManage) || may(languages, capability.MediaManage) {
		t.Error("languages need locales.manage and nothing else")
	}
	if may(read, capability.ReportingView) || may(list, capability.UsersRead) || may(bytes, capability.LocalesManage) {
		t.Error("others read")
	}
}
