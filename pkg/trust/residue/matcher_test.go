package residue

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"mime/quotedprintable"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"golang.org/x/text/unicode/norm"
)

func met(t *testing.T, m *matcher, data []byte, where around) []match {
	t.Helper()
	var all []match
	m.search(data, where, func(found match) {
		if !slices.Contains(all, found) {
			all = append(all, found)
		}
	})
	return all
}

func twice(t *testing.T, text string) string {
	t.Helper()
	once, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(string(once))
	if err != nil {
		t.Fatal(err)
	}
	return string(again)
}

func wide(text string) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		out = append(out, byte(unit>>8), byte(unit))
	}
	return string(out)
}

// An identifier is found, whatever writes it: the writers here are the ones of the standard library.
func TestEveryFormIsFound(t *testing.T) {
	t.Parallel()
	const name, email = `Zoë "Zed" O'Neill-Åström`, "Zoe.Astrom+exam@Example.org"
	identifiers := Complete([]Identifier{{Name, name}, {Email, email}})
	m := newMatcher(identifiers)
	var quoted strings.Builder
	w := quotedprintable.NewWriter(&quoted)
	fmt.Fprintf(w, "Dear %s,", name)
	w.Close() //nolint:errcheck // writes into memory
	tests := map[string]struct {
		text string
		form Form
	}{
		"plain":            {"seen: " + name + ".", Plain},
		"upper case":       {strings.ToUpper(name), Plain},
		"lower case":       {strings.ToLower(name), Plain},
		"decomposed":       {norm.NFD.String(name), Decomposed},
		"query":            {"?who=" + url.QueryEscape(name), URL},
		"path":             {"/who%20" + url.PathEscape(name), URL},
		"JSON":             {"{\"x\":" + string(must(json.Marshal(name))) + "}", JSON},
		"JSON, ASCII only": {fmt.Sprintf("%+q", name), JSON},
		"JSON twice":       {twice(t, name), JSONTwice},
		"after a new line": {`"line\n` + strings.ReplaceAll(name, `"`, `\"`) + `"`, JSON},
		"HTML":             {html.EscapeString(name), HTML},
		"quoted-printable": {quoted.String(), QuotedPrintable},
		"hex":              {hex.EncodeToString([]byte("xx" + name + "yy")), Hex},
		"UTF-16":           {"\xfe\xff" + wide(name), UTF16},
		"last name first":  {`O'Neill-Åström, Zoë "Zed"`, Plain},
		"an address":       {"to=" + strings.ToUpper(email), Plain},
	}
	for alignment := range 3 {
		padded := strings.Repeat("·", alignment)[:alignment] + name + " and more"
		tests[fmt.Sprint("base64 after ", alignment)] = struct {
			text string
			form Form
		}{base64.StdEncoding.EncodeToString([]byte(padded)), Base64}
	}
	for what, test := range tests {
		want := match{0, test.form}
		if what == "an address" {
			want.identifier = slices.IndexFunc(identifiers, func(i Identifier) bool { return i.Kind == Email })
		}
		if got := met(t, m, []byte(test.text), around{}); !slices.Contains(got, want) {
			t.Errorf("%s: %q: got %v, want %v", what, test.text, got, want)
		}
	}
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}

