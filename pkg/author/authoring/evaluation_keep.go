package authoring

import "assess/pkg/kernel/ids"

// keepIDs gives sections and items without an id the id of their predecessor, or a new
// one. A predecessor is used once.
func (in EvaluationInput) keepIDs(before EvaluationVersion) EvaluationInput {
	taken := map[ids.ID]bool{}
	for _, section := range in.Sections {
		taken[section.ID] = true
		for _, item := range section.Items {
			taken[item.ID] = true
		}
	}
	sections, items := map[string][]ids.ID{}, map[string][]ids.ID{}
	for _, section := range before.Sections {
		sections[section.Title] = append(sections[section.Title], section.ID)
		for _, item := range section.Items {
			what := ItemInput{QuestionID: item.QuestionID, PassageID: item.PassageID, Draw: item.Draw}.what()
			items[what] = append(items[what], item.ID)
		}
	}
	kept := make([]SectionInput, len(in.Sections))
	for i, section := range in.Sections {
		section.ID = inherit(section.ID, section.Title, sections, taken)
		section.Items = append([]ItemInput{}, section.Items...)
		for j, item := range section.Items {
			section.Items[j].ID = inherit(item.ID, item.what(), items, taken)
		}
		kept[i] = section
	}
	in.Sections = kept
	return in
}

// inherit takes the next id that is left under key, unless there is one already.
func inherit(id ids.ID, key string, left map[string][]ids.ID, taken map[ids.ID]bool) ids.ID {
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
