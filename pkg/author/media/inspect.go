package media

import (
	"io"

	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/errs"
)

// The limits of an image. A small file can claim to be huge and would fill the memory of
// every program that draws it.
const (
	MaxPixels = 50_000_000
	MaxSide   = 20_000
)

// Content has the properties of a file: its type, size and hash, and for an image its
// width and height in pixels.
type Content struct {
	MediaType     string
	SizeBytes     int64
	SHA256        string
	Width, Height *int
}

// Inspect finds the type of a file. claimed is the type that the client gives, which may
// be empty or application/octet-stream. Only the header of an image is read. Errors:
// unsupported_media_type for a type that is not in the list or is not the claimed one;
// validation_failed with empty_file, unreadable_image or too_many_pixels.
func Inspect(file *blob.File, claimed string) (Content, error) {
	if file.Size == 0 {
		return Content{}, wrong("empty_file", "the file is empty")
	}
	head, err := io.ReadAll(io.LimitReader(file.Content(), headBytes))
	if err != nil {
		return Content{}, errs.Wrap(errs.StorageUnavailable, err, "The received file cannot be read.")
	}
	f, known := formatOf(head)
	if !known {
		return Content{}, unsupported("Send a PNG, JPEG, GIF, WebP, MP3, WAV, Ogg audio, MP4, WebM or PDF file.")
	}
	if claimed != "" && claimed != "application/octet-stream" && !f.agrees(claimed) {
		return Content{}, unsupported("The bytes are not what Content-Type says.").With("found", f.mediaType)
	}
	c := Content{MediaType: f.mediaType, SizeBytes: file.Size, SHA256: file.SHA256}
	if f.size == nil {
		return c, nil
	}
	return c.measure(file, f)
}

func (c Content) measure(file *blob.File, f format) (Content, error) {
	size, err := f.size(file.Content())
	if err != nil || size.Width < 1 || size.Height < 1 {
		return Content{}, wrong("unreadable_image", "the image has no header that can be read")
	}
	if size.Width > MaxSide || size.Height > MaxSide || size.Width*size.Height > MaxPixels {
		return Content{}, wrong("too_many_pixels", "an image has at most 50 million pixels and 20000 a side")
	}
	c.Width, c.Height = &size.Width, &size.Height
	return c, nil
}

func wrong(code, message string) error {
	return errs.Invalid(errs.Field{Path: "body", Code: code, Message: message})
}

func unsupported(message string) *errs.Error {
	return errs.New(errs.UnsupportedMediaType, "%s", message)
}
