package authoring

import (
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Evaluation is an evaluation with the version that is being written and the one that is
// delivered; at least one of them exists. Title is the title of the newest version.
type Evaluation struct {
	ID         ids.ID             `json:"id"`
	ExternalID string             `json:"externalId,omitempty"`
	Title      string             `json:"title"`
	Status     string             `json:"status" enum:"draft,published,archived"`
	Draft      *EvaluationVersion `json:"draft,omitempty"`
	Published  *EvaluationVersion `json:"published,omitempty"`
	CreatedAt  time.Time          `json:"createdAt"`
	UpdatedAt  time.Time          `json:"updatedAt"`
}

// EvaluationVersion is one version of an evaluation. Number counts from 1. SnapshotHash
// names the frozen content of a published version. The terms are the evaluation's own,
// without the terms of its questions.
type EvaluationVersion struct {
	ID              ids.ID     `json:"id"`
	Number          int        `json:"number"`
	Status          string     `json:"status" enum:"draft,published"`
	Title           string     `json:"title"`
	Sections        []Section  `json:"sections" nullable:"false"`
	Settings        Settings   `json:"settings"`
	TaxonomyTermIDs []ids.ID   `json:"taxonomyTermIds" nullable:"false"`
	SnapshotHash    string     `json:"snapshotHash,omitempty"`
	UpdatedAt       time.Time  `json:"updatedAt"`
	PublishedAt     *time.Time `json:"publishedAt,omitempty"`
}

// Section is a section with its items in order. Ids of sections and items are stable over
// versions.
type Section struct {
	ID               ids.ID `json:"id"`
	Title            string `json:"title"`
	TimeLimitSeconds *int   `json:"timeLimitSeconds,omitempty"`
	Items            []Item `json:"items" nullable:"false"`
}

// EvaluationSummary is an evaluation in a list. Title and Number are from the newest version.
type EvaluationSummary struct {
	ID         ids.ID    `json:"id"`
	ExternalID string    `json:"externalId,omitempty"`
	Title      string    `json:"title"`
	Status     string    `json:"status" enum:"draft,published,archived"`
	Number     int       `json:"number"`
	HasDraft   bool      `json:"hasDraft"`
	CreatedAt  time.Time `json:"createdAt"`
	UpdatedAt  time.Time `json:"updatedAt"`
	// PublishedVersionID is the version that reports and sessions request.
	PublishedVersionID *ids.ID `json:"publishedVersionId,omitempty"`
}

// EvaluationFilter chooses evaluations by their newest versions; the zero value chooses all
// that are not archived, newest change first.
type EvaluationFilter struct {
	Status string `query:"status" enum:"draft,published,archived" doc:"Without it, all that are not archived"`
	// Statuses chooses several statuses if Status is empty.
	Statuses []string
	Search   string `query:"q" maxLength:"200" doc:"Words of the title or the external id, in any order, the last one by its beginning" example:"biolog"`
	TermsFilter
	Sort string `query:"sort" enum:"-updatedAt,updatedAt,-createdAt,createdAt" doc:"Default -updatedAt"`
	db.Page
}

// items goes through the items of all sections in order.
func (v EvaluationVersion) items() iter.Seq[Item] {
	return func(yield func(Item) bool) {
		for _, section := range v.Sections {
			for _, item := range section.Items {
				if !yield(item) {
					return
				}
			}
		}
	}
}

// storedSection is a section as the version keeps it; items are rows of their own.
type storedSection struct {
	ID               ids.ID `json:"id"`
	Title            string `json:"title"`
	TimeLimitSeconds *int   `json:"timeLimitSeconds,omitempty"`
}

func evaluationVersionOf(v *models.EvaluationVersion) (EvaluationVersion, error) {
	out := EvaluationVersion{ID: v.ID, Number: v.Number, Status: v.Status, Title: v.Title, SnapshotHash: text(v.SnapshotHash),
		TaxonomyTermIDs: v.TermIDs, UpdatedAt: v.UpdatedAt.UTC(), PublishedAt: db.UTC(v.PublishedAt)}
	if out.TaxonomyTermIDs == nil {
		out.TaxonomyTermIDs = []ids.ID{}
	}
	err := json.Unmarshal(v.Settings, &out.Settings)
	if err != nil {
		return EvaluationVersion{}, fmt.Errorf("read settings of evaluation version %s: %w", v.ID, err)
	}
	var sections []storedSection
	err = json.Unmarshal(v.Sections, &sections)
	if err != nil {
		return EvaluationVersion{}, fmt.Errorf("read sections of evaluation version %s: %w", v.ID, err)
	}
	items := make(map[ids.ID][]Item, len(sections))
	for _, i := range v.Items {
		items[i.SectionID] = append(items[i.SectionID], itemOf(i))
	}
	out.Sections = make([]Section, 0, len(sections))
	for _, s := range sections {
		section := Section{ID: s.ID, Title: s.Title, TimeLimitSeconds: s.TimeLimitSeconds, Items: items[s.ID]}
		if section.Items == nil {
			section.Items = []Item{}
		}
		out.Sections = append(out.Sections, section)
	}
	return out, nil
}
