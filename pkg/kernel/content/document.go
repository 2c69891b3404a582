package content

import "slices"

// SchemaVersion is the one schema of payloads (specification, section 9).
const SchemaVersion = "passage-rich-content/v1"

// PayloadType is the only type of a payload.
const PayloadType = "doc"

// The limits of one locale (decisions, section 3).
const (
	MaxDepth       = 16
	MaxNodes       = 5000
	MaxLocaleBytes = 256 << 10
)

// Document is the envelope: one payload per locale.
type Document struct {
	DefaultLocale string             `json:"defaultLocale"`
	Locales       map[string]Payload `json:"locales"`
}

// Payload is the content in one locale.
type Payload struct {
	SchemaVersion string  `json:"schemaVersion"`
	Type          string  `json:"type"`
	Blocks        []Block `json:"blocks"`
}

// BlockType names the kind of a block.
type BlockType string

// The kinds of blocks.
const (
	Paragraph BlockType = "paragraph"
	Heading   BlockType = "heading"
	List      BlockType = "list"
	Table     BlockType = "table"
	Image     BlockType = "image"
)

// BlockKind says which fields a block of a kind has besides its type: the ones it needs, and
// the ones it may have.
type BlockKind struct {
	Type       BlockType
	Needs, May []string
}

// BlockKinds has a row for each kind of block.
var BlockKinds = []BlockKind{
	{Paragraph, nil, []string{"children"}},
	{Heading, []string{"level"}, []string{"children"}},
	{List, []string{"items"}, []string{"ordered"}},
	{Table, []string{"caption", "rows"}, []string{"headerRows"}},
	{Image, []string{"assetId", "alt"}, nil},
}

// blockFields says which fields a block of each kind may have.
var blockFields = func() map[BlockType][]string {
	all := map[BlockType][]string{}
	for _, k := range BlockKinds {
		all[k.Type] = slices.Concat([]string{"type"}, k.Needs, k.May)
	}
	return all
}()

// Block is one block; BlockKinds says which fields belong to which kind.
type Block struct {
	Type BlockType `json:"type"`
	// Children are the text of a paragraph or heading.
	Children []Text `json:"children,omitempty"`
	// Level is 1 to 6 in a heading.
	Level int `json:"level,omitempty"`
	// Ordered and Items make a list; it has at least one item.
	Ordered bool       `json:"ordered,omitempty"`
	Items   []ListItem `json:"items,omitempty"`
	// Caption, HeaderRows (how many of the first rows are headers) and Rows make a
	// table; it has at least one row.
	Caption    string `json:"caption,omitempty"`
	HeaderRows int    `json:"headerRows,omitempty"`
	Rows       []Row  `json:"rows,omitempty"`
	// AssetID is the id of a managed asset, Alt its alternative text.
	AssetID string `json:"assetId,omitempty"`
	Alt     string `json:"alt,omitempty"`
}

// ListItem is a line of a list; Ordered speaks of its nested Items.
type ListItem struct {
	Children []Text     `json:"children,omitempty"`
	Ordered  bool       `json:"ordered,omitempty"`
	Items    []ListItem `json:"items,omitempty"`
}

// Row is a row of a table.
type Row struct {
	Cells []Cell `json:"cells"`
}

// Cell is a cell of a table.
type Cell struct {
	Children []Text `json:"children,omitempty"`
}

// Text is a text node: a run of characters with the same marks. A line feed is a line
// break.
type Text struct {
	Text  string `json:"text"`
	Marks []Mark `json:"marks,omitempty"`
}

// MarkType names the kind of a mark.
type MarkType string

// The kinds of marks.
const (
	Bold        MarkType = "bold"
	Italic      MarkType = "italic"
	Underline   MarkType = "underline"
	Strike      MarkType = "strike"
	Code        MarkType = "code"
	Subscript   MarkType = "subscript"
	Superscript MarkType = "superscript"
	Link        MarkType = "link"
	// Math says that the text is a formula in TeX.
	Math MarkType = "math"
	// Gap marks a gap to fill: its text is GapText, and its Ref is the id of the gap.
	Gap MarkType = "gap"
)

// MarkTypes lists them.
var MarkTypes = []MarkType{Bold, Italic, Underline, Strike, Code, Subscript, Superscript, Link, Math, Gap}

// GapText is the text under the mark Gap, so that no plain text tells what belongs there.
const GapText = "____"

// Mark is a mark on a text node; only a link has an Href, and only a gap a Ref.
type Mark struct {
	Type MarkType `json:"type"`
	Href string   `json:"href,omitempty"`
	Ref  string   `json:"ref,omitempty"`
}

// newDocument makes a document of one locale. A tag that is not BCP-47 stays as it is,
// and Validate will say so.
func newDocument(locale string, blocks []Block) Document {
	tag, ok := NormaliseLocale(locale)
	if !ok {
		tag = locale
	}
	if blocks == nil {
		blocks = []Block{}
	}
	payload := Payload{SchemaVersion: SchemaVersion, Type: PayloadType, Blocks: blocks}
	return Document{DefaultLocale: tag, Locales: map[string]Payload{tag: payload}}
}
