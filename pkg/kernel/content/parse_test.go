package content

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/kernel/errs"
)

// payloadOf is a payload around blocks that are written in JSON.
func payloadOf(blocks string) string {
	return fmt.Sprintf(`{"schemaVersion":%q,"type":"doc","blocks":[%s]}`, SchemaVersion, blocks)
}

func documentOf(blocks string) string {
	return fmt.Sprintf(`{"defaultLocale":"en","locales":{"en":%s}}`, payloadOf(blocks))
}

// pathsAndCodes leaves the sentences out, so that they can be reworded freely.
func pathsAndCodes(fields []errs.Field) []string {
	var list []string
	for _, f := range fields {
		list = append(list, f.Path+" "+f.Code)
	}
	return list
}

const everyBlock = `
	{"type":"heading","level":2,"children":[{"text":"Photosynthesis"}]},
	{"type":"paragraph","children":[{"text":"<b>not bold</b> "},
		{"text":"here","marks":[{"type":"link","href":"https://example.org"},{"type":"bold"}]}]},
	{"type":"list","ordered":true,"items":[{"children":[{"text":"one"}],"items":[{"children":[{"text":"half"}]}]}]},
	{"type":"table","caption":"Yields","headerRows":1,"rows":[{"cells":[{"children":[{"text":"year"}]},{}]}]},
	{"type":"image","assetId":"0190b3c4-0000-7000-8000-000000000001","alt":"A leaf"}`

