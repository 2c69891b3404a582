package session

import (
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/people/policy"
)

// Session is a session as its candidate sees it (decisions, section 9): never the key,
// weights or explanations.
type Session struct {
	ID                  ids.ID     `json:"id"`
	State               string     `json:"state" enum:"open,submitted,expired,closed,abandoned"`
	UserID              ids.ID     `json:"userId"`
	EvaluationID        ids.ID     `json:"evaluationId"`
	EvaluationVersionID ids.ID     `json:"evaluationVersionId"`
	Title               string     `json:"title"`
	AssignmentID        *ids.ID    `json:"assignmentId"`
	RunLabel            *string    `json:"run_label"`
	StartedAt           time.Time  `json:"startedAt"`
	DeadlineAt          *time.Time `json:"deadlineAt" doc:"When the time limit ends; null without one"`
	Navigation          string     `json:"navigation" enum:"linear,free"`
	Locale              string     `json:"locale" doc:"Language of most of its questions (BCP-47), as Content-Language says too: with lang the one that they are shown in, else their default. Each document names its own" example:"en"`
	View                int        `json:"view" doc:"Counts the devices that took the session over; answers, events and submit of an older one are refused"`
	FurthestItemID      *ids.ID    `json:"furthestItemId,omitempty" doc:"Under linear navigation: items before this one take no answers any more"`
	Revision            int64      `json:"revision" doc:"Number of saves so far"`
	SHA256              string     `json:"sha256" doc:"Newest receipt, in hex; empty before the first save"`
	Sections            []Section  `json:"sections" nullable:"false"`
	Passages            []Passage  `json:"passages" nullable:"false" doc:"What the items name by passageVersionId, each once"`
	Answers             []Answered `json:"answers" nullable:"false" doc:"What was saved, for going on"`
	Actions             []Action   `json:"actions,omitempty" nullable:"false" doc:"What proctors did with the session; shown to proctors"`

	VerificationPolicy *policy.Frozen `json:"verificationPolicy,omitempty" doc:"What the submit must prove; absent: nothing"`

	// The content was made from deal and lang.
	deal deal
	lang string
}

// ContentLanguage is the language for the header of an answer.
func (s Session) ContentLanguage() string { return s.Locale }

// Section is a section in the order of this session.
type Section struct {
	ID    ids.ID `json:"id"`
	Title string `json:"title"`
	Items []Item `json:"items" nullable:"false"`

	TimeLimitSeconds *int       `json:"timeLimitSeconds,omitempty" doc:"Time for the section, in seconds"`
	StartedAt        *time.Time `json:"startedAt,omitempty" doc:"Where sections have time limits: since when this one runs"`
	DeadlineAt       *time.Time `json:"deadlineAt,omitempty" doc:"When the time of the section is over"`
}

// Passage is a text that questions are about.
type Passage struct {
	PassageID        ids.ID        `json:"passageId"`
	PassageVersionID ids.ID        `json:"passageVersionId"`
	Title            string        `json:"title"`
	Content          content.Shown `json:"content"`
}

// Item is one question to answer. The bounds of selections are absent where there are none.
type Item struct {
	ItemID            ids.ID        `json:"itemId"`
	QuestionID        ids.ID        `json:"questionId"`
	QuestionVersionID ids.ID        `json:"questionVersionId"`
	PassageID         *ids.ID       `json:"passageId,omitempty"`
	PassageVersionID  *ids.ID       `json:"passageVersionId,omitempty" doc:"The passage to show with the question"`
	QType             scoring.QType `json:"qtype"`
	Stem              content.Shown `json:"stem"`
	Options           []Option      `json:"options" nullable:"false"`
	Prompts           []Option      `json:"prompts,omitempty" nullable:"false" doc:"What is matched with the options"`
	Layout            string        `json:"layout,omitempty" enum:"list,grid" doc:"How prompts and options are shown; absent: list"`
	MaxPerPrompt      int           `json:"maxPerPrompt,omitempty" doc:"How many options a prompt takes; absent: one"`
	MaxPerOption      int           `json:"maxPerOption,omitempty" doc:"For how many prompts an option can be chosen; absent: all"`
	Gaps              []Gap         `json:"gaps,omitempty" nullable:"false" doc:"The gaps that the stem marks"`
	Pool              []Option      `json:"pool,omitempty" nullable:"false" doc:"What goes into the gaps of kind pool"`
	Reuse             bool          `json:"reuse,omitempty" doc:"Whether an option of the pool may go into several gaps"`
	MinSelections     int           `json:"minSelections,omitempty"`
	MaxSelections     int           `json:"maxSelections,omitempty"`
}

// Option is one thing to choose.
type Option struct {
	ID      string          `json:"id"`
	Content content.Shown   `json:"content"`
	Area    *authoring.Area `json:"area,omitempty" doc:"The part of the first image of the stem that the option is about; its content is the name of the part"`
}

