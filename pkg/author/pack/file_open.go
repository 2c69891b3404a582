package pack

import (
	"archive/zip"
	"bufio"
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"assess/pkg/author/media"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/errs"
)

// The limits of a file. The sizes that the archive claims are not trusted: reading stops at these.
const (
	maxFiles    = 20_000
	maxEnvelope = 64 << 10
	maxManifest = 64 << 20
	maxContents = 1 << 30
	maxContent  = 8 << 20
)

// File is a pack that came as a file, whose signature holds.
type File struct {
	Envelope
	manifest manifest
	parts    map[string]*zip.File
	// uses has the uses of contents by their hash.
	uses map[string][]use
	// maxAsset limits each file that the pack shows, in bytes.
	maxAsset int64
}

// OpenFile reads the envelope of a file and verifies its signature; Key then names the signer. maxAsset limits each file that
// the pack shows, in bytes. Errors: pack_damaged, pack_too_new.
func OpenFile(from io.ReaderAt, size, maxAsset int64) (*File, error) {
	z, err := zip.NewReader(from, size)
	if err != nil {
		return nil, damaged("The file is no ZIP archive, or it is cut off.")
	}
	f := File{parts: map[string]*zip.File{}, maxAsset: maxAsset}
	if len(z.File) > maxFiles {
		return nil, damaged("The archive holds more than %d files.", maxFiles)
	}
	for _, part := range z.File {
		if !known(part.Name) || part.Method != zip.Deflate && part.Method != zip.Store {
			return nil, damaged("The archive holds %q, which no pack does.", clip(part.Name))
		}
		if f.parts[part.Name] != nil {
			return nil, damaged("The archive holds %q twice.", part.Name)
		}
		f.parts[part.Name] = part
	}
	raw, err := f.read(envelopeFile, maxEnvelope)
	if err != nil {
		return nil, err
	}
	// The version first: this program does not know the content of a newer one.
	var version struct {
		ExportVersion string `json:"exportVersion"`
	}
	if json.Unmarshal(raw, &version) != nil || !strings.HasPrefix(version.ExportVersion, "content-pack/") {
		return nil, damaged("pack.json is no envelope of a pack.")
	}
	if version.ExportVersion != Format {
		return nil, errs.New(errs.PackTooNew, "The pack has the export version %q; this version reads %s.", clip(version.ExportVersion), Format)
	}
	if !strict(raw, &f.Envelope) || !isCanonical(raw, f.Envelope) {
		return nil, damaged("pack.json is no envelope of a pack.")
	}
	signature, err := f.read(signatureFile, ed25519.SignatureSize)
	if err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(f.PublicKey)
	if err != nil || len(key) != ed25519.PublicKeySize || !ed25519.Verify(key, raw, signature) {
		return nil, damaged("The signature does not hold: the pack is not as it was signed.")
	}
	if f.RevisionNumber < 1 || f.RevisionNumber > maxNumber || len(errs.Line("name", f.Name, maxName, true)) > 0 || len(errs.Prose("description", f.Description, maxDescription, false)) > 0 {
		return nil, damaged("pack.json has a name, description or number that no pack has.")
	}
	return &f, nil
}

// Verify compares everything in the file with the hashes that the envelope names, and reads it like input from authors. Nothing is
// stored yet. Errors: pack_damaged.
func (f *File) Verify() error {
	err := f.readManifest()
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	err = f.contents(func(hash string, said []stored) error {
		seen[hash] = true
		return nil
	})
	if err != nil {
		return err
	}
	for hash := range f.uses {
		if !seen[hash] {
			return damaged("The content %s is missing.", hash)
		}
	}
	for name := range f.parts {
		sha256, isAsset := strings.CutPrefix(name, assetFolder)
		if isAsset && !slices.ContainsFunc(f.manifest[kindAsset], func(e entry) bool { return e.ref == sha256 }) {
			return damaged("The manifest does not name the file %s.", name)
		}
	}
	return f.assets(func(assetLine, *blob.File) error { return nil })
}

