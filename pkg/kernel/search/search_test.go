package search_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/search"
)

func TestQuery(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, question, want string }{
		{"last word by its beginning", "Lake const", "'const':* & 'lake'"},
		{"case and accents", "ÉCOLE Ångström", "'angstrom':* & 'ecole'"},
		{"sharp s", "Straße", "'strasse':*"},
		{"Greek and Cyrillic accents", "Αθήνα ёлка", "'αθηνα' & 'елка':*"},
		{"vowel points", "שָׁלוֹם مُحَمَّد", "'שלום' & 'محمد':*"},
		{"vowels that are marks stay", "हिन्दी", "'हिन्दी':*"},
		{"Han by pairs", "光合作用", "'作用' & '光合' & '合作'"},
		{"one Han character", "光", "'光'"},
		{"kana with a long vowel", "コーヒー", "'コー' & 'ヒー' & 'ーヒ'"},
		{"voiced kana", "が", "'が'"},
		{"half width", "ｶﾞ", "'ガ'"},
		{"Thai", "ไทย", "'ทย' & 'ไท'"},
		{"Hangul has spaces", "한국어", "'한국어':*"},
		{"scripts side by side", "DNA複製", "'dna' & '複製'"},
		{"operators are no words", "a & !b | (c):*", "'a' & 'b' & 'c':*"},
		{"quotes and backslashes", `it's \ "x"`, "'it' & 's' & 'x':*"},
		{"nothing to search for", " ?! ", ""},
		{"invalid UTF-8", "a\xffb", "'a' & 'b':*"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := search.Query(test.question); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestVectorHoldsScopeWordsAndPairs(t *testing.T) {
	t.Parallel()
	tenant, org := ids.New(), ids.New()
	got := search.Vector(tenant, org, "What is 光合?", "what")
	want := "'O:" + org.String() + "' 'T:" + tenant.String() + "' 'is' 'what' '光' '光合' '合'"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestLongTextsAreCut(t *testing.T) {
	t.Parallel()
	var long strings.Builder
	for range 60_000 {
		long.WriteString(ids.New().String() + " ")
	}
	if got := len(search.Vector(ids.New(), ids.New(), long.String(), strings.Repeat("x", 1<<20))); got > 1<<20 {
		t.Errorf("got %d bytes, more than a tsvector takes", got)
	}
}

// The result for any text can be read as a tsvector or tsquery: only words are in quotes.
func FuzzLexemes(f *testing.F) {
	f.Add("Lake's O:1 \\' & 漢字ー เ", "T:x")
	f.Fuzz(func(t *testing.T, text, question string) {
		for _, made := range []string{search.Vector(ids.None, ids.None, text), search.Query(question)} {
			if !utf8.ValidString(made) || strings.ContainsAny(made, "\\\x00") || strings.Contains(made, "''") {
				t.Errorf("got %q", made)
			}
		}
		lexemes := strings.Split(search.Vector(ids.None, ids.None, text), "' '")
		for _, lexeme := range lexemes[2:] {
			if strings.ContainsAny(strings.TrimSuffix(lexeme, "'"), "':TO") && !strings.HasPrefix(lexeme, "O:") && !strings.HasPrefix(lexeme, "T:") {
				t.Errorf("the lexeme %q could pass for another", lexeme)
			}
		}
	})
}
