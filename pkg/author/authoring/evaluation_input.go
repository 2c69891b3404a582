package authoring

import (
	"math"
	"strings"
	"time"

	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// The bounds of an evaluation.
const (
	maxSections = 200
	maxItems    = 2000
)

// EvaluationInput describes an evaluation (decisions, section 9).
type EvaluationInput struct {
	ExternalID string         `json:"externalId,omitempty" maxLength:"200" doc:"The author's own id, unique in the org unit"`
	Title      string         `json:"title" minLength:"1" maxLength:"300"`
	Sections   []SectionInput `json:"sections" nullable:"false" maxItems:"200"`
	Settings   Settings       `json:"settings,omitzero"`
	// TaxonomyTermIDs are the terms of the evaluation itself, a set.
	TaxonomyTermIDs []ids.ID `json:"taxonomyTermIds" required:"false" nullable:"false" maxItems:"100" doc:"Terms of the content domain that describe the evaluation"`
}

// SectionInput describes a section. Without an id it takes the id of the section with the
// same title in the version before.
type SectionInput struct {
	ID               ids.ID      `json:"id,omitzero"`
	Title            string      `json:"title,omitempty" maxLength:"300"`
	TimeLimitSeconds *int        `json:"timeLimitSeconds,omitempty" minimum:"1" doc:"Time for the section, in seconds; not more than that of the evaluation"`
	Items            []ItemInput `json:"items" nullable:"false" maxItems:"2000"`
}

// EvaluationPatch changes the fields that it names and no others. Sections, settings and
// terms are replaced as a whole.
type EvaluationPatch struct {
	UpdatedAt       *time.Time      `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
	ExternalID      *string         `json:"externalId,omitempty" maxLength:"200"`
	Title           *string         `json:"title,omitempty" minLength:"1" maxLength:"300"`
	Sections        *[]SectionInput `json:"sections,omitempty" nullable:"false" maxItems:"200"`
	Settings        *Settings       `json:"settings,omitempty"`
	TaxonomyTermIDs *[]ids.ID       `json:"taxonomyTermIds,omitempty" nullable:"false" maxItems:"100"`
}

// Problems names everything that is wrong with an evaluation, as far as this can be seen
// without the database; paths start at path. A draft may be incomplete: the parts that a
// published version must have are checked when it is published.
func (in EvaluationInput) Problems(path string) []errs.Field {
	var p problems
	p.text(member(path, "externalId"), in.ExternalID, maxExternalID)
	p.addIf(strings.TrimSpace(in.Title) == "", member(path, "title"), "required", "a title is required")
	p.text(member(path, "title"), in.Title, maxTitle)
	p.termIDs(member(path, "taxonomyTermIds"), in.TaxonomyTermIDs)
	p.addIf(len(in.Sections) > maxSections, member(path, "sections"), "too_many", "at most 200 sections")
	seen, items := map[ids.ID]bool{}, 0
	unique := func(path string, id ids.ID) {
		p.addIf(id != ids.None && seen[id], path, "duplicate_id", "another section or item has this id")
		seen[id] = true
	}
	for i, section := range in.Sections {
		at := element(path, "sections", i)
		p.text(at+".title", section.Title, maxTitle)
		p.sectionTime(at+".timeLimitSeconds", section.TimeLimitSeconds, in.Settings.TimeLimitSeconds)
		unique(at+".id", section.ID)
		items += len(section.Items)
		for j, item := range section.Items {
			at := element(at, "items", j)
			unique(at+".id", item.ID)
			p.item(at, item)
		}
	}
	p.addIf(items > maxItems, member(path, "sections"), "too_many", "at most 2000 items")
	return append(p, in.Settings.withDefaults().check(member(path, "settings"))...)
}

// sectionTime checks the time of a section against the time of the whole evaluation.
func (p *problems) sectionTime(path string, section, whole *int) {
	if section == nil {
		return
	}
	p.addIf(*section < 1 || *section > math.MaxInt32, path, "out_of_range", "a time limit is 1 second or more")
	p.addIf(whole != nil && *section > *whole, path, "out_of_range", "a section cannot have more time than the evaluation")
}
