package session

import (
	"cmp"
	"context"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Brief is a Session without its questions and passages, plus everything needed to show them again.
// The parts of a session that can change are in it as they were; the content never changes. So it
// is kept for an idempotency key in place of an exam of any size.
type Brief struct {
	Session Session  `json:"session"`
	Seed    int64    `json:"seed"`
	Drawn   []ids.ID `json:"drawn"`
	Lang    string   `json:"lang"`
}

// Brief gives what Tell needs.
func (s Session) Brief() Brief {
	b := Brief{Session: s, Seed: s.deal.seed, Drawn: s.deal.drawn, Lang: s.lang}
	b.Session.Passages = nil
	b.Session.Sections = make([]Section, 0, len(s.Sections))
	for _, section := range s.Sections {
		section.Items = nil
		b.Session.Sections = append(b.Session.Sections, section)
	}
	return b
}

// Tell makes the session of its brief again, as it was first told. The caller knows that the
// brief was told to the actor.
func (d *Desk) Tell(ctx context.Context, tx *db.Tx, b Brief) (Session, error) {
	f, err := d.form(ctx, tx, b.Session.EvaluationVersionID)
	if err != nil {
		return Session{}, err
	}
	s := b.Session
	s.deal, s.lang = deal{seed: b.Seed, drawn: b.Drawn}, b.Lang
	s.fill(f, f.order(s.deal))
	return s, nil
}

// fill shows the questions and passages of a session whose sections are there without them.
func (s *Session) fill(f *form, order []shownSection) {
	s.Passages = []Passage{}
	for i, section := range order {
		items := make([]Item, 0, len(section.items))
		for _, item := range section.items {
			items = append(items, f.showItem(s.deal.seed, item, s.lang))
			s.showPassage(f, item)
		}
		s.Sections[i].Items = items
	}
	s.Locale = s.mostSpoken()
}

// mostSpoken is the language that most questions are in, the first of several.
func (s *Session) mostSpoken() string {
	counts, most := map[string]int{}, ""
	for _, section := range s.Sections {
		for _, item := range section.Items {
			counts[cmp.Or(item.Stem.Locale, item.Stem.DefaultLocale)]++
		}
	}
	for _, section := range s.Sections {
		for _, item := range section.Items {
			if locale := cmp.Or(item.Stem.Locale, item.Stem.DefaultLocale); counts[locale] > counts[most] {
				most = locale
			}
		}
	}
	return most
}
