package reporting

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// acts are what can happen at a fair, the more frequent ones more than once.
var acts = []func(*fair, *testing.T, *rapid.T){
	(*fair).start, (*fair).start, (*fair).start, (*fair).submit, (*fair).submit, (*fair).submit, (*fair).submit, (*fair).expire, (*fair).give,
	(*fair).mark, (*fair).mark, (*fair).remediate, (*fair).takeBack, (*fair).applyAgain, (*fair).decide, (*fair).void, (*fair).projectSome,
}

func (f *fair) act(t *testing.T, rt *rapid.T) { rapid.SampledFrom(acts).Draw(rt, "act")(f, t, rt) }

// start begins an attempt some days ago.
func (f *fair) start(t *testing.T, rt *rapid.T) {
	s := begun{id: ids.New(), user: rapid.SampledFrom(f.users).Draw(rt, "user"), version: rapid.SampledFrom([]int{0, 0, 0, 1, 1, 2}).Draw(rt, "version")}
	var by *ids.ID
	run := drawRun(rt)
	if len(f.assigned) > 0 && s.version < 2 && rapid.IntRange(0, 3).Draw(rt, "assigned") > 0 {
		a := f.assigned[rapid.IntRange(0, len(f.assigned)-1).Draw(rt, "by")]
		by, run = &a.id, a.run
		if a.kind == "user_id" || a.kind == "email" {
			s.user = a.target
		}
	}
	// Mostly within six days, and some in the weeks before, for the windows of 7 and 30 days.
	s.started = epoch.Add(time.Duration(rapid.IntRange(0, 6*24*60).Draw(rt, "minutes"))*time.Minute -
		time.Duration(rapid.SampledFrom([]int{0, 0, 0, 8, 40}).Draw(rt, "before"))*24*time.Hour)
	f.exec(t, `insert into sessions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, started_by, state, assignment_id,
		run_label, started_at, last_activity_at, seed) values ($1, $2, $3, $4, $5, $6, 'test', 'open', $7, $8, $9, $9, 1)`,
		f.tenant, s.id, f.units[s.version], f.printed[s.version].EvaluationID, f.versions[s.version], s.user, by, run, s.started)
	f.events[s.id] = eventCounts{focus: rapid.IntRange(0, 2).Draw(rt, "focus"), exits: rapid.IntRange(0, 1).Draw(rt, "exits")}
	for kind, n := range map[string]int{"focus_lost": f.events[s.id].focus, "fullscreen_exit": f.events[s.id].exits} {
		for range n {
			f.exec(t, "insert into session_events (tenant_id, session_id, id, org_unit_id, event_type, occurred_at) values ($1, $2, $3, $4, $5, $6)",
				f.tenant, s.id, ids.New(), f.units[s.version], kind, s.started)
		}
	}
	f.queue(t, "session", s.id)
	f.open = append(f.open, s)
}

// take draws an element and removes it from the others.
func take[T any](rt *rapid.T, all *[]T) (T, bool) {
	if len(*all) == 0 {
		var none T
		return none, false
	}
	at := rapid.IntRange(0, len(*all)-1).Draw(rt, "which")
	one := (*all)[at]
	*all = slices.Delete(slices.Clone(*all), at, at+1)
	return one, true
}

var responses = [][]string{
	choice:  {`{"optionIds":["A"]}`, `{"optionIds":["A"]}`, `{"optionIds":["B"]}`, `{"optionIds":["D"]}`, ""},
	several: {`{"optionIds":["C","B"]}`, `{"optionIds":["B"]}`, `{"optionIds":["A","B"]}`, `{"optionIds":["A","B","C","D"]}`, `{"optionIds":["A"]}`, ""},
	number:  {`{"number":10.5}`, `{"number":3}`, ""},
	essay:   {`{"text":"An essay."}`, ""},
	survey:  {`{"optionIds":["A"]}`, `{"optionIds":["B"]}`, ""},
	sequence: {`{"optionIds":["D","A","C","B"]}`, `{"optionIds":["D","A","C","B"]}`, `{"optionIds":["A","D","C","B"]}`, `{"optionIds":["B","C","A","D"]}`,
		`{"optionIds":["D","A"]}`, ""},
	pairing: {`{"pairs":[["p1","B"],["p1","A"],["p2","C"]]}`, `{"pairs":[["p1","A"]]}`, `{"pairs":[["p1","A"],["p2","D"],["p3","D"]]}`, `{"pairs":[["p2","A"]]}`,
		`{"pairs":[["p1","A"],["p1","B"],["p1","C"]]}`, ""},
	filling: {`{"gaps":{"g1":" YES","g2":"B","g3":"5.5","g4":"A"}}`, `{"gaps":{"g1":"no","g3":"7","g5":"B"}}`, `{"gaps":{"g2":"C","g4":"B","g1":" \u00a0\u2003"}}`, `{"gaps":{"g2":"A"}}`,
		`{"gaps":{"g4":"A","g5":"A"}}`, ""},
}

