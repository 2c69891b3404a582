package residue

import (
	"unicode"
	"unicode/utf8"
)

var foldASCII = func() (table [256]byte) {
	for b := range table {
		table[b] = byte(b)
		if 'A' <= b && b <= 'Z' {
			table[b] = byte(b + 'a' - 'A')
		}
	}
	return table
}()

// foldRune gives the same rune for all that differ only in case (Unicode, simple case folding).
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		return rune(foldASCII[r])
	}
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	if least < utf8.RuneSelf {
		return rune(foldASCII[least])
	}
	return least
}

func foldText(text string) string { return string(appendFolded(nil, []byte(text))) }

// appendFolded folds UTF-8 and takes over other bytes as they are.
func appendFolded(to, data []byte) []byte {
	for i := 0; i < len(data); {
		b := data[i]
		if b < utf8.RuneSelf {
			to = append(to, foldASCII[b])
			i++
			continue
		}
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError {
			to = append(to, data[i:i+size]...)
		} else {
			to = utf8.AppendRune(to, foldRune(r))
		}
		i += size
	}
	return to
}
