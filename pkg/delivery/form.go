package delivery

import (
	"assess/pkg/authoring"
	"assess/pkg/ids"
)

// form is a snapshot made ready for use. It is shared by all calls and never changes.
type form struct {
	hash     string
	title    string
	settings authoring.Settings
	sections []formSection
	items    map[ids.ID]*formItem
}

type formSection struct {
	id    ids.ID
	title string
	items []*formItem
}

type formItem struct {
	authoring.SnapshotItem
	question authoring.SnapshotQuestion
}

func digest(hash string, s *authoring.Snapshot) *form {
	f := &form{hash: hash, title: s.Title, settings: s.Settings, items: map[ids.ID]*formItem{}}
	for _, section := range s.Sections {
		made := formSection{id: section.ID, title: section.Title}
		for _, item := range section.Items {
			one := &formItem{item, s.Questions[item.QuestionVersionID.String()]}
			made.items = append(made.items, one)
			f.items[item.ItemID] = one
		}
		f.sections = append(f.sections, made)
	}
	return f
}
