package reporting

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// tries are n equal attempts: the chosen option ("" for none), how many days after the epoch, in
// which run, how long it took, and whether the focus was lost.
type tries struct {
	n      int
	option string
	day    int
	run    string
	ms     int
	blur   bool
}

// at gives the option of n attempts that differ in nothing else.
func at(option string, n int) tries { return tries{n: n, option: option, ms: 1000} }

func in(run string, day int, t tries) tries {
	t.run, t.day = run, day
	return t
}

// flagged are questions exactly at the threshold of a flag and just short of it, in each of the
// ways to fall short (specification, section 4.4).
var flagged = []struct {
	flag     string
	value    float64
	n        int64
	sentence string
	raised   []tries
	short    map[string][]tries
}{
	{"TOO_EASY", 0.9, 30, "90 % of the scored answers are right: the question is so easy that it tells few people apart.",
		[]tries{at("A", 27), at("B", 3)}, map[string][]tries{"26 of 30": {at("A", 26), at("B", 4)}, "29 scored": {at("A", 29), at("", 1)}}},
	{"TOO_HARD", 0.2, 30, "Only 20 % of the scored answers are right: the question may be too hard, unclear, or its key wrong.",
		[]tries{at("A", 6), at("B", 24)}, map[string][]tries{"7 of 30": {at("A", 7), at("B", 23)}, "29 scored": {at("B", 29), at("", 1)}}},
	{"HIGH_OMIT", 0.1, 30, "10 % of those who saw the question left it out.",
		[]tries{at("A", 27), at("", 3)}, map[string][]tries{"3 of 31": {at("A", 28), at("", 3)}, "29 attempts": {at("A", 19), at("", 10)}}},
	{"TIME_SPIKE", 2, 30, "The typical answer of the last 7 days took 2.0 times as long as that of the last 30.",
		[]tries{{31, "A", 0, "", 1000, false}, {30, "A", 20, "", 2000, false}},
		map[string][]tries{"a little faster": {{31, "A", 0, "", 1000, false}, {30, "A", 20, "", 1999, false}},
			"29 in 7 days":      {{31, "A", 0, "", 1000, false}, {29, "A", 20, "", 2000, false}},
			"one left out":      {{31, "A", 0, "", 1000, false}, {29, "A", 20, "", 2000, false}, {1, "", 20, "", 2000, false}},
			"seven days before": {{31, "A", 0, "", 1000, false}, {29, "A", 20, "", 2000, false}, {1, "A", 13, "", 2000, false}}}},
	{"NON_FUNCTIONING_DISTRACTOR", 0, 50, "A wrong option was chosen by 0.0 %: hardly anyone believes it, so it does not help to tell people apart.",
		[]tries{at("A", 30), at("B", 20)}, map[string][]tries{"1 of 50": {at("A", 30), at("B", 19), at("C", 1)}, "49 scored": {at("A", 30), at("B", 19), at("", 1)}}},
	{"DISTRACTOR_DOMINANCE", 0.5, 50, "50 % chose the same wrong option: check the key first, then the wording.",
		[]tries{at("A", 25), at("B", 25)}, map[string][]tries{"24 of 50": {at("A", 25), at("B", 24), at("C", 1)}, "49 scored": {at("A", 24), at("B", 25), at("", 1)}}},
	{"SPLIT_DISTRACTORS", 0.25, 52, "Two wrong options were chosen by at least 25 % each: the question may be read in more than one way.",
		[]tries{at("A", 26), at("B", 13), at("C", 13)}, map[string][]tries{"13 of 53": {at("A", 27), at("B", 13), at("C", 13)}, "49 scored": {at("A", 23), at("B", 13), at("C", 13), at("", 1)}}},
	{"FACILITY_DRIFT_UP", 0.2, 20, "In the last run 20 more in a hundred were right than in the last 30 days: the question may have become known.",
		[]tries{in("1", 0, at("A", 6)), in("1", 0, at("B", 14)), in("2", 20, at("A", 14)), in("2", 20, at("B", 6))},
		map[string][]tries{"13 of 20": {in("1", 0, at("A", 7)), in("1", 0, at("B", 13)), in("2", 20, at("A", 13)), in("2", 20, at("B", 7))},
			"a run of 19": {in("1", 0, at("B", 20)), in("2", 20, at("A", 19))}}},
	{"FACILITY_DRIFT_DOWN", -0.2, 20, "In the last run 20 fewer in a hundred were right than in the last 30 days: look at what has changed.",
		[]tries{in("1", 0, at("A", 14)), in("1", 0, at("B", 6)), in("2", 20, at("A", 6)), in("2", 20, at("B", 14))},
		map[string][]tries{"7 of 20": {in("1", 0, at("A", 13)), in("1", 0, at("B", 7)), in("2", 20, at("A", 7)), in("2", 20, at("B", 13))},
			"a run of 19": {in("1", 0, at("A", 20)), in("2", 20, at("B", 19))}}},
	{"HIGH_FOCUS_LOST_RATE", 0.25, 52, "In 25 % of the attempts the exam window was left: answers may have been looked up.",
		[]tries{at("A", 39), {13, "A", 0, "", 1000, true}},
		map[string][]tries{"13 of 53": {at("A", 40), {13, "A", 0, "", 1000, true}}, "49 attempts": {at("A", 9), {40, "A", 0, "", 1000, true}}}},
}

