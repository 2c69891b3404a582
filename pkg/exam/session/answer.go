package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

const (
	// maxAnswers bounds one save.
	maxAnswers = 1000
	// maxSequence is the largest integer that JSON carries exactly everywhere (RFC 8785).
	maxSequence = 1<<53 - 1
	// maxTimeSpentMs is 366 days.
	maxTimeSpentMs = 366 * 24 * 3600 * 1000
)

// Answer is the answer to one item. Response is {"optionIds":[...]}, {"text":"..."},
// {"number":1.5}, {"pairs":[["p1","A"]]}, {"gaps":{"g1":"..."}}, or null, which clears it.
type Answer struct {
	ItemID      ids.ID          `json:"itemId"`
	Sequence    int64           `json:"sequence" minimum:"1" maximum:"9007199254740991" doc:"Grows with every change of the answer; an older one never replaces a newer one"`
	Response    json.RawMessage `json:"response" shape:"answer" doc:"null clears the answer"`
	TimeSpentMs *int64          `json:"timeSpentMs,omitempty" minimum:"0" doc:"Time on the item so far, in milliseconds"`
	StartedAt   *time.Time      `json:"startedAt,omitempty" doc:"When the person began the item; of several the earliest counts. Before the session counts as its start, the future as now, so that a wrong clock costs no answer"`
}

// checked is an answer that may be saved. Receipts are made from its JSON.
type checked struct {
	ItemID      ids.ID          `json:"itemId"`
	Sequence    int64           `json:"sequence"`
	Response    json.RawMessage `json:"response"`
	TimeSpentMs *int64          `json:"timeSpentMs,omitempty"`
	StartedAt   *time.Time      `json:"startedAt,omitempty"`
}

// equal says whether two answers are the same. When the item was begun is no part of an answer.
func (c checked) equal(other checked) bool {
	sameTime := c.TimeSpentMs == nil && other.TimeSpentMs == nil ||
		c.TimeSpentMs != nil && other.TimeSpentMs != nil && *c.TimeSpentMs == *other.TimeSpentMs
	return c.ItemID == other.ItemID && c.Sequence == other.Sequence && sameTime && bytes.Equal(c.Response, other.Response)
}

// check reads answers and reports all their problems.
func (f *form) check(d deal, answers []Answer) ([]checked, error) {
	if len(answers) == 0 || len(answers) > maxAnswers {
		return nil, errs.Invalid(errs.Field{Path: "answers", Code: "out_of_range", Message: "a call carries 1 to 1000 answers"})
	}
	var all []checked
	var bad []errs.Field
	for i, a := range answers {
		one, problems := f.checkOne(d, fmt.Sprintf("answers[%d]", i), a)
		bad = append(bad, problems...)
		one.StartedAt = inMilliseconds(a.StartedAt)
		all = append(all, one)
	}
	return all, errs.Invalid(bad...)
}

func (f *form) checkOne(d deal, path string, a Answer) (checked, []errs.Field) {
	var bad []errs.Field
	add := func(wrong bool, name, code, message string) {
		if wrong {
			bad = append(bad, errs.Field{Path: path + "." + name, Code: code, Message: message})
		}
	}
	item, known := f.items[a.ItemID]
	known = known && item.shows(d)
	add(!known, "itemId", "unknown_item", "the session shows no such item")
	add(a.Sequence < 1 || a.Sequence > maxSequence, "sequence", "out_of_range", "sequence numbers are 1 to 2^53-1")
	add(a.TimeSpentMs != nil && (*a.TimeSpentMs < 0 || *a.TimeSpentMs > maxTimeSpentMs), "timeSpentMs", "out_of_range",
		"times are 0 ms to 366 days")
	response, problems := scoring.ParseResponse(path+".response", a.Response)
	bad = append(bad, problems...)
	if known {
		bad = append(bad, item.Key.Check(path+".response", response)...)
	}
	if len(bad) > 0 {
		return checked{}, bad
	}
	return checked{ItemID: a.ItemID, Sequence: a.Sequence, Response: responseJSON(response), TimeSpentMs: a.TimeSpentMs}, nil
}

// inMilliseconds is a moment as the service keeps and shows all moments.
func inMilliseconds(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	cut := t.UTC().Truncate(time.Millisecond)
	return &cut
}

// responseJSON writes a checked response, which always has a JSON form. That nothing is
// selected is an answer like any other, and stays apart from a cleared one.
func responseJSON(r *scoring.Response) json.RawMessage {
	if r != nil && r.OptionIDs != nil && len(r.OptionIDs) == 0 {
		return json.RawMessage(`{"optionIds":[]}`)
	}
	raw, _ := json.Marshal(r)
	return raw
}

// newest keeps one answer an item, in order: the one with the highest sequence number, and the
// first of equal ones. Its begin is that of the first answer of all.
func newest(answers []checked) []checked {
	at := map[ids.ID]int{}
	var kept []checked
	for _, a := range answers {
		i, seen := at[a.ItemID]
		if !seen {
			at[a.ItemID] = len(kept)
			kept = append(kept, a)
			continue
		}
		begun := firstOf(a.StartedAt, kept[i].StartedAt)
		if a.Sequence > kept[i].Sequence {
			kept[i] = a
		}
		kept[i].StartedAt = begun
	}
	return kept
}

// firstOf gives the earlier of two moments that may be unknown.
func firstOf(a, b *time.Time) *time.Time {
	if b == nil || a != nil && a.Before(*b) {
		return a
	}
	return b
}
