package skill_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/skill"
	"assess/pkg/author/taxonomy"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// school is a tenant with skills.
type school struct {
	*testing.T
	store *db.Store
	scope db.Scope
}

func newSchool(t *testing.T) school {
	t.Helper()
	store := sample.Store(t)
	return school{t, store, sample.Tenant(t, store)}
}

func try[O any](s school, op func(tx *db.Tx) (O, error)) (O, error) {
	var out O
	err := s.store.Write(s.Context(), s.scope, func(tx *db.Tx) error {
		var err error
		out, err = op(tx)
		return err
	})
	return out, err
}

func must[O any](s school, op func(tx *db.Tx) (O, error)) O {
	s.Helper()
	out, err := try(s, op)
	if err != nil {
		s.Fatal(err)
	}
	return out
}

// wants compares an error with a code and its fields, each "path code".
func (s school) wants(err error, code errs.Code, fields ...string) {
	s.Helper()
	if code == "" && err != nil || code != "" && !errors.Is(err, code) {
		s.Fatalf("got %v, want %q", err, code)
	}
	var got []string
	if err != nil {
		for _, f := range errs.Of(err).Fields {
			got = append(got, f.Path+" "+f.Code)
		}
	}
	if diff := cmp.Diff(fields, got); diff != "" {
		s.Errorf("fields (-want +got):\n%s", diff)
	}
}

func (s school) framework() ids.ID {
	s.Helper()
	return must(s, func(tx *db.Tx) (skill.Framework, error) {
		return skill.CreateFramework(s.Context(), tx, skill.FrameworkInput{Title: "Mathematics"})
	}).ID
}

func (s school) create(in skill.Input) (skill.Detail, error) {
	return try(s, func(tx *db.Tx) (skill.Detail, error) { return skill.Create(s.Context(), tx, in) })
}

func (s school) update(id ids.ID, p skill.Patch) (skill.Detail, error) {
	return try(s, func(tx *db.Tx) (skill.Detail, error) { return skill.Update(s.Context(), tx, id, p) })
}

func (s school) publish(id ids.ID) (skill.Detail, error) {
	return try(s, func(tx *db.Tx) (skill.Detail, error) { return skill.Publish(s.Context(), tx, id) })
}

func (s school) published(name string) ids.ID {
	s.Helper()
	return must(s, func(tx *db.Tx) (skill.Detail, error) { return sample.Skill(s.T, tx, name), nil }).ID
}

// below makes a published skill below another one.
func (s school) below(framework ids.ID, parent *ids.ID, code string) skill.Detail {
	s.Helper()
	made, err := s.create(skill.Input{Place: skill.Place{FrameworkID: &framework, ParentID: parent, Code: code}, Content: skill.Content{Name: code}})
	if err != nil {
		s.Fatal(err)
	}
	return made
}

func ptr[T any](v T) *T { return &v }

func TestAPublishedVersionStaysAsItWas(t *testing.T) {
	t.Parallel()
	s := newSchool(t)
	levels := []skill.Level{{Name: "begun", Threshold: 0}, {Name: "able", Threshold: 0.5}}
	made, err := s.create(skill.Input{Content: skill.Content{Name: " Adds ", Levels: levels}})
	s.wants(err, "")
	if made.Name != "Adds" || made.VersionID != nil || made.Number != 1 || !made.HasDraft {
		t.Errorf("a new skill: %+v", made)
	}
	one, err := s.publish(made.ID)
	s.wants(err, "")
	_, err = s.publish(made.ID)
	s.wants(err, errs.NothingToPublish)

	// A change begins a draft and does not touch the version that counts; undoing it leaves a draft with
	// the same content.
	two, err := s.update(made.ID, skill.Patch{UpdatedAt: &one.UpdatedAt, Name: ptr("Adds up"), Code: ptr("A1")})
	s.wants(err, "")
	if two.Name != "Adds" || *two.VersionID != *one.VersionID || two.Draft == nil || two.Draft.Name != "Adds up" || two.Draft.Number != 2 ||
		len(two.Draft.Levels) != 2 || *two.Code != "A1" {
		t.Errorf("a changed skill: %+v", two)
	}
	_, err = s.update(made.ID, skill.Patch{UpdatedAt: &one.UpdatedAt, Name: ptr("Late")})
	s.wants(err, errs.StaleUpdate)
	again, err := s.publish(made.ID)
	s.wants(err, "")
	if again.Name != "Adds up" || again.Number != 2 || again.HasDraft {
		t.Errorf("published again: %+v", again)
	}
	versions := must(s, func(tx *db.Tx) (db.List[skill.Version], error) {
		return skill.ListVersions(t.Context(), tx, made.ID, db.Page{})
	})
	if versions.Total != 2 || versions.Items[1].Name != "Adds" {
		t.Errorf("versions: %+v", versions)
	}
	for _, sql := range []string{"update skill_versions set name = 'x' where tenant_id = $1 and number = 1", "delete from skill_versions where tenant_id = $1 and number = 1"} {
		_, err := try(s, func(tx *db.Tx) (int64, error) { return tx.Exec(t.Context(), sql, tx.Tenant()) })
		if err == nil {
			t.Errorf("%s: nothing stood in the way", sql)
		}
	}
}

