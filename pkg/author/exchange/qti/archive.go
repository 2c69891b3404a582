package qti

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"assess/pkg/author/exchange/bank"
	"assess/pkg/author/exchange/markup"
)

// The bounds of an archive.
const (
	maxEntries  = 5_000
	maxUnpacked = 256 << 20
	maxRatio    = 100
	// smallEntry is the size below which the ratio is not checked: a page of blanks packs well.
	smallEntry = 1 << 20
	maxPicture = 20 << 20
)

// archive is a package whose entries are within the bounds.
type archive struct {
	files map[string]*zip.File
	names []string
	said  map[string]described
}

func refused(format string, args ...any) error {
	return &bank.Problem{Code: bank.ArchiveRefused, Message: fmt.Sprintf(format, args...)}
}

func openArchive(input io.ReaderAt, size int64) (*archive, error) {
	z, err := zip.NewReader(input, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, refused("the archive is damaged, or no ZIP")
	}
	if len(z.File) > maxEntries {
		return nil, refused("the archive has %d entries; at most %d are read", len(z.File), maxEntries)
	}
	a := &archive{files: map[string]*zip.File{}, said: map[string]described{}}
	var unpacked uint64
	for _, f := range z.File {
		if err := allowed(f); err != nil {
			return nil, err
		}
		unpacked += f.UncompressedSize64
		if unpacked > maxUnpacked {
			return nil, refused("the archive unpacks to more than %d MiB", maxUnpacked>>20)
		}
		name := path.Clean(f.Name)
		if strings.HasSuffix(f.Name, "/") || a.files[name] != nil {
			continue
		}
		a.files[name], a.names = f, append(a.names, name)
	}
	return a, nil
}

func allowed(f *zip.File) error {
	name := f.Name
	switch {
	case strings.HasPrefix(name, "/"), strings.Contains(name, `\`), strings.Contains(name, ":"), strings.ContainsRune(name, 0),
		slices.Contains(strings.Split(name, "/"), ".."):
		return refused("the entry %q leads out of the archive", name)
	case f.Mode()&fs.ModeSymlink != 0 || f.Mode()&fs.ModeType != 0 && !f.Mode().IsDir():
		return refused("the entry %q is a link or no file", name)
	case f.Flags&1 != 0:
		return refused("the entry %q is encrypted", name)
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return refused("the entry %q is packed in a way that is not read", name)
	case f.UncompressedSize64 > smallEntry && f.UncompressedSize64/maxRatio > f.CompressedSize64:
		return refused("the entry %q unpacks to more than %d times its size", name, maxRatio)
	}
	return nil
}

// nested names an archive in the archive.
func (a *archive) nested() (string, bool) {
	i := slices.IndexFunc(a.names, func(name string) bool {
		ending := strings.ToLower(path.Ext(name))
		return ending == ".zip" || ending == ".imscc"
	})
	if i < 0 {
		return "", false
	}
	return a.names[i], true
}

func (a *archive) open(name string) (io.ReadCloser, bool) {
	f := a.files[path.Clean(name)]
	if f == nil {
		return nil, false
	}
	r, err := f.Open()
	return r, err == nil
}

// around gives the pictures that a file refers to, by their addresses in it.
func (a *archive) around(file string) func(address string) ([]byte, bool) {
	return func(address string) ([]byte, bool) {
		if u, err := url.Parse(address); err == nil && u.Scheme != "" {
			return nil, false
		}
		name := markup.NameOf(address)
		for _, folder := range []string{path.Dir(file), ".", "web_resources"} {
			f := a.files[path.Join(folder, name)]
			if f == nil || f.UncompressedSize64 > maxPicture {
				continue
			}
			r, err := f.Open()
			if err != nil {
				continue
			}
			data, err := io.ReadAll(r)
			_ = r.Close() // it was read to its end
			if err == nil {
				return data, true
			}
		}
		return nil, false
	}
}
