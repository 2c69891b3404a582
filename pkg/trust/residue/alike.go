package residue

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"html"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"assess/pkg/kernel/spelling"
)

// letters are the letters whose stroke or ligature no normal form takes apart.
var letters = strings.NewReplacer("ø", "o", "Ø", "o", "ł", "l", "Ł", "l", "đ", "d", "Đ", "d", "ð", "d", "Ð", "d", "þ", "th", "Þ", "th",
	"æ", "ae", "Æ", "ae", "œ", "oe", "Œ", "oe")

// twoLetters are what people write for a letter that their keyboard lacks; without the second letter they leave
// out the accent.
var twoLetters = map[rune]string{'ä': "ae", 'ö': "oe", 'ü': "ue", 'ø': "oe", 'å': "aa"}

var writtenOut = func() *strings.Replacer {
	var pairs []string
	for letter, two := range twoLetters {
		pairs = append(pairs, string(letter), two, string(unicode.ToUpper(letter)), two)
	}
	return strings.NewReplacer(pairs...)
}()

// looked is what a character looks like.
type looked struct {
	// text is taken apart (NFKD), so that it does not matter how a text was composed.
	text string
	mark bool
	// umlaut says that people also write two letters for it, or that it is the mark above such a letter.
	umlaut bool
}

// pages hold 256 characters each, from when one of them is met: all text of a database goes through here.
var pages [(unicode.MaxRune + 1) / 256]atomic.Pointer[[256]looked]

func lookOf(r rune) *looked {
	at := &pages[r>>8]
	known := at.Load()
	if known == nil {
		known = new([256]looked)
		for i := range known {
			one := r&^0xff + rune(i)
			known[i] = looked{mark: unicode.Is(unicode.Mn, one), text: " ",
				umlaut: twoLetters[unicode.ToLower(one)] != "" || one == '\u0308' || one == '\u030a'}
			if !unicode.IsSpace(one) {
				known[i].text = norm.NFKD.String(spelling.Bare(letters.Replace(string(one))))
			}
		}
		at.Store(known)
	}
	return &known[r&0xff]
}

// appendLook gives what a text has in common with others that people read the same (spelling.Bare), and says whether
// there is an umlaut in it. Runs of white space are one space.
func appendLook(to, data []byte) (all []byte, umlaut bool) {
	var base rune
	for i := 0; i < len(data); {
		if b := data[i]; b < utf8.RuneSelf && b != '`' && !asciiSpace(b) {
			to, base = append(to, foldASCII[b]), rune(b)
			i++
			continue
		}
		r, size := utf8.DecodeRune(data[i:])
		i += size
		if r == utf8.RuneError && size == 1 {
			to = append(to, 0)
			continue
		}
		one := lookOf(r)
		umlaut = umlaut || one.umlaut
		if one.mark && spelling.IsAccented(base) || one.text == "" || one.text == " " && (len(to) == 0 || to[len(to)-1] == ' ') {
			continue
		}
		to, base = append(to, one.text...), r
	}
	return to, umlaut
}