func TestInputsOfSkillsAreChecked(t *testing.T) {
	t.Parallel()
	s := newSchool(t)
	_, err := s.create(skill.Input{Place: skill.Place{ParentID: ptr(ids.New())}, Content: skill.Content{Name: " ", Levels: []skill.Level{
		{Name: "a", Threshold: 0.5}, {Name: "a", Threshold: 0.5}, {Name: "", Threshold: 1.5}}}})
	s.wants(err, errs.ValidationFailed, "name required", "levels[1].name duplicate", "levels[1].threshold not_rising", "levels[2].name required",
		"levels[2].threshold out_of_range", "parentId needs_framework")
	_, err = s.create(skill.Input{Place: skill.Place{FrameworkID: ptr(ids.New())}, Content: skill.Content{Name: "x"}})
	s.wants(err, errs.ValidationFailed, "frameworkId unknown_framework")
	framework := s.framework()
	s.below(framework, nil, "A")
	_, err = s.create(skill.Input{Place: skill.Place{FrameworkID: &framework, ParentID: ptr(s.published("elsewhere")), Code: "A"}, Content: skill.Content{Name: "x"}})
	s.wants(err, errs.ValidationFailed, "code duplicate", "parentId unknown_parent")
	made := s.published("tagged")
	content := must(s, func(tx *db.Tx) (ids.ID, error) { return sample.Term(t, tx, "topic", "one"), nil })
	_, err = s.update(made, skill.Patch{TermIDs: &[]ids.ID{content}})
	s.wants(err, errs.ValidationFailed, "termIds[0] unknown_term")
	term := must(s, func(tx *db.Tx) (taxonomy.Term, error) {
		f, err := taxonomy.CreateFacet(t.Context(), tx, taxonomy.FacetInput{Domain: "skills", Label: "Kind"})
		if err != nil {
			return taxonomy.Term{}, err
		}
		return taxonomy.CreateTerm(t.Context(), tx, taxonomy.TermInput{FacetID: f.ID, Label: "Calculating"})
	})
	tagged, err := s.update(made, skill.Patch{TermIDs: &[]ids.ID{term.ID, term.ID}})
	s.wants(err, "")
	found := must(s, func(tx *db.Tx) (db.List[skill.Skill], error) {
		return skill.List(t.Context(), tx, skill.Filter{TermID: &term.ID})
	})
	if len(tagged.TermIDs) != 1 || found.Total != 1 || found.Items[0].ID != made {
		t.Errorf("tags: %v, %+v", tagged.TermIDs, found)
	}
}

