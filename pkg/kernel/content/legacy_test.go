package content

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPassagesMayComeWithoutEnvelope(t *testing.T) {
	t.Parallel()
	payload := payloadOf(`{"type":"paragraph","children":[{"text":"The river."}]}`)
	want := FromPlain("en", "The river.")
	tests := []struct{ name, sent string }{
		{"payload of one locale", payload},
		{"plain text", `"The river."`},
		{"envelope", `{"defaultLocale":"en","locales":{"en":` + payload + `}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, problems := ParsePassage("content", json.RawMessage(test.sent))
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLegacyPassageProblemsNameWhatWasSent(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, sent, want string }{
		{"wrong schema", `{"schemaVersion":"v0","type":"doc","blocks":[]}`, "content.schemaVersion unknown_schema"},
		{"unknown block", payloadOf(`{"type":"video"}`), "content.blocks[0].type unknown_block"},
		{"NUL in plain text", `"a\u0000b"`, "content.blocks[0].children[0].text invalid_text"},
		{"half an envelope", `{"defaultLocale":"en","blocks":[]}`, "content.blocks unknown_field"},
		{"the other half", `{"locales":{}}`, "content.locales required"},
		{"neither", `{}`, "content.locales required"},
		{"a number", `1`, "content wrong_type"},
		{"nothing", ``, "content required"},
		{"malformed", `{`, "content malformed_json"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, problems := ParsePassage("content", json.RawMessage(test.sent))
			if len(problems) == 0 {
				t.Fatal("accepted")
			}
			if got := problems[0].Path + " " + problems[0].Code; got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// New surfaces must not take content without its envelope (specification, section 2.8).
func TestParseRefusesContentWithoutEnvelope(t *testing.T) {
	t.Parallel()
	for _, sent := range []string{payloadOf(""), `"text"`} {
		if _, problems := Parse("stem", json.RawMessage(sent)); len(problems) == 0 {
			t.Errorf("%s was accepted", sent)
		}
	}
}

func FuzzParsePassage(f *testing.F) {
	for _, seed := range []string{documentOf(everyBlock), payloadOf(everyBlock), `"text"`, `{"type":1}`, `{"blocks":[]}`, "\"\xff\""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, problems := ParsePassage("content", raw)
		if len(problems) > 0 {
			return
		}
		if left := d.Validate("content"); len(left) > 0 {
			t.Fatalf("ParsePassage accepts what Validate refuses: %v", left)
		}
	})
}
