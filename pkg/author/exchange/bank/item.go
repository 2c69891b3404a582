package bank

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"assess/pkg/kernel/content"
	"assess/pkg/kernel/scoring"
)

// The kinds of items that have no name elsewhere. Passage is a text without a question.
const (
	Gap                   = scoring.Gap
	Match                 = scoring.Match
	Order                 = scoring.Order
	Passage scoring.QType = "passage"
)

// Item is a question, or a passage, of a bank.
type Item struct {
	// Path is the file in an archive, Line where the item begins in it.
	Path string `json:"path,omitempty"`
	Line int    `json:"line,omitempty"`
	// ID is the external id; Identify makes one if the file gives none.
	ID       string        `json:"id"`
	Name     string        `json:"name,omitempty"`
	Category []string      `json:"category,omitempty"`
	Tags     []string      `json:"tags,omitempty"`
	Kind     scoring.QType `json:"kind"`
	// Locale is the language, if the file gives it.
	Locale string `json:"locale,omitempty"`
	// Passage is the id of the passage that the question belongs to, an earlier item. Unscored says that nothing is right.
	Passage     string          `json:"passage,omitempty"`
	Unscored    bool            `json:"unscored,omitempty"`
	Stem        []content.Block `json:"stem"`
	Explanation []content.Block `json:"explanation,omitempty"`
	Options     []Option        `json:"options,omitempty"`
	Key
	// Weight is the score of full credit; nil is 1.
	Weight   *float64  `json:"weight,omitempty"`
	Files    []File    `json:"files,omitempty"`
	Notices  []Notice  `json:"notices,omitempty"`
	Problems []Problem `json:"problems,omitempty"`
}

// Key has the right answer. Its fields are the fields of a question's scoring, and the fields of future kinds.
type Key struct {
	Method        string   `json:"method,omitempty"`
	MinSelections int      `json:"minSelections,omitempty"`
	MaxSelections int      `json:"maxSelections,omitempty"`
	Accepted      []string `json:"accepted,omitempty"`
	Value         *float64 `json:"value,omitempty"`
	Tolerance     float64  `json:"tolerance,omitempty"`
	// Gaps are the gaps of the stem; Pool has the options of gaps of kind pool, each for one gap unless Reuse.
	Gaps  []GapKey `json:"gaps,omitempty"`
	Pool  []Option `json:"pool,omitempty"`
	Reuse bool     `json:"reuse,omitempty"`
	// Prompts are matched with Options; Pairs are the right ones, a prompt's id followed by an
	// option's. 0 means 1 for MaxPerPrompt and any number for MaxPerOption.
	Prompts      []Option       `json:"prompts,omitempty"`
	Pairs        []scoring.Pair `json:"pairs,omitempty"`
	Layout       string         `json:"layout,omitempty"`
	MaxPerPrompt int            `json:"maxPerPrompt,omitempty"`
	MaxPerOption int            `json:"maxPerOption,omitempty"`
	// Order has the ids of all options in their right order.
	Order []string `json:"order,omitempty"`
}

// Option is an option, a prompt, or a member of a pool.
type Option struct {
	ID      string          `json:"id"`
	Content []content.Block `json:"content"`
	Correct bool            `json:"correct,omitempty"`
	Area    *Area           `json:"area,omitempty"`
}

// Area is a part of the item's first image, in thousandths of its width and height: two corners of a rect, centre and
// radius of a circle, the corners of a poly. Pixels says that the size of the image is not known, and that the numbers are
// pixels.
type Area struct {
	Shape  string `json:"shape"`
	Coords []int  `json:"coords"`
	Pixels bool   `json:"pixels,omitempty"`
}

// The kinds of gaps.
const (
	GapTyped  = scoring.GapText
	GapNumber = scoring.GapNumber
	GapChoice = scoring.GapChoice
	GapPool   = scoring.GapPool
)

// GapKey is a gap of the stem. Right names the option of a choice or of the pool.
type GapKey struct {
	ID        string   `json:"id"`
	Kind      string   `json:"kind"`
	Options   []Option `json:"options,omitempty"`
	Right     []string `json:"right,omitempty"`
	Accepted  []string `json:"accepted,omitempty"`
	Value     *float64 `json:"value,omitempty"`
	Tolerance float64  `json:"tolerance,omitempty"`
	Weight    *float64 `json:"weight,omitempty"`
}

// File is a picture that the item shows. An image of the content has its Name as asset.
type File struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Data []byte `json:"-"`
}

// Letter is the id of the option at a place: A to Z, then by number.
func Letter(i int) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if i < len(letters) {
		return letters[i : i+1]
	}
	return Numbered("O", i)
}

// Identify gives an item without an id one that is made of its category, name and stem, so that the same
// file gives the same ids.
func (it *Item) Identify() {
	it.ID = strings.TrimSpace(it.ID)
	if it.ID != "" {
		return
	}
	all := sha256.New()
	all.Write([]byte(strings.Join(it.Category, "/") + "\x00" + it.Name + "\x00"))
	if canonical, err := content.Canonical(it.Stem); err == nil {
		all.Write(canonical)
	}
	it.ID = hex.EncodeToString(all.Sum(nil)[:8])
}

// Weigh takes the score of full credit.
func (it *Item) Weigh(weight float64) {
	it.Weight = nil
	if weight != 1 {
		it.Weight = &weight
	}
}

// Correct counts the right options.
func (it *Item) Correct() int {
	n := 0
	for _, o := range it.Options {
		if o.Correct {
			n++
		}
	}
	return n
}

// Plain gives the text of content without its markup.
func Plain(blocks []content.Block) string {
	return strings.TrimSpace(content.Payload{Blocks: blocks}.PlainText())
}
