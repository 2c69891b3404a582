package pack_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/pack"
	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
)

const maxAsset = 1 << 20

// signing signs with a key of the test.
func signing(private ed25519.PrivateKey) pack.Signer {
	return func(_ context.Context, _ *db.Tx, message func(ed25519.PublicKey) ([]byte, error)) ([]byte, []byte, error) {
		text, err := message(private.Public().(ed25519.PublicKey))
		return text, ed25519.Sign(private, text), err
	}
}

func newKey(t *testing.T) ed25519.PrivateKey {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return private
}

func (o *office) export(as db.Scope, r pack.RevisionInput, private ed25519.PrivateKey) []byte {
	o.t.Helper()
	var out bytes.Buffer
	do(o, as, func(ctx context.Context, tx *db.Tx) (pack.Exported, error) {
		return pack.Export(ctx, tx, r, &out, o.files, signing(private))
	})
	return out.Bytes()
}

// take imports a file as the command does, and trusts its key.
func (o *office) take(as db.Scope, file []byte, trusted ...ed25519.PrivateKey) (pack.Imported, error) {
	o.t.Helper()
	f, err := pack.OpenFile(bytes.NewReader(file), int64(len(file)), maxAsset)
	if err != nil {
		return pack.Imported{}, err
	}
	for _, key := range trusted {
		do(o, as, func(ctx context.Context, tx *db.Tx) (pack.Key, error) {
			return pack.Trust(ctx, tx, hex.EncodeToString(key.Public().(ed25519.PublicKey)), "A head office")
		})
	}
	_, err = try(o, as, func(ctx context.Context, tx *db.Tx) (int, error) { return 0, pack.Trusted(ctx, tx, f.PublicKey) })
	if err == nil {
		err = f.Verify()
	}
	if err == nil {
		err = f.Keep(o.t.Context(), as, o.files)
	}
	if err != nil {
		return pack.Imported{}, err
	}
	return try(o, as, func(ctx context.Context, tx *db.Tx) (pack.Imported, error) { return pack.Import(ctx, tx, f) })
}

// A pack goes out, into a second server and back with the same manifest, and the second server installs it as
// exactly as the first.
func TestAPackTravels(t *testing.T) {
	t.Parallel()
	here, ours, theirs := newOffice(t), newKey(t), newKey(t)
	here.furnish()
	r := here.publish()
	file := here.export(here.head, pack.ByRevision(r.LibraryID, r.ID), ours)
	if again := here.export(here.head, pack.ByRevision(r.LibraryID, r.ID), ours); !bytes.Equal(file, again) {
		t.Error("the same revision gives other bytes")
	}
	there := officeOn(t, dbtest.Open(t, db.Options{URL: dbtest.Fresh(t).App}))
	_, err := there.take(there.school, file)
	if !errors.Is(err, errs.PackUntrusted) || !strings.Contains(err.Error(), hex.EncodeToString(ours.Public().(ed25519.PublicKey))) {
		t.Errorf("a key that nobody trusts: %v", err)
	}
	got, err := there.take(there.school, file, ours)
	if err != nil {
		t.Fatal(err)
	}
	if got.ManifestHash != r.ManifestHash || got.RevisionNumber != 1 {
		t.Errorf("imported %+v, want the manifest %s", got, r.ManifestHash)
	}
	in := pack.InstallInput{RevisionInput: pack.ByRevision(got.LibraryID, got.RevisionID), OrgUnitID: there.school.OrgUnit}
	_, err = try(there, there.school, func(ctx context.Context, tx *db.Tx) (pack.Installation, error) { return pack.Install(ctx, tx, in) })
	if !errors.Is(err, errs.TermsMissing) {
		t.Errorf("without the terms: %v", err)
	}
	in.CreateTerms = true
	installed := do(there, there.school, func(ctx context.Context, tx *db.Tx) (pack.Installation, error) { return pack.Install(ctx, tx, in) })
	if diff := cmp.Diff(pack.Counts{Evaluations: 2, Questions: 7, Passages: 1}, installed.Created); diff != "" || installed.CreatedTerms != 2 {
		t.Errorf("%d terms\n%s", installed.CreatedTerms, diff)
	}
	again, err := there.take(there.school, file)
	if err != nil || !again.Unchanged || again.RevisionID != got.RevisionID {
		t.Errorf("imported again: %+v, %v", again, err)
	}
	back := there.export(there.school, pack.ByRevision(got.LibraryID, got.RevisionID), theirs)
	returned, err := here.take(here.head, back, theirs)
	if err != nil || !returned.Unchanged || returned.RevisionID != r.ID || returned.ManifestHash != r.ManifestHash {
		t.Errorf("back home: %+v, %v", returned, err)
	}
	elsewhere, err := here.take(here.school, back)
	if err != nil || elsewhere.Unchanged || elsewhere.ManifestHash != r.ManifestHash {
		t.Errorf("in another org unit: %+v, %v", elsewhere, err)
	}
}

