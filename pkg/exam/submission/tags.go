package submission

import (
	"slices"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// TagScore is a person's score on the items with a tag. It is counted like the total: items that do
// not contribute are left out, omitted ones are 0 of their maximum.
type TagScore struct {
	authoring.FeedbackTag
	Score    float64 `json:"score"`
	MaxScore float64 `json:"maxScore"`
	Items    int     `json:"items" doc:"Items with the tag that the person saw and that count"`
	Pending  bool    `json:"pending" doc:"A person has still to score one of them"`
}

// Scored is an item in the form that scoring uses.
func Scored(row models.SubmissionItem) scoring.Item {
	return scoring.Item{Status: scoring.Status(row.ScoreStatus), Method: row.ScoreMethod, Score: row.Score, MaxScore: row.MaxScore,
		CorrectSelected: row.CorrectSelected, IncorrectSelected: row.IncorrectSelected, TotalCorrect: row.TotalCorrect}
}

// byTag gives the scores by the tags that the snapshot froze, without tags that none of the items shown has.
func byTag(rows []models.SubmissionItem, snapshot *authoring.Snapshot) []TagScore {
	keys := map[ids.ID]scoring.Key{}
	for _, section := range snapshot.Sections {
		for _, item := range section.Items {
			keys[item.ItemID] = item.Key
		}
	}
	var all []TagScore
	for _, tag := range snapshot.FeedbackTags {
		scored := TagScore{FeedbackTag: tag}
		var items []scoring.Item
		var theirs []scoring.Key
		for _, item := range rows {
			carried := snapshot.Questions[item.QuestionVersionID.String()].StructuredTags[tag.Facet]
			if !keys[item.ItemID].ContributesToScore || !slices.Contains(carried, tag.Term) {
				continue
			}
			items = append(items, Scored(item))
			theirs = append(theirs, keys[item.ItemID])
		}
		if len(items) == 0 {
			continue
		}
		total := scoring.Total(items, theirs, snapshot.Settings.ScoringConfig, nil)
		scored.Score, scored.MaxScore, scored.Items, scored.Pending = total.Score, total.MaxScore, len(items), total.Pending
		all = append(all, scored)
	}
	return all
}
