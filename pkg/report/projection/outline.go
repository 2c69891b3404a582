package projection

import (
	"context"
	"fmt"
	"slices"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Outline is what the sums of the attempts that a filter chooses say of each question: all
// that lists are ordered by, but for the attention rank. That looks at options and medians
// too, which are read for those questions alone whose place depends on them.
type Outline struct {
	filter Filter
	orgs   []ids.ID
	all    keyed
	// Rows say where each question stands, in no order.
	Rows []Standing
	// at is the place of a question in Rows.
	at map[ids.ID]int
}

// outlineSQL gives a row for each question, evaluation version and run. How many attempts a
// cell has fits an integer, and to add integers costs a fraction of anything wider.
const outlineSQL = `
select question_version_id, evaluation_version_id, run_label, qtype, sum(attempts_n::int), sum(scored_n::int), sum(exempt_n::int),
	sum(correct_n::int), sum(omitted_n::int), sum(focus_lost_n::int), sum(time_n::int), min(day), max(day)
from day group by 1, 2, 3, 4`

// recentSQL gives what the last 30 days up to the newest one of each of some questions have, and the
// known times of the last 7.
const recentSQL = `, asked as materialized (
	select * from unnest($%[1]d::uuid[], $%[2]d::date[]) a (question_version_id, newest)
)
select question_version_id, sum(correct_n::int), sum(scored_n::int), coalesce(sum(time_n::int) filter (where d.day > a.newest - 7), 0)
from day d join asked a using (question_version_id) where d.day > a.newest - 30 and d.day > $%[3]d::date group by 1`

// NewOutline adds the attempts up.
func NewOutline(ctx context.Context, tx *db.Tx, f Filter) (*Outline, error) {
	orgs, err := OrgUnits(ctx, tx)
	if err != nil {
		return nil, err
	}
	o := &Outline{filter: f, orgs: orgs, all: keyed{}, at: map[ids.ID]int{}}
	s := f.source(tx, orgs)
	var question, version ids.ID
	var t tally
	var r runTally
	var oldest time.Time
	err = each(ctx, tx, "with "+s.cells+outlineSQL, s.args, []any{&question, &version, &r.label, &t.qtype, &r.attempts, &r.scored, &r.exempt,
		&r.correct, &t.omitted, &t.focusLost, &t.timed, &oldest, &r.lastDay}, func() {
		k := key{ids.None, question}
		if o.all[k] == nil {
			o.all[k] = &tally{}
		}
		o.all[k].join(version, t, r, oldest)
	})
	if err != nil {
		return nil, fmt.Errorf("outline questions: %w", err)
	}
	err = o.recent(ctx, tx, s)
	if err != nil {
		return nil, err
	}
	o.Rows = make([]Standing, 0, len(o.all))
	for k, t := range o.all {
		o.at[k.Version] = len(o.Rows)
		o.Rows = append(o.Rows, t.standing(k.Version))
	}
	return o, nil
}

// recent looks at the last days of the questions that have older ones; for the others these are all
// of their attempts.
func (o *Outline) recent(ctx context.Context, tx *db.Tx, s source) error {
	var questions []ids.ID
	var newest []time.Time
	var since time.Time
	for k, t := range o.all {
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
	n := len(s.args)
	sql := "with " + s.cells + fmt.Sprintf(recentSQL, n+1, n+2, n+3)
	var question ids.ID
	var correct, scored, timed int64
	err := each(ctx, tx, sql, append(slices.Clone(s.args), questions, newest, since), []any{&question, &correct, &scored, &timed}, func() {
		t := o.all.at(ids.None, question)
		t.timed7 = timed
		if t.olderThanMonth() {
			t.correct30, t.scored30 = correct, scored
		}
	})
	if err != nil {
		return fmt.Errorf("outline the last days: %w", err)
	}
	return nil
}

// olderThanMonth says whether there are attempts before the last 30 days.
func (t *tally) olderThanMonth() bool { return !t.oldest.After(t.newest.AddDate(0, 0, -30)) }

// join adds what a run of an evaluation version has to the counts of a question.
func (t *tally) join(version ids.ID, part tally, r runTally, oldest time.Time) {
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
func (t *tally) joinRun(r runTally) {
	at := slices.IndexFunc(t.runs, func(known runTally) bool { return known.label == r.label })
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

// Look looks closer at questions: at the options of those that nobody has looked at, at the medians of the
// others. A question whose options have been looked at may be settled, or be out of reach.
func (o *Outline) Look(ctx context.Context, tx *db.Tx, questions []ids.ID) error {
	fresh, known := keyed{}, keyed{}
	for _, question := range questions {
		k := key{ids.None, question}
		if t := o.all[k]; t.options == nil {
			fresh[k] = t
		} else {
			known[k] = t
		}
	}
	err := o.lookAtOptions(ctx, tx, fresh)
	if err != nil {
		return err
	}
	medians, err := o.filter.spikes(ctx, tx, o.orgs, known)
	if err != nil {
		return err
	}
	for k, t := range known {
		row := &o.Rows[o.at[k.Version]]
		row.AttentionRank, row.Settled = t.rank(medians[k]), true
	}
	return nil
}

// lookedAtSQL adds the options of questions up.
const lookedAtSQL = `
select question_version_id, code, sum(n::int) from choice where kind = 'option' group by 1, 2`

func (o *Outline) lookAtOptions(ctx context.Context, tx *db.Tx, fresh keyed) error {
	if len(fresh) == 0 {
		return nil
	}
	f := o.filter
	f.Questions, f.versions = []ids.ID{}, fresh.shownIn().distinct()
	for k, t := range fresh {
		t.options = map[string]map[string]int64{"": {}}
		if t.scored >= optionAttempts {
			f.Questions = append(f.Questions, k.Version)
		}
	}
	s := f.source(tx, o.orgs)
	var question ids.ID
	var option string
	var n int64
	err := each(ctx, tx, "with "+s.cells+lookedAtSQL, s.args, []any{&question, &option, &n}, func() {
		o.all.at(ids.None, question).options[""][option] = n
	})
	if err != nil {
		return fmt.Errorf("outline options: %w", err)
	}
	err = readFacts(ctx, tx, togetherFacts(tx, o.orgs, fresh.questions(), fresh.shownIn()), fresh)
	if err != nil {
		return err
	}
	for k, t := range fresh {
		row := &o.Rows[o.at[k.Version]]
		row.AttentionRank = t.rank(slowest)
		row.Settled = t.timed7 < spikeTimes || t.rank(medianTimes{}) == row.AttentionRank
	}
	return nil
}
