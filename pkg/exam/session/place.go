package session

import (
	"encoding/json"
	"time"

	"assess/models"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// place says where the answers of a save are in their session, as linear navigation and section
// times need to know. Free navigation without section times needs nothing.
type place struct {
	// first and last are the places of the answers in the order of the session; nil under
	// free navigation.
	first, last *int
	places      map[ids.ID]int
	// sections have a time limit of so many seconds each; begun is when each begins unless it
	// has, as JSON.
	sections []string
	seconds  []int32
	begun    string
}

// place finds the place of answers to items that the session shows. Only sections with a time call now, so that a
// save elsewhere need not wait for the database's clock.
func (f *form) place(d deal, answers []checked, now func() time.Time) (place, error) {
	var p place
	if f.linear {
		p.places = f.places(d)
		for _, a := range answers {
			at := p.places[a.ItemID]
			if p.first == nil || at < *p.first {
				p.first = &at
			}
			if p.last == nil || at > *p.last {
				p.last = &at
			}
		}
	}
	if !f.timed {
		return p, nil
	}
	begun := map[ids.ID]time.Time{}
	for _, a := range answers {
		section := f.sections[f.items[a.ItemID].section]
		_, known := begun[section.id]
		begun[section.id] = now()
		if !known && section.timeLimit != nil {
			p.sections = append(p.sections, section.id.String())
			p.seconds = append(p.seconds, int32(*section.timeLimit))
		}
	}
	raw, err := json.Marshal(begun)
	p.begun = string(raw)
	return p, err
}

// places numbers the items of a session in its order, from 0.
func (f *form) places(d deal) map[ids.ID]int {
	places := make(map[ids.ID]int, f.shown())
	for _, section := range f.order(d) {
		for _, item := range section.items {
			places[item.ItemID] = len(places)
		}
	}
	return places
}

// refuse says what of the place keeps answers from being saved in a session.
func (p place) refuse(f *form, s models.Session, answers []checked, now time.Time) error {
	var over, left []ids.ID
	for _, section := range f.sections {
		deadline := section.deadline(s)
		if deadline != nil && now.After(*deadline) && section.has(f, answers) {
			over = append(over, section.id)
		}
	}
	if over != nil {
		return errs.New(errs.SectionTimeOver, "The time of the section is over; nothing was saved.").With("sectionIds", over)
	}
	for _, a := range answers {
		if s.Furthest != nil && p.places != nil && p.places[a.ItemID] < *s.Furthest {
			left = append(left, a.ItemID)
		}
	}
	if left != nil {
		return errs.New(errs.ItemLeft, "Nobody goes back here: answers after this item were saved. Nothing was saved.").With("itemIds", left)
	}
	return errs.New(errs.Conflict, "The session changed meanwhile; nothing was saved. Try again.")
}

func (s formSection) has(f *form, answers []checked) bool {
	for _, a := range answers {
		if f.sections[f.items[a.ItemID].section].id == s.id {
			return true
		}
	}
	return false
}

// deadline says when the time of a section is over in a session; nil for never, or while
// the section has not begun.
func (s formSection) deadline(of models.Session) *time.Time {
	begun, known := of.SectionStarts[s.id]
	if !known || s.timeLimit == nil {
		return nil
	}
	at := begun.UTC().Add(time.Duration(*s.timeLimit+of.ExtraTimeSeconds) * time.Second)
	return &at
}
