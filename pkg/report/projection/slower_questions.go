package projection

import (
	"context"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

func (a attemptSet) slowerSQL(questions []ids.ID, newest []time.Time) string {
	return statement("slower_questions", "attempts", a.cells, "questions", a.Arg(questions), "newest", a.Arg(newest),
		"least slower", a.Arg(leastSlower()))
}

// slowerMedians gives the medians of 7 and 30 days of the questions for which a rule about them may
// raise a flag.
func (f Filter) slowerMedians(ctx context.Context, tx *db.Tx, orgs []ids.ID, timed countsByQuestion) (map[rollupKey]medianTimes, error) {
	f.Questions = timed.questions()
	var newest []time.Time
	for _, question := range f.Questions {
		newest = append(newest, timed[rollupKey{ids.None, question}].newest)
	}
	a := f.attempts(tx, orgs)
	slower := []ids.ID{}
	var question ids.ID
	err := a.Read(ctx, tx, "look for slower questions", a.slowerSQL(f.Questions, newest), []any{&question}, func() { slower = append(slower, question) })
	if err != nil || len(slower) == 0 {
		return nil, err
	}
	f.Questions = slower
	medians, _, err := forRank.find(ctx, tx, f.attempts(tx, orgs))
	return medians, err
}
