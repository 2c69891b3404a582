package authoring

import (
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/policy"
)

// ShownSnapshot is a snapshot for reading: with whole content documents, or with each
// document resolved to one language.
type ShownSnapshot struct {
	EvaluationID              ids.ID                           `json:"evaluationId"`
	EvaluationVersionID       ids.ID                           `json:"evaluationVersionId"`
	Number                    int                              `json:"number"`
	Title                     string                           `json:"title"`
	Settings                  Settings                         `json:"settings"`
	Scoring                   SnapshotScoring                  `json:"scoring,omitzero" doc:"The rules of its time that scores hang on"`
	Sections                  []SnapshotSection                `json:"sections" nullable:"false"`
	Questions                 map[string]ShownSnapshotQuestion `json:"questions" doc:"Questions by the id of their version"`
	Passages                  map[string]ShownSnapshotPassage  `json:"passages,omitempty" doc:"Passages by the id of their version"`
	Assets                    map[ids.ID]ids.ID                `json:"assets,omitempty" doc:"Versions of the assets that the content shows, by asset id"`
	EvaluationTaxonomyTermIDs []ids.ID                         `json:"evaluationTaxonomyTermIds" nullable:"false"`
	FeedbackTagKeys           []string                         `json:"feedbackTagKeys" nullable:"false" doc:"Slugs of the facets that feedback by tags speaks of"`
	VerificationPolicy        *policy.Frozen                   `json:"verificationPolicy,omitempty" doc:"What a submit must prove"`
	FeedbackTags              []FeedbackTag                    `json:"feedbackTags" nullable:"false" doc:"The tags of these facets that the questions carry"`
}

// ShownSnapshotPassage is a passage of a snapshot in the same way.
type ShownSnapshotPassage struct {
	PassageID   ids.ID        `json:"passageId"`
	Number      int           `json:"number"`
	Title       string        `json:"title"`
	Content     content.Shown `json:"content"`
	ContentHash string        `json:"contentHash"`
}

// In shows the snapshot in one language, in the fallback order of the specification,
// section 4.6; an empty lang shows all languages.
func (s *Snapshot) In(lang string) *ShownSnapshot {
	shown := &ShownSnapshot{EvaluationID: s.EvaluationID, EvaluationVersionID: s.EvaluationVersionID, Number: s.Number,
		Title: s.Title, Settings: s.Settings, Scoring: s.Scoring, Sections: s.Sections, Questions: make(map[string]ShownSnapshotQuestion, len(s.Questions)),
		Assets: s.Assets, EvaluationTaxonomyTermIDs: s.EvaluationTaxonomyTermIDs, FeedbackTagKeys: append([]string{}, s.FeedbackTagKeys...),
		VerificationPolicy: s.VerificationPolicy, FeedbackTags: append([]FeedbackTag{}, s.FeedbackTags...)}
	for id, q := range s.Questions {
		shown.Questions[id] = q.in(lang)
	}
	if len(s.Passages) > 0 {
		shown.Passages = make(map[string]ShownSnapshotPassage, len(s.Passages))
	}
	for id, p := range s.Passages {
		shown.Passages[id] = ShownSnapshotPassage{p.PassageID, p.Number, p.Title, p.Content.In(lang), p.ContentHash}
	}
	return shown
}
