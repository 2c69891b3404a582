package qti

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// spell writes an id as an identifier of QTI, which is a name of XML: other signs are written by their numbers, as _x20_.
func spell(id string) string {
	var b strings.Builder
	for i, c := range id {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' && !strings.HasPrefix(id[i:], "_x")
		if letter || i > 0 && (c >= '0' && c <= '9' || c == '-' || c == '.') {
			b.WriteRune(c)
			continue
		}
		fmt.Fprintf(&b, "_x%X_", c)
	}
	return b.String()
}

var spelt = regexp.MustCompile(`_x([0-9A-F]{2,6})_`)

// unspell reverses spell.
func unspell(identifier string) string {
	return spelt.ReplaceAllStringFunc(identifier, func(s string) string {
		n, _ := strconv.ParseUint(s[2:len(s)-1], 16, 32)
		return string(rune(n))
	})
}