func TestFrameworksAreTrees(t *testing.T) {
	t.Parallel()
	s := newSchool(t)
	framework := s.framework()
	top := s.below(framework, nil, "0")
	at := top
	for i := 1; i < skill.MaxDepth; i++ {
		at = s.below(framework, &at.ID, fmt.Sprint(i))
	}
	_, err := s.create(skill.Input{Place: skill.Place{FrameworkID: &framework, ParentID: &at.ID}, Content: skill.Content{Name: "x"}})
	s.wants(err, errs.ValidationFailed, "parentId too_deep")
	_, err = s.update(top.ID, skill.Patch{ParentID: &at.ID})
	s.wants(err, errs.ValidationFailed, "parentId cycle")
	_, err = s.update(top.ID, skill.Patch{ParentID: &top.ID})
	s.wants(err, errs.ValidationFailed, "parentId cycle")
	moved, err := s.update(at.ID, skill.Patch{Top: true})
	s.wants(err, "")
	if moved.ParentID != nil {
		t.Errorf("moved to the top: %+v", moved)
	}
	list := must(s, func(tx *db.Tx) (db.List[skill.Skill], error) {
		return skill.List(t.Context(), tx, skill.Filter{FrameworkID: &framework, Top: true})
	})
	if list.Total != 2 {
		t.Errorf("%d skills at the top", list.Total)
	}
}

// matchAll finds that each rule matches a question.
func matchAll(ctx context.Context, tx *db.Tx, version ids.ID) (map[ids.ID]int, error) {
	rows, err := tx.Query(ctx, "select id from skill_mapping_rules where tenant_id = $1 and version_id = $2", tx.Tenant(), version)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	counts := map[ids.ID]int{}
	for rows.Next() {
		var id ids.ID
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		counts[id] = 1
	}
	return counts, rows.Err()
}

func matchNone(context.Context, *db.Tx, ids.ID) (map[ids.ID]int, error) { return nil, nil }

func (s school) set() ids.ID {
	s.Helper()
	return must(s, func(tx *db.Tx) (skill.MappingSet, error) {
		return skill.CreateSet(s.Context(), tx, skill.MappingSetInput{Title: "Exams"})
	}).ID
}

func (s school) draft(set ids.ID, rules ...skill.RuleInput) (skill.MappingVersionDetail, error) {
	return try(s, func(tx *db.Tx) (skill.MappingVersionDetail, error) {
		return skill.Draft(s.Context(), tx, set, skill.RulesInput{Rules: rules})
	})
}

func (s school) publishMapping(set, version ids.ID) (skill.MappingVersionDetail, error) {
	return try(s, func(tx *db.Tx) (skill.MappingVersionDetail, error) {
		return skill.PublishMapping(s.Context(), tx, set, version, matchAll)
	})
}

func (s school) validate(set, version ids.ID, matches skill.Matches) []string {
	s.Helper()
	v := must(s, func(tx *db.Tx) (skill.Validation, error) {
		return skill.Validate(s.Context(), tx, set, version, matches)
	})
	got := []string{}
	for _, p := range v.Problems {
		got = append(got, p.Severity+" "+p.Path+" "+p.Code)
	}
	if v.Valid != (v.Errors == 0) || v.Errors+v.Warnings != len(v.Problems) {
		s.Errorf("counts: %+v", v)
	}
	return got
}

func byTerm(target ids.ID, terms ...string) skill.RuleInput {
	return skill.RuleInput{RuleType: skill.TagPredicate, Selector: skill.Selector{Any: terms}, TargetSkillID: target}
}

func TestRulesAreCheckedWhenTheyAreWritten(t *testing.T) {
	t.Parallel()
	s := newSchool(t)
	set, target := s.set(), s.published("Adds")
	_, err := s.draft(set,
		skill.RuleInput{RuleType: "guess", TargetSkillID: target},
		skill.RuleInput{RuleType: skill.ByEvaluation, Selector: skill.Selector{Any: []string{"no:term"}}, TargetSkillID: ids.New(), Strategy: skill.WeightedRecent},
		skill.RuleInput{RuleType: skill.ByFramework, Selector: skill.Selector{FrameworkID: ptr(ids.New())}, TargetSkillID: target, Weight: ptr(0.0), HalfLifeDays: ptr(3.0)})
	s.wants(err, errs.ValidationFailed, "rules[0].ruleType not_allowed", "rules[1].selector.any not_of_this_type", "rules[1].selector required",
		"rules[1].halfLifeDays required", "rules[2].weight out_of_range", "rules[2].halfLifeDays not_of_this_type",
		"rules[1].selector.any[0] unknown_term", "rules[1].targetSkillId unknown_skill")
}

