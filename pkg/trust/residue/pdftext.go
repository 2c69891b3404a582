package residue

import (
	"encoding/hex"
	"strconv"
	"unicode/utf16"
)

// shownText puts together what the strings of a PDF's content show. Letters that belong together are
// in one array, with numbers between them that move them; everything else parts words. Strings in
// UTF-16 become UTF-8 (ISO 32000-1, sections 7.3.4, 7.9.2.2 and 9.4.3).
func shownText(content []byte) []byte {
	var out []byte
	inArray := false
	for i := 0; i < len(content); {
		switch b := content[i]; {
		case b == '(':
			text, next := literal(content, i+1)
			out, i = append(out, decoded(text)...), next
			continue
		case b == '<' && i+1 < len(content) && content[i+1] != '<':
			text, next := hexString(content, i+1)
			out, i = append(out, decoded(text)...), next
			continue
		case b == '[':
			inArray = true
		case b == ']':
			inArray = false
		case (b == ' ' || b == '\n' || b == '\r') && !inArray && len(out) > 0 && out[len(out)-1] != ' ':
			out = append(out, ' ')
		}
		i++
	}
	return out
}

// literal reads a string in parentheses, which may nest, and gives where it ends.
func literal(content []byte, i int) ([]byte, int) {
	var text []byte
	for depth := 1; i < len(content); i++ {
		switch b := content[i]; b {
		case '\\':
			var part []byte
			part, i = escaped(content, i+1)
			text = append(text, part...)
		case '(':
			depth++
			text = append(text, b)
		case ')':
			depth--
			if depth == 0 {
				return text, i + 1
			}
			text = append(text, b)
		default:
			text = append(text, b)
		}
	}
	return text, i
}

// escaped reads what follows a backslash, and gives the place of its last byte.
func escaped(content []byte, i int) ([]byte, int) {
	if i >= len(content) {
		return nil, i
	}
	if content[i] >= '0' && content[i] <= '7' {
		end := i
		for end < len(content) && end < i+3 && content[end] >= '0' && content[end] <= '7' {
			end++
		}
		code, _ := strconv.ParseUint(string(content[i:end]), 8, 16)
		return []byte{byte(code)}, end - 1
	}
	switch content[i] {
	case 'n', 'r', 't', 'b', 'f':
		return []byte{' '}, i
	case '\r', '\n':
		return nil, i
	}
	return content[i : i+1], i
}

func hexString(content []byte, i int) ([]byte, int) {
	var digits []byte
	for ; i < len(content) && content[i] != '>' && len(digits) < maxPacked; i++ {
		if hexDigit(content[i]) {
			digits = append(digits, content[i])
		}
	}
	if len(digits)%2 == 1 {
		digits = append(digits, '0')
	}
	text := make([]byte, len(digits)/2)
	_, _ = hex.Decode(text, digits) // they are digits
	return text, i + 1
}

// decoded gives UTF-8: from UTF-16 where a byte-order mark comes first, else from Latin-1, which the
// usual encodings of fonts agree with in most letters.
func decoded(text []byte) []byte {
	if len(text) >= 2 && text[0] == 0xfe && text[1] == 0xff {
		var units []uint16
		for i := 2; i+1 < len(text); i += 2 {
			units = append(units, uint16(text[i])<<8|uint16(text[i+1]))
		}
		return []byte(string(utf16.Decode(units)))
	}
	runes := make([]rune, len(text))
	for i, b := range text {
		runes[i] = rune(b)
	}
	return []byte(string(runes))
}
