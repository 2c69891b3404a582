package residue

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Form is how an identifier was written.
type Form string

// The forms. Plain is NFC, decomposed is NFD (Unicode, annex 15).
const (
	Plain           Form = "plain"
	Decomposed      Form = "decomposed"
	URL             Form = "url"
	JSON            Form = "json"
	JSONTwice       Form = "json_twice"
	HTML            Form = "html"
	QuotedPrintable Form = "quoted_printable"
	Hex             Form = "hex"
	Base64          Form = "base64"
	UTF16           Form = "utf16"
	// Alike is whatever people read the same: with other white space, accents, quotes or dashes, with signs that
	// nobody sees, or an umlaut as two letters; also within the other forms.
	Alike Form = "alike"
)

// Forms are all of them.
var Forms = []Form{Plain, Decomposed, URL, JSON, JSONTwice, HTML, QuotedPrintable, Hex, Base64, UTF16, Alike}

// A shorter base64 text occurs in other texts by chance.
const minBase64 = 6

// written is one way to write an identifier. Folded ones are compared with folded text, in which
// case does not count; the others with the bytes as they are.
type written struct {
	form   Form
	folded bool
	text   string
}

// waysToWrite gives all ways to write an identifier, the plainest of the same text first.
func waysToWrite(i Identifier) []written {
	var all []written
	for _, text := range spellings(i) {
		composed, decomposed := norm.NFC.String(text), norm.NFD.String(text)
		all = append(all, written{Plain, true, composed}, written{Plain, true, cases.Fold().String(composed)},
			written{Decomposed, true, decomposed})
		for _, cased := range casings(text) {
			for _, normal := range []string{norm.NFC.String(cased), norm.NFD.String(cased)} {
				all = append(all, encoded(normal)...)
			}
		}
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(w written) bool {
		key := w.text
		if w.folded {
			key = "folded " + foldText(w.text)
		}
		known := seen[key] || w.text == ""
		seen[key] = true
		return known
	})
}

// waysToLook gives all looks of an identifier.
func waysToLook(i Identifier) []string {
	var all []string
	for _, text := range spellings(i) {
		for _, one := range looks(text) {
			if len(one) >= minBytes {
				all = append(all, one)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// spellings gives a name also with its last word first: "Byron, Ada" and "Byron Ada".
func spellings(i Identifier) []string {
	words := strings.Fields(i.Value)
	if i.Kind != Name || len(words) < 2 {
		return []string{i.Value}
	}
	first, last := strings.Join(words[:len(words)-1], " "), words[len(words)-1]
	return []string{i.Value, last + ", " + first, last + "," + first, last + " " + first}
}

// casings are the ways in which an encoded text, whose case no fold reaches, is usually written.
func casings(text string) []string {
	first, size := utf8.DecodeRuneInString(text)
	return []string{text, strings.ToLower(text), strings.ToUpper(text), string(unicode.ToTitle(first)) + strings.ToLower(text[size:])}
}

func encoded(text string) []written {
	all := []written{
		{URL, true, url.QueryEscape(text)}, {URL, true, url.PathEscape(text)}, {URL, true, percentAll(text)},
		{HTML, true, html.EscapeString(text)}, {HTML, true, entities(text, "&#%d;")}, {HTML, true, entities(text, "&#x%x;")},
		{QuotedPrintable, true, strings.ReplaceAll(percentAll(text), "%", "=")},
		{Hex, true, hex.EncodeToString([]byte(text))},
	}
	for _, escapes := range jsonEscapes {
		once := escapeJSON(text, escapes)
		all = append(all, written{JSON, true, once}, written{JSONTwice, true, escapeJSON(once, escapes)})
	}
	for alignment := range 3 {
		standard := insideBase64(text, alignment)
		if len(standard) >= minBase64 {
			all = append(all, written{Base64, false, standard}, written{Base64, false, strings.NewReplacer("+", "-", "/", "_").Replace(standard)})
		}
	}
	for _, order := range []binary.AppendByteOrder{binary.BigEndian, binary.LittleEndian} {
		var wide []byte
		for _, unit := range utf16.Encode([]rune(text)) {
			wide = order.AppendUint16(wide, unit)
		}
		all = append(all, written{UTF16, false, string(wide)}, written{UTF16, true, hex.EncodeToString(wide)})
	}
	return all
}

// insideBase64 gives the characters that encode a text wherever base64 holds it, when as many bytes
// as the alignment (0 to 2) come before it: the characters at its ends depend on its neighbours.
func insideBase64(text string, alignment int) string {
	code := base64.RawStdEncoding.EncodeToString(append(make([]byte, alignment), text...))
	return code[(alignment*8+5)/6 : (alignment+len(text))*8/6]
}

// jsonEscapes are what writers of JSON escape beyond quotes: nothing, characters that are dangerous in
// HTML, characters outside ASCII, or both.
var jsonEscapes = []func(rune) bool{
	func(rune) bool { return false },
	func(r rune) bool { return strings.ContainsRune("<>&", r) },
	func(r rune) bool { return r >= utf8.RuneSelf },
	func(r rune) bool { return r >= utf8.RuneSelf || strings.ContainsRune("<>&'", r) },
}

// escapeJSON writes a text as JSON does inside quotes.
func escapeJSON(text string, escapes func(rune) bool) string {
	var out strings.Builder
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out.WriteString(`\` + string(r))
		case r < ' ' || escapes(r):
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&out, `\u%04x`, unit)
			}
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// percentAll escapes only bytes beyond ASCII, and the sign itself.
func percentAll(text string) string {
	var out strings.Builder
	for _, b := range []byte(text) {
		if b >= utf8.RuneSelf || b == '%' || b == '=' {
			fmt.Fprintf(&out, "%%%02x", b)
			continue
		}
		out.WriteByte(b)
	}
	return out.String()
}

func entities(text, format string) string {
	var out strings.Builder
	for _, r := range text {
		if r >= utf8.RuneSelf || strings.ContainsRune(`<>&'"`, r) {
			fmt.Fprintf(&out, format, r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}
