package session

import (
	"assess/pkg/author/authoring"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/policy"
)

// form is a snapshot made ready for use. It is shared by all calls and never changes.
type form struct {
	hash     string
	policy   *policy.Frozen
	title    string
	settings authoring.Settings
	sections []formSection
	// items holds all that any session could show, pools included.
	items    map[ids.ID]*formItem
	passages map[string]authoring.SnapshotPassage
	assets   map[ids.ID]*formAsset
	// timed says that a section has a time limit, linear that nobody goes back.
	timed, linear bool
}

// formSection is a section with its units in order. Shown counts the items that a session
// shows of it.
type formSection struct {
	id        ids.ID
	title     string
	timeLimit *int
	units     []unit
	draws     bool
	shown     int
}

// unit moves as one when items are shuffled: an item, or a passage with its questions. The unit of
// a draw is a pool; pool.count items come out of it, each a unit of its own.
type unit struct {
	items []*formItem
	pool  *pool
}

type pool struct {
	id    ids.ID
	items []*formItem
	count int
}

// formItem is an item with its question; pool and place are set where it may or may not be
// drawn.
type formItem struct {
	authoring.SnapshotItem
	question authoring.SnapshotQuestion
	stem     content.Ready
	options  map[string]content.Ready
	prompts  map[string]content.Ready
	// gaps has the choices for gaps: "g1=A" of an option of a gap, "A" of one in the pool.
	gaps    map[string]content.Ready
	section int
	pool    *pool
	place   int
}

func newFormItem(item authoring.SnapshotItem, question authoring.SnapshotQuestion, section int) *formItem {
	made := &formItem{SnapshotItem: item, question: question, stem: question.Stem.Ready(),
		options: make(map[string]content.Ready, len(question.Options)), prompts: make(map[string]content.Ready, len(question.Prompts)), gaps: map[string]content.Ready{}, section: section}
	for _, o := range question.Options {
		made.options[o.ID] = o.Content.Ready()
	}
	for _, p := range question.Prompts {
		made.prompts[p.ID] = p.Content.Ready()
	}
	for _, o := range question.Pool {
		made.gaps[o.ID] = o.Content.Ready()
	}
	for _, g := range question.Gaps {
		for _, o := range g.Options {
			made.gaps[g.ID+"="+o.ID] = o.Content.Ready()
		}
	}
	return made
}

func digest(hash string, s *authoring.Snapshot) *form {
	f := &form{hash: hash, policy: s.VerificationPolicy, title: s.Title, settings: s.Settings, items: map[ids.ID]*formItem{}, passages: s.Passages,
		linear: s.Settings.Navigation == "linear"}
	for _, section := range s.Sections {
		f.sections = append(f.sections, f.digestSection(section, s.Questions))
		f.timed = f.timed || section.TimeLimitSeconds != nil
	}
	f.digestAssets(s.Assets, s.Passages)
	return f
}

func (f *form) digestSection(section authoring.SnapshotSection, questions map[string]authoring.SnapshotQuestion) formSection {
	made := formSection{id: section.ID, title: section.Title, timeLimit: section.TimeLimitSeconds}
	groups := make(map[ids.ID]authoring.SnapshotGroup, len(section.Groups))
	for _, g := range section.Groups {
		groups[g.ID] = g
	}
	at := map[ids.ID]int{}
	for _, item := range section.Items {
		one := newFormItem(item, questions[item.QuestionVersionID.String()], len(f.sections))
		f.items[item.ItemID] = one
		if item.GroupID == nil {
			made.units = append(made.units, unit{items: []*formItem{one}})
			continue
		}
		i, begun := at[*item.GroupID]
		if !begun {
			i, at[*item.GroupID] = len(made.units), len(made.units)
			made.units = append(made.units, newUnit(groups[*item.GroupID]))
		}
		made.units[i].add(one)
	}
	for _, u := range made.units {
		made.shown += u.shown()
		made.draws = made.draws || u.pool != nil
	}
	return made
}

func newUnit(g authoring.SnapshotGroup) unit {
	if g.Kind == authoring.GroupDraw {
		return unit{pool: &pool{id: g.ID, count: g.Count}}
	}
	return unit{}
}

func (u *unit) add(item *formItem) {
	if u.pool == nil {
		u.items = append(u.items, item)
		return
	}
	item.pool, item.place = u.pool, len(u.pool.items)
	u.pool.items = append(u.pool.items, item)
}

func (u unit) shown() int {
	if u.pool != nil {
		return min(u.pool.count, len(u.pool.items))
	}
	return len(u.items)
}