// All problems of a version are reported at once, and only errors keep it from being published.
func TestAllProblemsOfAVersionAreListed(t *testing.T) {
	t.Parallel()
	s := newSchool(t)
	term := must(s, func(tx *db.Tx) (ids.ID, error) { return sample.Term(t, tx, "topic", "one"), nil }).String()
	set, target, retired := s.set(), s.published("Adds"), s.published("Counts")
	fresh, err := s.create(skill.Input{Content: skill.Content{Name: "new"}})
	s.wants(err, "")
	empty, err := s.draft(set)
	s.wants(err, "")
	if diff := cmp.Diff([]string{"error rules required"}, s.validate(set, empty.ID, matchAll)); diff != "" {
		t.Error(diff)
	}
	_, err = s.draft(set)
	s.wants(err, errs.Conflict)
	contrary := byTerm(target, term)
	contrary.Selector.None, contrary.Strategy = []string{term}, skill.Best
	v := must(s, func(tx *db.Tx) (skill.MappingVersionDetail, error) {
		return skill.SetRules(t.Context(), tx, set, empty.ID, skill.RulesInput{Rules: []skill.RuleInput{
			byTerm(target, "topic:one"), byTerm(target, term), contrary, byTerm(retired, term), byTerm(fresh.ID, term),
			{RuleType: skill.ByEvaluation, Selector: skill.Selector{EvaluationID: ptr(ids.New())}, TargetSkillID: target},
			{RuleType: skill.ByFramework, Selector: skill.Selector{FrameworkID: ptr(ids.New())}, TargetSkillID: target}}})
	})
	_, err = s.update(retired, skill.Patch{Retired: ptr(true)})
	s.wants(err, "")
	must(s, func(tx *db.Tx) (taxonomy.Term, error) {
		id, _ := ids.Parse("term", term)
		return taxonomy.Retire(t.Context(), tx, id)
	})
	want := []string{"error rules[1].selector duplicate", "error rules[2].strategy contradicts", "error rules[2].selector.none contradicts",
		"warning rules[0].selector.any[0] retired_term", "warning rules[1].selector.any[0] retired_term", "warning rules[2].selector.any[0] retired_term",
		"warning rules[2].selector.none[0] retired_term", "warning rules[3].selector.any[0] retired_term", "warning rules[4].selector.any[0] retired_term",
		"error rules[5].selector.evaluationId unknown_evaluation", "error rules[6].selector.frameworkId unknown_framework",
		"error rules[3].targetSkillId retired_skill", "error rules[4].targetSkillId not_published"}
	for i := range 7 {
		want = append(want, fmt.Sprintf("warning rules[%d].selector matches_nothing", i))
	}
	if diff := cmp.Diff(want, s.validate(set, v.ID, matchNone)); diff != "" {
		t.Error(diff)
	}
	_, err = s.publishMapping(set, v.ID)
	var errors []string
	for _, w := range want {
		if w, is := strings.CutPrefix(w, "error "); is {
			errors = append(errors, w)
		}
	}
	s.wants(err, errs.PublishBlocked, errors...)
}

// Of two sets with the same target skill, one is published, even at the same moment.
func TestTheFiguresOfASkillComeFromOneSet(t *testing.T) {
	t.Parallel()
	s := newSchool(t)
	term := must(s, func(tx *db.Tx) (ids.ID, error) { return sample.Term(t, tx, "topic", "one"), nil }).String()
	for range 5 {
		target := s.published("Adds")
		results := make(chan error, 2)
		for range 2 {
			set := s.set()
			v, err := s.draft(set, byTerm(target, term))
			s.wants(err, "")
			go func() {
				_, err := s.publishMapping(set, v.ID)
				results <- err
			}()
		}
		first, second := <-results, <-results
		if first != nil {
			first, second = second, first
		}
		s.wants(first, "")
		s.wants(second, errs.PublishBlocked, "rules[0].targetSkillId mapped_elsewhere")
	}
}

