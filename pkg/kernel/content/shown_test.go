package content

import (
	"testing"

	"assess/pkg/kernel/wire"
)

// The encoding made beforehand says the same as the document itself, in each language that a reader may name.
func TestReadyShowsWhatTheDocumentDoes(t *testing.T) {
	t.Parallel()
	d := Document{DefaultLocale: "en", Locales: map[string]Payload{
		"en": {SchemaVersion: "1", Type: "rich_text", Blocks: []Block{{Type: "paragraph"}}},
		"de": {SchemaVersion: "1", Type: "rich_text"}}}
	ready := d.Ready()
	for _, lang := range []string{"", "en", "de-AT", "fr", "x x"} {
		said, err := wire.Marshal(ready.In(lang))
		if err != nil {
			t.Fatal(err)
		}
		want, err := wire.Marshal(d.In(lang))
		if err != nil || string(said) != string(want) || !ready.In(lang).Equal(d.In(lang)) {
			t.Errorf("in %q: got %s, want %s", lang, said, want)
		}
		if ready.In(lang).encoded == nil {
			t.Errorf("in %q: not encoded", lang)
		}
	}
}