// trySQL writes attempts at a question: $1 tenant, $2 org unit, $3 version, $4 start, $5
// question, $6 to $10 what the attempts are like, $11 their ids.
var trySQL = []string{
	`insert into submissions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, submitted_by, status,
		completion_method, started_at, completed_at, score, max_score, outcome_code, outcome_label, run_label, snapshot_hash, approval_status)
	select $1, t.id, $2, v.evaluation_id, v.id, (select id from users where tenant_id = $1 limit 1), 'test', 'completed', 'submitted',
		$4, $4::timestamptz + day * interval '1 day', 0, 1, 'pass', '', nullif(run, ''), v.snapshot_hash, 'not_required'
	from unnest($6::text[], $7::int[], $8::text[], $9::int[], $10::bool[], $11::uuid[]) t (option, day, run, ms, blur, id),
		evaluation_versions v where v.tenant_id = $1 and v.id = $3 and $5::uuid is not null`,
	`insert into submission_items (tenant_id, submission_id, id, org_unit_id, item_id, question_version_id, position, qtype, response,
		score_status, score_method, score, max_score, is_correct, is_omitted, correct_selected, incorrect_selected, total_correct, time_spent_ms)
	select $1, t.id, gen_random_uuid(), $2, $5, $5, 0, 'mcq', jsonb_build_object('optionIds', jsonb_build_array(option)), 'SCORED', 'key',
		(option = 'A')::int, 1, option = 'A', option = '', (option = 'A')::int, (option <> 'A')::int, 1, ms
	from unnest($6::text[], $7::int[], $8::text[], $9::int[], $10::bool[], $11::uuid[]) t (option, day, run, ms, blur, id)
	where $3::uuid is not null and $4::timestamptz is not null`,
	`insert into submission_telemetry_summary (tenant_id, org_unit_id, submission_id, events_n, focus_lost_n, fullscreen_exit_n, copy_n,
		paste_n, network_lost_n, heartbeat_n)
	select $1, $2, t.id, 1, 1, 0, 0, 0, 0, 0
	from unnest($6::text[], $7::int[], $8::text[], $9::int[], $10::bool[], $11::uuid[]) t (option, day, run, ms, blur, id)
	where blur and $3::uuid is not null and $4::timestamptz is not null and $5::uuid is not null`,
	`insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at)
	select $1, 'submission', t.id, $4
	from unnest($6::text[], $7::int[], $8::text[], $9::int[], $10::bool[], $11::uuid[]) t (option, day, run, ms, blur, id)
	where $2::uuid is not null and $3::uuid is not null and $5::uuid is not null`,
}

func (c *cohort) try(ctx context.Context, tx *db.Tx, question ids.ID, all []tries) error {
	var options, runs []string
	var days, times []int
	var blurs []bool
	var made []ids.ID
	for _, one := range all {
		for range one.n {
			options, runs, days, times = append(options, one.option), append(runs, one.run), append(days, one.day), append(times, one.ms)
			blurs, made = append(blurs, one.blur), append(made, ids.New())
		}
	}
	for _, sql := range trySQL {
		_, err := tx.Exec(ctx, sql+" returning true", c.tenant, c.orgs[0], c.versions[0], epoch, question, options, days, runs, times, blurs, made)
		if err != nil {
			return err
		}
	}
	return nil
}