func (f *fair) answers(rt *rapid.T, version int) []session.Answer {
	var all []session.Answer
	for place := range responses {
		item, shown := f.question(version, place)
		response := rapid.SampledFrom(responses[place]).Draw(rt, "response")
		if !shown || response == "" {
			continue
		}
		answer := session.Answer{ItemID: item.ItemID, Sequence: 1, Response: json.RawMessage(response)}
		if rapid.Bool().Draw(rt, "timed") {
			ms := rapid.Int64Range(0, 9000).Draw(rt, "ms")
			answer.TimeSpentMs = &ms
		}
		all = append(all, answer)
	}
	return all
}

// save leaves answers in a session.
func (f *fair) save(t *testing.T, rt *rapid.T, s begun) {
	answers := f.answers(rt, s.version)
	if len(answers) == 0 {
		return
	}
	sample.Write(t, f.store, f.taker(s.user, s.version), func(tx *db.Tx) error {
		_, err := f.desk.Save(t.Context(), tx, session.SaveInput{EvaluationID: f.printed[s.version].EvaluationID, SessionID: s.id, Answers: answers})
		return err
	})
}

// submit hands an attempt in, at a time that may lie before its start, as times of imports do.
func (f *fair) submit(t *testing.T, rt *rapid.T) {
	s, found := take(rt, &f.open)
	if !found {
		return
	}
	f.save(t, rt, s)
	as, method := f.taker(s.user, s.version), rapid.SampledFrom([]string{"submitted", "proctor_submitted", "imported"}).Draw(rt, "method")
	if method == "proctor_submitted" {
		as = f.operator
	}
	sample.Write(t, f.store, as, func(tx *db.Tx) error {
		_, err := f.desk.Submit(t.Context(), tx, session.SubmitInput{EvaluationID: f.printed[s.version].EvaluationID, SessionID: s.id})
		if err != nil {
			return err
		}
		_, err = tx.Exec(t.Context(), "update submissions set completed_at = $3, completion_method = $4 where tenant_id = $1 and id = $2",
			f.tenant, s.id, s.started.Add(time.Duration(rapid.IntRange(-1, 40*3600).Draw(rt, "took"))*time.Second), method)
		return err
	})
	f.ended = append(f.ended, s)
}

// expire lets the time of an attempt run out.
func (f *fair) expire(t *testing.T, rt *rapid.T) {
	s, found := take(rt, &f.open)
	if !found {
		return
	}
	f.save(t, rt, s)
	f.exec(t, "update sessions set deadline_at = $3 where tenant_id = $1 and id = $2", f.tenant, s.id, s.started.Add(time.Hour))
	f.must(t, func(ctx context.Context, tx *db.Tx) error {
		done, err := f.desk.Expire(ctx, tx, s.id)
		if err == nil && !done {
			return fmt.Errorf("session %s did not expire", s.id)
		}
		return err
	})
	f.ended = append(f.ended, s)
}

// give ends an attempt without a submission: somebody closes it, or the person never came back.
func (f *fair) give(t *testing.T, rt *rapid.T) {
	s, found := take(rt, &f.open)
	if !found {
		return
	}
	f.must(t, func(ctx context.Context, tx *db.Tx) error {
		if rapid.Bool().Draw(rt, "close") {
			_, err := f.desk.Close(ctx, tx, session.CloseInput{EvaluationID: f.printed[s.version].EvaluationID, SessionID: s.id, Reason: "fire alarm"})
			return err
		}
		n, err := session.Abandon(ctx, tx, []ids.ID{s.id}, tx.Now())
		if err == nil && n != 1 {
			return fmt.Errorf("session %s was not abandoned", s.id)
		}
		return err
	})
}

func (f *fair) must(t *testing.T, do func(context.Context, *db.Tx) error) {
	t.Helper()
	sample.Write(t, f.store, f.operator, func(tx *db.Tx) error { return do(t.Context(), tx) })
}

// projectSome projects a part and leaves the rest for later.
func (f *fair) projectSome(t *testing.T, rt *rapid.T) {
	f.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := projection.ProjectBatch(ctx, tx, rapid.IntRange(1, 5).Draw(rt, "batch"))
		return err
	})
}
