package migrations

import (
	"regexp"
	"strings"
)

// skipped is where a semicolon ends nothing: a comment, a text, a quoted name, the body of a function in SQL, whose end begins
// a line. dollars begin a body that ends with the same.
var (
	skipped = regexp.MustCompile(`(?s)^(--[^\n]*|/\*.*?\*/|'[^']*'|"[^"]*"|begin atomic\b.*?\nend\b)`)
	dollars = regexp.MustCompile(`^\$\w*\$`)
)

// statements takes SQL apart behind each semicolon, since Citus wants every change of the schema by itself: it hands the whole
// text that came with it on to the nodes. A statement keeps the comments before it; what follows the last semicolon is
// left out: white space and comments. Strings with escapes, E'...', are not understood.
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
