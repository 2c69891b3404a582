package skill

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// The types of rules, by what their selectors name.
const (
	TagPredicate      = "tag_predicate"
	ByEvaluation      = "evaluation"
	ByVersion         = "evaluation_version"
	ByQuestionVersion = "question_version"
	ByFramework       = "framework"
)

// The strategies: how the evidence for a skill makes its figure.
const (
	Latest         = "latest"
	Best           = "best"
	Mean           = "mean"
	WeightedRecent = "weighted_recent"
)

// RuleTypes and Strategies list the values that rules allow.
var (
	RuleTypes  = []string{TagPredicate, ByEvaluation, ByVersion, ByQuestionVersion, ByFramework}
	Strategies = []string{Latest, Best, Mean, WeightedRecent}
)

// The most rules of a version, and terms of a predicate.
const (
	maxRules = 2000
	maxTerms = 100
)

// Rule says that the questions that its selector chooses tell something about a skill.
type Rule struct {
	ID            ids.ID   `json:"id"`
	RuleType      string   `json:"ruleType" enum:"tag_predicate,evaluation,evaluation_version,question_version,framework"`
	Selector      Selector `json:"selector"`
	TargetSkillID ids.ID   `json:"targetSkillId"`
	Weight        float64  `json:"weight" doc:"What an answer counts beside those of other rules"`
	Strategy      string   `json:"strategy" enum:"latest,best,mean,weighted_recent"`
	HalfLifeDays  *float64 `json:"halfLifeDays,omitempty" doc:"After how many days evidence counts half; with weighted_recent"`
}

// RuleInput describes a rule.
type RuleInput struct {
	RuleType      string   `json:"ruleType" enum:"tag_predicate,evaluation,evaluation_version,question_version,framework"`
	Selector      Selector `json:"selector"`
	TargetSkillID ids.ID   `json:"targetSkillId"`
	Weight        *float64 `json:"weight,omitempty" exclusiveMinimum:"0" maximum:"1000000" doc:"Default 1"`
	Strategy      string   `json:"strategy,omitempty" enum:"latest,best,mean,weighted_recent" doc:"Default mean. All rules of a skill have the same"`
	HalfLifeDays  *float64 `json:"halfLifeDays,omitempty" exclusiveMinimum:"0" maximum:"36500" doc:"With weighted_recent, and required there"`
}

// Selector chooses questions; each rule type has fields of its own. Terms are the terms that were
// frozen when the evaluation was published, including the terms of the evaluation itself.
type Selector struct {
	All                []string `json:"all,omitempty" nullable:"false" maxItems:"100" maxLength:"500" doc:"tag_predicate: terms that a question must all have: ids or facet:slug of the content domain"`
	Any                []string `json:"any,omitempty" nullable:"false" maxItems:"100" maxLength:"500" doc:"tag_predicate: terms of which it must have one"`
	None               []string `json:"none,omitempty" nullable:"false" maxItems:"100" maxLength:"500" doc:"tag_predicate: terms that it must not have"`
	IncludeDescendants bool     `json:"includeDescendants,omitempty" doc:"tag_predicate: a term stands for all that stand below it, too"`
	EvaluationID       *ids.ID  `json:"evaluationId,omitempty" doc:"evaluation: all its questions"`
	EvaluationVersion  *ids.ID  `json:"evaluationVersionId,omitempty" doc:"evaluation_version: all its questions"`
	QuestionVersion    *ids.ID  `json:"questionVersionId,omitempty" doc:"question_version: this one, wherever it is shown"`
	FrameworkID        *ids.ID  `json:"frameworkId,omitempty" doc:"framework: what other rules of the version say about its skills"`
	CodePrefix         string   `json:"codePrefix,omitempty" maxLength:"200" doc:"framework: those whose code begins like this"`
}

// fields are the names of the fields that a selector sets.
func (s Selector) fields() []string {
	var given []string
	for name, is := range map[string]bool{"all": len(s.All) > 0, "any": len(s.Any) > 0, "none": len(s.None) > 0,
		"includeDescendants": s.IncludeDescendants, "evaluationId": s.EvaluationID != nil, "evaluationVersionId": s.EvaluationVersion != nil,
		"questionVersionId": s.QuestionVersion != nil, "frameworkId": s.FrameworkID != nil, "codePrefix": s.CodePrefix != ""} {
		if is {
			given = append(given, name)
		}
	}
	slices.Sort(given)
	return given
}

