package attempt

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// Item is one item of the attempt: the answer, what it was worth, and the words to show it
// with.
type Item struct {
	ID                ids.ID          `json:"id" doc:"The submission_item_id"`
	ItemID            ids.ID          `json:"itemId"`
	QuestionID        ids.ID          `json:"questionId"`
	QuestionVersionID ids.ID          `json:"questionVersionId"`
	SectionID         *ids.ID         `json:"sectionId"`
	Position          int             `json:"position" doc:"Place at which the person saw the item, from 0"`
	QType             scoring.QType   `json:"qtype"`
	Passage           *Passage        `json:"passage" doc:"The passage that the question was shown with"`
	Response          json.RawMessage `json:"response" shape:"answer" doc:"The answer as it was saved; null when there is none"`

	ScoreStatus        string   `json:"scoreStatus" enum:"SCORED,PENDING,INVALID,EXEMPT"`
	ScoreMethod        string   `json:"scoreMethod"`
	Score              float64  `json:"score"`
	MaxScore           float64  `json:"max_score"`
	IsCorrect          bool     `json:"is_correct" doc:"Full credit"`
	InvalidCode        *string  `json:"invalidCode" shape:"invalid code"`
	CorrectSelected    int      `json:"correctSelected"`
	IncorrectSelected  int      `json:"incorrectSelected"`
	TotalCorrect       int      `json:"totalCorrect"`
	ContributesToScore bool     `json:"contributesToScore" doc:"False for survey items"`
	ScorePct           *float64 `json:"scorePct" doc:"score over max_score of an answered SCORED item; 0 where negative marking took something"`

	TimeSpentMs  *int64     `json:"time_spent_ms"`
	StartedAt    *time.Time `json:"started_at"`
	AnsweredAt   *time.Time `json:"answered_at"`
	TimeOnItemMs *int64     `json:"timeOnItemMs" doc:"time_spent_ms, else answered_at minus started_at"`

	IsOmitted          bool     `json:"isOmitted"`
	OmitReason         *string  `json:"omitReason"`
	SelectedChoiceID   *string  `json:"selectedChoiceId" doc:"Where the answer is one option"`
	SelectedChoiceIDs  []string `json:"selectedChoiceIds" nullable:"false"`
	DisplayAnswer      string   `json:"displayAnswer" doc:"The answer in words; empty when there is none"`
	TagList            []string `json:"tagList" nullable:"false" doc:"Tags of the snapshot, 'facet:term'" example:"[\"topic:photosynthesis\"]"`
	StemText           string   `json:"stemText"`
	Choices            []Choice `json:"choices" nullable:"false" doc:"In the order in which the person saw them"`
	ScoringExplanation string   `json:"scoringExplanation" doc:"How the score came about, in a sentence"`
}

// Choice is an option with its text.
type Choice struct {
	ID         string `json:"id"`
	Text       string `json:"text"`
	IsCorrect  bool   `json:"isCorrect" doc:"By the key that holds for this attempt: the newest that a remediation gave it, else the snapshot's"`
	IsSelected bool   `json:"isSelected"`
}

// Passage names a passage version.
type Passage struct {
	VersionID ids.ID `json:"passageVersionId"`
	Title     string `json:"title"`
}

// The score statuses.
const (
	scored  = string(scoring.Scored)
	pending = string(scoring.Pending)
	invalid = string(scoring.Invalid)
)

// place is the position of an item in the snapshot.
type place struct {
	section ids.ID
	item    authoring.SnapshotItem
}

// itemsIn joins the stored items with the snapshot. An item that is not in the snapshot keeps its
// figures and has no words.
func (r record) itemsIn(lang string) []Item {
	places := map[ids.ID]place{}
	for _, section := range r.snapshot.Sections {
		for _, item := range section.Items {
			places[item.ItemID] = place{section.ID, item}
		}
	}
	items := make([]Item, 0, len(r.items))
	for _, row := range r.items {
		at, known := places[row.ItemID]
		item := figures(row)
		if known {
			item.SectionID = &at.section
			item.QuestionID = at.item.QuestionID
		}
		r.describe(&item, at.item, lang)
		items = append(items, item)
	}
	return items
}

func figures(row models.SubmissionItem) Item {
	item := Item{ID: row.ID, ItemID: row.ItemID, QuestionVersionID: row.QuestionVersionID, Position: row.Position, QType: scoring.QType(row.QType),
		Response: row.Response, ScoreStatus: row.ScoreStatus, ScoreMethod: row.ScoreMethod, Score: row.Score, MaxScore: row.MaxScore,
		IsCorrect: row.IsCorrect, InvalidCode: row.InvalidCode, CorrectSelected: row.CorrectSelected,
		IncorrectSelected: row.IncorrectSelected, TotalCorrect: row.TotalCorrect, TimeSpentMs: row.TimeSpentMs,
		StartedAt: db.UTC(row.StartedAt), AnsweredAt: db.UTC(row.AnsweredAt), TimeOnItemMs: timeOnItem(row),
		IsOmitted: row.IsOmitted, OmitReason: row.OmitReason}
	if item.countsAsScored() {
		item.ScorePct = over(max(item.Score, 0), item.MaxScore)
	}
	return item
}

