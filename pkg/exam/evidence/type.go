package evidence

import (
	"bytes"
	"io"
	"mime"
	"slices"
	"strings"
	"unicode/utf8"

	"assess/pkg/author/media"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/errs"
)

// headBytes is how much of a file we read to find its type.
const headBytes = 4096

const (
	plainText = "text/plain"
	zip       = "application/zip"
)

// aliases are the names that clients may use for the types that package media does not know.
var aliases = map[string][]string{
	plainText: {plainText, "text/csv", "text/markdown", "application/json", "application/x-ndjson"},
	zip:       {zip, "application/x-zip-compressed"},
}

// Content describes a file.
type Content struct {
	MediaType string
	SizeBytes int64
	SHA256    string
}

// Inspect tells what a file is from its bytes. claimed is the client's word for it, which may
// be empty or application/octet-stream. Errors: unsupported_media_type for a type that the settings
// do not accept, or that differs from the claimed one; validation_failed for an empty file.
func (f *Files) Inspect(file *blob.File, claimed string) (Content, error) {
	if file.Size == 0 {
		return Content{}, errs.Invalid(errs.Field{Path: "body", Code: "empty_file", Message: "the file is empty"})
	}
	head, err := io.ReadAll(io.LimitReader(file.Content(), headBytes))
	if err != nil {
		return Content{}, errs.Wrap(errs.StorageUnavailable, err, "The received file cannot be read.")
	}
	found := typeOf(head)
	if !slices.Contains(f.types, found) {
		return Content{}, errs.New(errs.UnsupportedMediaType, "Such a file is not taken as evidence.").With("allowed", f.types)
	}
	if claimed != "" && claimed != "application/octet-stream" && !agrees(found, claimed) {
		return Content{}, errs.New(errs.UnsupportedMediaType, "The bytes are not what Content-Type says.").With("found", found)
	}
	return Content{MediaType: found, SizeBytes: file.Size, SHA256: file.SHA256}, nil
}

// typeOf tells a type from the beginning of a file; "" for one that is not known.
func typeOf(head []byte) string {
	switch found := media.TypeOf(head); {
	case found != "":
		return found
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return zip
	case isText(head):
		return plainText
	}
	return ""
}

// isText says whether bytes are UTF-8 without control characters. The last character may be
// cut off.
func isText(head []byte) bool {
	for len(head) > 0 {
		r, n := utf8.DecodeRune(head)
		switch {
		case r == utf8.RuneError && n == 1:
			return !utf8.FullRune(head)
		case r < ' ' && !strings.ContainsRune("\t\n\r\f\x1b", r), r == 0x7f:
			return false
		}
		head = head[n:]
	}
	return true
}

func agrees(found, claimed string) bool {
	names, ours := aliases[found]
	if !ours {
		return media.Agrees(found, claimed)
	}
	claimed, _, err := mime.ParseMediaType(claimed)
	return err == nil && slices.Contains(names, claimed)
}

// extensions name a download.
var extensions = map[string]string{"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp",
	"audio/mpeg": "mp3", "audio/wav": "wav", "audio/ogg": "ogg", "video/mp4": "mp4", "video/webm": "webm",
	"application/pdf": "pdf", plainText: "txt", zip: "zip"}

// FileName names the file of evidence for saving.
func (e Evidence) FileName() string { return e.ID.String() + "." + extensions[e.MediaType] }
