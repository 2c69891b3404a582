package spelling_test

import (
	"testing"

	"pgregory.net/rapid"

	"assess/pkg/kernel/spelling"
)

func TestNamesHaveOneSpelling(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"cafe\u0301", "café"},
		{"ca\u200bfé", "café"}, {"\ufeffcafé", "café"}, {"caf\u202cé", "café"}, {"ca\u00adfé", "café"}, {"ca\u2060fé\u200e", "café"},
		{"e\u200b\u0301", "é"}, // what was parted comes together
		{"ca\u200dfé", "café"}, {"ca\u200c", "ca"}, {"\u200cم", "م"},
		{"می\u200cخواهم", "می\u200cخواهم"}, {"क्\u200dष", "क्\u200dष"}, {"👩\u200d🔬", "👩\u200d🔬"}, {"❤\ufe0f", "❤\ufe0f"},
		{"\u200b\u00ad\u3164", ""}, {"٠\u0600", "٠\u0600"}, {"x\u200b\xff", "x\ufffd"}, {"é\xff", "é\xff"}, {"plain", "plain"},
	} {
		if got := spelling.Name(tt.in); got != tt.want {
			t.Errorf("%+q is %+q, want %+q", tt.in, got, tt.want)
		}
	}
}

func TestFoldTakesForTheSameWhatPeopleDo(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		locale, a, b string
		same         bool
	}{
		{"en", "café", "CAFE\u0301\u200b", true}, {"en", "café", "\ufeffca\u00adfé\u202c", true}, {"en", "don’t", "don't", true}, {"en", "don`t", "donʼt", true},
		{"en", "„so“", `"so"`, true}, {"en", "«so»", `"so"`, true}, {"en", "x\u2011ray", "X-ray", true}, {"en", "1–2", "1−2", true}, {"en", "１２３", "123", true},
		{"ja", "ｶﾀｶﾅ", "カタカナ", true}, {"en", " a\u00a0\n b ", "a b", true}, {"en", "a\u3000b", "A B", true}, {"en", "wait…", "wait...", true},
		{"de", "Straße", "STRASSE", true}, {"en", "ﬁn", "fin", true}, {"en", "❤\ufe0f", "❤", true}, {"fa", "می\u200cخواهم", "میخواهم", true},
		{"tr", "ılık", "ILIK", true}, {"tr", "ilik", "İLİK", true}, {"tr-TR", "ilik", "ILIK", false}, {"az-Latn", "qızıl", "QIZIL", true}, {"az", "qizil", "QIZIL", false},
		{"en", "title", "TITLE", true}, {"", "İstanbul", "istanbul", true}, {"en", "ISTANBUL", "ıstanbul", true}, {"tr", "I\u0307zmir", "izmir", true},
		{"en", "x²", "x2", false}, {"en", "resume", "résumé", false}, {"en", "ab", "a b", false}, {"en", "a'b", "ab", false}, {"en", "σ", "ς", true},
	} {
		if got := spelling.Fold(tt.a, tt.locale) == spelling.Fold(tt.b, tt.locale); got != tt.same {
			t.Errorf("%s: %+q and %+q: same is %t (%+q, %+q)", tt.locale, tt.a, tt.b, got, spelling.Fold(tt.a, tt.locale), spelling.Fold(tt.b, tt.locale))
		}
	}
}

func TestBareLeavesAccentsOut(t *testing.T) {
	t.Parallel()
	for a, b := range map[string]string{"Renée  Lévêque": "renee\u00a0leveque", "O’Brien": "O'BRIEN", "Ang\u00adela Jørgensen": "Angela Jørgensen", "Ελένη": "ΕΛΕΝΗ", "Ａda": "ada"} {
		if spelling.Bare(a) != spelling.Bare(b) {
			t.Errorf("%q and %q: %q, %q", a, b, spelling.Bare(a), spelling.Bare(b))
		}
	}
}

func TestFoldingTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, locale := rapid.String().Draw(t, "text"), rapid.SampledFrom([]string{"", "en", "tr", "az"}).Draw(t, "locale")
		for name, fold := range map[string]func(string) string{"Compose": spelling.Compose, "Name": spelling.Name, "Bare": spelling.Bare,
			"Fold": func(s string) string { return spelling.Fold(s, locale) }} {
			if once := fold(s); fold(once) != once {
				t.Errorf("%s in %q: %+q, then %+q, then %+q", name, locale, s, once, fold(once))
			}
		}
	})
}