// contents goes through the contents: at least one line names each, and says how it is read. It gives do the parts to store.
func (f *File) contents(do func(hash string, said []stored) error) error {
	part, err := f.part(contentsFile)
	if err != nil {
		return err
	}
	from, err := part.Open()
	if err != nil {
		return damaged("contents.ndjson cannot be read.")
	}
	defer from.Close() //nolint:errcheck // only read from
	lines := bufio.NewScanner(io.LimitReader(from, maxContents))
	lines.Buffer(make([]byte, 64<<10), maxContent)
	before := ""
	for lines.Scan() {
		hash := content.Hash(lines.Bytes())
		uses := f.uses[hash]
		if len(uses) == 0 {
			return damaged("The manifest does not name the content %s.", hash)
		}
		if hash <= before {
			return damaged("The content %s is out of order.", hash)
		}
		before = hash
		var said []stored
		for _, u := range uses {
			one, err := u(bytes.Clone(lines.Bytes()))
			if err != nil {
				return err
			}
			if one.hash != hash {
				return damaged("The content %s is not in its canonical form.", hash)
			}
			said = append(said, one)
		}
		err = do(hash, said)
		if err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return damaged("contents.ndjson cannot be read to its end.")
	}
	return nil
}

// assets goes through the files that the pack shows.
func (f *File) assets(do func(assetLine, *blob.File) error) error {
	for _, e := range f.manifest[kindAsset] {
		var line assetLine
		err := json.Unmarshal([]byte(e.line), &line)
		if err != nil {
			return damaged("The manifest names a file wrongly.")
		}
		err = f.asset(line, do)
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *File) asset(line assetLine, do func(assetLine, *blob.File) error) error {
	part, err := f.part(assetFolder + line.SHA256)
	if err != nil {
		return err
	}
	from, err := part.Open()
	if err != nil {
		return damaged("The file %s cannot be read.", line.SHA256)
	}
	defer from.Close() //nolint:errcheck // only read from
	file, err := blob.Receive(from, f.maxAsset)
	if errors.Is(err, errs.StorageFull) {
		return err
	}
	if err != nil {
		return damaged("The file %s is too large, or cannot be read.", line.SHA256)
	}
	defer file.Close() //nolint:errcheck // only read from since it was complete
	if file.SHA256 != line.SHA256 || file.Size != line.SizeBytes {
		return damaged("The file %s is not what the manifest names.", line.SHA256)
	}
	found, err := media.Inspect(file, line.MediaType)
	if err != nil || !same(found.Width, line.Width) || !same(found.Height, line.Height) {
		return damaged("The file %s is not what the manifest calls it.", line.SHA256)
	}
	return do(line, file)
}

func (f *File) part(name string) (*zip.File, error) {
	part := f.parts[name]
	if part == nil {
		return nil, damaged("The archive lacks %s.", name)
	}
	return part, nil
}

// read gives a file of the archive that has at most most bytes.
func (f *File) read(name string, most int64) ([]byte, error) {
	part, err := f.part(name)
	if err != nil {
		return nil, err
	}
	from, err := part.Open()
	if err != nil {
		return nil, damaged("%s cannot be read.", name)
	}
	defer from.Close() //nolint:errcheck // only read from
	raw, err := io.ReadAll(io.LimitReader(from, most+1))
	if err != nil {
		return nil, damaged("%s cannot be read.", name)
	}
	if int64(len(raw)) > most {
		return nil, damaged("%s is larger than that of any pack.", name)
	}
	return raw, nil
}

// known says whether a pack has a file of this name.
func known(name string) bool {
	sha256, isAsset := strings.CutPrefix(name, assetFolder)
	if isAsset {
		_, err := assetID(sha256)
		return err == nil && strings.ToLower(sha256) == sha256
	}
	return slices.Contains([]string{envelopeFile, signatureFile, manifestFile, contentsFile}, name)
}

func damaged(format string, args ...any) error { return errs.New(errs.PackDamaged, format, args...) }

// clip shortens a text that somebody else wrote.
func clip(text string) string {
	text = strings.ToValidUTF8(text, "?")
	return string([]rune(text)[:min(len([]rune(text)), 80)])
}

// strict decodes JSON that has only the names of into.
func strict(raw []byte, into any) bool {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into) == nil && !decoder.More()
}

// isCanonical says whether a text is the canonical form of a value.
func isCanonical(raw []byte, value any) bool {
	canonical, err := content.Canonical(value)
	return err == nil && bytes.Equal(canonical, raw)
}

func same(a, b *int) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }
