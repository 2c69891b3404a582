package projection

import (
	"context"
	"fmt"
	"slices"
	"time"

	"assess/models"
	"assess/pkg/db"
	"assess/pkg/ids"
)

// Outline is what the sums of the attempts that a filter chooses say of each question: all
// that lists are ordered by, but for the attention rank. That looks at options and medians
// too, which are read for those questions alone whose place depends on them.
type Outline struct {
	filter Filter
	orgs   []ids.ID
	all    keyed
	// Rows have the counts and rates of each question, its drift, and its attention rank or, as
	// long as it is not settled, the highest that it can have.
	Rows []models.QuestionHealth
	// at is the place of a question in Rows.
	at      map[ids.ID]int
	settled map[ids.ID]bool
}

// outlineSQL gives a row for each question, evaluation version and run. The windows end with
// the newest day of the question in all of them.
const outlineSQL = `
select question_version_id, evaluation_version_id, run_label, max(qtype), sum(attempts_n)::bigint, sum(scored_n)::bigint,
	sum(exempt_n)::bigint, sum(correct_n)::bigint, sum(focus_lost_n)::bigint,
	coalesce(sum(correct_n) filter (where day > newest - 30), 0)::bigint,
	coalesce(sum(scored_n) filter (where day > newest - 30), 0)::bigint,
	coalesce(sum(time_n) filter (where day > newest - 7), 0)::bigint, max(day)
from (select d.*, max(day) over (partition by question_version_id) as newest from day d) d
group by 1, 2, 3`

// countsSQL gives attempts and what is exempt alone.
const countsSQL = `
select question_version_id, sum(attempts_n)::bigint, sum(exempt_n)::bigint from day group by 1`

// NewOutline adds the attempts up.
func NewOutline(ctx context.Context, tx *db.Tx, f Filter) (*Outline, error) {
	orgs, err := OrgUnits(ctx, tx)
	if err != nil {
		return nil, err
	}
	o := &Outline{filter: f, orgs: orgs, all: keyed{}, at: map[ids.ID]int{}, settled: map[ids.ID]bool{}}
	s := f.source(tx, orgs)
	var question, version ids.ID
	var t tally
	var r runTally
	err = each(ctx, tx, "with "+s.cells+outlineSQL, s.args, []any{&question, &version, &r.label, &t.qtype, &r.attempts, &r.scored, &r.exempt,
		&r.correct, &t.focusLost, &t.correct30, &t.scored30, &t.timed7, &r.lastDay}, func() {
		o.all.at(ids.None, question).join(version, t, r)
	})
	if err != nil {
		return nil, fmt.Errorf("outline questions: %w", err)
	}
	for _, k := range o.all.keys() {
		h := o.all[k].health()
		h.QuestionVersionID = k.Version
		o.at[k.Version] = len(o.Rows)
		h.AttentionRank = worst(h).AttentionRank()
		o.settled[k.Version] = h.AttentionRank == 0
		o.Rows = append(o.Rows, h)
	}
	return o, nil
}

// Counts gives the attempts of each question and its omit rate, for the orders that look at
// nothing else.
func Counts(ctx context.Context, tx *db.Tx, f Filter) ([]models.QuestionHealth, error) {
	orgs, err := OrgUnits(ctx, tx)
	if err != nil {
		return nil, err
	}
	s := f.source(tx, orgs)
	var rows []models.QuestionHealth
	var h models.QuestionHealth
	err = each(ctx, tx, "with "+s.cells+countsSQL, s.args, []any{&h.QuestionVersionID, &h.AttemptsN, &h.ExemptN}, func() {
		h.OmitRate = Ratio(h.ExemptN, h.AttemptsN)
		rows = append(rows, h)
	})
	if err != nil {
		return nil, fmt.Errorf("count attempts: %w", err)
	}
	return rows, nil
}

