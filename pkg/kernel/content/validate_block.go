package content

import (
	"net/url"
	"regexp"
	"slices"

	"assess/pkg/kernel/ids"
)

// MaxHref bounds the length of a link in bytes.
const MaxHref = 2048

func (v *validator) block(path string, b Block) {
	if !v.enter(path, 1) {
		return
	}
	allowed, known := blockFields[b.Type]
	if !known {
		v.add(member(path, "type"), CodeUnknownBlock, "expected paragraph, heading, list, table or image")
		return
	}
	for _, name := range b.given() {
		if !slices.Contains(allowed, name) {
			v.add(member(path, name), CodeUnknownField, "a "+string(b.Type)+" has no such field")
		}
	}
	switch b.Type {
	case Heading:
		v.heading(path, b)
	case List:
		v.items(path, b.Items, 2)
		v.notEmpty(member(path, "items"), len(b.Items), "a list needs an item")
	case Table:
		v.table(path, b)
	case Image:
		v.image(path, b)
	}
	v.texts(path, b.Children, 2)
}

// given names the fields that have a value.
func (b Block) given() []string {
	set := []struct {
		name  string
		given bool
	}{
		{"children", len(b.Children) > 0}, {"level", b.Level != 0},
		{"ordered", b.Ordered}, {"items", len(b.Items) > 0},
		{"caption", b.Caption != ""}, {"headerRows", b.HeaderRows != 0}, {"rows", len(b.Rows) > 0},
		{"assetId", b.AssetID != ""}, {"alt", b.Alt != ""},
	}
	var names []string
	for _, field := range set {
		if field.given {
			names = append(names, field.name)
		}
	}
	return names
}

func (v *validator) notEmpty(path string, n int, message string) {
	if n == 0 {
		v.add(path, CodeRequired, message)
	}
}

func (v *validator) heading(path string, b Block) {
	if b.Level < 1 || b.Level > 6 {
		v.add(member(path, "level"), CodeOutOfRange, "a heading has a level from 1 to 6")
	}
}

func (v *validator) items(path string, items []ListItem, depth int) {
	for i, item := range items {
		at := element(member(path, "items"), i)
		if !v.enter(at, depth) {
			continue
		}
		v.texts(at, item.Children, depth+1)
		v.items(at, item.Items, depth+1)
	}
}

func (v *validator) table(path string, b Block) {
	v.needed(member(path, "caption"), b.Caption, "a table needs a caption")
	v.notEmpty(member(path, "rows"), len(b.Rows), "a table needs a row")
	if b.HeaderRows < 0 || b.HeaderRows > len(b.Rows) {
		v.add(member(path, "headerRows"), CodeOutOfRange, "there are not so many rows")
	}
	for i, row := range b.Rows {
		at := element(member(path, "rows"), i)
		if !v.enter(at, 2) {
			continue
		}
		v.notEmpty(member(at, "cells"), len(row.Cells), "a row needs a cell")
		if len(row.Cells) != len(b.Rows[0].Cells) {
			v.add(member(at, "cells"), CodeRaggedTable, "all rows have as many cells as the first")
		}
		v.cells(at, row.Cells)
	}
}

func (v *validator) cells(path string, cells []Cell) {
	for i, cell := range cells {
		at := element(member(path, "cells"), i)
		if v.enter(at, 3) {
			v.texts(at, cell.Children, 4)
		}
	}
}

func (v *validator) image(path string, b Block) {
	id, err := ids.Parse("", b.AssetID)
	if err != nil || id == ids.None || id.String() != b.AssetID {
		v.add(member(path, "assetId"), CodeInvalidAsset, "an image names a managed asset by its id, a UUID in lower case")
	}
	v.needed(member(path, "alt"), b.Alt, "an image needs an alternative text")
}

func (v *validator) texts(path string, texts []Text, depth int) {
	for i, text := range texts {
		at := element(member(path, "children"), i)
		if !v.enter(at, depth) {
			continue
		}
		v.plain(member(at, "text"), text.Text)
		v.marks(at, text)
	}
}

func (v *validator) marks(path string, text Text) {
	seen := map[MarkType]bool{}
	for i, mark := range text.Marks {
		at := element(member(path, "marks"), i)
		v.bytes += len(mark.Href) + len(mark.Ref)
		switch {
		case !slices.Contains(MarkTypes, mark.Type):
			v.add(member(at, "type"), CodeUnknownMark, "there is no such mark")
		case seen[mark.Type]:
			v.add(at, CodeDuplicateMark, "the text has this mark already")
		case mark.Type == Link && !safeLink(mark.Href):
			v.add(member(at, "href"), CodeUnsafeLink, "a link needs a full http, https or mailto address")
		case mark.Type != Link && mark.Href != "":
			v.add(member(at, "href"), CodeUnknownField, "only a link has an address")
		case mark.Type == Gap && !gapID.MatchString(mark.Ref):
			v.add(member(at, "ref"), CodeRequired, "a gap has its id: 1 to 32 letters, digits, hyphens or underscores")
		case mark.Type == Gap && text.Text != GapText:
			v.add(at, CodeInvalidText, "the text of a gap is "+GapText)
		case mark.Type != Gap && mark.Ref != "":
			v.add(member(at, "ref"), CodeUnknownField, "only a gap refers to something")
		}
		seen[mark.Type] = true
	}
}

var gapID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)

func safeLink(href string) bool {
	u, err := url.Parse(href)
	if err != nil || len(href) > MaxHref {
		return false
	}
	switch u.Scheme {
	case "http", "https":
		return u.Host != ""
	case "mailto":
		return u.Opaque != ""
	default:
		return false
	}
}
