package content

import (
	"encoding/json"
	"slices"
	"testing"
)

// Every rule of the specification, section 2.8, by its own words, with a document that
// breaks it and the problem that says so.
func TestRulesOfContentDocuments(t *testing.T) {
	t.Parallel()
	en := payloadOf("")
	tests := []struct{ rule, document, want string }{
		{"defaultLocale is a BCP-47 tag", `{"defaultLocale":"english!","locales":{"en":` + en + `}}`, "d.defaultLocale invalid_locale"},
		{"defaultLocale must be a key of locales", `{"defaultLocale":"de","locales":{"en":` + en + `}}`, "d.defaultLocale missing_default_locale"},
		{"locales maps locale tags to payloads", `{"defaultLocale":"en","locales":{"en":` + en + `,"??":` + en + `}}`, "d.locales.?? invalid_locale"},
		{"both fields appear together: locales", `{"defaultLocale":"en"}`, "d.locales required"},
		{"both fields appear together: defaultLocale", `{"locales":{"en":` + en + `}}`, "d.defaultLocale required"},
		{"all payloads have the same schema version", `{"defaultLocale":"en","locales":{"en":` + en + `,"de":{"schemaVersion":"passage-rich-content/v2","type":"doc","blocks":[]}}}`,
			"d.locales.de.schemaVersion unknown_schema"},
		{"type is doc", `{"defaultLocale":"en","locales":{"en":{"schemaVersion":"passage-rich-content/v1","type":"page","blocks":[]}}}`, "d.locales.en.type unknown_schema"},
		{"blocks is an array", `{"defaultLocale":"en","locales":{"en":{"schemaVersion":"passage-rich-content/v1","type":"doc","blocks":{}}}}`, "d.locales.en.blocks wrong_type"},
		{"unknown block kinds are rejected", documentOf(`{"type":"video"}`), "d.locales.en.blocks[0].type unknown_block"},
		{"unknown marks are rejected", documentOf(`{"type":"paragraph","children":[{"text":"a","marks":[{"type":"blink"}]}]}`),
			"d.locales.en.blocks[0].children[0].marks[0].type unknown_mark"},
		{"text lives in child text nodes", documentOf(`{"type":"paragraph","html":"<b>a</b>"}`), "d.locales.en.blocks[0].html unknown_field"},
		{"images use managed asset ids", documentOf(`{"type":"image","assetId":"leaf.png","alt":"A leaf"}`), "d.locales.en.blocks[0].assetId invalid_asset"},
		{"images never use external URLs", documentOf(`{"type":"image","src":"https://example.org/leaf.png","alt":"A leaf"}`), "d.locales.en.blocks[0].src unknown_field"},
		{"images have an alternative text", documentOf(`{"type":"image","assetId":"0190b3c4-0000-7000-8000-000000000001"}`), "d.locales.en.blocks[0].alt required"},
		{"tables carry a caption", documentOf(`{"type":"table","rows":[{"cells":[{}]}]}`), "d.locales.en.blocks[0].caption required"},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			t.Parallel()
			_, problems := Parse("d", json.RawMessage(test.document))
			var got []string
			for _, p := range problems {
				got = append(got, p.Path+" "+p.Code)
			}
			if !slices.Contains(got, test.want) {
				t.Errorf("got %q, want %q among them", got, test.want)
			}
		})
	}
}

// HTML is text like any other: it is kept as it was written, and nothing reads it.
func TestTextIsNeverRawHTML(t *testing.T) {
	t.Parallel()
	d, problems := Parse("d", json.RawMessage(documentOf(`{"type":"paragraph","children":[{"text":"<script>x</script>"}]}`)))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if got := d.PlainText()["en"]; got != "<script>x</script>" {
		t.Errorf("got %q", got)
	}
}