// join adds what a run of an evaluation version has to the counts of a question.
func (t *tally) join(version ids.ID, part tally, r runTally) {
	t.qtype = part.qtype
	t.attempts, t.scored, t.exempt, t.correct = t.attempts+r.attempts, t.scored+r.scored, t.exempt+r.exempt, t.correct+r.correct
	t.focusLost, t.timed7 = t.focusLost+part.focusLost, t.timed7+part.timed7
	t.correct30, t.scored30 = t.correct30+part.correct30, t.scored30+part.scored30
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

// worst judges a question as if what is not known of it yet were as bad as it can be.
func worst(h models.QuestionHealth) Badge {
	f := figuresOf(h)
	slow, usual := 1e9, 1.0
	f.Median7dMs, f.Median30dMs = &slow, &usual
	if h.QType == "mcq" || h.QType == "mrq" {
		f.WrongOptions = []float64{1, 1, 0}
	}
	return Judge(f)
}

// Settled says whether the attention rank of a question is its own.
func (o *Outline) Settled(question ids.ID) bool { return o.settled[question] }

// Settle finds the attention ranks of questions.
func (o *Outline) Settle(ctx context.Context, tx *db.Tx, questions []ids.ID) error {
	some, chosen, timed := keyed{}, keyed{}, keyed{}
	for _, question := range questions {
		k := key{ids.None, question}
		t := o.all[k]
		some[k] = t
		if t.scored >= optionAttempts {
			chosen[k] = t
		}
		if t.timed7 >= spikeTimes {
			timed[k] = t
		}
	}
	f := o.filter
	f.Questions = chosen.questions()
	err := readOptions(ctx, tx, f.source(tx, o.orgs), chosen)
	if err != nil {
		return err
	}
	err = readFacts(ctx, tx, togetherFacts(tx, o.orgs, questions, some.shownIn()), some)
	if err != nil {
		return err
	}
	medians, err := f.spikes(ctx, tx, o.orgs, timed)
	if err != nil {
		return err
	}
	for k, t := range some {
		h := &o.Rows[o.at[k.Version]]
		h.OptionPct = shares(t.optionCounts(), t.scored)
		medians[k].set(h)
		applyBadge(h, t)
		h.OptionPct, t.options, t.key.Options = nil, nil, nil
		o.settled[k.Version] = true
	}
	return nil
}

// slowSQL finds the questions of $n and their newest days whose median of 7 days may be twice that
// of 30, as far as steps say. All the others are spared the look at attempts.
const slowSQL = `, asked as (
	select * from unnest(%[1]s::uuid[], %[2]s::date[]) a (question_version_id, newest)
), stepped as (
	select question_version_id, step_ms, sum(n)::bigint as n, coalesce(sum(n) filter (where day > newest - 7), 0)::bigint as n7
	from asked a, lateral (select t.step_ms, t.day, t.n from times t where t.question_version_id = a.question_version_id and t.day > a.newest - 30 offset 0) t
	group by 1, 2
), running as (
	select *, sum(n) over below as upto, sum(n) over whole as all_n, sum(n7) over below as upto7, sum(n7) over whole as all7
	from stepped window whole as (partition by question_version_id), below as (partition by question_version_id order by step_ms)
)
select question_version_id from running group by 1
having max(step_end(step_ms, ` + timeBits + `)) filter (where upto7 - n7 <= ceil((all7 - 1) / 2.0) and n7 > 0)
	>= %[3]d * min(step_ms) filter (where upto > floor((all_n - 1) / 2.0))`

func (s source) slow(questions []ids.ID, newest []time.Time) (string, []any) {
	n := len(s.args)
	return "with " + s.cells + fmt.Sprintf(slowSQL, fmt.Sprintf("$%d", n+1), fmt.Sprintf("$%d", n+2), spikeRatio), append(s.args, questions, newest)
}

// spikes gives the medians of 7 and 30 days of the questions that TIME_SPIKE may be true of.
func (f Filter) spikes(ctx context.Context, tx *db.Tx, orgs []ids.ID, timed keyed) (map[key]medianTimes, error) {
	if len(timed) == 0 {
		return nil, nil
	}
	f.Questions = timed.questions()
	var newest []time.Time
	for _, question := range f.Questions {
		newest = append(newest, timed[key{ids.None, question}].newest)
	}
	sql, args := f.source(tx, orgs).slow(f.Questions, newest)
	slow := []ids.ID{}
	var question ids.ID
	err := each(ctx, tx, sql, args, []any{&question}, func() { slow = append(slow, question) })
	if err != nil {
		return nil, fmt.Errorf("look for slow questions: %w", err)
	}
	if len(slow) == 0 {
		return nil, nil
	}
	f.Questions = slow
	medians, _, err := Percentiles{windows}.find(ctx, tx, f.source(tx, orgs))
	return medians, err
}
