package lti

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"assess/models"
)

// attempt is a submission that was not voided, as a grade sees it.
type attempt struct {
	Score, Max float64
	Pending    bool
	Approval   string
}

// final says whether nothing in an attempt waits any more, as the link wants it.
func (a attempt) final(when string) bool {
	return !a.Pending && (when != WhenApproved || a.Approval == models.ApprovalApproved || a.Approval == models.ApprovalNotRequired)
}

// share is how much of the whole was reached.
func (a attempt) share() float64 { return a.Score / a.Max }

// grade is what a gradebook should hold (LTI Assignment and Grade Services 2.0, section 3.4), without the person and
// the time.
type grade struct {
	Given            *float64 `json:"scoreGiven,omitempty"`
	Maximum          *float64 `json:"scoreMaximum,omitempty"`
	ActivityProgress string   `json:"activityProgress"`
	GradingProgress  string   `json:"gradingProgress"`
}

var (
	cleared = grade{ActivityProgress: "Initialized", GradingProgress: "NotReady"}
	pending = grade{ActivityProgress: "Submitted", GradingProgress: "PendingManual"}
)

func graded(given, maximum float64) grade {
	given = math.Max(0, given)
	return grade{&given, &maximum, "Completed", "FullyGraded"}
}

// gradeOf gives the grade that the gradebook should have for somebody's attempts, the oldest first; nil if the gradebook
// stays as it is for now. Voided attempts do not count, nor do rejected ones where approved results are sent; if none is
// left, the grade is cleared.
func gradeOf(counts, when string, all []attempt) *grade {
	var left, final []attempt
	for _, a := range all {
		if a.Max <= 0 || when == WhenApproved && a.Approval == models.ApprovalRejected {
			continue
		}
		left = append(left, a)
		if a.final(when) {
			final = append(final, a)
		}
	}
	if len(left) == 0 {
		return &cleared
	}
	switch counts {
	case CountsFirst:
		final = onlyFinal(left[0], when)
	case CountsLatest:
		final = onlyFinal(left[len(left)-1], when)
	}
	switch {
	case len(final) == 0 && when == WhenSubmitted:
		return &pending
	case len(final) == 0:
		return nil
	case counts == CountsMean:
		return new(meanOf(final))
	}
	best := final[0]
	for _, a := range final {
		if a.share() > best.share() {
			best = a
		}
	}
	return new(graded(best.Score, best.Max))
}

func onlyFinal(a attempt, when string) []attempt {
	if a.final(when) {
		return []attempt{a}
	}
	return nil
}

// meanOf is the mean of the shares, in hundredths of a percent.
func meanOf(all []attempt) grade {
	sum := 0.0
	for _, a := range all {
		sum += a.share()
	}
	return graded(math.Round(sum/float64(len(all))*10_000)/100, 100)
}

// text is how a grade is kept, to know it again.
func (g grade) text() (string, error) {
	text, err := json.Marshal(g)
	if err != nil {
		return "", fmt.Errorf("encode a grade: %w", err)
	}
	return string(text), nil
}

// bodyOf makes the body to send: the grade, whose it is, and when.
func bodyOf(text, subject string, at time.Time) ([]byte, error) {
	var whole struct {
		grade
		UserID    string `json:"userId"`
		Timestamp string `json:"timestamp"`
	}
	err := json.Unmarshal([]byte(text), &whole.grade)
	if err != nil {
		return nil, fmt.Errorf("read a grade: %w", err)
	}
	whole.UserID, whole.Timestamp = subject, at.UTC().Format("2006-01-02T15:04:05.000Z")
	return json.Marshal(whole)
}

// stampOf is the time of a grade that is sent now. Platforms compare whole seconds and refuse a grade that is not newer, so
// it grows by at least one.
func stampOf(now time.Time, before *time.Time) time.Time {
	at := now.Truncate(time.Second)
	if before != nil && !at.After(*before) {
		return before.Add(time.Second)
	}
	return at
}
