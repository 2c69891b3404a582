package media

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"mime"
	"slices"
	"strings"
)

// headBytes is the number of bytes that the type of a file is found from.
const headBytes = 4096

// format is a media type that is taken. Types are found only from the bytes: a name or a
// Content-Type proves nothing. SVG and HTML can carry scripts and are not in the list.
type format struct {
	mediaType string
	// aliases are other names that clients use for the type.
	aliases []string
	matches func(head []byte) bool
	// size reads width and height from the beginning of an image, without its pixels.
	size func(io.Reader) (image.Config, error)
}

// formats are tried in this order; their signatures are mutually exclusive.
var formats = []format{
	{mediaType: "image/png", matches: starts("\x89PNG\r\n\x1a\n"), size: png.DecodeConfig},
	{mediaType: "image/jpeg", aliases: []string{"image/jpg", "image/pjpeg"}, matches: starts("\xff\xd8\xff"), size: jpeg.DecodeConfig},
	{mediaType: "image/gif", matches: either(starts("GIF87a"), starts("GIF89a")), size: gif.DecodeConfig},
	{mediaType: "image/webp", matches: riff("WEBP"), size: webpSize},
	{mediaType: "audio/mpeg", aliases: []string{"audio/mp3"}, matches: either(starts("ID3"), mpegAudio)},
	{mediaType: "audio/wav", aliases: []string{"audio/x-wav", "audio/wave", "audio/vnd.wave"}, matches: riff("WAVE")},
	{mediaType: "audio/ogg", aliases: []string{"application/ogg"}, matches: oggAudio},
	{mediaType: "video/mp4", matches: mp4Video},
	{mediaType: "video/webm", matches: webm},
	{mediaType: "application/pdf", matches: starts("%PDF-")},
}

// formatOf finds the format of a file from its beginning; false for a format that is not taken.
func formatOf(head []byte) (format, bool) {
	i := slices.IndexFunc(formats, func(f format) bool { return f.matches(head) })
	if i < 0 {
		return format{}, false
	}
	return formats[i], true
}

// TypeOf finds the media type of a file from its beginning; "" for an unknown one.
func TypeOf(head []byte) string {
	f, _ := formatOf(head)
	return f.mediaType
}

// Agrees says whether the type that the client gives for a file fits a
// media type that TypeOf gave.
func Agrees(mediaType, claimed string) bool {
	i := slices.IndexFunc(formats, func(f format) bool { return f.mediaType == mediaType })
	return i >= 0 && formats[i].agrees(claimed)
}

// agrees says whether the type that the client gives for a file fits its real type.
func (f format) agrees(claimed string) bool {
	claimed, _, err := mime.ParseMediaType(claimed)
	return err == nil && (claimed == f.mediaType || slices.Contains(f.aliases, claimed))
}

// typesLike lists the media types of a filter: one type, or all of a kind ("image/*").
func typesLike(filter string) []string {
	kind, all := strings.CutSuffix(filter, "*")
	found := []string{}
	for _, f := range formats {
		if f.mediaType == filter || (all && strings.HasSuffix(kind, "/") && strings.HasPrefix(f.mediaType, kind)) {
			found = append(found, f.mediaType)
		}
	}
	return found
}

func starts(signature string) func([]byte) bool {
	return func(head []byte) bool { return bytes.HasPrefix(head, []byte(signature)) }
}

func either(one, other func([]byte) bool) func([]byte) bool {
	return func(head []byte) bool { return one(head) || other(head) }
}

// riff gives a check for a RIFF container of a form: "RIFF", a length of four bytes, the form.
func riff(form string) func([]byte) bool {
	return func(head []byte) bool {
		return len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == form
	}
}
