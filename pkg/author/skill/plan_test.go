package skill_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"assess/pkg/author/skill"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// ours is the number of skills in the framework of the test, and others the number of
// other skills of the tenant.
const (
	ours   = 300
	others = 20_000
)

// Among twenty thousand skills of a tenant, every operation on one framework, skill or mapping set
// reads only its own rows.
func TestReadingSkillsReadsNoOthers(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	urls := dbtest.Fresh(t)
	store := dbtest.Open(t, db.Options{URL: urls.App})
	scope := sample.Tenant(t, store)
	file := skill.ImportedFramework{Identifier: ids.New(), FrameworkInput: skill.FrameworkInput{Title: "Ours"}, Publish: true}
	for i := range ours {
		code, parent := fmt.Sprintf("C%03d", i), ""
		if i > 10 {
			parent = fmt.Sprintf("C%03d", i/10)
		}
		file.Skills = append(file.Skills, skill.ImportedSkill{Code: &code, Name: "Skill " + code, Parent: &parent, Position: i})
	}
	var made skill.ImportResult
	var one, set, version ids.ID
	sample.Write(t, store, scope, func(tx *db.Tx) (err error) {
		if made, err = skill.Import(t.Context(), tx, file); err != nil {
			return err
		}
		list, err := skill.List(t.Context(), tx, skill.Filter{FrameworkID: &made.FrameworkID, Prefix: "C200"})
		if err != nil {
			return err
		}
		one = list.Items[0].ID
		s, err := skill.CreateSet(t.Context(), tx, skill.MappingSetInput{Title: "Set"})
		if err != nil {
			return err
		}
		evaluation := ids.New()
		v, err := skill.Draft(t.Context(), tx, s.ID, skill.RulesInput{Rules: []skill.RuleInput{{RuleType: skill.ByEvaluation, Selector: skill.Selector{EvaluationID: &evaluation}, TargetSkillID: one}}})
		set, version = s.ID, v.ID
		return err
	})
	crowd(t, urls, scope)
	file.ID = made.FrameworkID
	name := "Renamed"
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		for _, look := range []struct {
			what string
			most int64
			do   func(tx *db.Tx) error
		}{
			{"a skill", 20, func(tx *db.Tx) error { _, err := skill.Get(t.Context(), tx, one); return err }},
			{"its versions", 60, func(tx *db.Tx) error { _, err := skill.ListVersions(t.Context(), tx, one, db.Page{}); return err }},
			{"a page of a framework", 8 * ours, func(tx *db.Tx) error {
				_, err := skill.List(t.Context(), tx, skill.Filter{FrameworkID: &made.FrameworkID})
				return err
			}},
			{"what stands below a skill", 200, func(tx *db.Tx) error { _, err := skill.List(t.Context(), tx, skill.Filter{ParentID: &one}); return err }},
			{"what carries a tag", 20, func(tx *db.Tx) error {
				_, err := skill.List(t.Context(), tx, skill.Filter{TermID: &one})
				return err
			}},
			{"renaming a skill", 4 * ours, func(tx *db.Tx) error {
				_, err := skill.Update(t.Context(), tx, one, skill.Patch{Name: &name})
				return err
			}},
			{"moving a skill", 4 * ours, func(tx *db.Tx) error {
				_, err := skill.Update(t.Context(), tx, one, skill.Patch{Top: true})
				return err
			}},
			{"a package", 12 * ours, func(tx *db.Tx) error { return skill.WriteCASE(t.Context(), tx, made.FrameworkID, &bytes.Buffer{}) }},
			{"importing again", 12 * ours, func(tx *db.Tx) error { _, err := skill.Import(t.Context(), tx, file); return err }},
			{"a mapping set", 20, func(tx *db.Tx) error { _, err := skill.GetSet(t.Context(), tx, set); return err }},
			{"a mapping version", 20, func(tx *db.Tx) error { _, err := skill.GetMapping(t.Context(), tx, set, version); return err }},
			{"its rules checked", 200, func(tx *db.Tx) error {
				_, err := skill.Validate(t.Context(), tx, set, version, func(context.Context, *db.Tx, ids.ID) (map[ids.ID]int, error) { return nil, nil })
				return err
			}},
		} {
			err := store.DryRun(t.Context(), scope, func(tx *db.Tx) error {
				plans.Force(t, tx)
				dbtest.ByIndex(t, tx, look.what, look.most, func() error { return look.do(tx) },
					"skills", "skill_versions", "skill_tags", "skill_mapping_sets", "skill_mapping_versions", "skill_mapping_rules")
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}, urls)
}

// crowd gives the tenant very many other skills, each with a version, and mapping sets.
func crowd(t *testing.T, urls dbtest.URLs, scope db.Scope) {
	t.Helper()
	super := dbtest.Heap(t, urls)
	tenant := scope.Tenant.String()
	for _, sql := range []string{
		fmt.Sprintf("create temporary table made as select n, gen_random_uuid() as id, gen_random_uuid() as version, gen_random_uuid() as framework from generate_series(1, %d) n", others),
		`insert into skill_frameworks (tenant_id, id, identifier, title, created_at, updated_at) select '` + tenant + `', framework, framework, 'F' || n, now(), now() from made where n % 100 = 0`,
		`insert into skills (tenant_id, id, framework_id, parent_id, identifier, code, position, current_version_id, created_at, updated_at)
			select '` + tenant + `', m.id, f.framework, case when m.n > 100 then p.id end, m.id, 'S' || m.n, m.n, m.version, now(), now()
			from made m join made f on f.n = (m.n + 99) / 100 * 100 left join made p on p.n = m.n - 1`,
		`insert into skill_versions (tenant_id, id, skill_id, number, status, name, created_at, updated_at, published_at)
			select '` + tenant + `', version, id, 1, 'published', 'S' || n, now(), now(), now() from made`,
		`insert into skill_tags (tenant_id, skill_id, term_id) select '` + tenant + `', id, version from made`,
		`insert into skill_mapping_sets (tenant_id, id, title, active_version_id, created_at, updated_at) select '` + tenant + `', id, 'M' || n, version, now(), now() from made`,
		`insert into skill_mapping_versions (tenant_id, id, set_id, number, status, content_hash, created_at, updated_at, published_at)
			select '` + tenant + `', version, id, 1, 'published', 'x', now(), now(), now() from made`,
		`insert into skill_mapping_rules (tenant_id, id, version_id, pos, rule_type, selector, target_skill_id, weight, strategy)
			select '` + tenant + `', gen_random_uuid(), version, 0, 'evaluation', '{}', id, 1, 'mean' from made`,
	} {
		_, err := super.Exec(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
	}
}