// Gap is a gap to fill: with a text, a number as text, or the id of an option of its own or of the pool.
type Gap struct {
	ID      string   `json:"id"`
	Kind    string   `json:"kind" enum:"text,number,choice,pool"`
	Options []Option `json:"options,omitempty" nullable:"false" doc:"What to choose from, of kind choice"`
}

// Answered is a saved answer.
type Answered struct {
	ItemID      ids.ID          `json:"itemId"`
	Sequence    int64           `json:"sequence"`
	Response    json.RawMessage `json:"response" shape:"answer" doc:"As it was saved; null when it was cleared"`
	TimeSpentMs *int64          `json:"timeSpentMs,omitempty"`
	StartedAt   *time.Time      `json:"startedAt,omitempty" doc:"When the person began the item, if the client said so"`
	AnsweredAt  time.Time       `json:"answeredAt"`
}

// show makes what the candidate sees; lang is empty for whole envelopes.
func (f *form) show(row models.Session, lang string, now time.Time) Session {
	s := Session{
		ID: row.ID, State: row.State, UserID: row.UserID, EvaluationID: row.EvaluationID,
		EvaluationVersionID: row.EvaluationVersionID, Title: f.title,
		AssignmentID: row.AssignmentID, RunLabel: row.RunLabel,
		StartedAt: row.StartedAt.UTC(), DeadlineAt: db.UTC(row.DeadlineAt), Navigation: f.settings.Navigation,
		View: row.View, Revision: row.Revision, SHA256: hex.EncodeToString(row.Receipt), Answers: []Answered{},
		Sections: []Section{}, deal: dealOf(row), lang: lang,
	}
	if f.policy.Asks() {
		s.VerificationPolicy = f.policy
	}
	if overdue(row, now) {
		s.State = models.SessionExpired
	}
	place, order := 0, f.order(s.deal)
	for _, section := range order {
		s.Sections = append(s.Sections, section.show(row))
		for _, item := range section.items {
			if row.Furthest != nil && *row.Furthest == place {
				s.FurthestItemID = &item.ItemID
			}
			place++
		}
	}
	s.fill(f, order)
	return s
}

// show makes a section without its items.
func (s formSection) show(row models.Session) Section {
	shown := Section{ID: s.id, Title: s.title, TimeLimitSeconds: s.timeLimit, DeadlineAt: s.deadline(row)}
	if begun, known := row.SectionStarts[s.id]; known {
		begun = begun.UTC()
		shown.StartedAt = &begun
	}
	return shown
}

// showPassage adds the passage of an item, unless it is there already.
func (s *Session) showPassage(f *form, item *formItem) {
	id := item.PassageVersionID
	if id == nil || slices.ContainsFunc(s.Passages, func(p Passage) bool { return p.PassageVersionID == *id }) {
		return
	}
	passage := f.passages[id.String()]
	s.Passages = append(s.Passages, Passage{passage.PassageID, *id, passage.Title, passage.Content.In(s.lang)})
}

func (f *form) showItem(seed int64, item *formItem, lang string) Item {
	shown := Item{
		ItemID: item.ItemID, QuestionID: item.QuestionID, QuestionVersionID: item.QuestionVersionID,
		QType: item.question.QType, Stem: item.stem.In(lang), Options: []Option{},
		MinSelections: item.Key.MinSelections, MaxSelections: item.Key.MaxSelections,
		Layout: item.question.Layout, MaxPerPrompt: item.Key.MaxPerPrompt, MaxPerOption: item.Key.MaxPerOption,
	}
	for _, p := range item.question.Prompts {
		shown.Prompts = append(shown.Prompts, Option{ID: p.ID, Content: item.prompts[p.ID].In(lang)})
	}
	if item.PassageVersionID != nil {
		passage := f.passages[item.PassageVersionID.String()].PassageID
		shown.PassageID, shown.PassageVersionID = &passage, item.PassageVersionID
	}
	f.showGaps(&shown, seed, item, lang)
	for _, option := range f.options(seed, item) {
		shown.Options = append(shown.Options, Option{option.ID, item.options[option.ID].In(lang), option.Area})
	}
	return shown
}

func (f *form) showGaps(shown *Item, seed int64, item *formItem, lang string) {
	shown.Reuse = item.question.Reuse
	for _, o := range authoring.ShownPool(f.settings, seed, item.ItemID, item.question) {
		shown.Pool = append(shown.Pool, Option{ID: o.ID, Content: item.gaps[o.ID].In(lang)})
	}
	for _, g := range item.question.Gaps {
		gap := Gap{ID: g.ID, Kind: g.Kind}
		for _, o := range authoring.ShownGapOptions(f.settings, seed, item.ItemID, g) {
			gap.Options = append(gap.Options, Option{ID: o.ID, Content: item.gaps[g.ID+"="+o.ID].In(lang)})
		}
		shown.Gaps = append(shown.Gaps, gap)
	}
}

// overdue says that the time limit of an open session has passed.
func overdue(s models.Session, now time.Time) bool {
	return s.State == models.SessionOpen && s.DeadlineAt != nil && now.After(*s.DeadlineAt)
}
