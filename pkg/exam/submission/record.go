package submission

import (
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// Record is the result of an attempt as delivery computed it. Org unit, evaluation, run label and start are
// the session's.
type Record struct {
	SessionID ids.ID
	// UserID and AssignmentID come from the session, where they never change.
	UserID       ids.ID
	AssignmentID *ids.ID
	// Revision is the revision of the session that was scored.
	Revision int64
	// View is the view of the session at that revision: a device that takes the session over
	// meanwhile keeps an older one from ending it.
	View int
	// DeadlineAt is the deadline that was looked at: one that a proctor moves meanwhile counts.
	DeadlineAt *time.Time
	// State is the final state of the session: submitted or expired.
	State            string
	CompletionMethod string
	// CompletedAt is the time of the submit, or the deadline of an expired session.
	CompletedAt    time.Time
	SnapshotHash   string
	ApprovalStatus string
	Result         scoring.Result
	// Items are in the order in which the person saw them.
	Items []Item
}

// Item is one scored item of a Record.
type Item struct {
	ItemID            ids.ID
	QuestionVersionID ids.ID
	QType             scoring.QType
	Score             scoring.Item
	// Response is the answer as JSON; nil for none.
	Response    *string
	TimeSpentMs *int64
	StartedAt   *time.Time
	AnsweredAt  *time.Time
}

// columns holds items by column, as unnest wants them.
type columns struct {
	ids, items, questions           uuids
	qtypes, statuses, methods       []string
	responses, omitReasons, invalid []*string
	scores, maxScores               []float64
	correct, omitted                []bool
	right, wrong, total             []int32
	rightParts                      []*string
	times                           []*int64
	started, answered               []*time.Time
}

// uuids is an array of ids in the driver's own type: it goes out as bytes, where []ids.ID
// would be written as text, element by element.
type uuids = pgtype.FlatArray[pgtype.UUID]

func uuid(id ids.ID) pgtype.UUID { return pgtype.UUID{Bytes: id, Valid: true} }

func columnsOf(items []Item) columns {
	var c columns
	for _, i := range items {
		c.ids = append(c.ids, uuid(ids.New()))
		c.items = append(c.items, uuid(i.ItemID))
		c.questions = append(c.questions, uuid(i.QuestionVersionID))
		c.qtypes = append(c.qtypes, string(i.QType))
		c.responses = append(c.responses, i.Response)
		c.times = append(c.times, i.TimeSpentMs)
		c.started = append(c.started, i.StartedAt)
		c.answered = append(c.answered, i.AnsweredAt)
		c.score(i.Score)
	}
	return c
}

func (c *columns) score(s scoring.Item) {
	c.statuses = append(c.statuses, string(s.Status))
	c.methods = append(c.methods, s.Method)
	c.scores = append(c.scores, s.Score)
	c.maxScores = append(c.maxScores, s.MaxScore)
	c.correct = append(c.correct, s.IsCorrect)
	c.omitted = append(c.omitted, s.Omitted)
	c.omitReasons = append(c.omitReasons, orNull(s.OmitReason))
	c.invalid = append(c.invalid, orNull(s.InvalidCode))
	c.right = append(c.right, int32(s.CorrectSelected))
	c.wrong = append(c.wrong, int32(s.IncorrectSelected))
	c.total = append(c.total, int32(s.TotalCorrect))
	c.rightParts = append(c.rightParts, orNull(s.RightParts))
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