// What people read as the name is found, whatever signs it is written with, and wherever it occurs.
func TestWhatReadsTheSameIsFound(t *testing.T) {
	t.Parallel()
	people := map[string][]string{
		"Renée Lévêque":     {"Renee Leveque", "RENEE  LEVEQUE", "Renée\nLévêque", "Renée\u00a0Lévêque", "Renée\u202fLévêque", "Ren\u00adée Lévê\u00adque", "Renée \u2060Lévêque", "Re\u200bnée \ufeffLévêque", "Lévêque,\u2009Renée", "Leveque,Renee", "Renée\r\n\tLévêque"},
		"Jörg Müller":       {"Joerg Mueller", "Jorg Muller", "Joerg Müller", "Jo\u0308rg  Mueller", "JÖRG\u00a0MUELLER", "Mueller, Joerg"},
		"Joerg Mueller":     {"Jörg Müller", "JÖRG MÜLLER", "Jörg\u00a0Mueller", "Jo\u0308rg Mu\u0308ller"},
		"Sean O'Neill":      {"Sean O’Neill", "Sean O‘Neill", "Sean OʼNeill", "Sean O`Neill", "Sean O´Neill", "Seán O′Neill", "Sean\u2003O＇Neill"},
		"Anne-Marie d’Arc":  {"Anne\u2010Marie d'Arc", "Anne\u2011Marie d’Arc", "Anne–Marie d´Arc", "Anne−Marie\nd'Arc", "Ann\u00ade-Marie d'Arc"},
		"Søren Ærø":         {"Soren Aero", "Soeren Ærø", "Soeren Aeroe", "SØREN\u00a0ÆRØ"},
		"Łukasz Đorđe":      {"Lukasz Dorde", "Łukasz\u2028Đorđe"},
		"Ａda Byron":         {"Ada Byron", "Ada\u3000Byron", "Ａｄａ Ｂｙｒｏｎ"},
		"Ἑλένη Παππά":       {"Ελενη Παππα", "ΕΛΕΝΗ ΠΑΠΠΑ"},
		"İpek Şahin Yıldız": {"Ipek Sahin Yildiz", "ipek  şahin yıldız"},
		"Weiß Straßburger":  {"Weiss Strassburger", "WEISS\u00a0STRASSBURGER"},
		"Ørsted Åse Nygård": {"Orsted Ase Nygard", "Oersted Aase Nygaard"},
	}
	places := map[string]func(string) []byte{
		"text":             func(s string) []byte { return []byte("seen: " + s + ".") },
		"JSON":             func(s string) []byte { return must(json.Marshal(map[string]string{"x": "by " + s})) },
		"JSON, ASCII only": func(s string) []byte { return fmt.Appendf(nil, "%+q", "by "+s) },
		"JSON twice":       func(s string) []byte { return []byte(twice(t, "by "+s)) },
		"query":            func(s string) []byte { return []byte("?who=" + url.QueryEscape(s)) },
		"path":             func(s string) []byte { return []byte("/of/" + url.PathEscape(s)) },
		"HTML": func(s string) []byte {
			return []byte("<b>" + strings.ReplaceAll(html.EscapeString(s), "\u00a0", "&nbsp;") + "</b>")
		},
		"numbers in HTML": func(s string) []byte { return []byte("<b>" + entities(s, "&#x%x;") + "</b>") },
		"hex":             func(s string) []byte { return []byte(`\x` + hex.EncodeToString([]byte("by "+s+"."))) },
		"base64": func(s string) []byte {
			return []byte("data: " + base64.StdEncoding.EncodeToString([]byte("by "+s+".")))
		},
		"base64 for URLs": func(s string) []byte {
			return []byte("?t=" + base64.RawURLEncoding.EncodeToString([]byte("seen by "+s+".")))
		},
		"UTF-16":         func(s string) []byte { return []byte("\xfe\xff" + wide("This was seen by "+s+" on Monday.")) },
		"UTF-16, little": func(s string) []byte { return append([]byte("x"), wide("This was seen by "+s+" on Monday.")...) },
		"bytes":          func(s string) []byte { return []byte("\x00\xff\x02" + s + "\x00\xfe") },
		"quoted-printable": func(s string) []byte {
			var out bytes.Buffer
			w := quotedprintable.NewWriter(&out)
			fmt.Fprintf(w, "A line that is long enough to be broken, by %s", s)
			w.Close() //nolint:errcheck // writes into memory
			return out.Bytes()
		},
	}
	for name, others := range people {
		m := newMatcher([]Identifier{{Name, name}})
		for _, other := range others {
			for place, write := range places {
				for _, where := range []around{{}, {binary: true}} {
					got := met(t, m, write(other), where)
					if len(got) != 1 {
						t.Errorf("%s: %+q as %+q: got %v", place, name, other, got)
					}
				}
			}
		}
	}
}

// Other names are other names, however near.
func TestOtherNamesAreNotAlike(t *testing.T) {
	t.Parallel()
	for name, others := range map[string][]string{
		"Michael Bauer": {"Michal Bauer", "Michael Baur", "Michael\u00a0Bauern", "Michaela Bauer"},
		"Jörg Müller":   {"Jrg Mller", "Jurg Muller", "Joerg Muellers"},
		"Sean O'Neill":  {"Sean Neill", "Sean O-Neill"},
		"か行 たろう":        {"が行 たろう"},
	} {
		m := newMatcher([]Identifier{{Name, name}})
		for _, other := range others {
			if got := met(t, m, []byte("see "+other+" there"), around{}); len(got) != 0 {
				t.Errorf("%q as %q: got %v", name, other, got)
			}
		}
	}
}

