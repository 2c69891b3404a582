package authoring

import (
	"encoding/json"
	"testing"

	"assess/pkg/kernel/content"
	"assess/pkg/kernel/scoring"
)

// A snapshot that names no rule is scored by the first one for ever; one that names a rule gives each of
// its keys the rule and the language.
func TestASnapshotNamesItsRuleOfFolding(t *testing.T) {
	t.Parallel()
	for rules, want := range map[string]scoring.Folding{
		"": {Locale: "tr"}, `"scoring":{"folding":"v2"},`: {Rule: "v2", Locale: "tr"},
	} {
		frozen := []byte(`{` + rules + `"sections":[{"items":[{"questionVersionId":"018f0000-0000-7000-8000-000000000001",
			"key":{"qtype":"short_text","weight":1,"accepted":["don't"],"contributesToScore":true}}]}],
			"questions":{"018f0000-0000-7000-8000-000000000001":{"stem":{"defaultLocale":"tr"}}}}`)
		canonical, err := content.Canonical(json.RawMessage(frozen))
		if err != nil {
			t.Fatal(err)
		}
		s, err := readSnapshot(content.Hash(canonical), frozen, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer := "don’t"
		key := s.Sections[0].Items[0].Key
		if right := scoring.Score(key, scoring.Config{}, &scoring.Response{Text: &answer}).IsCorrect; key.Folding != want || right != (want.Rule == "v2") {
			t.Errorf("%q: scored by %+v, right: %t", rules, key.Folding, right)
		}
	}
}
