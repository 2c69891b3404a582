package content

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExtractsOfEveryBlock(t *testing.T) {
	t.Parallel()
	doc, problems := Parse("", json.RawMessage(documentOf(everyBlock)))
	if len(problems) > 0 {
		t.Fatalf("problems: %v", problems)
	}
	want := map[string]string{
		"en": "Photosynthesis\n\n<b>not bold</b> here\n\none\nhalf\n\nYields\nyear\t\n\nA leaf",
		"fr": "Bonjour",
	}
	if diff := cmp.Diff(want, doc.Merge(FromPlain("fr", "Bonjour")).PlainText()); diff != "" {
		t.Errorf("plain text (-want +got):\n%s", diff)
	}
}

func TestAssetsAreSortedAndUnique(t *testing.T) {
	t.Parallel()
	image := func(id string) Block { return Block{Type: Image, AssetID: id, Alt: "x"} }
	doc := newDocument("en", []Block{image("b"), image("a")}).Merge(newDocument("fr", []Block{image("b"), image("c")}))
	if diff := cmp.Diff([]string{"a", "b", "c"}, doc.Assets()); diff != "" {
		t.Errorf("assets (-want +got):\n%s", diff)
	}
}
