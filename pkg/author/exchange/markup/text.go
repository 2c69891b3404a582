package markup

import (
	"bytes"
	"html"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"assess/pkg/author/exchange/bank"
	"assess/pkg/kernel/content"
)

// Decode gives text as UTF-8 with line feeds: UTF-16 has a byte order mark, and text that is
// not UTF-8 is windows-1252.
func Decode(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		if decoded, err := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Bytes(data); err == nil {
			data = decoded
		}
	case !utf8.Valid(data):
		if decoded, err := charmap.Windows1252.NewDecoder().Bytes(data); err == nil {
			data = decoded
		}
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	return strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "").Replace(text)
}

// The names of the formats of text in Moodle.
const (
	FormatHTML     = "html"
	FormatMoodle   = "moodle"
	FormatPlain    = "plain"
	FormatMarkdown = "markdown"
)

// Text reads text in a format of Moodle; its own takes both tags and line breaks.
func (r *Reader) Text(format, text string) []content.Block {
	switch {
	case strings.TrimSpace(text) == "":
		return nil
	case format == FormatMarkdown:
		document, losses := content.ReadMarkdown("en", text)
		if len(losses) > 0 {
			r.Item.Lose(bank.StyleDropped)
		}
		return document.Locales["en"].Blocks
	case format == FormatHTML:
		return r.HTML(text)
	case format == FormatPlain || !hasTags(text):
		text = html.EscapeString(text)
	}
	text = strings.ReplaceAll(strings.TrimSpace(text), "\n\n", "</p><p>")
	return r.HTML("<p>" + strings.ReplaceAll(text, "\n", "<br>") + "</p>")
}

func hasTags(text string) bool {
	at := strings.IndexByte(text, '<')
	for at >= 0 && at+1 < len(text) {
		next := text[at+1] | 0x20
		if next >= 'a' && next <= 'z' || text[at+1] == '/' {
			return strings.IndexByte(text[at:], '>') > 0
		}
		rest := strings.IndexByte(text[at+1:], '<')
		if rest < 0 {
			return false
		}
		at += 1 + rest
	}
	return false
}
