package content

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// nestedList is a list of n levels; its deepest node is the text at depth n+2.
func nestedList(n int) string {
	return `{"type":"list",` + strings.Repeat(`"items":[{`, n) + `"children":[{"text":"x"}]` +
		strings.Repeat(`}]`, n) + `}`
}

func paragraphs(n int, text string) string {
	return strings.TrimSuffix(strings.Repeat(`{"type":"paragraph","children":[{"text":"`+text+`"}]},`, n), ",")
}

func TestLimitsOfALocale(t *testing.T) {
	t.Parallel()
	overhead := len(payloadOf(paragraphs(1, "")))
	tests := []struct {
		name, blocks string
		want         []string
	}{
		{"16 levels", nestedList(14), nil},
		{"17 levels", nestedList(15), []string{"locales.en.blocks[0]" + strings.Repeat(".items[0]", 15) + ".children[0] too_deep"}},
		{"9000 levels", nestedList(4000), []string{"locales.en.blocks[0]" + strings.Repeat(".items[0]", 16) + " too_deep"}},
		{"5000 nodes", paragraphs(2500, "x"), nil},
		{"5001 nodes", paragraphs(2500, "x") + `,{"type":"paragraph"}`, []string{"locales.en too_many_nodes"}},
		{"256 KiB", paragraphs(1, strings.Repeat("x", MaxLocaleBytes-overhead)), nil},
		{"256 KiB and a byte", paragraphs(1, strings.Repeat("x", MaxLocaleBytes-overhead+1)), []string{"locales.en too_large"}},
		{"white space does not count", strings.Repeat(" ", MaxLocaleBytes) + paragraphs(1, "x"), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, problems := Parse("", json.RawMessage(documentOf(test.blocks)))
			if diff := cmp.Diff(test.want, pathsAndCodes(problems)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLimitsAreOfEachLocale(t *testing.T) {
	t.Parallel()
	half := func(locale string) Document {
		blocks := make([]Block, MaxNodes*3/5)
		for i := range blocks {
			blocks[i].Type = Paragraph
		}
		return newDocument(locale, blocks)
	}
	if problems := half("en").Merge(half("fr")).Validate(""); len(problems) > 0 {
		t.Errorf("problems: %v", problems)
	}
}

func TestValidateRefusesDocumentsMadeInGo(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		doc  Document
		want []string
	}{
		{"plain text", FromPlain("en", "hello"), nil},
		{"nothing", Document{}, []string{"stem.locales required", "stem.defaultLocale required"}},
		{"tag in another spelling", Document{DefaultLocale: "EN", Locales: map[string]Payload{
			"EN": {SchemaVersion: SchemaVersion, Type: "doc", Blocks: []Block{}}}},
			[]string{"stem.defaultLocale invalid_locale", "stem.locales.EN invalid_locale"}},
		{"not a tag", FromPlain("no such", "hello"),
			[]string{"stem.locales.no such invalid_locale", "stem.defaultLocale invalid_locale"}},
		{"NUL", FromPlain("en", "a\x00b"), []string{"stem.locales.en.blocks[0].children[0].text invalid_text"}},
		{"invalid UTF-8", FromPlain("en", "a\xff"), []string{"stem.locales.en.blocks[0].children[0].text invalid_text"}},
		{"field of another kind", newDocument("en", []Block{{Type: Paragraph, Alt: "x"}}),
			[]string{"stem.locales.en.blocks[0].alt unknown_field"}},
		{"nil blocks", Document{DefaultLocale: "en", Locales: map[string]Payload{
			"en": {SchemaVersion: SchemaVersion, Type: "doc"}}}, []string{"stem.locales.en.blocks required"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, pathsAndCodes(test.doc.Validate("stem"))); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTagsThatAreNone(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]bool{"en-US": true, "de-CH-1996": true, "sl-rozaj-biske": true, "en-a-bbb-b-ccc": true, "en-x-a-a": true,
		"de-1996-u-co-phonebk": true, "en-a-cccc-x-cccc": true,
		"en_US": false, "EN_us": false, "en-US_x": false, "en-a-bbb-a-ccc": false, "en-u-co-phonebk-U-nu-latn": false, "de-1901-1901": false} {
		if _, got := NormaliseLocale(tag); got != want {
			t.Errorf("%s is a language tag: %v, want %v", tag, got, want)
		}
	}
}