// selectors gives the fields that the selector of a rule type takes; one of the first list is required.
var selectors = map[string]struct{ needed, allowed []string }{
	TagPredicate:      {[]string{"all", "any", "none"}, []string{"includeDescendants"}},
	ByEvaluation:      {[]string{"evaluationId"}, nil},
	ByVersion:         {[]string{"evaluationVersionId"}, nil},
	ByQuestionVersion: {[]string{"questionVersionId"}, nil},
	ByFramework:       {[]string{"frameworkId"}, []string{"codePrefix"}},
}

// check says what is wrong with a rule by itself, at paths below at, and gives it in the form in
// which it is stored.
func (in RuleInput) check(at string) (Rule, []errs.Field) {
	r := Rule{ID: ids.New(), RuleType: in.RuleType, Selector: in.Selector, TargetSkillID: in.TargetSkillID, Weight: 1, Strategy: in.Strategy, HalfLifeDays: in.HalfLifeDays}
	set(&r.Weight, in.Weight)
	if r.Strategy == "" {
		r.Strategy = Mean
	}
	var bad []errs.Field
	problem := func(path, code, message string) {
		bad = append(bad, errs.Field{Path: at + path, Code: code, Message: message})
	}
	if !slices.Contains(RuleTypes, r.RuleType) {
		problem("ruleType", "not_allowed", "expected one of "+strings.Join(RuleTypes, ", "))
		return r, bad
	}
	kind, given := selectors[r.RuleType], in.Selector.fields()
	for _, field := range given {
		if !slices.Contains(kind.needed, field) && !slices.Contains(kind.allowed, field) {
			problem("selector."+field, "not_of_this_type", "a rule of type "+r.RuleType+" has no such field")
		}
	}
	if !slices.ContainsFunc(kind.needed, func(f string) bool { return slices.Contains(given, f) }) {
		problem("selector", "required", "a rule of type "+r.RuleType+" names "+strings.Join(kind.needed, ", or "))
	}
	if len(in.Selector.All)+len(in.Selector.Any)+len(in.Selector.None) > maxTerms {
		problem("selector", "too_many", fmt.Sprintf("at most %d terms", maxTerms))
	}
	bad = append(bad, errs.Line(at+"selector.codePrefix", in.Selector.CodePrefix, maxCode, false)...)
	if !slices.Contains(Strategies, r.Strategy) {
		problem("strategy", "not_allowed", "expected one of "+strings.Join(Strategies, ", "))
	}
	if !(r.Weight > 0 && r.Weight <= 1_000_000) {
		problem("weight", "out_of_range", "a weight is more than 0 and at most 1000000")
	}
	switch half := in.HalfLifeDays; {
	case r.Strategy == WeightedRecent && half == nil:
		problem("halfLifeDays", "required", "weighted_recent needs a half-life")
	case r.Strategy != WeightedRecent && half != nil:
		problem("halfLifeDays", "not_of_this_type", "only weighted_recent has a half-life")
	case half != nil && !(*half > 0 && *half <= 36500):
		problem("halfLifeDays", "out_of_range", "a half-life is more than 0 and at most 36500 days")
	}
	return r, bad
}

// checkRules checks the rules of a version, and names terms by their ids.
func checkRules(ctx context.Context, tx *db.Tx, in []RuleInput) ([]Rule, error) {
	if len(in) > maxRules {
		return nil, errs.Invalid(errs.Field{Path: "rules", Code: "too_many", Message: fmt.Sprintf("at most %d rules", maxRules)})
	}
	var bad errs.Found
	rules := make([]Rule, len(in))
	var words []string
	var targets []ids.ID
	for i, r := range in {
		checked, problems := r.check(fmt.Sprintf("rules[%d].", i))
		rules[i] = checked
		bad.Add(problems...)
		words = slices.Concat(words, r.Selector.All, r.Selector.Any, r.Selector.None)
		targets = append(targets, r.TargetSkillID)
	}
	terms, err := termsNamed(ctx, tx, words)
	if err != nil {
		return nil, err
	}
	skills, err := existing(ctx, tx, "select id from skills where tenant_id = $1 and id = any($2)", targets)
	if err != nil {
		return nil, err
	}
	for i := range rules {
		at := fmt.Sprintf("rules[%d].", i)
		bad.Add(rules[i].Selector.nameTerms(terms, at+"selector.")...)
		if !skills[rules[i].TargetSkillID] {
			bad.Add(errs.Field{Path: at + "targetSkillId", Code: "unknown_skill", Message: "there is no such skill"})
		}
	}
	return rules, bad.Err()
}

// nameTerms replaces words by ids.
func (s *Selector) nameTerms(terms map[string]ids.ID, at string) []errs.Field {
	var bad []errs.Field
	for _, part := range []struct {
		name  string
		words *[]string
	}{{"all", &s.All}, {"any", &s.Any}, {"none", &s.None}} {
		named := slices.Clone(*part.words)
		for i, word := range named {
			id, known := terms[word]
			if !known {
				bad = append(bad, errs.Field{Path: fmt.Sprintf("%s%s[%d]", at, part.name, i), Code: "unknown_term", Message: "there is no such term in the content domain"})
			}
			named[i] = id.String()
		}
		*part.words = named
	}
	return bad
}