func asciiSpace(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' }

func look(text string) string {
	all, _ := appendLook(nil, []byte(text))
	return string(bytes.TrimSpace(all))
}

// maxLooks bounds the ways to write one text. A name with more than six such letters is searched for without
// some of the mixtures.
const maxLooks = 64

// looks gives the look of a text, with each letter that people also write as two in both ways.
func looks(text string) []string {
	all := []string{""}
	for _, r := range norm.NFC.String(strings.ToLower(text)) {
		two := twoLetters[r]
		if two != "" && 2*len(all) <= maxLooks {
			for _, before := range all {
				all = append(all, before+two)
			}
			for i := range len(all) / 2 {
				all[i] += string(r)
			}
			continue
		}
		for i := range all {
			all[i] += string(r)
		}
	}
	for i := range all {
		all[i] = look(all[i])
	}
	return all
}

// seeAlike finds what people read as an identifier although it is written in another way, also where that is
// escaped or encoded: found is told its number.
func (m *matcher) seeAlike(data []byte, where around, found func(identifier int)) {
	m.seeWritten(data, where, found)
	for _, sign := range escapeSigns {
		for plain, layer := unescaped(data, sign), 0; plain != nil && layer < maxEscaped; plain, layer = unescaped(plain, sign), layer+1 {
			where.escaped = true
			m.seeWritten(plain, where, found)
		}
	}
}

// maxEscaped is how many layers of escapes are taken away.
const maxEscaped = 2

func (m *matcher) seeWritten(data []byte, where around, found func(identifier int)) {
	m.seeText(data, where, found)
	for _, text := range encodedIn(data, where) {
		m.seeText(text, around{escaped: true}, found)
	}
}

func (m *matcher) seeText(data []byte, where around, found func(identifier int)) {
	if !where.escaped && plainText(data) {
		return // the search for folded text has seen it
	}
	if m.seeLook(data, where, found) {
		m.seeLook([]byte(writtenOut.Replace(norm.NFC.String(string(data)))), where, found)
	}
}

func (m *matcher) seeLook(data []byte, where around, found func(identifier int)) (umlaut bool) {
	m.looked, umlaut = appendLook(m.looked[:0], data)
	m.alike.automaton.find(m.looked, func(text int32, end int) {
		identifier := m.alike.matches[text].identifier
		if where.binary && !m.identifiers[identifier].word() || alone(m.looked, end-m.alike.lengths[text], end, where) {
			found(identifier)
		}
	})
	return umlaut
}

// plainText says that a text looks like nothing else than itself in lower case.
func plainText(data []byte) bool {
	for i, b := range data {
		if b >= utf8.RuneSelf || b == '`' || b < ' ' || b == ' ' && i > 0 && data[i-1] == ' ' {
			return false
		}
	}
	return true
}

// escapeSigns begin escapes: in JSON, HTML and URLs, and with an = in place of the % of URLs in
// quoted-printable.
var escapeSigns = []string{`\&%+`, `\&=`}

// unescaped takes one layer of escapes away; nil where there is none.
func unescaped(data []byte, signs string) []byte {
	if !bytes.ContainsAny(data, signs) {
		return nil
	}
	out := make([]byte, 0, len(data))
	changed := false
	for i := 0; i < len(data); {
		if data[i] >= utf8.RuneSelf || strings.IndexByte(signs, data[i]) < 0 {
			out = append(out, data[i])
			i++
			continue
		}
		text, size := escape(data[i:])
		if size == 0 {
			out = append(out, data[i])
			i++
			continue
		}
		out, changed = append(out, text...), true
		i += size
	}
	if !changed {
		return nil
	}
	return out
}

// longestEntity bounds a reference to a character in HTML.
const longestEntity = 32

// escape reads the escape that data begins with, and gives its length; 0 where there is none.
func escape(data []byte) ([]byte, int) {
	switch data[0] {
	case '+':
		return []byte{' '}, 1
	case '\\':
		return backslash(data)
	case '&':
		end := bytes.IndexByte(data[:min(len(data), longestEntity)], ';')
		if end < 0 {
			return nil, 0
		}
		entity := string(data[:end+1])
		if text := html.UnescapeString(entity); text != entity {
			return []byte(text), len(entity)
		}
	case '=':
		if bytes.HasPrefix(data, []byte("=\n")) {
			return nil, 2
		}
		if bytes.HasPrefix(data, []byte("=\r\n")) {
			return nil, 3
		}
		return oneByte(data)
	case '%':
		return oneByte(data)
	}
	return nil, 0
}

func oneByte(data []byte) ([]byte, int) {
	if len(data) < 3 || !hexDigit(data[1]) || !hexDigit(data[2]) {
		return nil, 0
	}
	var b [1]byte
	_, _ = hex.Decode(b[:], data[1:3]) // they are digits
	return b[:], 3
}

// unicodeEscape is the length of one in JSON.
const unicodeEscape = len(`\u0000`)

func backslash(data []byte) ([]byte, int) {
	if len(data) < 2 {
		return nil, 0
	}
	switch data[1] {
	case 'n', 'r', 't', 'f', 'b', 'v':
		return []byte{' '}, 2
	case '\\', '/', '"', '\'':
		return data[1:2], 2
	case 'u':
		first, ok := codeUnit(data)
		if !ok {
			return nil, 0
		}
		if second, ok := codeUnit(data[unicodeEscape:]); ok && utf16.IsSurrogate(first) {
			return utf8.AppendRune(nil, utf16.DecodeRune(first, second)), 2 * unicodeEscape
		}
		return utf8.AppendRune(nil, first), unicodeEscape
	}
	return nil, 0
}

func codeUnit(data []byte) (rune, bool) {
	if len(data) < unicodeEscape || data[0] != '\\' || data[1] != 'u' {
		return 0, false
	}
	var unit [2]byte
	_, err := hex.Decode(unit[:], data[2:unicodeEscape])
	return rune(unit[0])<<8 | rune(unit[1]), err == nil
}

// encodedIn gives the texts that are written in base64, hex and UTF-16.
func encodedIn(data []byte, where around) [][]byte {
	all := wideText(data)
	for start := 0; start < len(data); {
		end := start
		for end < len(data) && codes[data[end]] != 0 {
			end++
		}
		code := data[start:end]
		if end-start == lineOfCode {
			for end < len(data) && (codes[data[end]] != 0 || data[end] == '\r' || data[end] == '\n') {
				end++
			}
			code = bytes.ReplaceAll(bytes.ReplaceAll(data[start:end], []byte("\r"), nil), []byte("\n"), nil)
		}
		if len(code) >= leastCode && !isID(code) {
			all = append(all, decodings(code, start == 0 && where.before)...)
		}
		start = end + 1
	}
	return all
}

const (
	// leastCode is the length of the shortest code that is decoded: of four letters with an accent.
	leastCode = 8
	// lineOfCode is how long mail programs make the lines of base64 (RFC 2045).
	lineOfCode = 76
)

// codes gives the letter of base64, also for its alphabet for URLs, and 0 for other bytes.
var codes = func() (table [256]byte) {
	for _, b := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		table[b] = b
	}
	table['-'], table['_'] = '+', '/'
	return table
}()

