package content

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestResolveFallsBack(t *testing.T) {
	t.Parallel()
	doc := FromPlain("en", "en")
	for _, tag := range []string{"fr", "fr-CA", "zh-Hant", "de"} {
		doc = doc.Merge(FromPlain(tag, tag))
	}
	tests := []struct{ name, lang, want string }{
		{"exact", "fr-CA", "fr-CA"},
		{"exact in another spelling", "FR-ca", "fr-CA"},
		{"parent", "fr-BE", "fr"},
		{"parent of a parent", "zh-Hant-TW", "zh-Hant"},
		{"parent before an extension", "fr-BE-u-nu-latn", "fr"},
		{"default", "ja", "en"},
		{"unreadable", "???", "en"},
		{"none", "", "en"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			locale, payload := doc.Resolve(test.lang)
			if locale != test.want || payload.PlainText() != test.want {
				t.Errorf("got %q with %q, want %q", locale, payload.PlainText(), test.want)
			}
		})
	}
}

func TestResolveWithoutDefaultTakesTheFirst(t *testing.T) {
	t.Parallel()
	doc := FromPlain("fr", "x").Merge(FromPlain("de", "x"))
	doc.DefaultLocale = "en"
	locale, _ := doc.Resolve("ja")
	if locale != "de" {
		t.Errorf("got %q, want de", locale)
	}
	locale, _ = Document{}.Resolve("en")
	if locale != "" {
		t.Errorf("of no locales: got %q, want none", locale)
	}
}

func TestMergeAddsLocales(t *testing.T) {
	t.Parallel()
	en, fr := FromPlain("en", "hello"), FromPlain("fr", "bonjour")
	got := en.Merge(fr).Merge(FromPlain("en", "good morning"))
	want := map[string]string{"en": "good morning", "fr": "bonjour"}
	if diff := cmp.Diff(want, got.PlainText()); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
	if got.DefaultLocale != "en" || len(en.Locales) != 1 {
		t.Errorf("default locale %q, want en; the first document has %d locales, want 1", got.DefaultLocale, len(en.Locales))
	}
	if merged := (Document{}).Merge(fr); merged.DefaultLocale != "fr" {
		t.Errorf("default of an empty document: got %q, want fr", merged.DefaultLocale)
	}
}
