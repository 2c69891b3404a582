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

// Whatever writes an identifier, it is found: the writers here are those of the standard library.
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

func TestPartsOfOtherWordsAreNotFound(t *testing.T) {
	t.Parallel()
	m := newMatcher([]Identifier{{Name, "Ann Lee"}, {NamePart, "Anna"}, {NamePart, "Mara"}, {Metadata, "P-99123"}, {Email, "ada@example.org"}, {Name, "王小明"}})
	for text, want := range map[string]int{
		"Joann Leeds": 0, "Hannah": 0, "P-991234": 0, "jada@example.org": 0, "Mará": 0, norm.NFD.String("Mará"): 0,
		"Ann Lee": 1, "(anna)": 1, "%20anna%20": 1, `\nAnna`: 1, "\x1fP-99123,": 1, "<ada@example.org>": 1, "我是王小明的": 1,
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

// Wherever the end of a window falls, what lies across it is found, and words that only seem to end
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
