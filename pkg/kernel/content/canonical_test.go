package content

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestCanonicalFollowsRFC8785(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		in   any
		want string
	}{
		{"keys by UTF-16 code units", map[string]any{"\ufb33": 1, "😀": 2, "a": 3}, `{"a":3,"😀":2,"` + "\ufb33" + `":1}`},
		{"numbers as in ECMAScript", []float64{1e21, 1.50, 1e-7, math.Copysign(0, -1)}, `[1e+21,1.5,1e-7,0]`},
		{"no HTML escapes", "<a & b>\u2028", "\"<a & b>\u2028\""},
		{"escapes", "\x01\n\"", `"\u0001\n\""`},
		{"null", nil, `null`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := Canonical(test.in)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
	_, err := Canonical(math.NaN())
	if err == nil {
		t.Error("NaN has no JSON form, and there was no error")
	}
}

func TestHashIsSHA256(t *testing.T) {
	t.Parallel()
	// The digest of the empty message, FIPS 180-4.
	const want = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	if got := Hash(nil); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// shuffled writes a JSON value with its keys in random order and random white space.
func shuffled(t *rapid.T, value any) []byte {
	space := rapid.SampledFrom([]string{"", " ", "\n\t"}).Draw(t, "space")
	var b bytes.Buffer
	switch value := value.(type) {
	case map[string]any:
		keys := make([]string, 0, len(value))
		for key := range value {
			keys = append(keys, key)
		}
		b.WriteString(space + "{")
		for i, key := range rapid.Permutation(keys).Draw(t, "keys") {
			if i > 0 {
				b.WriteString(space + ",")
			}
			b.Write(shuffled(t, key))
			b.WriteString(space + ":")
			b.Write(shuffled(t, value[key]))
		}
		b.WriteString(space + "}")
	case []any:
		b.WriteString(space + "[")
		for i, v := range value {
			if i > 0 {
				b.WriteString(",")
			}
			b.Write(shuffled(t, v))
		}
		b.WriteString("]" + space)
	default:
		scalar, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(space + string(scalar) + space)
	}
	return b.Bytes()
}

func TestHashIgnoresKeyOrderAndWhiteSpace(t *testing.T) {
	t.Parallel()
	var value any
	err := json.Unmarshal([]byte(documentOf(everyBlock)), &value)
	if err != nil {
		t.Fatal(err)
	}
	canonical, err := Canonical(value)
	if err != nil {
		t.Fatal(err)
	}
	want := Hash(canonical)
	rapid.Check(t, func(t *rapid.T) {
		raw := shuffled(t, value)
		doc, problems := Parse("", raw)
		if len(problems) > 0 {
			t.Fatalf("problems: %v", problems)
		}
		for _, v := range []any{doc, json.RawMessage(raw)} {
			canonical, err := Canonical(v)
			if err != nil {
				t.Fatal(err)
			}
			if got := Hash(canonical); got != want {
				t.Fatalf("hash of %s: got %s, want %s", raw, got, want)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{documentOf(everyBlock), documentOf(nestedList(20)), `{}`, `[`, "\"\xff\"",
		`{"defaultLocale":"EN","locales":{"en-us":null,"iw":` + payloadOf("") + `,"en":` + payloadOf("") + `}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		doc, problems := Parse("stem", raw)
		if len(problems) > 0 {
			return
		}
		if left := doc.Validate("stem"); len(left) > 0 {
			t.Fatalf("Parse accepts what Validate refuses: %v", left)
		}
		once, err := Canonical(doc)
		if err != nil {
			t.Fatal(err)
		}
		again, problems := Parse("stem", once)
		if len(problems) > 0 {
			t.Fatalf("the canonical form is refused: %v", problems)
		}
		for _, v := range []any{again, json.RawMessage(once)} {
			twice, err := Canonical(v)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(once, twice) {
				t.Fatalf("canonical form changes:\n%s\n%s", once, twice)
			}
		}
	})
}
