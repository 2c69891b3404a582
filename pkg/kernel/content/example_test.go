package content_test

import (
	"encoding/json"
	"fmt"

	"assess/pkg/kernel/content"
)

func ExampleParse() {
	raw := json.RawMessage(`{"defaultLocale": "EN", "locales": {"EN": {
		"schemaVersion": "passage-rich-content/v1", "type": "doc",
		"blocks": [{"type": "paragraph", "children": [{"text": "Why is the sky blue?"}]}]}}}`)
	doc, problems := content.Parse("stem", raw)
	fmt.Println(doc.DefaultLocale, doc.PlainText(), len(problems))

	canonical, err := content.Canonical(doc)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(content.HashScheme, content.Hash(canonical)[:16])

	_, problems = content.Parse("stem", json.RawMessage(`{"defaultLocale": "en", "locales": {"en": {
		"schemaVersion": "passage-rich-content/v1", "type": "doc",
		"blocks": [{"type": "table", "rows": [{"cells": [{}]}]}, {"type": "video"}]}}}`))
	for _, p := range problems {
		fmt.Println(p.Path, p.Code)
	}
	// Output:
	// en map[en:Why is the sky blue?] 0
	// sha-256 4fa32a2cdefe6ea7
	// stem.locales.en.blocks[0].caption required
	// stem.locales.en.blocks[1].type unknown_block
}

func ExampleFromMarkdown() {
	doc := content.FromMarkdown("en", "Choose **all** that apply.").Merge(content.FromPlain("fr", "Choisissez."))
	locale, payload := doc.Resolve("fr-CA")
	fmt.Println(locale, payload.PlainText())
	// Output: fr Choisissez.
}
