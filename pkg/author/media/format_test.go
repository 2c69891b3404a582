package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/errs"
)

func received(t testing.TB, content string) *blob.File {
	t.Helper()
	f, err := blob.Receive(strings.NewReader(content), 1<<24)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// drawn encodes a picture of 3 by 2 pixels.
func drawn(t *testing.T, encode func(*bytes.Buffer, image.Image) error) string {
	t.Helper()
	var out bytes.Buffer
	err := encode(&out, image.NewPaletted(image.Rect(0, 0, 3, 2), color.Palette{color.Black, color.White}))
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func pngOf(b *bytes.Buffer, i image.Image) error  { return png.Encode(b, i) }
func jpegOf(b *bytes.Buffer, i image.Image) error { return jpeg.Encode(b, i, nil) }
func gifOf(b *bytes.Buffer, i image.Image) error  { return gif.Encode(b, i, nil) }

// hugePNG is a header that claims a size, and nothing else.
func hugePNG(width, height uint32) string {
	header := binary.BigEndian.AppendUint32([]byte("IHDR"), width)
	header = binary.BigEndian.AppendUint32(header, height)
	header = append(header, 8, 0, 0, 0, 0)
	sum := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(header))
	return "\x89PNG\r\n\x1a\n\x00\x00\x00\r" + string(header) + string(sum)
}

func webpOf(chunk string, body ...byte) string {
	return "RIFF\x00\x00\x00\x00WEBP" + chunk + "\x0a\x00\x00\x00" + string(append(body, make([]byte, 16)...))
}

func oggOf(packet string) string {
	return "OggS" + strings.Repeat("\x00", 22) + "\x01\x1e" + packet
}

func TestInspectTellsTypesFromBytes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, content, claimed string
		mediaType              string
		width, height          int
	}{
		{"png", drawn(t, pngOf), "image/png", "image/png", 3, 2},
		{"png, nothing claimed", drawn(t, pngOf), "", "image/png", 3, 2},
		{"png, bytes claimed", drawn(t, pngOf), "application/octet-stream", "image/png", 3, 2},
		{"jpeg", drawn(t, jpegOf), "image/jpeg; q=1", "image/jpeg", 3, 2},
		{"jpeg by its other name", drawn(t, jpegOf), "image/jpg", "image/jpeg", 3, 2},
		{"gif", drawn(t, gifOf), "IMAGE/GIF", "image/gif", 3, 2},
		{"webp, lossy", webpOf("VP8 ", 0, 0, 0, 0x9d, 0x01, 0x2a, 0x40, 0x01, 0xf0, 0x00), "", "image/webp", 320, 240},
		{"webp, lossless", webpOf("VP8L", 0x2f, 0x3f, 0xc1, 0x3b, 0x00), "", "image/webp", 320, 240},
		{"webp, extended", webpOf("VP8X", 0, 0, 0, 0, 0x3f, 0x01, 0x00, 0xef, 0x00, 0x00), "", "image/webp", 320, 240},
		{"mp3 with a tag", "ID3\x03", "audio/mp3", "audio/mpeg", 0, 0},
		{"mp3 without one", "\xff\xfb\x90\x64", "audio/mpeg", "audio/mpeg", 0, 0},
		{"wav", "RIFF\x24\x00\x00\x00WAVEfmt ", "audio/x-wav", "audio/wav", 0, 0},
		{"ogg vorbis", oggOf("\x01vorbis"), "application/ogg", "audio/ogg", 0, 0},
		{"ogg opus", oggOf("OpusHead"), "audio/ogg; codecs=opus", "audio/ogg", 0, 0},
		{"mp4", "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00", "video/mp4", "video/mp4", 0, 0},
		{"webm", "\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm", "video/webm", "video/webm", 0, 0},
		{"pdf", "%PDF-1.7\n", "application/pdf", "application/pdf", 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Inspect(received(t, tt.content), tt.claimed)
			if err != nil {
				t.Fatal(err)
			}
			want := Content{MediaType: tt.mediaType, SizeBytes: int64(len(tt.content)), SHA256: got.SHA256}
			if tt.width > 0 {
				want.Width, want.Height = &tt.width, &tt.height
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestInspectRefuses(t *testing.T) {
	t.Parallel()
	const svg = `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`
	for _, tt := range []struct {
		name, content, claimed string
		code                   errs.Code
		field                  string
	}{
		{"nothing", "", "image/png", errs.ValidationFailed, "empty_file"},
		{"svg", svg, "image/svg+xml", errs.UnsupportedMediaType, ""},
		{"svg that claims to be a png", svg, "image/png", errs.UnsupportedMediaType, ""},
		{"svg after an xml declaration", "<?xml version='1.0'?>" + svg, "", errs.UnsupportedMediaType, ""},
		{"html", "<!doctype html><p>x", "text/html", errs.UnsupportedMediaType, ""},
		{"html that claims to be a png", "<html>", "image/png", errs.UnsupportedMediaType, ""},
		{"html before a png", "<html>" + drawn(t, pngOf), "image/png", errs.UnsupportedMediaType, ""},
		{"text", "hello", "text/plain", errs.UnsupportedMediaType, ""},
		{"a program", "\x7fELF\x02\x01\x01", "", errs.UnsupportedMediaType, ""},
		{"a png that claims to be a pdf", drawn(t, pngOf), "application/pdf", errs.UnsupportedMediaType, ""},
		{"a gif that claims to be a png", drawn(t, gifOf), "image/png", errs.UnsupportedMediaType, ""},
		{"no media type", drawn(t, pngOf), "png please", errs.UnsupportedMediaType, ""},
		{"ogg video", oggOf("\x80theora"), "audio/ogg", errs.UnsupportedMediaType, ""},
		{"matroska", "\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x88matroska", "video/webm", errs.UnsupportedMediaType, ""},
		{"quicktime", "\x00\x00\x00\x14ftypqt  \x00\x00\x00\x00", "video/mp4", errs.UnsupportedMediaType, ""},
		{"heic", "\x00\x00\x00\x18ftypheic\x00\x00\x00\x00", "", errs.UnsupportedMediaType, ""},
		{"avi", "RIFF\x24\x00\x00\x00AVI LIST", "", errs.UnsupportedMediaType, ""},
		{"a png cut short", "\x89PNG\r\n\x1a\n\x00\x00", "image/png", errs.ValidationFailed, "unreadable_image"},
		{"a webp cut short", "RIFF\x00\x00\x00\x00WEBPVP8 ", "", errs.ValidationFailed, "unreadable_image"},
		{"a webp of an unknown kind", webpOf("VP9 "), "", errs.ValidationFailed, "unreadable_image"},
		{"too many pixels", hugePNG(10_000, 5_001), "image/png", errs.ValidationFailed, "too_many_pixels"},
		{"too wide", hugePNG(20_001, 1), "image/png", errs.ValidationFailed, "too_many_pixels"},
		{"a bomb", hugePNG(0x7fffffff, 0x7fffffff), "image/png", errs.ValidationFailed, ""},
		{"a wide gif", "GIF89a\xff\xff\xff\xff\x00\x00\x00", "", errs.ValidationFailed, "too_many_pixels"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Inspect(received(t, tt.content), tt.claimed)
			if !errors.Is(err, tt.code) {
				t.Fatalf("got %v, want %s", err, tt.code)
			}
			if fields := errs.Of(err).Fields; tt.field != "" && (len(fields) != 1 || fields[0].Code != tt.field) {
				t.Errorf("got %v, want %s", fields, tt.field)
			}
		})
	}
}

func TestLargestImageIsTaken(t *testing.T) {
	t.Parallel()
	_, err := Inspect(received(t, hugePNG(10_000, 5_000)), "image/png")
	if err != nil {
		t.Error(err)
	}
}

// For any bytes there is an answer, and only a type of the list.
func TestInspectNeverPanics(t *testing.T) {
	t.Parallel()
	heads := []string{"", "\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "GIF89a", "RIFF\x00\x00\x00\x00WEBP", "OggS", "\xff\xfb", "\x1a\x45\xdf\xa3", "\x00\x00\x00\x18ftyp"}
	rapid.Check(t, func(rt *rapid.T) {
		content := rapid.SampledFrom(heads).Draw(rt, "head") + string(rapid.SliceOfN(rapid.Byte(), 0, 80).Draw(rt, "rest"))
		file, err := blob.Receive(strings.NewReader(content), 1<<10)
		if err != nil {
			rt.Fatal(err)
		}
		defer file.Close()
		got, err := Inspect(file, "")
		if err == nil && len(typesLike(got.MediaType)) != 1 {
			rt.Fatalf("got %q", got.MediaType)
		}
	})
}

func TestTypesLike(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		filter string
		want   []string
	}{
		{"image/png", []string{"image/png"}},
		{"video/*", []string{"video/mp4", "video/webm"}},
		{"image/svg+xml", []string{}},
		{"*", []string{}},
		{"imag*", []string{}},
		{"", []string{}},
	} {
		if diff := cmp.Diff(tt.want, typesLike(tt.filter)); diff != "" {
			t.Errorf("%q: %s", tt.filter, diff)
		}
	}
}
