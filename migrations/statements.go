package migrations

import (
	"regexp"
	"strings"
)

// skipped is a part in which a semicolon ends nothing: a comment, a text, a quoted name, the body of a function in SQL, whose
// end begins a line. dollars begin a body that ends with the same.
var (
	skipped = regexp.MustCompile(`(?s)^(--[^\n]*|/\*.*?\*/|'[^']*'|"[^"]*"|begin atomic\b.*?\nend\b)`)
	dollars = regexp.MustCompile(`^\$\w*\$`)
)

// statements splits SQL after each semicolon, since Citus needs every change of the schema by itself: it sends the whole text
// that came with it to the nodes. A statement keeps the comments before it; the rest after the last semicolon is left out:
// white space and comments. It does not understand strings with escapes, E'...'.
func statements(sql string) []string {
	var all []string
	for from, at := 0, 0; at < len(sql); {
		if tag := dollars.FindString(sql[at:]); tag != "" {
			at += len(tag)
			at += strings.Index(sql[at:], tag) + len(tag)
			continue
		}
		if text := skipped.FindString(sql[at:]); text != "" {
			at += len(text)
			continue
		}
		at++
		if sql[at-1] == ';' {
			all = append(all, sql[from:at])
			from = at
		}
	}
	return all
}
