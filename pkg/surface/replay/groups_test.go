package replay_test

import (
	"context"
	"fmt"
	"net/url"
	"testing"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/surface/demo"
)

// groupFigures are the figures of one group in the summary, including its only section.
type groupFigures struct{ Persons, Passed, Attempts, Scored, Correct int }

// TestGroupsAgreeWithTheOracle puts the persons into groups by a variable of theirs, assigns
// the exam to each, and lets the projector look again: the figures of the groups are those
// that were computed elsewhere.
func TestGroupsAgreeWithTheOracle(t *testing.T) {
	const mark = 60
	for _, exam := range []struct {
		folder, variable string
		quick            int
	}{{"hci", "gender", 120}, {"fims", "country", 0}, {"medical_mrq", "gender", 0}, {"credential1", "country_group", 0}} {
		if exam.quick == 0 && !everything() {
			continue
		}
		t.Run(exam.folder, func(t *testing.T) {
			data, oracle := openExam(t, exam.folder)
			levels := oracle.levels(exam.variable)
			want := oracle.groups(exam.variable)
			if !everything() {
				data.Persons = data.Persons[:exam.quick]
				want = groupsOf(data, levels, mark)
			}
			e := sit(t, data, mark, nil)
			e.assign(levels)
			equal(t, "groups", want, e.groups())
		})
	}
}

func (o oracle) levels(variable string) map[string]string {
	levels := map[string]string{}
	for _, r := range o.rows("persons.csv") {
		levels[r["person_id"]] = r[variable]
		if r[variable] == "" {
			levels[r["person_id"]] = "(missing)"
		}
	}
	return levels
}

func (o oracle) groups(variable string) map[string]groupFigures {
	all := map[string]groupFigures{}
	for _, r := range o.rows("groups_oracle.csv") {
		if r["group"] == variable && r["item_id"] == "*" {
			all[r["level"]] = groupFigures{Persons: o.count(r["persons"]), Passed: o.count(r["pass60"]), Attempts: o.count(r["attempts"]),
				Scored: o.count(r["scored"]), Correct: o.count(r["correct"])}
		}
	}
	return all
}

// groupsOf counts the same from the answers.
func groupsOf(data demo.Dataset, levels map[string]string, mark float64) map[string]groupFigures {
	right := rightAnswers(data)
	all := map[string]groupFigures{}
	for _, person := range data.Persons {
		g := all[levels[person.ID]]
		g.Persons++
		if right[person.ID]*100 >= mark*float64(len(data.Items)) {
			g.Passed++
		}
		g.Correct += int(right[person.ID])
		for _, chosen := range person.Responses {
			g.Attempts++
			if chosen != "" {
				g.Scored++
			}
		}
		all[levels[person.ID]] = g
	}
	return all
}

// assign says after the fact that each attempt came by an assignment to a group. The
// projector takes the attempts out of the figures and puts them in again.
func (e examined) assign(levels map[string]string) {
	e.t.Helper()
	attempts := map[string][]string{}
	for _, s := range e.result.Sessions {
		attempts[levels[s.Person]] = append(attempts[levels[s.Person]], s.SubmissionID)
	}
	for level, of := range attempts {
		group, assignment := ids.New(), ids.New()
		e.write("insert into groups (tenant_id, id, org_unit_id, name, join_token, created_at, updated_at) values ($1, $2, $3, $4, $5, now(), now())",
			e.app.Tenant, group, e.app.OrgUnit, level, group.String())
		e.write(`insert into assignments (tenant_id, id, org_unit_id, evaluation_id, target_type, target_ref, status, created_by, created_at, updated_at)
			values ($1, $2, $3, $4::text::uuid, 'group_id', $5, 'active', 'test', now(), now())`,
			e.app.Tenant, assignment, e.app.OrgUnit, e.result.EvaluationID, group.String())
		for _, table := range []string{"sessions", "submissions"} {
			e.write("update "+table+" set assignment_id = $2 where tenant_id = $1 and id::text = any($3)", e.app.Tenant, assignment, of)
		}
		e.write(`insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) select $1::uuid, 'submission', id::uuid, now() from unnest($3::text[]) id
			union all select $1::uuid, 'assignment', $2::uuid, now() returning true`, e.app.Tenant, assignment, of)
	}
	e.app.Project(e.t)
}

func (e examined) write(sql string, args ...any) {
	e.t.Helper()
	err := e.app.Store.Write(e.t.Context(), db.System(e.app.Tenant, "test"), func(tx *db.Tx) error {
		_, err := tx.Exec(context.WithoutCancel(e.t.Context()), sql, args...)
		return err
	})
	if err != nil {
		e.t.Fatal(fmt.Errorf("%w in %s", err, sql))
	}
}

func (e examined) groups() map[string]groupFigures {
	all := map[string]groupFigures{}
	for _, row := range listAll[struct {
		Label    string
		Attempts struct{ Completed, UniqueUsers int }
		Outcomes struct {
			PassN int `json:"pass_n"`
		}
		Sections []struct{ ItemAttempts, ScoredAttempts, Correct int }
	}](e.t, e.app.URL, e.token, "/reporting/evaluation-summary/groups",
		url.Values{"evaluationVersionId": {e.result.EvaluationVersionID}, "include": {"sections"}}) {
		if row.Attempts.Completed != row.Attempts.UniqueUsers || len(row.Sections) != 1 {
			e.t.Fatalf("%+v", row)
		}
		s := row.Sections[0]
		all[row.Label] = groupFigures{row.Attempts.Completed, row.Outcomes.PassN, s.ItemAttempts, s.ScoredAttempts, s.Correct}
	}
	return all
}