// part is a file of an archive.
type part struct {
	name string
	text []byte
}

func unpack(t *testing.T, file []byte) []part {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var parts []part
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part{f.Name, text})
	}
	return parts
}

func packed(t *testing.T, parts []part) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, p := range parts {
		w, err := z.Create(p.name)
		if err == nil && !strings.HasSuffix(p.name, "/") {
			_, err = w.Write(p.text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// resigned changes the manifest and signs the result, as somebody with a trusted key would.
func resigned(t *testing.T, parts []part, private ed25519.PrivateKey, change func(manifest map[string]any, envelope map[string]any)) []byte {
	t.Helper()
	parts = append([]part{}, parts...)
	var envelope, manifest map[string]any
	for _, p := range parts {
		for name, into := range map[string]*map[string]any{"pack.json": &envelope, "manifest.json": &manifest} {
			if p.name == name {
				if err := json.Unmarshal(p.text, into); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	before, _ := content.Canonical(manifest)
	change(manifest, envelope)
	text, err := content.Canonical(manifest)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, text) {
		envelope["manifestHash"] = content.Hash(text)
	}
	said, err := content.Canonical(envelope)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range parts {
		switch p.name {
		case "manifest.json":
			parts[i].text = text
		case "pack.json":
			parts[i].text = said
		case "pack.json.sig":
			parts[i].text = ed25519.Sign(private, said)
		}
	}
	return packed(t, parts)
}

// stored gives the number of files in the store.
func (o *office) stored() int {
	o.t.Helper()
	n := 0
	err := filepath.WalkDir(o.folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.HasSuffix(path, ".attrs") {
			n++
		}
		return err
	})
	if err != nil {
		o.t.Fatal(err)
	}
	return n
}

// A hundred hostile files each give a clear error, and leave nothing behind.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	o, key, other := newOffice(t), newKey(t), newKey(t)
	o.furnish()
	r := o.publish()
	file := o.export(o.head, pack.ByRevision(r.LibraryID, r.ID), key)
	parts := unpack(t, file)
	there := officeOn(t, o.store) // another tenant, which has no part of it
	do(there, there.school, func(ctx context.Context, tx *db.Tx) (pack.Key, error) {
		return pack.Trust(ctx, tx, hex.EncodeToString(key.Public().(ed25519.PublicKey)), "A head office")
	})
	hostile := map[string][]byte{"nothing": {}, "text": []byte("not an archive")}
	for i := range 30 {
		hostile["cut off "+string(rune('a'+i))] = file[:len(file)*i/30]
	}
	for _, name := range []string{"../evil", "/etc/passwd", `..\evil`, "assets/../pack.json", "assets/" + strings.Repeat("0", 64), "assets/", "manifest.json/", "C:evil", "pack.json\x00", strings.Repeat("a", 60_000)} {
		hostile["path "+name[:min(20, len(name))]] = packed(t, append([]part{{name, []byte("x")}}, parts...))
	}
	for i, p := range parts {
		hostile["without "+p.name] = packed(t, append(append([]part{}, parts[:i]...), parts[i+1:]...))
		hostile["twice "+p.name] = packed(t, append([]part{p}, parts...))
		for round := range 3 {
			changed := append([]part{}, parts...)
			text := bytes.Clone(p.text)
			text[rand.IntN(len(text))] ^= byte(1 + rand.IntN(255))
			changed[i].text = text
			hostile["changed "+p.name+string(rune('0'+round))] = packed(t, changed)
		}
		changed := append([]part{}, parts...)
		bomb := 2 << 20
		if p.name == "manifest.json" {
			bomb = 65 << 20
		}
		changed[i].text = bytes.Repeat([]byte(" "), bomb)
		if p.name == "pack.json" || p.name == "manifest.json" || strings.HasPrefix(p.name, "assets/") {
			hostile["bomb "+p.name] = packed(t, changed)
		}
		changed = append([]part{}, parts...)
		changed[i].text = append(bytes.Clone(p.text), p.text...)
		hostile["doubled "+p.name] = packed(t, changed)
	}
	list := func(m map[string]any, name string) []any { return m[name].([]any) }
	first := func(m map[string]any, name string) map[string]any { return list(m, name)[0].(map[string]any) }
	for name, change := range map[string]func(m, e map[string]any){
		"newer version":              func(_, e map[string]any) { e["exportVersion"] = "content-pack/v2" },
		"unknown version":            func(_, e map[string]any) { e["exportVersion"] = "something/v1" },
		"unknown field":              func(_, e map[string]any) { e["extra"] = true },
		"wrong manifest hash":        func(_, e map[string]any) { e["manifestHash"] = strings.Repeat("0", 64) },
		"number 0":                   func(_, e map[string]any) { e["revisionNumber"] = 0 },
		"number 2^31":                func(_, e map[string]any) { e["revisionNumber"] = 1 << 31 },
		"number 2^40":                func(_, e map[string]any) { e["revisionNumber"] = 1 << 40 },
		"question 2^31":              func(m, _ map[string]any) { first(m, "questions")["number"] = 1 << 31 },
		"passage 2^31":               func(m, _ map[string]any) { first(m, "passages")["number"] = 1 << 31 },
		"evaluation 2^31":            func(m, _ map[string]any) { first(m, "evaluations")["number"] = 1 << 31 },
		"place 2^31":                 func(m, _ map[string]any) { first(m, "questions")["place"] = 1 << 31 },
		"place -1":                   func(m, _ map[string]any) { first(m, "questions")["place"] = -1 },
		"width 2^31":                 func(m, _ map[string]any) { first(m, "assets")["width"] = 1 << 31 },
		"size 2^63":                  func(m, _ map[string]any) { first(m, "assets")["sizeBytes"] = uint64(1) << 63 },
		"position 2^31":              func(m, _ map[string]any) { first(m, "items")["pos"] = 1 << 31 },
		"no name":                    func(_, e map[string]any) { e["name"] = "" },
		"another's key":              func(_, e map[string]any) { e["publicKey"] = hex.EncodeToString(other.Public().(ed25519.PublicKey)) },
		"unknown schema":             func(m, _ map[string]any) { m["format"] = "content-pack/v9" },
		"unknown list":               func(m, _ map[string]any) { m["scripts"] = []any{"x"} },
		"duplicate question":         func(m, _ map[string]any) { m["questions"] = append(list(m, "questions"), list(m, "questions")[0]) },
		"duplicate term":             func(m, _ map[string]any) { m["terms"] = append(list(m, "terms"), list(m, "terms")[0]) },
		"duplicate asset":            func(m, _ map[string]any) { m["assets"] = append(list(m, "assets"), list(m, "assets")[0]) },
		"no items":                   func(m, _ map[string]any) { m["items"] = []any{} },
		"no questions":               func(m, _ map[string]any) { m["questions"] = []any{} },
		"no terms":                   func(m, _ map[string]any) { m["terms"] = []any{} },
		"no assets":                  func(m, _ map[string]any) { m["assets"] = []any{} },
		"no passages":                func(m, _ map[string]any) { m["passages"] = []any{} },
		"wrong content hash":         func(m, _ map[string]any) { first(m, "questions")["contentHash"] = strings.Repeat("0", 64) },
		"another scoring":            func(m, _ map[string]any) { first(m, "questions")["weight"] = 99 },
		"another type":               func(m, _ map[string]any) { first(m, "questions")["qtype"] = "essay" },
		"no such type":               func(m, _ map[string]any) { first(m, "questions")["qtype"] = "drop table" },
		"another title":              func(m, _ map[string]any) { first(m, "evaluations")["title"] = "Other" },
		"a parent that is not there": func(m, _ map[string]any) { first(m, "terms")["parent"] = "nowhere" },
		"a term that is none":        func(m, _ map[string]any) { first(m, "terms")["slug"] = "Not A Slug" },
		"another media type":         func(m, _ map[string]any) { first(m, "assets")["mediaType"] = "application/pdf" },
		"another size":               func(m, _ map[string]any) { first(m, "assets")["sizeBytes"] = 1 },
		"metadata as text":           func(m, _ map[string]any) { first(m, "items")["metadata"] = "x" },
		"items out of order":         func(m, _ map[string]any) { first(m, "items")["pos"] = 1 },
		"NUL in a name":              func(m, _ map[string]any) { first(m, "assets")["name"] = "a\x00b" },
		"another version":            func(m, _ map[string]any) { first(m, "items")["sourceEvaluationVersionId"] = r.ID.String() },
		"no id": func(m, _ map[string]any) {
			first(m, "questions")["questionId"] = "00000000-0000-0000-0000-000000000000"
		},
	} {
		hostile[name] = resigned(t, parts, key, func(m, e map[string]any) { change(m, e) })
	}
	hostile["signed by another"] = resigned(t, parts, other, func(_, e map[string]any) {
		e["publicKey"] = hex.EncodeToString(other.Public().(ed25519.PublicKey))
	})
	before := there.everything()
	for name, file := range hostile {
		_, err := there.take(there.school, file)
		known := errors.Is(err, errs.PackDamaged) || errors.Is(err, errs.PackTooNew) || errors.Is(err, errs.PackUntrusted)
		if !known || errs.Of(err).Message == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(hostile) < 100 {
		t.Errorf("%d files", len(hostile))
	}
	if diff := cmp.Diff(before, there.everything()); diff != "" {
		t.Errorf("hostile files left rows:\n%s", diff)
	}
	if n := there.stored(); n != 0 {
		t.Errorf("hostile files left %d files", n)
	}
	_, err := there.take(there.school, file)
	if err != nil || there.stored() != 1 {
		t.Errorf("the file itself: %v, %d files", err, there.stored())
	}
}
