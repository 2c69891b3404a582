package submission

import (
	"slices"
	"strconv"
	"time"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// What feedback_mode and feedbackPolicy let a candidate know (specification, section 2.3).
// An unknown mode lets them know nothing.

// ShowsScore says whether a candidate learns score and outcome by now.
func ShowsScore(s authoring.Settings, now time.Time) bool {
	after := s.FeedbackPolicy.AvailableAfter
	if after != nil && now.Before(*after) {
		return false
	}
	return s.FeedbackMode == "overall" || s.FeedbackMode == "tags" || s.FeedbackMode == "items"
}

// ShowsItems says whether a candidate learns something of each item by now.
func ShowsItems(s authoring.Settings, now time.Time) bool {
	return s.FeedbackMode == "items" && ShowsScore(s, now)
}

// ShowsTags says whether a candidate learns their scores by tag by now.
func ShowsTags(s authoring.Settings, now time.Time) bool {
	return s.FeedbackMode == "tags" && ShowsScore(s, now)
}

// limit takes away what a candidate may not know, and adds what the policy has them know.
func (s *Submission) limit(snapshot *authoring.Snapshot, lang string, now time.Time) {
	s.VersionSnapshot, s.SnapshotHash, s.SubmittedBy, s.ApprovalStatus = nil, "", "", ""
	s.ActedBy, s.BatchID, s.RetainUntil, s.RetentionBasis, s.HoldFlag = nil, nil, nil, nil, nil
	if !ShowsScore(snapshot.Settings, now) {
		s.Score, s.MaxScore, s.OutcomeCode, s.OutcomeLabel = nil, nil, "", ""
	}
	if !ShowsTags(snapshot.Settings, now) {
		s.FeedbackTags = nil
	}
	policy, shows, keys := snapshot.Settings.FeedbackPolicy, ShowsItems(snapshot.Settings, now), keysOf(snapshot)
	for i := range s.Items {
		item := &s.Items[i]
		if shows {
			item.explain(policy, snapshot.Questions[item.QuestionVersionID.String()], lang, keys[item.ItemID])
		}
		if !shows || (policy.ShowScore != nil && !*policy.ShowScore) {
			item.hideScore()
		}
	}
}

// keysOf gives the keys of the items by their ids.
func keysOf(snapshot *authoring.Snapshot) map[ids.ID]scoring.Key {
	all := map[ids.ID]scoring.Key{}
	for _, section := range snapshot.Sections {
		for _, item := range section.Items {
			all[item.ItemID] = item.Key
		}
	}
	return all
}

func (d *ItemDetail) explain(policy authoring.FeedbackPolicy, question authoring.SnapshotQuestion, lang string, key scoring.Key) {
	if policy.ShowExplanation && question.Explanation != nil {
		explanation := question.Explanation.In(lang)
		d.Explanation = &explanation
	}
	if !policy.ShowCorrect {
		return
	}
	d.CorrectAnswers = rightAnswers(key)
	d.CorrectOptionIDs, d.CorrectPairs, d.CorrectGaps = question.Order, question.Pairs, rightGaps(question.Gaps)
	for _, option := range question.Options {
		if option.IsCorrect {
			d.CorrectOptionIDs = append(d.CorrectOptionIDs, option.ID)
		}
	}
}

// rightAnswers gives the right texts, or the right number.
func rightAnswers(key scoring.Key) []string {
	if key.QType.Type().Has(scoring.PartValue) && !key.Unkeyed {
		return []string{strconv.FormatFloat(key.Value, 'f', -1, 64)}
	}
	return key.Accepted
}

// rightGaps gives by the id of a gap the right answers: ids of options, texts, or the number.
func rightGaps(gaps []authoring.Gap) map[string][]string {
	var all map[string][]string
	for _, g := range gaps {
		right := append(slices.Clone(g.CorrectOptionIDs), g.AcceptedAnswers...)
		if g.Value != nil {
			right = append(right, strconv.FormatFloat(*g.Value, 'f', -1, 64))
		}
		if len(right) == 0 {
			continue
		}
		if all == nil {
			all = map[string][]string{}
		}
		all[g.ID] = right
	}
	return all
}

func (d *ItemDetail) hideScore() {
	d.ScoreStatus, d.ScoreMethod, d.InvalidCode = "", "", nil
	d.Score, d.MaxScore, d.IsCorrect = nil, nil, nil
}