func TestPublishedRulesStayAsTheyWere(t *testing.T) {
	t.Parallel()
	s := newSchool(t)
	term := must(s, func(tx *db.Tx) (ids.ID, error) { return sample.Term(t, tx, "topic", "one"), nil }).String()
	set, target := s.set(), s.published("Adds")
	v, err := s.draft(set, byTerm(target, term))
	s.wants(err, "")
	one, err := s.publishMapping(set, v.ID)
	s.wants(err, "")
	_, err = try(s, func(tx *db.Tx) (skill.MappingVersionDetail, error) {
		return skill.SetRules(t.Context(), tx, set, v.ID, skill.RulesInput{})
	})
	s.wants(err, errs.VersionImmutable)
	for _, sql := range []string{
		"update skill_mapping_rules set weight = 2 where tenant_id = $1", "delete from skill_mapping_rules where tenant_id = $1",
		"insert into skill_mapping_rules select (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid(), 'pos', 9))).* from skill_mapping_rules r where tenant_id = $1",
		"update skill_mapping_versions set content_hash = 'x' where tenant_id = $1", "delete from skill_mapping_versions where tenant_id = $1",
	} {
		_, err := try(s, func(tx *db.Tx) (int64, error) { return tx.Exec(t.Context(), sql, tx.Tenant()) })
		if err == nil {
			t.Errorf("%s: nothing stood in the way", sql)
		}
	}
	// The next version begins with the same rules, and the same content has the same hash.
	next, err := s.draft(set)
	s.wants(err, "")
	two, err := s.publishMapping(set, next.ID)
	s.wants(err, "")
	if two.Number != 2 || len(two.Rules) != 1 || two.Rules[0].ID == one.Rules[0].ID || *two.ContentHash != *one.ContentHash {
		t.Errorf("first %+v, then %+v", one, two)
	}
	_, err = try(s, func(tx *db.Tx) (skill.MappingSet, error) {
		return skill.UpdateSet(t.Context(), tx, set, skill.MappingSetPatch{Retired: ptr(true)})
	})
	s.wants(err, "")
	_, err = s.draft(set)
	s.wants(err, errs.Archived)
}

func TestDraftsOfMappingsAreDropped(t *testing.T) {
	t.Parallel()
	s := newSchool(t)
	set := s.set()
	v, err := s.draft(set, skill.RuleInput{RuleType: skill.ByEvaluation, Selector: skill.Selector{EvaluationID: ptr(ids.New())}, TargetSkillID: s.published("Adds")})
	s.wants(err, "")
	drop := func(tx *db.Tx) (any, error) { return nil, skill.DropDraft(t.Context(), tx, set, v.ID) }
	must(s, drop)
	_, err = try(s, drop)
	s.wants(err, errs.NotFound)
}

func TestWhoChangesSkills(t *testing.T) {
	t.Parallel()
	s := newSchool(t)
	made := s.published("Adds")
	ada := must(s, func(tx *db.Tx) (ids.ID, error) { return sample.User(t, tx).ID, nil })
	allowed := map[capability.Capability]map[string]bool{
		capability.SkillsRead:     {"read": true},
		capability.SkillsManage:   {"read": true, "change": true},
		capability.SkillsMapping:  {"read": true, "map": true},
		capability.SkillsTaxonomy: {"read": true, "tag": true},
		capability.ReportingView:  {},
	}
	for c, may := range allowed {
		as := school{t, s.store, sample.As(s.scope, ada, c)}
		for what, op := range map[string]func(tx *db.Tx) (any, error){
			"read":   func(tx *db.Tx) (any, error) { return skill.Get(t.Context(), tx, made) },
			"change": func(tx *db.Tx) (any, error) { return skill.Update(t.Context(), tx, made, skill.Patch{Name: ptr("x")}) },
			"tag": func(tx *db.Tx) (any, error) {
				return skill.Update(t.Context(), tx, made, skill.Patch{TermIDs: &[]ids.ID{}})
			},
			"map": func(tx *db.Tx) (any, error) {
				return skill.CreateSet(t.Context(), tx, skill.MappingSetInput{Title: "x"})
			},
		} {
			_, err := try(as, op)
			if may[what] != (err == nil) || err != nil && !errors.Is(err, errs.Forbidden) {
				t.Errorf("%s to %s: %v", c, what, err)
			}
		}
	}
}