func TestPartsOfOtherWordsAreNotFound(t *testing.T) {
	t.Parallel()
	m := newMatcher([]Identifier{{Name, "Ann Lee"}, {NamePart, "Anna"}, {NamePart, "Mara"}, {Metadata, "P-99123"}, {Email, "ada@example.org"}, {Name, "王小明"}})
	for text, want := range map[string]int{
		"Joann Leeds": 0, "Hannah": 0, "P-991234": 0, "jada@example.org": 0, "Marán": 0, "Ma\u00adra\u200bn": 0, "Joann\u00a0Lee": 0, "An\u00a0Lee": 0,
		"Ann Lee": 1, "(anna)": 1, "%20anna%20": 1, `\nAnna`: 1, "\x1fP-99123,": 1, "<ada@example.org>": 1, "我是王小明的": 1, "Mará": 1, norm.NFD.String("Mará"): 1,
	} {
		if got := met(t, m, []byte(text), around{}); len(got) != want {
			t.Errorf("%q: got %v, want %d", text, got, want)
		}
	}
}

// The automaton finds what strings.Index finds, in random texts of few letters, where texts lie in
// one another.
func TestTheAutomatonFindsWhatASearchFinds(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	text := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "abc"[random.IntN(3)]
		}
		return string(b)
	}
	for range 300 {
		var texts []string
		for range 1 + random.IntN(8) {
			texts = append(texts, text(1+random.IntN(5)))
		}
		data := text(200)
		type place struct{ text, end int }
		got, want := map[place]bool{}, map[place]bool{}
		newAutomaton(texts).find([]byte(data), func(n int32, end int) { got[place{int(n), end}] = true })
		for n, text := range texts {
			for end := len(text); end <= len(data); end++ {
				if data[end-len(text):end] == text {
					want[place{n, end}] = true
				}
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%v in %s: got %d places, want %d", texts, data, len(got), len(want))
		}
		for p := range want {
			if !got[p] {
				t.Fatalf("%v in %s: %v is missing", texts, data, p)
			}
		}
	}
}

// Wherever the end of a window falls, a text across it is found, and words that only seem to end
// there are not.
func TestWindowsOverlap(t *testing.T) {
	t.Parallel()
	m := newMatcher([]Identifier{{NamePart, "Åström"}})
	for shift := -20; shift <= 20; shift++ {
		for text, want := range map[string]bool{" Åström ": true, " Åströmer ": false, " xÅström ": false} {
			data := strings.Repeat("é", (window+shift)/2) + text + strings.Repeat(".", window)
			found := false
			u := &unpacker{ctx: t.Context(), matcher: m, hit: func(match) { found = true }, gap: func(string, Reason) {}, limit: maxUnpacked}
			err := u.stream("", iotest.HalfReader(strings.NewReader(data)), 0)
			if err != nil || found != want || u.read != int64(len(data)) {
				t.Fatalf("%q at %d: found %v, read %d of %d, %v", text, shift, found, u.read, len(data), err)
			}
		}
	}
}

func TestIdentifiersOfAFile(t *testing.T) {
	t.Parallel()
	got, err := Parse([]string{"Ada Byron", "", "ada@example.org", "metadata: P-99123", "external_id: x-77"})
	if err != nil {
		t.Fatal(err)
	}
	want := []Identifier{{Name, "Ada Byron"}, {NamePart, "Byron"}, {Email, "ada@example.org"}, {Metadata, "P-99123"}, {ExternalID, "x-77"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	_, err = Parse([]string{"Ada Byron", "xyz"})
	if err == nil || strings.Contains(fmt.Sprintf("%+v", err), "xyz") {
		t.Errorf("too short: got %v", err)
	}
}

func BenchmarkSearch(b *testing.B) {
	m := newMatcher(Complete([]Identifier{{Name, "Ada Byron King"}, {Email, "ada@example.org"}, {Metadata, "P-9912345"}}))
	data := bytes.Repeat([]byte(`{"actor":"user:0190b3c4-0000-7000-8000-000000000001","note":"seen and approved","score":0.75} `), 1000)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		m.search(data, around{}, func(match) {})
	}
}
