package content

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"unicode/utf8"

	"assess/pkg/kernel/errs"
)

// Parse reads a document strictly: unknown fields, block kinds and marks are refused,
// and locales are normalised. It reports all problems at once, each with its JSON path
// under path ("stem.locales.en.blocks[2].caption", with the locale as it was sent);
// with problems the document is empty.
func Parse(path string, raw json.RawMessage) (Document, []errs.Field) {
	value, problem := decode(path, raw)
	if problem != nil {
		return Document{}, []errs.Field{*problem}
	}
	r := &reader{}
	sent := r.document(path, value)
	v := validator{problems: r.problems}
	v.document(path, sent)
	if len(v.fields) > 0 {
		return Document{}, v.fields
	}
	return sent.normalised(), nil
}

// decode gives the JSON value as maps, slices, strings, booleans and json.Number.
// encoding/json repairs invalid UTF-8 silently, hence the check before it.
func decode(path string, raw json.RawMessage) (any, *errs.Field) {
	if !utf8.Valid(raw) {
		return nil, &errs.Field{Path: path, Code: CodeInvalidText, Message: "the text is not valid UTF-8"}
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, &errs.Field{Path: path, Code: CodeRequired, Message: "a content document is required"}
	}
	if !json.Valid(raw) {
		return nil, &errs.Field{Path: path, Code: CodeMalformedJSON, Message: "the JSON cannot be read"}
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	if err != nil {
		return nil, &errs.Field{Path: path, Code: CodeMalformedJSON, Message: "the JSON cannot be read"}
	}
	return value, nil
}

func (d Document) normalised() Document {
	tag, _ := NormaliseLocale(d.DefaultLocale)
	n := Document{DefaultLocale: tag, Locales: make(map[string]Payload, len(d.Locales))}
	for key, payload := range d.Locales {
		tag, _ := NormaliseLocale(key)
		n.Locales[tag] = payload
	}
	return n
}

// reader turns decoded JSON into the types of this package and reports what has the
// wrong shape; the rules about values are the validator's.
type reader struct{ problems }

func (r *reader) document(path string, value any) Document {
	m := r.object(path, value)
	r.onlyFields(path, m, "defaultLocale", "locales")
	d := Document{DefaultLocale: read[string](r, path, m, "defaultLocale"), Locales: map[string]Payload{}}
	locales := read[map[string]any](r, path, m, "locales")
	for _, key := range slices.Sorted(maps.Keys(locales)) {
		d.Locales[key] = r.payload(member(member(path, "locales"), key), locales[key])
	}
	return d
}

func (r *reader) payload(path string, value any) Payload {
	m := r.object(path, value)
	r.onlyFields(path, m, "schemaVersion", "type", "blocks")
	return Payload{
		SchemaVersion: read[string](r, path, m, "schemaVersion"),
		Type:          read[string](r, path, m, "type"),
		Blocks:        readAll(r, path, m, "blocks", r.block),
	}
}

func (r *reader) block(path string, value any) Block {
	m := r.object(path, value)
	kind := BlockType(read[string](r, path, m, "type"))
	fields, known := blockFields[kind]
	if !known {
		return Block{Type: kind}
	}
	r.onlyFields(path, m, fields...)
	return Block{
		Type:       kind,
		Children:   readAll(r, path, m, "children", r.text),
		Level:      r.integer(path, m, "level"),
		Ordered:    read[bool](r, path, m, "ordered"),
		Items:      r.items(path, m, 2),
		Caption:    read[string](r, path, m, "caption"),
		HeaderRows: r.integer(path, m, "headerRows"),
		Rows:       readAll(r, path, m, "rows", r.row),
		AssetID:    read[string](r, path, m, "assetId"),
		Alt:        read[string](r, path, m, "alt"),
	}
}

// items reads one level past the limit, so that the validator sees it broken, and then
// stops: a path grows with every level, and thousands of levels cost gigabytes.
func (r *reader) items(path string, m map[string]any, depth int) []ListItem {
	if depth > MaxDepth+1 {
		return nil
	}
	return readAll(r, path, m, "items", func(path string, value any) ListItem {
		m := r.object(path, value)
		r.onlyFields(path, m, "children", "ordered", "items")
		return ListItem{
			Children: readAll(r, path, m, "children", r.text),
			Ordered:  read[bool](r, path, m, "ordered"),
			Items:    r.items(path, m, depth+1),
		}
	})
}

func (r *reader) row(path string, value any) Row {
	m := r.object(path, value)
	r.onlyFields(path, m, "cells")
	return Row{Cells: readAll(r, path, m, "cells", r.cell)}
}

func (r *reader) cell(path string, value any) Cell {
	m := r.object(path, value)
	r.onlyFields(path, m, "children")
	return Cell{Children: readAll(r, path, m, "children", r.text)}
}

func (r *reader) text(path string, value any) Text {
	m := r.object(path, value)
	r.onlyFields(path, m, "text", "marks")
	_, given := m["text"]
	if !given {
		r.add(member(path, "text"), CodeRequired, "a text node needs its text")
	}
	return Text{Text: read[string](r, path, m, "text"), Marks: readAll(r, path, m, "marks", r.mark)}
}

func (r *reader) mark(path string, value any) Mark {
	m := r.object(path, value)
	r.onlyFields(path, m, "type", "href", "ref")
	return Mark{Type: MarkType(read[string](r, path, m, "type")), Href: read[string](r, path, m, "href"), Ref: read[string](r, path, m, "ref")}
}
