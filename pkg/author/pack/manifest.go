package pack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// Format names the format of a manifest; any other is refused.
const Format = "content-pack/v1"

// The kinds of lines, in the order in which a manifest lists them: the alphabetical one.
const (
	kindAsset      = "asset"
	kindEvaluation = "evaluation"
	kindItem       = "item"
	kindPassage    = "passage"
	kindQuestion   = "question"
	kindTerm       = "term"
)

var kinds = []string{kindAsset, kindEvaluation, kindItem, kindPassage, kindQuestion, kindTerm}

// assetLine is a file that the content shows. Two versions of assets with the same bytes are one.
type assetLine struct {
	SHA256    string `json:"sha256"`
	Name      string `json:"name"`
	MediaType string `json:"mediaType"`
	SizeBytes int64  `json:"sizeBytes"`
	Width     *int   `json:"width,omitempty"`
	Height    *int   `json:"height,omitempty"`
}

// evaluationLine names a version of an evaluation. ContentHash is the hash of its evaluationBody.
type evaluationLine struct {
	EvaluationID        ids.ID `json:"evaluationId"`
	EvaluationVersionID ids.ID `json:"evaluationVersionId"`
	Number              int    `json:"number"`
	ExternalID          string `json:"externalId,omitempty"`
	Title               string `json:"title"`
	ContentHash         string `json:"contentHash"`
}

// itemLine is an item of the library.
type itemLine struct {
	Pos                       int             `json:"pos"`
	SourceEvaluationID        ids.ID          `json:"sourceEvaluationId"`
	SourceEvaluationVersionID ids.ID          `json:"sourceEvaluationVersionId"`
	Metadata                  json.RawMessage `json:"metadata"`
}

// passageLine names a version of a passage.
type passageLine struct {
	PassageID        ids.ID   `json:"passageId"`
	PassageVersionID ids.ID   `json:"passageVersionId"`
	Number           int      `json:"number"`
	ExternalID       string   `json:"externalId,omitempty"`
	Title            string   `json:"title"`
	ContentHash      string   `json:"contentHash"`
	Assets           []string `json:"assets,omitempty"`
}

// questionLine names a version of a question. ContentHash is the hash of its body, in which images
// have the ids of their files (assetID).
type questionLine struct {
	QuestionID         ids.ID                    `json:"questionId"`
	QuestionVersionID  ids.ID                    `json:"questionVersionId"`
	Number             int                       `json:"number"`
	ExternalID         string                    `json:"externalId,omitempty"`
	QType              scoring.QType             `json:"qtype"`
	ContentHash        string                    `json:"contentHash"`
	Scoring            authoring.QuestionScoring `json:"scoring"`
	Weight             float64                   `json:"weight"`
	ContributesToScore bool                      `json:"contributesToScore"`
	Terms              []string                  `json:"terms,omitempty"`
	PassageVersionID   *ids.ID                   `json:"passageVersionId,omitempty"`
	// Place is the place among the questions of the passage, from 0.
	Place  int      `json:"place,omitempty"`
	Assets []string `json:"assets,omitempty"`
}

// termLine is a term of the content domain, by the slug of its facet and its own slug.
type termLine struct {
	Facet      string `json:"facet"`
	FacetLabel string `json:"facetLabel"`
	Slug       string `json:"slug"`
	Label      string `json:"label"`
	Parent     string `json:"parent,omitempty"`
}

func (t termLine) ref() string { return t.Facet + ":" + t.Slug }

// evaluationBody is the content of a version of an evaluation, in terms that mean the same everywhere.
type evaluationBody struct {
	Title    string             `json:"title"`
	Sections []bodySection      `json:"sections"`
	Settings authoring.Settings `json:"settings"`
	Terms    []string           `json:"terms"`
	Pins     []bodyPin          `json:"pins"`
}

type bodySection struct {
	ID               ids.ID     `json:"id"`
	Title            string     `json:"title"`
	TimeLimitSeconds *int       `json:"timeLimitSeconds,omitempty"`
	Items            []bodyItem `json:"items"`
}

// bodyItem shows a question, a passage or a draw, as authoring.Item does.
type bodyItem struct {
	ID         ids.ID    `json:"id"`
	QuestionID ids.ID    `json:"questionId,omitzero"`
	PassageID  ids.ID    `json:"passageId,omitzero"`
	Draw       *bodyDraw `json:"draw,omitempty"`
	Weight     *float64  `json:"weight,omitempty"`
}

type bodyDraw struct {
	Count   int      `json:"count"`
	Terms   []string `json:"terms"`
	Exclude []string `json:"exclude"`
}

// bodyPin is a question that publishing pinned, in the order of the snapshot; GroupID is the item that
// it comes from.
type bodyPin struct {
	GroupID           ids.ID  `json:"groupId"`
	QuestionVersionID ids.ID  `json:"questionVersionId"`
	PassageVersionID  *ids.ID `json:"passageVersionId,omitempty"`
}

// entry is a line with the fields that the database finds it by.
type entry struct {
	kind        string
	ref         string
	sourceID    *ids.ID
	number      *int
	contentHash *string
	line        string
}

// newEntry writes a line in its canonical form.
func newEntry(kind, ref string, line any) (entry, error) {
	raw, err := content.Canonical(line)
	if err != nil {
		return entry{}, fmt.Errorf("write line of the manifest: %w", err)
	}
	return entry{kind: kind, ref: ref, line: string(raw)}, nil
}

func (e entry) of(source ids.ID, number int, hash string) entry {
	e.sourceID, e.number, e.contentHash = &source, &number, &hash
	return e
}

// manifest is the lines of a revision by kind, each kind in its order.
type manifest map[string][]entry

// sort sorts lines by their references; items keep their order.
func (m manifest) sort() {
	for kind, entries := range m {
		if kind != kindItem {
			slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.ref, b.ref) })
		}
	}
}

// canonical gives the manifest in canonical JSON (RFC 8785), from the lines.
func (m manifest) canonical() []byte {
	var b bytes.Buffer
	list := func(name, kind string) {
		fmt.Fprintf(&b, "%q:[", name)
		for i, e := range m[kind] {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(e.line)
		}
		b.WriteString("],")
	}
	b.WriteByte('{')
	list("assets", kindAsset)
	list("evaluations", kindEvaluation)
	fmt.Fprintf(&b, "%q:%q,", "format", Format)
	list("items", kindItem)
	list("passages", kindPassage)
	list("questions", kindQuestion)
	list("terms", kindTerm)
	b.Truncate(b.Len() - 1)
	b.WriteByte('}')
	return b.Bytes()
}

// hash names the manifest: the SHA-256 of its canonical form.
func (m manifest) hash() string { return content.Hash(m.canonical()) }
