package skills_test

import (
	"fmt"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/report/skills"
)

// crowded is how many other people have figures of the same skills, in the same org unit.
const crowded = 20_000

// Among twenty thousand other people with the same skills, whatever is asked about a person, a skill, a group
// or a version reads its own rows alone.
func TestReadingFiguresReadsNoOthers(t *testing.T) {
	t.Parallel()
	urls := dbtest.Fresh(t)
	c := newClassIn(t, dbtest.Open(t, db.Options{URL: urls.App}), drawn(3, 6))
	group := c.group(c.people...)
	c.project()
	c.cells()
	c.crowd(urls)
	page := db.Page{Page: 1, Limit: 25}
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		for _, look := range []struct {
			what string
			most int64
			do   func(tx *db.Tx) error
		}{
			{"a profile", 100, func(tx *db.Tx) error { _, err := skills.GetProfile(t.Context(), tx, c.people[0], page); return err }},
			{"a profile with what is behind it", 200, func(tx *db.Tx) error {
				_, err := skills.ExplainProfile(t.Context(), tx, c.people[0], page)
				return err
			}},
			{"evidence", 200, func(tx *db.Tx) error {
				_, err := skills.GetEvidence(t.Context(), tx, c.people[0], c.whole, page)
				return err
			}},
			{"an overview", 100, func(tx *db.Tx) error {
				_, err := skills.GetOverview(t.Context(), tx, skills.OverviewFilter{Page: page})
				return err
			}},
			{"an overview of a group", 100, func(tx *db.Tx) error {
				_, err := skills.GetOverview(t.Context(), tx, skills.OverviewFilter{GroupID: group, Page: page})
				return err
			}},
			{"the sources of a skill", 200, func(tx *db.Tx) error { _, err := skills.ListSources(t.Context(), tx, c.half, page); return err }},
			{"the coverage of a version", 300, func(tx *db.Tx) error {
				_, err := skills.GetCoverage(t.Context(), tx, skills.CoverageFilter{EvaluationID: c.evaluation, EvaluationVersionID: c.version, FrameworkID: c.framework, Page: page})
				return err
			}},
			{"what a version resolves to", 300, func(tx *db.Tx) error {
				_, err := skills.Resolve(t.Context(), tx, skills.ResolveFilter{EvaluationVersionID: c.version, Page: page})
				return err
			}},
		} {
			err := c.store.DryRun(t.Context(), c.operator, func(tx *db.Tx) error {
				plans.Force(t, tx)
				dbtest.ByIndex(t, tx, look.what, look.most, func() error { return look.do(tx) },
					"report_skill_facts", "report_skill_rollups", "report_skill_cells", "report_skill_matches", "report_item_attempts_flat", "users")
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}, urls)
}

// crowd gives very many other people facts and figures of the same skills, groups of theirs cells, and other
// versions questions for other skills.
func (c *class) crowd(urls dbtest.URLs) {
	c.Helper()
	super := dbtest.Heap(c.T, urls)
	made := fmt.Sprintf("insert into %%s select '%s', %%s from (select n, gen_random_uuid() as id, s as skill from generate_series(1, %d) n cross join unnest(array['%s', '%s']::uuid[]) s) m",
		c.operator.Tenant, crowded, c.whole, c.half)
	org := "'" + c.operator.OrgUnit.String() + "'"
	for _, x := range [][2]string{
		{"users (tenant_id, id, email, email_key, created_at, updated_at)", "id, id || '@example.net', id || '@example.net', now(), now()"},
		{"report_skill_facts (tenant_id, org_unit_id, submission_id, submission_item_id, rule_id, skill_id, user_id, question_version_id, completed_at, value, weight)",
			org + ", id, id, id, skill, id, id, now(), 0.5, 1"},
		{"report_skill_rollups (tenant_id, org_unit_id, user_id, skill_id, value, facts_n, submissions_n, first_at, last_at)", org + ", id, skill, 0.5, 1, 1, now(), now()"},
		{"report_skill_cells (tenant_id, org_unit_id, skill_id, group_id, people_n, value_sum, level_counts, is_shown)", org + ", skill, id, 10, 5, '{10}', true"},
		{"report_skill_matches (tenant_id, org_unit_id, evaluation_version_id, question_version_id, rule_id, skill_id, weight)", org + ", id, id, id, id, 1"},
	} {
		_, err := super.Exec(c.Context(), fmt.Sprintf(made, x[0], x[1]))
		if err != nil {
			c.Fatalf("%s: %v", x[0], err)
		}
	}
}