// isID says whether letters are a UUID, which most codes of a database are.
func isID(code []byte) bool {
	return len(code) == 36 && code[8] == '-' && code[13] == '-' && code[18] == '-' && code[23] == '-'
}

// decodings gives the texts that a code may encode. A code that was cut off may begin anywhere.
func decodings(code []byte, cut bool) [][]byte {
	var all [][]byte
	try := func(code []byte, decode func([]byte) []byte) {
		// Most codes are hashes and words: their beginning tells.
		if head := decode(code[:min(len(code), headOfCode)]); !mostlyText(head) && len(wideText(head)) == 0 {
			return
		}
		text := decode(code)
		all = append(all, wideText(text)...)
		if mostlyText(text) {
			all = append(all, text)
		}
	}
	digits := bytes.TrimPrefix(bytes.TrimPrefix(code, []byte("0x")), []byte("x"))
	starts := 1
	if cut {
		starts = 4
	}
	for skip := range starts {
		try(code[skip:], fromBase64)
		if skip < 2 && skip < len(digits) {
			try(digits[skip:], fromHex)
		}
	}
	return all
}

// headOfCode is how much of a code is decoded to see whether it is text.
const headOfCode = 24

func fromHex(code []byte) []byte {
	text := make([]byte, len(code)/2)
	if _, err := hex.Decode(text, code[:2*len(text)]); err != nil {
		return nil
	}
	return text
}

func fromBase64(code []byte) []byte {
	if len(code)%4 == 1 { // six bits are no byte
		code = code[:len(code)-1]
	}
	standard := make([]byte, len(code))
	for i, b := range code {
		standard[i] = codes[b]
	}
	text := make([]byte, base64.RawStdEncoding.DecodedLen(len(code)))
	n, _ := base64.RawStdEncoding.Decode(text, standard) // it is of the alphabet
	return text[:n]
}

// mostlyText goes by the bytes that are no text, which a code of anything else is full of. A character cut off at
// either end does not count.
func mostlyText(data []byte) bool {
	bad := 0
	for i := 0; i < len(data); {
		if b := data[i]; b < utf8.RuneSelf {
			if b < ' ' && !asciiSpace(b) {
				bad++
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 && len(data)-i >= utf8.UTFMax {
			bad++
		}
		i += size
	}
	return len(data) >= minBytes && bad <= len(data)/8
}

// wideText decodes UTF-16 where enough of every second byte is zero, as in text that is mostly of Latin letters.
func wideText(data []byte) [][]byte {
	var zeros [2]int
	for i, b := range data {
		if b == 0 {
			zeros[i%2]++
		}
	}
	var all [][]byte
	for parity, n := range zeros {
		if n > len(data)/16 {
			// The zero is the first byte of a pair in one order and the second in the other.
			all = append(all, fromWide(binary.BigEndian, data[parity:]), fromWide(binary.LittleEndian, data[1-parity:]))
		}
	}
	return all
}

func fromWide(order binary.ByteOrder, data []byte) []byte {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}
