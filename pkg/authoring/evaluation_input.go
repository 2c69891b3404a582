package authoring

import (
	"strings"
	"time"

	"assess/pkg/errs"
	"assess/pkg/ids"
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
	Sections   []SectionInput `json:"sections" nullable:"false"`
	Settings   Settings       `json:"settings,omitzero"`
}

// SectionInput describes a section. Without an id it takes over that of the section of the
// same title in the version before.
type SectionInput struct {
	ID    ids.ID      `json:"id,omitzero"`
	Title string      `json:"title,omitempty" maxLength:"300"`
	Items []ItemInput `json:"items" nullable:"false"`
}

// ItemInput describes an item. Without an id it takes over that of the item with the same
// question in the version before.
type ItemInput struct {
	ID         ids.ID   `json:"id,omitzero"`
	QuestionID ids.ID   `json:"questionId"`
	Weight     *float64 `json:"weight,omitempty" doc:"Replaces the weight of the question"`
}

// EvaluationPatch changes what it names and leaves the rest. Sections and settings are
// replaced as a whole.
type EvaluationPatch struct {
	UpdatedAt  *time.Time      `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
	ExternalID *string         `json:"externalId,omitempty" maxLength:"200"`
	Title      *string         `json:"title,omitempty" minLength:"1" maxLength:"300"`
	Sections   *[]SectionInput `json:"sections,omitempty" nullable:"false"`
	Settings   *Settings       `json:"settings,omitempty"`
}

func (p EvaluationPatch) over(in EvaluationInput) EvaluationInput {
	set(&in.ExternalID, p.ExternalID)
	set(&in.Title, p.Title)
	set(&in.Sections, p.Sections)
	set(&in.Settings, p.Settings)
	return in
}

// input gives a version in the form that it could have been sent in.
func (v EvaluationVersion) input(externalID string) EvaluationInput {
	in := EvaluationInput{ExternalID: externalID, Title: v.Title, Settings: v.Settings}
	for _, s := range v.Sections {
		section := SectionInput{ID: s.ID, Title: s.Title}
		for _, i := range s.Items {
			section.Items = append(section.Items, ItemInput{ID: i.ID, QuestionID: i.QuestionID, Weight: i.Weight})
		}
		in.Sections = append(in.Sections, section)
	}
	return in
}

// Problems names everything that is wrong with an evaluation, as far as it can be told
// without the database; paths start at path. A draft may be incomplete: what a published
// version must have is checked when it is published.
func (in EvaluationInput) Problems(path string) []errs.Field {
	var p problems
	p.text(member(path, "externalId"), in.ExternalID, maxExternalID)
	p.addIf(strings.TrimSpace(in.Title) == "", member(path, "title"), "required", "a title is required")
	p.text(member(path, "title"), in.Title, maxTitle)
	p.addIf(len(in.Sections) > maxSections, member(path, "sections"), "too_many", "at most 200 sections")
	seen, items := map[ids.ID]bool{}, 0
	unique := func(path string, id ids.ID) {
		p.addIf(id != ids.None && seen[id], path, "duplicate_id", "another section or item has this id")
		seen[id] = true
	}
	for i, section := range in.Sections {
		at := element(path, "sections", i)
		p.text(at+".title", section.Title, maxTitle)
		unique(at+".id", section.ID)
		items += len(section.Items)
		for j, item := range section.Items {
			at := element(at, "items", j)
			unique(at+".id", item.ID)
			p.weight(at+".weight", item.Weight)
			p.addIf(item.QuestionID == ids.None, at+".questionId", "required", "a question is required")
		}
	}
	p.addIf(items > maxItems, member(path, "sections"), "too_many", "at most 2000 items")
	return append(p, in.Settings.withDefaults().check(member(path, "settings"))...)
}

// keepIDs gives sections and items without an id that of their predecessor, or a new one.
// A predecessor serves once.
func (in EvaluationInput) keepIDs(before EvaluationVersion) EvaluationInput {
	taken := map[ids.ID]bool{}
	for _, section := range in.Sections {
		taken[section.ID] = true
		for _, item := range section.Items {
			taken[item.ID] = true
		}
	}
	sections, items := map[string][]ids.ID{}, map[ids.ID][]ids.ID{}
	for _, section := range before.Sections {
		sections[section.Title] = append(sections[section.Title], section.ID)
		for _, item := range section.Items {
			items[item.QuestionID] = append(items[item.QuestionID], item.ID)
		}
	}
	kept := make([]SectionInput, len(in.Sections))
	for i, section := range in.Sections {
		section.ID = inherit(section.ID, section.Title, sections, taken)
		section.Items = append([]ItemInput{}, section.Items...)
		for j, item := range section.Items {
			section.Items[j].ID = inherit(item.ID, item.QuestionID, items, taken)
		}
		kept[i] = section
	}
	in.Sections = kept
	return in
}

// inherit takes the next id that is left under key, unless there is one already.
func inherit[K comparable](id ids.ID, key K, left map[K][]ids.ID, taken map[ids.ID]bool) ids.ID {
	for id == ids.None && len(left[key]) > 0 {
		next := left[key][0]
		left[key] = left[key][1:]
		if !taken[next] {
			id = next
		}
	}
	if id == ids.None {
		id = ids.New()
	}
	taken[id] = true
	return id
}
