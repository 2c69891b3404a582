package search

import (
	"maps"
	"slices"
	"strings"

	"assess/pkg/kernel/ids"
)

// maxVectorBytes bounds the lexemes of one vector; PostgreSQL takes no more than 1 MiB.
// Text after that is not found.
const maxVectorBytes = 512 << 10

// Vector gives the lexemes of texts that belong to an org unit, as the text of a tsvector.
func Vector(tenant, orgUnit ids.ID, texts ...string) string {
	return vector(map[string]bool{"T:" + tenant.String(): true, "O:" + orgUnit.String(): true}, texts)
}

// Words gives the lexemes of texts that belong to no org unit yet. Nobody finds them before a Vector
// is put next to them.
func Words(texts ...string) string { return vector(map[string]bool{}, texts) }

func vector(lexemes map[string]bool, texts []string) string {
	size := 0
	add := func(lexeme string) {
		if size < maxVectorBytes && !lexemes[lexeme] {
			lexemes[lexeme] = true
			size += len(lexeme)
		}
	}
	for _, text := range texts {
		for _, r := range split(text) {
			if !r.unspaced {
				add(r.word())
				continue
			}
			for _, c := range r.text {
				add(string(c))
			}
			for _, pair := range r.pairs() {
				add(pair)
			}
		}
	}
	if len(lexemes) == 0 {
		return ""
	}
	return "'" + strings.Join(slices.Sorted(maps.Keys(lexemes)), "' '") + "'"
}

// Query gives the text of a tsquery that finds texts with all words and strings of a
// question in any order, the last word by its beginning. It is empty when there is nothing
// to search for: then nothing is found.
func Query(question string) string {
	var wanted []string
	runs := split(question)
	for i, r := range runs {
		switch {
		case r.unspaced:
			for _, pair := range r.pairs() {
				wanted = append(wanted, "'"+pair+"'")
			}
		case i == len(runs)-1:
			wanted = append(wanted, "'"+r.word()+"':*")
		default:
			wanted = append(wanted, "'"+r.word()+"'")
		}
	}
	slices.Sort(wanted)
	return strings.Join(slices.Compact(wanted), " & ")
}