// countsAsScored says whether the item counts in facility and average score: omitted items do not,
// whatever they were worth in the end, as in the statistics of their question.
func (i Item) countsAsScored() bool { return i.ScoreStatus == scored && !i.IsOmitted }

// timeOnItem follows report_item_attempts_flat (specification, section 2.4).
func timeOnItem(row models.SubmissionItem) *int64 {
	if row.TimeSpentMs != nil {
		return row.TimeSpentMs
	}
	if row.StartedAt == nil || row.AnsweredAt == nil || row.AnsweredAt.Before(*row.StartedAt) {
		return nil
	}
	ms := row.AnsweredAt.Sub(*row.StartedAt).Milliseconds()
	return &ms
}

// describe adds the words.
func (r record) describe(item *Item, at authoring.SnapshotItem, lang string) {
	question := r.snapshot.Questions[item.QuestionVersionID.String()]
	answer, _ := scoring.ParseResponse("response", item.Response) // what cannot be read was INVALID at submit
	item.StemText = textOf(question.Stem, lang)
	item.TagList = tagsOf(question)
	item.ContributesToScore = at.Key.ContributesToScore
	item.SelectedChoiceIDs = []string{}
	if answer != nil && len(answer.OptionIDs) > 0 && !item.IsOmitted {
		item.SelectedChoiceIDs = answer.OptionIDs
		if item.QType.Type().Answer == scoring.OneOption {
			item.SelectedChoiceID = &answer.OptionIDs[0]
		}
	}
	key := r.keys.Of(item.QuestionVersionID, at.Key)
	item.Choices = []Choice{}
	for _, option := range authoring.ShownOptions(r.snapshot.Settings, r.Seed, item.ItemID, question) {
		item.Choices = append(item.Choices, Choice{ID: option.ID, Text: textOf(option.Content, lang), IsCorrect: slices.Contains(key.Options, scoring.OptionKey{ID: option.ID, Correct: true}),
			IsSelected: slices.Contains(item.SelectedChoiceIDs, option.ID)})
	}
	if at.PassageVersionID != nil {
		item.Passage = &Passage{VersionID: *at.PassageVersionID, Title: r.snapshot.Passages[at.PassageVersionID.String()].Title}
	}
	if !item.IsOmitted {
		item.DisplayAnswer = inWords(answer, item.Choices, item.QType.Type().Ordered())
	}
	if answer != nil && len(answer.Pairs) > 0 && !item.IsOmitted {
		item.DisplayAnswer = strings.ReplaceAll(question.InPairs(answer.Pairs, func(d content.Document) string { return textOf(d, lang) }), "\n", "; ")
	}
	if answer != nil && len(answer.Gaps) > 0 && !item.IsOmitted {
		item.DisplayAnswer = strings.ReplaceAll(question.InGaps(answer.Gaps, func(d content.Document) string { return textOf(d, lang) }), "\n", "; ")
	}
	item.ScoringExplanation = explain(*item, key)
}

func textOf(d content.Document, lang string) string {
	_, payload := d.Resolve(lang)
	return payload.PlainText()
}

func tagsOf(question authoring.SnapshotQuestion) []string {
	tags := []string{}
	for facet, terms := range question.StructuredTags {
		for _, term := range terms {
			tags = append(tags, facet+":"+term)
		}
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// inWords names options by their texts, in the order in which they were shown, or in which the person put them; an option
// that the question does not have by its id.
func inWords(answer *scoring.Response, choices []Choice, ordered bool) string {
	switch {
	case answer == nil:
		return ""
	case answer.Text != nil:
		return *answer.Text
	case answer.Number != nil:
		return number(*answer.Number)
	}
	if ordered {
		return inSequence(answer.OptionIDs, choices)
	}
	var words []string
	unknown := slices.Clone(answer.OptionIDs)
	for _, c := range choices {
		if c.IsSelected {
			words = append(words, c.Text)
			unknown = slices.DeleteFunc(unknown, func(id string) bool { return id == c.ID })
		}
	}
	return strings.Join(append(words, unknown...), "; ")
}

func inSequence(ids []string, choices []Choice) string {
	words := slices.Clone(ids)
	for i, id := range ids {
		if at := slices.IndexFunc(choices, func(c Choice) bool { return c.ID == id }); at >= 0 {
			words[i] = choices[at].Text
		}
	}
	return strings.Join(words, " → ")
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