func TestParseReadsEveryBlock(t *testing.T) {
	t.Parallel()
	got, problems := Parse("stem", json.RawMessage(documentOf(everyBlock)))
	if len(problems) > 0 {
		t.Fatalf("problems: %v", problems)
	}
	want := Document{DefaultLocale: "en", Locales: map[string]Payload{"en": {
		SchemaVersion: SchemaVersion, Type: "doc", Blocks: []Block{
			{Type: Heading, Level: 2, Children: []Text{{Text: "Photosynthesis"}}},
			{Type: Paragraph, Children: []Text{{Text: "<b>not bold</b> "},
				{Text: "here", Marks: []Mark{{Type: Link, Href: "https://example.org"}, {Type: Bold}}}}},
			{Type: List, Ordered: true, Items: []ListItem{
				{Children: []Text{{Text: "one"}}, Items: []ListItem{{Children: []Text{{Text: "half"}}}}}}},
			{Type: Table, Caption: "Yields", HeaderRows: 1,
				Rows: []Row{{Cells: []Cell{{Children: []Text{{Text: "year"}}}, {}}}}},
			{Type: Image, AssetID: "0190b3c4-0000-7000-8000-000000000001", Alt: "A leaf"},
		}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
}

func TestParseNormalisesLocales(t *testing.T) {
	t.Parallel()
	raw := fmt.Sprintf(`{"defaultLocale":"EN-us","locales":{"en-US":%s,"FR":%s}}`, payloadOf(""), payloadOf(""))
	got, problems := Parse("", json.RawMessage(raw))
	if len(problems) > 0 {
		t.Fatalf("problems: %v", problems)
	}
	if diff := cmp.Diff([]string{"en-US", "fr"}, got.localeTags()); diff != "" {
		t.Errorf("locales (-want +got):\n%s", diff)
	}
	if got.DefaultLocale != "en-US" {
		t.Errorf("default locale: got %q", got.DefaultLocale)
	}
}

func TestParseRefusesEnvelopes(t *testing.T) {
	t.Parallel()
	p := payloadOf("")
	tests := []struct {
		name, raw string
		want      []string
	}{
		{"nothing", "", []string{"stem required"}},
		{"null", "null", []string{"stem wrong_type"}},
		{"a string", `"hello"`, []string{"stem wrong_type"}},
		{"broken JSON", `{"defaultLocale"`, []string{"stem malformed_json"}},
		{"two values", `{} {}`, []string{"stem malformed_json"}},
		{"invalid UTF-8", "{\"defaultLocale\":\"\xff\"}", []string{"stem invalid_text"}},
		{"empty object", `{}`, []string{"stem.locales required", "stem.defaultLocale required"}},
		{"unknown field", `{"defaultLocale":"en","locales":{"en":` + p + `},"title":1}`, []string{"stem.title unknown_field"}},
		{"default without payload", `{"defaultLocale":"fr","locales":{"en":` + p + `}}`,
			[]string{"stem.defaultLocale missing_default_locale"}},
		{"bad tags", `{"defaultLocale":"?","locales":{"english language":` + p + `}}`,
			[]string{"stem.locales.english language invalid_locale", "stem.defaultLocale invalid_locale"}},
		{"one locale twice", `{"defaultLocale":"en","locales":{"EN":` + p + `,"en":` + p + `}}`,
			[]string{"stem.locales.en duplicate_locale"}},
		{"another schema", `{"defaultLocale":"en","locales":{"en":{"schemaVersion":"v2","type":"page","blocks":[]}}}`,
			[]string{"stem.locales.en.schemaVersion unknown_schema", "stem.locales.en.type unknown_schema"}},
		{"no blocks", `{"defaultLocale":"en","locales":{"en":{"schemaVersion":"` + SchemaVersion + `","type":"doc"}}}`,
			[]string{"stem.locales.en.blocks required"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, problems := Parse("stem", json.RawMessage(test.raw))
			if diff := cmp.Diff(test.want, pathsAndCodes(problems)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseRefusesBlocks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, blocks string
		want         []string
	}{
		{"unknown kind", `{"type":"video","src":"x"}`, []string{"[0].type unknown_block"}},
		{"no kind", `{}`, []string{"[0].type unknown_block"}},
		{"not an object", `"text", {"type":"paragraph"}`, []string{"[0] wrong_type"}},
		{"field of another kind", `{"type":"paragraph","level":2}`, []string{"[0].level unknown_field"}},
		{"field of another kind and type", `{"type":"paragraph","rows":"x"}`, []string{"[0].rows unknown_field"}},
		{"raw HTML field", `{"type":"paragraph","html":"<b>x</b>"}`, []string{"[0].html unknown_field"}},
		{"wrong types", `{"type":"heading","level":"2","children":{}}`,
			[]string{"[0].children wrong_type", "[0].level wrong_type"}},
		{"half a level", `{"type":"heading","level":1.5}`, []string{"[0].level wrong_type"}},
		{"heading 7", `{"type":"heading","level":7}`, []string{"[0].level out_of_range"}},
		{"null children", `{"type":"paragraph","children":null}`, []string{"[0].children wrong_type"}},
		{"text node without text", `{"type":"paragraph","children":[{}]}`, []string{"[0].children[0].text required"}},
		{"NUL", `{"type":"paragraph","children":[{"text":"a\u0000"}]}`, []string{"[0].children[0].text invalid_text"}},
		{"list without items", `{"type":"list"}`, []string{"[0].items required"}},
		{"table without anything", `{"type":"table"}`, []string{"[0].caption required", "[0].rows required"}},
		{"blank caption", `{"type":"table","caption":" ","rows":[{"cells":[{}]}]}`, []string{"[0].caption required"}},
		{"ragged table", `{"type":"table","caption":"c","rows":[{"cells":[{}]},{"cells":[{},{}]}]}`,
			[]string{"[0].rows[1].cells ragged_table"}},
		{"row without cells", `{"type":"table","caption":"c","rows":[{}]}`, []string{"[0].rows[0].cells required"}},
		{"more headers than rows", `{"type":"table","caption":"c","headerRows":2,"rows":[{"cells":[{}]}]}`,
			[]string{"[0].headerRows out_of_range"}},
		{"image id in upper case", `{"type":"image","assetId":"0190B3C4-0000-7000-8000-000000000001","alt":"x"}`,
			[]string{"[0].assetId invalid_asset"}},
		{"image by address", `{"type":"image","assetId":"https://example.org/a.png"}`,
			[]string{"[0].assetId invalid_asset", "[0].alt required"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, problems := Parse("", json.RawMessage(documentOf(test.blocks)))
			want := make([]string, 0, len(test.want))
			for _, w := range test.want {
				want = append(want, "locales.en.blocks"+w)
			}
			if diff := cmp.Diff(want, pathsAndCodes(problems)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseReportsAllProblemsAtOnce(t *testing.T) {
	t.Parallel()
	raw := fmt.Sprintf(`{"defaultLocale":"en","locales":{"en":%s,"FR":%s}}`,
		payloadOf(`{"type":"video"},{"type":"heading","level":9}`), payloadOf(`{"type":"table","rows":[{"cells":[{}]}]}`))
	_, problems := Parse("stem", json.RawMessage(raw))
	want := []string{
		"stem.locales.FR.blocks[0].caption required",
		"stem.locales.en.blocks[0].type unknown_block",
		"stem.locales.en.blocks[1].level out_of_range",
	}
	if diff := cmp.Diff(want, pathsAndCodes(problems)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestParseBoundsItsProblems(t *testing.T) {
	t.Parallel()
	_, problems := Parse("", json.RawMessage(documentOf(strings.Repeat(`1,`, 3*MaxProblems)+`1`)))
	if len(problems) != MaxProblems {
		t.Errorf("got %d problems, want %d", len(problems), MaxProblems)
	}
}
