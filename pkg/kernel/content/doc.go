// Package content holds authored rich content: the multilingual content document, its
// validation, its canonical form and its hash (specification, section 2.8; decisions,
// section 3). It is pure: no database, no files, no clock.
//
// # The document
//
// A Document is an envelope of one payload per locale. A Payload is a list of blocks;
// text lives only in text nodes, so that HTML in it is text like any other:
//
//	{"defaultLocale": "en",
//	 "locales": {"en": {"schemaVersion": "passage-rich-content/v1", "type": "doc", "blocks": [
//	   {"type": "heading", "level": 2, "children": [{"text": "Photosynthesis"}]},
//	   {"type": "paragraph", "children": [{"text": "see "},
//	     {"text": "here", "marks": [{"type": "link", "href": "https://example.org"}, {"type": "bold"}]}]},
//	   {"type": "list", "ordered": true, "items": [
//	     {"children": [{"text": "one"}], "items": [{"children": [{"text": "one and a half"}]}]}]},
//	   {"type": "table", "caption": "Yields", "headerRows": 1,
//	     "rows": [{"cells": [{"children": [{"text": "year"}]}]}]},
//	   {"type": "image", "assetId": "0190b3c4-0000-7000-8000-000000000001", "alt": "A leaf"}]}}}
//
// # Invariants of a valid document
//
//   - defaultLocale is a key of locales; every key is a normalised BCP-47 tag.
//   - Every payload has the schema version SchemaVersion.
//   - Strings are valid UTF-8 without NUL, which PostgreSQL cannot store.
//   - Links use http, https or mailto. Images name a managed asset by its id.
//   - Tables have a caption and rows of equal length; images have an alternative text.
//   - A locale has at most MaxDepth levels, MaxNodes nodes and MaxLocaleBytes bytes in
//     canonical form. A block is at depth 1; a list item, row, cell or text node is one
//     deeper than what holds it, and each of them counts as a node.
//
// # Problems
//
// Parse and Validate report every problem at once (at most MaxProblems) as errs.Field
// with the JSON path and one of the Code constants. Documents are values: no function
// here changes one that it was given.
//
// # Plain text and Markdown
//
// FromPlain and FromMarkdown read what people write. ToPlain and ToMarkdown write a payload
// so that it reads back as exactly itself, and say where there is no such text: for what
// came from Markdown there always is.
//
// # Canonical form
//
// Canonical gives the bytes of RFC 8785, Hash their SHA-256. Store CanonicalScheme and
// HashScheme with every hash.
package content