// From attempts to list, page and archive: each flag is raised at its threshold, with value,
// threshold, sample size and sentence, and not a step before it.
func TestFlagsAreRaisedAtTheirThresholds(t *testing.T) {
	t.Parallel()
	var tried []string
	for _, f := range flagged {
		tried = append(tried, f.flag)
	}
	if diff := cmp.Diff(projection.FlagCodes(), tried); diff != "" {
		t.Errorf("flags that are tried here (-rules +tried):\n%s", diff)
	}
	c := found(t, dbtest.Clone(t), 1)
	at, short := map[string]ids.ID{}, map[string]ids.ID{}
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		for _, f := range flagged {
			at[f.flag] = c.question(t, ctx, tx, f.raised)
			for what, tried := range f.short {
				short[f.flag+", "+what] = c.question(t, ctx, tx, tried)
			}
		}
		return nil
	})
	c.project(t)
	_, files := unzip(t, c.export(t, HealthFilter{}))
	exported := func(question ids.ID) []string {
		return strings.Split(lineOf(files["question_health_core.csv"], question)["flags"], ";")
	}
	list, filtered := c.listed(t, HealthFilter{}), c.listed(t, HealthFilter{EvaluationVersionID: c.versions[0]})
	for _, f := range flagged {
		d, flag := c.flagOf(t, at[f.flag], f.flag)
		if flag == nil || math.Abs(flag.Value-f.value) > 1e-9 || flag.N != f.n || flag.Sentence != f.sentence {
			t.Errorf("%s: got %+v, want value %v of %d: %s", f.flag, flag, f.value, f.n, f.sentence)
		}
		if got := exported(at[f.flag]); !slices.Contains(got, f.flag) || len(got) != len(d.Flags) {
			t.Errorf("%s: the export has %v", f.flag, got)
		}
		for _, badge := range []HealthBadge{list[at[f.flag]], filtered[at[f.flag]]} {
			if !slices.Contains(badge.TopReasons, f.flag) && len(badge.TopReasons) < 3 || badge.Status != d.HealthBadge.Status {
				t.Errorf("%s: the list has %+v, the page %+v", f.flag, badge, d.HealthBadge)
			}
		}
	}
	for what, question := range short {
		code, _, _ := strings.Cut(what, ",")
		_, flag := c.flagOf(t, question, code)
		if flag != nil || slices.Contains(exported(question), code) {
			t.Errorf("%s: raised, %+v", what, flag)
		}
	}
}

// question makes a question of the options A (right) to C with attempts.
func (c *cohort) question(t *testing.T, ctx context.Context, tx *db.Tx, all []tries) ids.ID {
	t.Helper()
	question := ids.New()
	for place, option := range []string{"A", "B", "C"} {
		_, err := tx.Exec(ctx, "insert into report_question_options values ($1, $2, $3, $4, $5, $6)",
			c.tenant, c.orgs[0], question, option, place, option == "A")
		if err != nil {
			t.Fatal(err)
		}
	}
	err := c.try(ctx, tx, question, all)
	if err != nil {
		t.Fatal(err)
	}
	return question
}

// flagOf finds a flag on the page of a question; the list shows the same badge.
func (c *cohort) flagOf(t *testing.T, question ids.ID, code string) (QuestionHealthDetail, *projection.Flag) {
	t.Helper()
	d := report(t, c, c.analyst(c.orgs[0]), func(tx *db.Tx) (QuestionHealthDetail, error) {
		return QuestionHealth(t.Context(), tx, question, HealthFilter{})
	})
	for _, f := range d.Flags {
		if f.Code == code {
			return d, &f
		}
	}
	return d, nil
}

// listed are the badges of all questions in a list.
func (c *cohort) listed(t *testing.T, f HealthFilter) map[ids.ID]HealthBadge {
	t.Helper()
	all := map[ids.ID]HealthBadge{}
	for f.Page = (db.Page{Page: 1, Limit: 20}); ; f.Page.Page++ {
		list := report(t, c, c.analyst(c.orgs[0]), func(tx *db.Tx) (HealthList, error) { return ListHealth(t.Context(), tx, f) })
		for _, row := range list.Items {
			all[row.QuestionVersionID] = row.HealthBadge
		}
		if len(list.Items) == 0 {
			return all
		}
	}
}
