package session

import (
	"encoding/json"

	"assess/models"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// submitted makes the record of a session that its person, or a proctor, hands in.
func (a *attempt) submitted(f *form, tx *db.Tx) submission.Record {
	r := a.record(f)
	r.State, r.CompletionMethod, r.CompletedAt = submitting.To, models.CompletionSubmitted, tx.Now()
	if !isSelf(tx, a.UserID) {
		r.CompletionMethod = models.CompletionProctorSubmitted
	}
	return r
}

// expired makes the record of a session whose time is over: it ended with its time.
func (a *attempt) expired(f *form) submission.Record {
	r := a.record(f)
	r.State, r.CompletionMethod, r.CompletedAt = expiring.To, models.CompletionAutoSubmitted, *a.DeadlineAt
	return r
}

// record scores every item that the session shows, omitted ones too, in its order.
func (a *attempt) record(f *form) submission.Record {
	r := submission.Record{SessionID: a.ID, UserID: a.UserID, AssignmentID: a.AssignmentID, Revision: a.Revision, View: a.View, DeadlineAt: a.DeadlineAt, SnapshotHash: f.hash,
		ApprovalStatus: models.ApprovalNotRequired}
	if f.settings.ReviewPolicy == "four_eyes" {
		r.ApprovalStatus = models.ApprovalPendingReview
	}
	answers := a.byItem()
	r.Items = make([]submission.Item, 0, f.shown())
	scores := make([]scoring.Item, 0, f.shown())
	keys := make([]scoring.Key, 0, f.shown())
	for _, section := range f.order(dealOf(a.Session)) {
		for _, item := range section.items {
			scored := a.scored(f, item, answers)
			r.Items = append(r.Items, scored)
			scores = append(scores, scored.Score)
			keys = append(keys, item.Key)
		}
	}
	r.Result = scoring.Total(scores, keys, f.settings.ScoringConfig, f.settings.PassMarkPercent)
	return r
}

func (a *attempt) scored(f *form, item *formItem, answers map[ids.ID]int) submission.Item {
	scored := submission.Item{ItemID: item.ItemID, QuestionVersionID: item.QuestionVersionID, QType: item.question.QType}
	i, answered := answers[item.ItemID]
	if answered {
		scored.Response, scored.TimeSpentMs = a.responses[i], a.times[i]
		scored.StartedAt, scored.AnsweredAt = a.starts[i], &a.answered[i]
	}
	scored.Score = scoring.Score(item.Key, f.settings.ScoringConfig, parse(scored.Response))
	return scored
}

// byItem says at which index of the columns the answer to an item is.
func (a *attempt) byItem() map[ids.ID]int {
	index := make(map[ids.ID]int, len(a.items))
	for i, id := range a.items {
		index[id] = i
	}
	return index
}

// parse reads a response that Save had checked.
func parse(response *string) *scoring.Response {
	if response == nil {
		return nil
	}
	var r scoring.Response
	err := json.Unmarshal([]byte(*response), &r)
	if err != nil {
		return nil
	}
	return &r
}
