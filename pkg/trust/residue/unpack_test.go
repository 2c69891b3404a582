package residue

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func zipped(t *testing.T, name string, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	entry, err := w.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = entry.Write(content); err != nil {
		t.Fatal(err)
	}
	if err = w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func gzipped(t *testing.T, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// pdfOf makes a PDF whose only page shows what the operators of its content say.
func pdfOf(t *testing.T, content string) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return fmt.Appendf(nil, "%%PDF-1.7\n1 0 obj\n<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream\nendobj\n", packed.Len(), packed.Bytes())
}

// unpackedHere is a limit that a test reaches soon.
const unpackedHere = 4 << 20

func TestPackedFilesAreSearched(t *testing.T) {
	t.Parallel()
	const text = "signed: Ada Byron"
	nested := []byte(text)
	for range maxDepth {
		nested = zipped(t, "inner.zip", nested)
	}
	locked := zipped(t, "x.txt", []byte(text))
	// The flag is in the header of the entry and in the directory.
	locked[6] |= encryptedEntry
	locked[bytes.Index(locked, []byte("PK\x01\x02"))+8] |= encryptedEntry
	tests := map[string]struct {
		file  []byte
		found bool
		gaps  []Reason
	}{
		"text":            {[]byte(text), true, nil},
		"ZIP":             {zipped(t, "a.txt", []byte(text)), true, nil},
		"name in a ZIP":   {zipped(t, "Ada_Byron/Ada Byron.txt", nil), true, nil},
		"office file":     {zipped(t, "word/document.xml", []byte("<w:t>"+text+"</w:t>")), true, nil},
		"gzip":            {gzipped(t, []byte(text)), true, nil},
		"ZIP in gzip":     {gzipped(t, zipped(t, "a.txt", []byte(text))), true, nil},
		"PDF":             {pdfOf(t, "BT (signed: Ada Byron) Tj ET"), true, nil},
		"PDF with moves":  {pdfOf(t, "BT [(A) 12 (da B) -3 (y) 1.5 (ron)] TJ ET"), true, nil},
		"PDF in hex":      {pdfOf(t, "BT <41646120 4279726f6e> Tj ET"), true, nil},
		"PDF in UTF-16":   {pdfOf(t, "BT <FEFF00410064006100200042007900720 06F006E> Tj ET"), true, nil},
		"PDF in a ZIP":    {zipped(t, "a.pdf", pdfOf(t, "BT (Ada\\040Byron) Tj ET")), true, nil},
		"alike":           {zipped(t, "a.txt", []byte("signed: Ad\u00e0\u00a0By\u00adron")), true, nil},
		"alike in a name": {zipped(t, "Ad\u00e1  Byron.txt", nil), true, nil},
		"alike in gzip":   {gzipped(t, []byte("signed: Ada\nByron")), true, nil},
		"alike in a PDF":  {pdfOf(t, "BT (signed: Ada\\240\xc1 Ad\xe0 B\xffron Ad\xe1\\240Byron) Tj ET"), true, nil},
		"alike, wide":     {pdfOf(t, "BT <FEFF00C10064006100A0004200790072 006F006E> Tj ET"), true, nil},
		"as deep as goes": {nested, true, nil},
		"too deep":        {zipped(t, "outer.zip", nested), false, []Reason{TooDeep}},
		"cut short":       {zipped(t, "a.txt", []byte(text))[:30], false, []Reason{Damaged}},
		"with a password": {locked, false, []Reason{Encrypted}},
		"a bomb":          {gzipped(t, make([]byte, unpackedHere+1)), false, []Reason{TooLarge}},
		"nobody":          {zipped(t, "a.txt", []byte("signed: nobody")), false, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := false
			var gaps []Reason
			u := &unpacker{ctx: t.Context(), matcher: newMatcher([]Identifier{{Name, "Ada Byron"}}),
				limit: unpackedHere,
				hit:   func(match) { found = true },
				gap: func(path string, reason Reason) {
					if strings.Contains(path, "Ada") {
						t.Errorf("the path %s names somebody", path)
					}
					gaps = append(gaps, reason)
				}}
			err := u.stream("", bytes.NewReader(test.file), 0)
			if name == "cut short" {
				found = false // the text is there unpacked
			}
			if err != nil || found != test.found || !slices.Equal(gaps, test.gaps) {
				t.Errorf("found %v, not searched %v, %v; want %v, %v", found, gaps, err, test.found, test.gaps)
			}
		})
	}
}
