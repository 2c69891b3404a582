package media

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/kernel/content"
	"assess/pkg/kernel/errs"
)

func document(locales ...string) content.Document {
	d := content.Document{DefaultLocale: locales[0], Locales: map[string]content.Payload{}}
	for _, l := range locales {
		d.Locales[l] = content.Payload{SchemaVersion: content.SchemaVersion, Type: "doc", Blocks: []content.Block{}}
	}
	return d
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	chosen := Languages{enabled: []string{"en", "de", "ar"}, required: []string{"en", "ar"}}
	for _, tt := range []struct {
		name       string
		languages  Languages
		document   content.Document
		held       []string
		notEnabled []string
		missing    []string
	}{
		{"none chosen", Languages{}, document("tlh", "en"), nil, nil, nil},
		{"all there", chosen, document("en", "ar", "de"), nil, nil, nil},
		{"another language", chosen, document("en", "ar", "fr"), nil, []string{"stem.locales.fr"}, nil},
		{"a variety is another language", chosen, document("en", "ar", "de-AT"), nil, []string{"stem.locales.de-AT"}, nil},
		{"held before it was given up", chosen, document("en", "ar", "fr"), []string{"fr"}, nil, nil},
		{"lacks a required one", chosen, document("en"), nil, nil, []string{"stem"}},
		{"lacks both", chosen, document("de"), nil, nil, []string{"stem", "stem"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.notEnabled, paths(t, "locale_not_enabled", tt.languages.NotEnabled("stem", tt.document, tt.held...))); diff != "" {
				t.Errorf("not enabled (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.missing, paths(t, "missing_locale", tt.languages.Missing("stem", tt.document))); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
		})
	}
}

func paths(t *testing.T, code string, found []errs.Field) []string {
	t.Helper()
	var all []string
	for _, f := range found {
		if f.Code != code {
			t.Errorf("%s: got code %s, want %s", f.Path, f.Code, code)
		}
		all = append(all, f.Path)
	}
	return all
}

func TestUsesNameTheirPaths(t *testing.T) {
	t.Parallel()
	const id = "0190b3c4-0000-7000-8000-000000000001"
	d := document("en", "de")
	d.Locales["en"] = content.Payload{Blocks: []content.Block{{Type: content.Paragraph}, {Type: content.Image, AssetID: id, Alt: "x"}}}
	d.Locales["de"] = content.Payload{Blocks: []content.Block{{Type: content.Image, AssetID: id, Alt: "x"}}}
	var got []string
	for _, use := range Uses("options[0].content", d) {
		got = append(got, use.Path)
	}
	want := []string{"options[0].content.locales.de.blocks[0].assetId", "options[0].content.locales.en.blocks[1].assetId"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
