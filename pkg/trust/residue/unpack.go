package residue

import (
	"archive/zip"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"io"
	"path"
	"strings"
)

// The limits of unpacking: how deep archives may lie in one another, how large a packed thing may be
// to be held in memory, and how much one file may unpack to. A bomb ends at them.
const (
	maxDepth    = 4
	maxPacked   = 64 << 20
	maxUnpacked = 1 << 30
	window      = 256 << 10
)

// unpacker searches a file and everything packed in it.
type unpacker struct {
	ctx     context.Context
	matcher *matcher
	hit     func(match)
	// gap is told what could not be searched: the path inside the file, and why.
	gap func(path string, reason Reason)
	// limit is how many bytes the file may unpack to.
	limit int64
	// read counts the bytes that were searched.
	read int64
}

func (s *scan) unpacker(ctx context.Context, hit func(match), gap func(string, Reason)) *unpacker {
	return &unpacker{ctx: ctx, matcher: s.fresh(), hit: hit, gap: gap, limit: maxUnpacked}
}

var (
	zipMagic   = []byte("PK\x03\x04")
	zipEmpty   = []byte("PK\x05\x06")
	gzipMagic  = []byte("\x1f\x8b\x08")
	bzip2Magic = []byte("BZh")
	pdfMagic   = []byte("%PDF-")
)

// packed says whether the bytes are a file that holds others, or compressed ones.
func packed(data []byte) bool {
	return bytes.HasPrefix(data, zipMagic) || bytes.HasPrefix(data, zipEmpty) || bytes.HasPrefix(data, gzipMagic) ||
		bytes.HasPrefix(data, bzip2Magic) || isPDF(data)
}

// isPDF goes by the first kilobyte, as readers do.
func isPDF(data []byte) bool { return bytes.Contains(data[:min(len(data), 1024)], pdfMagic) }

// stream searches what a reader gives, and then, where that was a packed file and not too large, its
// contents. Memory: a window, or the packed file.
func (u *unpacker) stream(at string, from io.Reader, depth int) error {
	head := make([]byte, window)
	n, err := io.ReadFull(from, head)
	head = head[:n]
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if !packed(head) {
		u.read += int64(n)
		return u.windows(head, from)
	}
	var whole bytes.Buffer
	whole.Write(head)
	_, err = io.Copy(&whole, io.LimitReader(from, maxPacked+1-int64(n)))
	if err != nil {
		return err
	}
	if whole.Len() > maxPacked {
		u.gap(at, TooLarge)
		u.read += int64(whole.Len())
		return u.windows(whole.Bytes(), from)
	}
	u.bytes(at, whole.Bytes(), depth)
	return nil
}

// windows searches a stream in windows that overlap by more than the longest text.
func (u *unpacker) windows(head []byte, from io.Reader) error {
	overlap := 2*u.matcher.longest + 256 // white space within a name may be long
	data, next, before := head, make([]byte, overlap+window), false
	for u.ctx.Err() == nil {
		kept := copy(next, data[max(0, len(data)-overlap):])
		n, err := io.ReadFull(from, next[kept:kept+window])
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		u.matcher.search(data, around{binary: noText(data), before: before, after: n > 0}, u.hit)
		if n == 0 {
			return nil
		}
		u.read += int64(n)
		if !before {
			data = make([]byte, overlap+window)
		}
		data, next, before = next[:kept+n], data[:cap(data)], true
	}
	return u.ctx.Err()
}

// noText goes by a byte that no text holds.
func noText(data []byte) bool { return bytes.IndexByte(data[:min(len(data), 8192)], 0) >= 0 }

// bytes searches a whole file, and everything packed in it.
func (u *unpacker) bytes(at string, data []byte, depth int) {
	u.read += int64(len(data))
	u.matcher.search(data, around{binary: true}, u.hit)
	if !packed(data) {
		return
	}
	if depth >= maxDepth {
		u.gap(at, TooDeep)
		return
	}
	switch {
	case isPDF(data):
		u.pdf(at, data)
	case bytes.HasPrefix(data, gzipMagic):
		unpacked, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			u.gap(at, Damaged)
			return
		}
		u.text(unpacked.Name + "\n" + unpacked.Comment)
		u.inner(path.Join(at, "gzip"), unpacked, depth)
	case bytes.HasPrefix(data, bzip2Magic):
		u.inner(path.Join(at, "bzip2"), bzip2.NewReader(bytes.NewReader(data)), depth)
	default:
		u.zip(at, data, depth)
	}
}

func (u *unpacker) text(text string) { u.matcher.search([]byte(text), around{}, u.hit) }

// encryptedEntry is the flag of an entry that needs a password (APPNOTE of PKWARE, 4.4.4).
const encryptedEntry = 1

func (u *unpacker) zip(at string, data []byte, depth int) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		u.gap(at, Damaged)
		return
	}
	u.text(archive.Comment)
	for n, entry := range archive.File {
		// The name may hold the text to search for: a report names the entry by its number.
		inside := path.Join(at, number(n)+path.Ext(safe(entry.Name)))
		u.text(entry.Name + "\n" + entry.Comment)
		if entry.Flags&encryptedEntry != 0 {
			u.gap(inside, Encrypted)
			continue
		}
		content, err := entry.Open()
		if err != nil {
			u.gap(inside, Damaged)
			continue
		}
		u.inner(inside, content, depth)
		content.Close() //nolint:errcheck // only read from
	}
}

// inner searches what comes out of a packed file.
func (u *unpacker) inner(at string, content io.Reader, depth int) {
	err := u.stream(at, io.LimitReader(content, u.limit-min(u.read, u.limit)), depth+1)
	switch {
	case u.read >= u.limit:
		u.gap(at, TooLarge)
	case err != nil:
		u.gap(at, Damaged)
	}
}

// pdf searches the streams of a PDF that are compressed with flate, and the text that they show
// (ISO 32000-1, sections 7.3.8 and 7.4.4).
func (u *unpacker) pdf(at string, data []byte) {
	if bytes.Contains(data, []byte("/Encrypt")) {
		u.gap(at, Encrypted)
	}
	u.matcher.search(shownText(data), around{}, u.hit)
	for n := 0; ; n++ {
		_, rest, found := bytes.Cut(data, []byte("stream"))
		if !found {
			return
		}
		data = rest
		body := bytes.TrimLeft(rest, "\r\n")
		if len(body) < 2 || body[0]&0x0f != 8 {
			continue
		}
		unpacked, err := zlib.NewReader(bytes.NewReader(body))
		if err != nil {
			continue
		}
		// A stream that ends early still showed what came before.
		var text bytes.Buffer
		_, err = io.Copy(&text, io.LimitReader(unpacked, min(maxPacked, u.limit-min(u.read, u.limit))))
		u.read += int64(text.Len())
		u.matcher.search(text.Bytes(), around{binary: true}, u.hit)
		u.matcher.search(shownText(text.Bytes()), around{}, u.hit)
		switch {
		case err != nil:
			u.gap(path.Join(at, "stream "+number(n)), Damaged)
		case text.Len() == maxPacked || u.read >= u.limit:
			u.gap(path.Join(at, "stream "+number(n)), TooLarge)
		}
	}
}

// inside names a place in a file or a value.
func inside(column, path string) string { return strings.TrimSuffix(column+"/"+path, "/") }
