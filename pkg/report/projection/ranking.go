package projection

import (
	"context"
	"slices"
	"time"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// Ranked is a question with all that lists are ordered by.
type Ranked struct {
	QuestionVersionID ids.ID
	Attempts          int64
	OmitRate          *float64
	Drift             float64
	// AttentionRank is the rank of the question or, unless it is Exact, the highest that it can have.
	AttentionRank int
	Exact         bool
}

// RankedBy is the rank of a measured question.
func RankedBy(h models.QuestionHealth) Ranked {
	return Ranked{QuestionVersionID: h.QuestionVersionID, Attempts: h.AttemptsN, OmitRate: h.OmitRate, Drift: h.Drift,
		AttentionRank: h.AttentionRank, Exact: true}
}

// Ranking orders the questions of a filter by sums of their attempts. Only the attention rank needs
// more than sums: options and medians. They are read only for questions whose place depends on them
// (Sharpen).
type Ranking struct {
	filter Filter
	orgs   []ids.ID
	all    countsByQuestion
	// Rows are the questions in no order.
	Rows []Ranked
	// at is the place of a question in Rows.
	at map[ids.ID]int
}

// runSumsSQL gives a row for each question, evaluation version and run. The number of attempts in a
// cell fits an integer, and adding integers costs a fraction of anything wider.
const runSumsSQL = `{{attempts}}
select question_version_id, evaluation_version_id, run_label, qtype, sum(attempts_n::int), sum(scored_n::int), sum(exempt_n::int),
	sum(correct_n::int), sum(omitted_n::int), sum(focus_lost_n::int), sum(time_n::int), min(day), max(day)
from day group by 1, 2, 3, 4`

// recentSQL gives for each of some questions the sums of its last 30 days up to its newest one, and
// the known times of the last 7.
const recentSQL = `{{attempts}}, asked as materialized (
	select * from unnest({{questions}}::uuid[], {{newest}}::date[]) a (question_version_id, newest)
)
select question_version_id, sum(correct_n::int), sum(scored_n::int), coalesce(sum(time_n::int) filter (where d.day > a.newest - 7), 0)
from day d join asked a using (question_version_id) where d.day > a.newest - 30 and d.day > {{since}}::date group by 1`

// Rank adds up the attempts.
func Rank(ctx context.Context, tx *db.Tx, f Filter) (*Ranking, error) {
	orgs, err := OrgUnits(ctx, tx)
	if err != nil {
		return nil, err
	}
	r := &Ranking{filter: f, orgs: orgs, all: countsByQuestion{}, at: map[ids.ID]int{}}
	a := f.attempts(tx, orgs)
	var question, version ids.ID
	var t questionCounts
	var run runCounts
	var oldest time.Time
	err = a.read(ctx, tx, "rank questions", runSumsSQL, []any{&question, &version, &run.label, &t.qtype, &run.attempts, &run.scored,
		&run.exempt, &run.correct, &t.omitted, &t.focusLost, &t.timed, &oldest, &run.lastDay}, func() {
		k := rollupKey{ids.None, question}
		if r.all[k] == nil {
			r.all[k] = &questionCounts{}
		}
		r.all[k].join(version, t, run, oldest)
	})
	if err != nil {
		return nil, err
	}
	err = r.recent(ctx, tx, a)
	if err != nil {
		return nil, err
	}
	r.Rows = make([]Ranked, 0, len(r.all))
	for k, t := range r.all {
		r.at[k.Version] = len(r.Rows)
		r.Rows = append(r.Rows, t.ranked(k.Version))
	}
	return r, nil
}

// ranked judges a question only by its sums.
func (t *questionCounts) ranked(question ids.ID) Ranked {
	h, unread := t.health(), windows
	if scoring.QType(h.QType).Type().Chooses() {
		unread |= options
	}
	row := RankedBy(h)
	row.QuestionVersionID, row.AttentionRank = question, attentionRank(figuresOf(h), unread)
	row.Exact = row.AttentionRank == 0
	return row
}

// recent reads the last days of the questions that have older ones; for the others these are all of
// their attempts.
func (r *Ranking) recent(ctx context.Context, tx *db.Tx, a attemptSet) error {
	var questions []ids.ID
	var newest []time.Time
	var since time.Time
	for k, t := range r.all {
		t.correct30, t.scored30, t.timed7 = t.correct, t.scored, t.timed
		before := t.newest.AddDate(0, 0, -7)
		if t.oldest.After(before) {
			continue
		}
		if t.olderThanMonth() {
			before = t.newest.AddDate(0, 0, -30)
		}
		if len(questions) == 0 || before.Before(since) {
			since = before
		}
		questions, newest = append(questions, k.Version), append(newest, t.newest)
	}
	if len(questions) == 0 {
		return nil
	}
	var question ids.ID
	var correct, scored, timed int64
	return a.Read(ctx, tx, "rank by the last days", a.recentSQL(questions, newest, since), []any{&question, &correct, &scored, &timed}, func() {
		t := r.all.at(ids.None, question)
		t.timed7 = timed
		if t.olderThanMonth() {
			t.correct30, t.scored30 = correct, scored
		}
	})
}

func (a attemptSet) recentSQL(questions []ids.ID, newest []time.Time, since time.Time) string {
	return fill(recentSQL, "attempts", a.cells, "questions", a.Arg(questions), "newest", a.Arg(newest), "since", a.Arg(since))
}

// olderThanMonth says whether there are attempts before the last 30 days.
func (t *questionCounts) olderThanMonth() bool { return !t.oldest.After(t.newest.AddDate(0, 0, -30)) }

// join adds what a run of an evaluation version has to the counts of a question.
func (t *questionCounts) join(version ids.ID, part questionCounts, r runCounts, oldest time.Time) {
	t.qtype = part.qtype
	t.attempts, t.scored, t.exempt, t.correct = t.attempts+r.attempts, t.scored+r.scored, t.exempt+r.exempt, t.correct+r.correct
	t.omitted, t.focusLost, t.timed = t.omitted+part.omitted, t.focusLost+part.focusLost, t.timed+part.timed
	if t.oldest.IsZero() || oldest.Before(t.oldest) {
		t.oldest = oldest
	}
	if r.lastDay.After(t.newest) {
		t.newest = r.lastDay
	}
	if !slices.Contains(t.versions, version) {
		t.versions = append(t.versions, version)
	}
	if r.label != "" {
		t.joinRun(r)
	}
}

// joinRun adds to the run of the same label.
func (t *questionCounts) joinRun(r runCounts) {
	at := slices.IndexFunc(t.runs, func(known runCounts) bool { return known.label == r.label })
	if at < 0 {
		t.runs = append(t.runs, r)
		return
	}
	run := &t.runs[at]
	run.attempts, run.scored, run.exempt, run.correct = run.attempts+r.attempts, run.scored+r.scored, run.exempt+r.exempt, run.correct+r.correct
	if r.lastDay.After(run.lastDay) {
		run.lastDay = r.lastDay
	}
}

// Sharpen looks closer at questions: at the options of questions that nobody has looked at, at the medians of
// the others. A question whose options are read may be exact, or be out of reach.
func (r *Ranking) Sharpen(ctx context.Context, tx *db.Tx, questions []ids.ID) error {
	fresh, known := countsByQuestion{}, countsByQuestion{}
	for _, question := range questions {
		k := rollupKey{ids.None, question}
		if t := r.all[k]; t.options == nil {
			fresh[k] = t
		} else {
			known[k] = t
		}
	}
	err := r.readOptions(ctx, tx, fresh)
	if err != nil {
		return err
	}
	return r.readMedians(ctx, tx, known)
}

// chosenSQL adds the options of questions up.
const chosenSQL = `{{attempts}}
select question_version_id, code, sum(n::int) from choice where kind = 'option' group by 1, 2`

func (r *Ranking) readOptions(ctx context.Context, tx *db.Tx, fresh countsByQuestion) error {
	if len(fresh) == 0 {
		return nil
	}
	f := r.filter
	f.Questions, f.versions = []ids.ID{}, fresh.shownIn().distinct()
	for k, t := range fresh {
		t.options = map[string]map[string]int64{"": {}}
		if couldRaise(figuresOf(t.health()), options) {
			f.Questions = append(f.Questions, k.Version)
		}
	}
	a := f.attempts(tx, r.orgs)
	var question ids.ID
	var option string
	var n int64
	err := a.read(ctx, tx, "rank by options", chosenSQL, []any{&question, &option, &n}, func() {
		r.all.at(ids.None, question).options[""][option] = n
	})
	if err != nil {
		return err
	}
	err = readFacts(ctx, tx, filteredFacts(tx, r.orgs, fresh.questions(), fresh.shownIn()), fresh)
	if err != nil {
		return err
	}
	for k, t := range fresh {
		row, figures := &r.Rows[r.at[k.Version]], t.figures(t.health())
		row.AttentionRank, row.Exact = attentionRank(figures, windows), !couldRaise(figures, windows)
	}
	return nil
}

func (r *Ranking) readMedians(ctx context.Context, tx *db.Tx, timed countsByQuestion) error {
	if len(timed) == 0 {
		return nil
	}
	medians, err := r.filter.slowerMedians(ctx, tx, r.orgs, timed)
	if err != nil {
		return err
	}
	for k, t := range timed {
		h := t.health()
		medians[k].set(&h)
		row := &r.Rows[r.at[k.Version]]
		row.AttentionRank, row.Exact = attentionRank(t.figures(h), sums), true
	}
	return nil
}
