package people_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"assess/pkg/people/people"
)

func TestEmailKey(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"plain", "ada@example.org", "ada@example.org"},
		{"case of the whole address", "Ada.L@Example.ORG", "ada.l@example.org"},
		{"space around", "  ada@example.org\t", "ada@example.org"},
		{"full-width letters and at sign", "ａｄａ＠example.org", "ada@example.org"},
		{"composed and decomposed umlaut", "mu\u0308ller@example.org", "müller@example.org"},
		{"sharp s folds", "Straße@example.org", "strasse@example.org"},
		{"international domain", "ada@BÜCHER.example", "ada@xn--bcher-kva.example"},
		{"international domain as A-label", "ada@xn--bcher-kva.example", "ada@xn--bcher-kva.example"},
		{"Cherokee capital", "Ꭰ@example.org", "ꭰ@example.org"},
		{"Cherokee small letter", "ꭰ@example.org", "ꭰ@example.org"},
		{"plus and apostrophe", "o'neil+x@example.org", "o'neil+x@example.org"},
		{"no at sign", "ada.example.org", ""},
		{"two at signs", "a@b@example.org", ""},
		{"no local part", "@example.org", ""},
		{"no domain", "ada@", ""},
		{"space inside", "ada l@example.org", ""},
		{"line feed", "ada\n@example.org", ""},
		{"zero-width joiner", "a\u200dda@example.org", ""},
		{"separator of addresses", "a,b@example.org", ""},
		{"angle brackets", "<ada@example.org>", ""},
		{"dots in a row", "a..b@example.org", ""},
		{"underscore in domain", "a@exa_mple.org", ""},
		{"dot at the end", "a@example.org.", ""},
		{"full-width dot at the end", "a@example.org。", ""},
		{"dot at the end of the local part", "a.@example.org", ""},
		{"invalid UTF-8", "a\xff@example.org", ""},
		{"long local part", strings.Repeat("a", 65) + "@example.org", ""},
		{"long domain", "a@" + strings.Repeat("abc.", 70) + "org", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, ok := people.EmailKey(test.in)
			if got != test.want || ok != (test.want != "") {
				t.Errorf("EmailKey(%q) = %q, %v, want %q", test.in, got, ok, test.want)
			}
		})
	}
}

func TestEmailKeyOfKeyIsItself(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		key, ok := people.EmailKey(rapid.String().Draw(t, "local") + "@" + rapid.SampledFrom([]string{"Example.org", "straße.example", "ドメイン.example"}).Draw(t, "domain"))
		if !ok {
			return
		}
		again, ok := people.EmailKey(key)
		if !ok || again != key {
			t.Errorf("key of %q = %q, %v", key, again, ok)
		}
	})
}
