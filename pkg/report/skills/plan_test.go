package skills_test

import (
	"fmt"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
	"assess/pkg/report/skills"
)

// crowded is how many other people have figures of the same skills, in the same org unit.
const crowded = 20_000

// Among twenty thousand other people with the same skills, a query about a person, a skill, a group or a
// version reads only its own rows.
func TestReadingFiguresReadsNoOthers(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
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
					"report_skill_facts", "report_skill_submissions", "report_skill_rollups", "report_skill_cells", "report_skill_matches", "report_item_attempts_flat", "users")
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}, urls)
}

// crowd gives very many other people facts and figures of the same skills, cells to their groups, and
// questions for other skills to other versions.
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
		{"report_skill_submissions (tenant_id, org_unit_id, user_id, skill_id, completed_at, submission_id, facts_n, earned, weight)",
			org + ", id, skill, now(), id, 1, 0.5, 1"},
		{"report_skill_rollups (tenant_id, org_unit_id, user_id, skill_id, value, facts_n, submissions_n, first_at, last_at, strategy, earned, weight, newest_submission_id, newest_earned, newest_weight)",
			org + ", id, skill, 0.5, 1, 1, now(), now(), 'mean', 0.5, 1, id, 0.5, 1"},
		{"report_skill_cells (tenant_id, org_unit_id, skill_id, group_id, people_n, value_sum, level_counts, is_shown)", org + ", skill, id, 10, 5, '{10}', true"},
		{"report_skill_matches (tenant_id, org_unit_id, evaluation_version_id, question_version_id, rule_id, skill_id, weight)", org + ", id, id, id, id, 1"},
	} {
		_, err := super.Exec(c.Context(), fmt.Sprintf(made, x[0], x[1]))
		if err != nil {
			c.Fatalf("%s: %v", x[0], err)
		}
	}
}

// Among twenty thousand other evaluations, the rules of a version are tried only on what they name and on the newest.
func TestTryingRulesReadsTheNewestEvaluations(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	urls := dbtest.Fresh(t)
	c := newClassIn(t, dbtest.Open(t, db.Options{URL: urls.App}), drawn(3, 6))
	super := dbtest.Heap(t, urls)
	version := ids.New()
	for _, sql := range []string{
		`insert into skill_mapping_rules (tenant_id, id, version_id, pos, rule_type, selector, target_skill_id, weight, strategy)
			select $1::uuid, gen_random_uuid(), $2::uuid, 0, 'evaluation', jsonb_build_object('evaluationId', $3::uuid), gen_random_uuid(), 1, 'mean'
			union all select $1::uuid, gen_random_uuid(), $2::uuid, 1, 'evaluation_version', jsonb_build_object('evaluationVersionId', $4::uuid), gen_random_uuid(), 1, 'mean'
			union all select $1::uuid, gen_random_uuid(), $2::uuid, 2, 'question_version', jsonb_build_object('questionVersionId', min(question_version_id::text)), gen_random_uuid(), 1, 'mean'
				from submission_items where tenant_id = $1 and $4::uuid is not null and $5::uuid is not null`,
		`with made as materialized (select gen_random_uuid() as id, gen_random_uuid() as version, gen_random_uuid() as pin, n from generate_series(1, 20000) n
				where $2::uuid is not null and $3::uuid is not null and $4::uuid is not null), evaluations as (
			insert into evaluations (tenant_id, id, org_unit_id, title, status, published_id, created_at, updated_at)
			select $1::uuid, id, $5::uuid, 'E', 'published', version, now(), now() - n * interval '1 minute' from made
		), versions as (
			insert into evaluation_versions (tenant_id, id, org_unit_id, evaluation_id, number, status, title, sections, settings, snapshot_hash, created_at, updated_at, published_at)
			select $1::uuid, version, $5::uuid, id, 1, 'published', 'E', '[]', '{}', 'none', now(), now(), now() from made
		), rules as (
			insert into skill_mapping_rules (tenant_id, id, version_id, pos, rule_type, selector, target_skill_id, weight, strategy)
			select $1::uuid, version, version, 0, 'evaluation', jsonb_build_object('evaluationId', id), id, 1, 'mean' from made
		)
		insert into evaluation_pins (tenant_id, evaluation_version_id, id, org_unit_id, group_id, position, question_id, question_version_id)
		select $1::uuid, version, pin, $5::uuid, pin, 0, pin, pin from made`,
	} {
		_, err := super.Exec(t.Context(), sql, c.operator.Tenant, version, c.evaluation, c.version, c.operator.OrgUnit)
		if err != nil {
			t.Fatal(err)
		}
	}
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		err := c.store.DryRun(t.Context(), c.operator, func(tx *db.Tx) error {
			plans.Force(t, tx)
			dbtest.ByIndex(t, tx, "trying rules", 3000, func() error {
				counts, err := projection.CountSkillMatches(t.Context(), tx, version)
				if len(counts) != 3 {
					t.Errorf("%d of 3 rules match", len(counts))
				}
				return err
				// Evaluations are left out: without statistics, PostgreSQL sorts all of them rather than read the newest by index.
			}, "evaluation_versions", "evaluation_pins", "skill_mapping_rules")
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}, urls)
}
