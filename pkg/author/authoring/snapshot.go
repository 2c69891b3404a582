package authoring

import (
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/people/policy"
)

// Snapshot is the immutable content of a published evaluation version: everything that
// delivery, scoring and reporting need, so that nothing later reads authoring tables
// (specification, sections 2.1 and 9.2). It is stored once per distinct content, under the
// SHA-256 of its canonical form.
type Snapshot struct {
	EvaluationID        ids.ID            `json:"evaluationId"`
	EvaluationVersionID ids.ID            `json:"evaluationVersionId"`
	Number              int               `json:"number"`
	Title               string            `json:"title"`
	Settings            Settings          `json:"settings"`
	Scoring             SnapshotScoring   `json:"scoring,omitzero" doc:"The rules of its time that scores hang on"`
	Sections            []SnapshotSection `json:"sections" nullable:"false"`
	// Questions is keyed by question version id, Passages by passage version id.
	Questions map[string]SnapshotQuestion `json:"questions"`
	Passages  map[string]SnapshotPassage  `json:"passages,omitempty" doc:"Passages by the id of their version"`
	// Assets says which version of an asset the documents show.
	Assets                    map[ids.ID]ids.ID `json:"assets,omitempty" doc:"Versions of the assets that the content shows, by asset id"`
	EvaluationTaxonomyTermIDs []ids.ID          `json:"evaluationTaxonomyTermIds" nullable:"false"`
	FeedbackTagKeys           []string          `json:"feedbackTagKeys" nullable:"false" doc:"Slugs of the facets that feedback by tags speaks of"`
	VerificationPolicy        *policy.Frozen    `json:"verificationPolicy,omitempty" doc:"What a submit must prove"`
	FeedbackTags              []FeedbackTag     `json:"feedbackTags" nullable:"false" doc:"The tags of these facets that the questions carry"`
}

// SnapshotScoring names the rules that the answers are scored by.
type SnapshotScoring struct {
	Folding string `json:"folding,omitempty" enum:"v2" doc:"Which texts are the same answer. v2: white space, case, the shapes of quotes and dashes, full and half width, and characters that nobody sees do not count; dotted and dotless i are two letters where the question's default language is Turkish or Azeri, elsewhere one. Absent: white space and case do not count"`
}

// keyed gives each key the values that the snapshot has once for all keys.
func (s *Snapshot) keyed() {
	for _, section := range s.Sections {
		for i := range section.Items {
			item := &section.Items[i]
			item.Key.Folding = scoring.Folding{Rule: s.Scoring.Folding, Locale: s.Questions[item.QuestionVersionID.String()].Stem.DefaultLocale}
		}
	}
}

// The kinds of groups.
const (
	GroupPassage = "passage"
	GroupDraw    = "draw"
)

// SnapshotSection is a section with its items in order, including the items of passages
// and pools. An item that belongs to a group names it.
type SnapshotSection struct {
	ID               ids.ID          `json:"id"`
	Title            string          `json:"title"`
	TimeLimitSeconds *int            `json:"timeLimitSeconds,omitempty"`
	Items            []SnapshotItem  `json:"items" nullable:"false"`
	Groups           []SnapshotGroup `json:"groups,omitempty" nullable:"false"`
}

// SnapshotGroup is a passage with its questions, which are shown together and in order, or
// a draw, which shows Count of its items. Position is the position of its first item.
type SnapshotGroup struct {
	ID               ids.ID  `json:"id"`
	Kind             string  `json:"kind" enum:"passage,draw"`
	PassageVersionID *ids.ID `json:"passageVersionId,omitempty"`
	Count            int     `json:"count" doc:"How many of its items a session shows"`
	Position         int     `json:"position"`
}

// SnapshotItem is one place in the evaluation. Key is the key that its answer is scored
// with: the question's key with the item's own weight, if the evaluation sets one. ItemID
// is stable over versions. PassageVersionID is the passage that the question is shown with.
type SnapshotItem struct {
	ItemID            ids.ID      `json:"itemId"`
	Position          int         `json:"position"`
	QuestionID        ids.ID      `json:"questionId"`
	QuestionVersionID ids.ID      `json:"questionVersionId"`
	GroupID           *ids.ID     `json:"groupId,omitempty"`
	PassageVersionID  *ids.ID     `json:"passageVersionId,omitempty"`
	Key               scoring.Key `json:"key"`
}

// SnapshotPassage is a passage version as it was published.
type SnapshotPassage struct {
	PassageID   ids.ID           `json:"passageId"`
	Number      int              `json:"number"`
	Title       string           `json:"title"`
	Content     content.Document `json:"content"`
	ContentHash string           `json:"contentHash"`
}

// FeedbackTag is a term that feedback by tags may name, with the labels of its time.
type FeedbackTag struct {
	Facet      string `json:"facet" doc:"Slug of the facet" example:"topic"`
	FacetLabel string `json:"facetLabel" example:"Topic"`
	Term       string `json:"term" doc:"Slug of the term" example:"photosynthesis"`
	Label      string `json:"label" example:"Photosynthesis"`
}