// termsNamed finds terms of the content domain by id or facet:slug.
func termsNamed(ctx context.Context, tx *db.Tx, words []string) (map[string]ids.ID, error) {
	var named []ids.ID
	var facets, slugs []string
	for _, w := range words {
		id, err := ids.Parse("term", w)
		facet, slug, isName := strings.Cut(w, ":")
		switch {
		case err == nil:
			named = append(named, id)
		case isName && errs.Line("", w, 500, true) == nil:
			facets, slugs = append(facets, facet), append(slugs, slug)
		}
	}
	rows, err := tx.Query(ctx, `
		select t.id, f.slug || ':' || t.slug from (select * from terms where tenant_id = $1 and id = any($2) offset 0) t
		cross join lateral (select slug from facets where tenant_id = $1 and id = t.facet_id and domain = 'content' offset 0) f
		union
		select t.id, f.slug || ':' || t.slug from (select * from unnest($3::text[], $4::text[]) u (facet, slug) offset 0) w
		cross join lateral (select id, slug from facets where tenant_id = $1 and domain = 'content' and slug = w.facet offset 0) f
		cross join lateral (select id, slug from terms where tenant_id = $1 and facet_id = f.id and slug = w.slug offset 0) t`, tx.Tenant(), named, facets, slugs)
	if err != nil {
		return nil, fmt.Errorf("find terms: %w", err)
	}
	found := map[string]ids.ID{}
	var id ids.ID
	var word string
	_, err = pgx.ForEachRow(rows, []any{&id, &word}, func() error {
		found[word], found[id.String()] = id, id
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find terms: %w", err)
	}
	return found, nil
}

// existing gives the ids of some that a statement finds.
func existing(ctx context.Context, tx *db.Tx, sql string, of []ids.ID) (map[ids.ID]bool, error) {
	rows, err := tx.Query(ctx, sql, tx.Tenant(), of)
	if err != nil {
		return nil, fmt.Errorf("look up: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return nil, fmt.Errorf("look up: %w", err)
	}
	found := map[ids.ID]bool{}
	for _, id := range list {
		found[id] = true
	}
	return found, nil
}

func rulesOf(ctx context.Context, tx *db.Tx, version ids.ID) ([]Rule, error) {
	rows, err := tx.Query(ctx, `
		select id, rule_type, selector, target_skill_id, weight::float8, strategy, half_life_days::float8
		from skill_mapping_rules where tenant_id = $1 and version_id = $2 order by pos`, tx.Tenant(), version)
	if err != nil {
		return nil, fmt.Errorf("read rules: %w", err)
	}
	rules, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Rule])
	if err != nil {
		return nil, fmt.Errorf("read rules: %w", err)
	}
	return rules, nil
}

// writeRules replaces the rules of a draft.
func writeRules(ctx context.Context, tx *db.Tx, version ids.ID, rules []Rule) error {
	var newIDs, targets []ids.ID
	var types, chosen, strategies []string
	var weights []float64
	var halves []*float64
	for _, r := range rules {
		selector, err := json.Marshal(r.Selector)
		if err != nil {
			return fmt.Errorf("write rules: %w", err)
		}
		newIDs, types, chosen, targets = append(newIDs, r.ID), append(types, r.RuleType), append(chosen, string(selector)), append(targets, r.TargetSkillID)
		weights, strategies, halves = append(weights, r.Weight), append(strategies, r.Strategy), append(halves, r.HalfLifeDays)
	}
	_, err := tx.Exec(ctx, "delete from skill_mapping_rules where tenant_id = $1 and version_id = $2", tx.Tenant(), version)
	if err == nil {
		_, err = tx.Exec(ctx, `
			insert into skill_mapping_rules (tenant_id, id, version_id, pos, rule_type, selector, target_skill_id, weight, strategy, half_life_days)
			select $1, r.id, $2, r.pos - 1, r.rule_type, r.selector::jsonb, r.target, r.weight, r.strategy, r.half_life
			from unnest($3::uuid[], $4::text[], $5::text[], $6::uuid[], $7::float8[], $8::text[], $9::float8[])
				with ordinality r (id, rule_type, selector, target, weight, strategy, half_life, pos)
			returning true`,
			tx.Tenant(), version, newIDs, types, chosen, targets, weights, strategies, halves)
	}
	if err != nil {
		return fmt.Errorf("write rules: %w", err)
	}
	return nil
}
