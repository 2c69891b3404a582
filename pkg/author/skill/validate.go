package skill

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// Validation has the problems of a version before it is published.
type Validation struct {
	// Valid says that it could be published.
	Valid    bool      `json:"valid" doc:"It can be published: there are warnings at most"`
	Problems []Problem `json:"problems" nullable:"false" doc:"The first hundred of each severity"`
	Errors   int       `json:"errors"`
	Warnings int       `json:"warnings"`
}

// Problem is one problem of a version.
type Problem struct {
	Severity string `json:"severity" enum:"error,warning"`
	errs.Field
}

// Matches counts the questions that each rule of a version matches, by the id of the rule. It reads
// published evaluations; the caller that has the statement passes it in, because content does not
// know the reports.
type Matches func(ctx context.Context, tx *db.Tx, version ids.ID) (map[ids.ID]int, error)

// most limits the problems of a severity that an answer lists.
const most = 100

func (v *Validation) add(severity, path, code, message string) {
	count := &v.Errors
	if severity == "warning" {
		count = &v.Warnings
	}
	*count++
	if *count <= most {
		v.Problems = append(v.Problems, Problem{severity, errs.Field{Path: path, Code: code, Message: message}})
	}
}

// Validate reports all problems of a version: unknown and retired terms, records and skills, rules that contradict
// each other, and rules that match nothing, which is a warning. Capability: skills.read. Errors: not_found.
func Validate(ctx context.Context, tx *db.Tx, set, version ids.ID, matches Matches) (Validation, error) {
	v, err := GetMapping(ctx, tx, set, version)
	if err != nil {
		return Validation{}, err
	}
	return v.validate(ctx, tx, matches)
}

// PublishMapping makes a draft the version that figures follow from the next recalculation on. Sets
// are published one after the other, so that no two give figures of one skill. Capability: skills.mapping.manage.
// Errors: not_found, version_immutable, archived, publish_blocked with every problem.
func PublishMapping(ctx context.Context, tx *db.Tx, set, version ids.ID, matches Matches) (MappingVersionDetail, error) {
	none := MappingVersionDetail{}
	_, err := tx.Exec(ctx, "select pg_advisory_xact_lock(hashtextextended('skill mappings/' || $1::text, 0))", tx.Tenant())
	if err != nil {
		return none, fmt.Errorf("wait for other sets: %w", err)
	}
	v, err := lockDraft(ctx, tx, set, version)
	if err != nil {
		return none, err
	}
	of, err := GetSet(ctx, tx, set)
	if err != nil {
		return none, err
	}
	if of.RetiredAt != nil {
		return none, errs.New(errs.Archived, "The mapping set is retired.")
	}
	found, err := v.validate(ctx, tx, matches)
	if err != nil {
		return none, err
	}
	if !found.Valid {
		blocked := errs.New(errs.PublishBlocked, "The rules cannot be published yet.")
		for _, p := range found.Problems {
			if p.Severity == "error" {
				blocked.Fields = append(blocked.Fields, p.Field)
			}
		}
		return none, blocked
	}
	hash, err := hashOf(v.Rules)
	if err != nil {
		return none, err
	}
	_, err = tx.Exec(ctx, `
		update skill_mapping_versions set status = 'published', content_hash = $3, published_at = $4, updated_at = $4
		where tenant_id = $1 and id = $2`, tx.Tenant(), version, hash, tx.Now())
	if err == nil {
		_, err = tx.Exec(ctx, "update skill_mapping_sets set active_version_id = $3, updated_at = $4 where tenant_id = $1 and id = $2",
			tx.Tenant(), set, version, tx.ChangedAt(of.UpdatedAt))
	}
	if err == nil {
		err = ledger.Append(ctx, tx, setEvent("published", set, map[string]any{"versionId": version, "number": v.Number, "contentHash": hash}))
	}
	if err != nil {
		return none, fmt.Errorf("publish mapping: %w", err)
	}
	return GetMapping(ctx, tx, set, version)
}

// hashOf hashes the content of rules, without their ids.
func hashOf(rules []Rule) (string, error) {
	said := slices.Clone(rules)
	for i := range said {
		said[i].ID = ids.None
	}
	canonical, err := content.Canonical(said)
	if err != nil {
		return "", fmt.Errorf("hash rules: %w", err)
	}
	return content.Hash(canonical), nil
}

func (v MappingVersionDetail) validate(ctx context.Context, tx *db.Tx, matches Matches) (Validation, error) {
	found := Validation{Problems: []Problem{}}
	if len(v.Rules) == 0 {
		found.add("error", "rules", "required", "there are no rules")
	}
	v.contradictions(&found)
	err := v.strangers(ctx, tx, &found)
	if err == nil {
		err = v.skills(ctx, tx, &found)
	}
	if err != nil {
		return found, err
	}
	counts, err := matches(ctx, tx, v.ID)
	if err != nil {
		return found, fmt.Errorf("match rules: %w", err)
	}
	for i, r := range v.Rules {
		if counts[r.ID] == 0 {
			found.add("warning", path(i, "selector"), "matches_nothing", "no question of a published evaluation that counts is matched")
		}
	}
	found.Valid = found.Errors == 0
	return found, nil
}

func path(i int, field string) string { return fmt.Sprintf("rules[%d].%s", i, field) }

// contradictions compares rules with each other.
func (v MappingVersionDetail) contradictions(found *Validation) {
	first, seen := map[ids.ID]int{}, map[string]int{}
	for i, r := range v.Rules {
		j, again := first[r.TargetSkillID]
		if !again {
			first[r.TargetSkillID] = i
		} else if other := v.Rules[j]; other.Strategy != r.Strategy || db.OrZero(other.HalfLifeDays) != db.OrZero(r.HalfLifeDays) {
			found.add("error", path(i, "strategy"), "contradicts", fmt.Sprintf("rules[%d] puts the evidence for this skill together in another way", j))
		}
		said, _ := json.Marshal([]any{r.RuleType, r.Selector, r.TargetSkillID})
		if j, again := seen[string(said)]; again {
			found.add("error", path(i, "selector"), "duplicate", fmt.Sprintf("rules[%d] says the same", j))
		}
		seen[string(said)] = i
		for _, term := range r.Selector.None {
			if slices.Contains(r.Selector.All, term) || slices.Contains(r.Selector.Any, term) && len(r.Selector.Any) == 1 {
				found.add("error", path(i, "selector.none"), "contradicts", "what the rule asks for is what it refuses")
				break
			}
		}
	}
}

// strangersSQL gives the problem of every id that selectors name; nothing if there is none.
const strangersSQL = `
select n.id, n.kind, case n.kind
	when 'term' then (select case when t.merged_into is null and t.retired_at is not null then 'retired_term' else '' end from terms t where t.tenant_id = $1 and t.id = n.id)
	when 'evaluation' then (select '' from evaluations e where e.tenant_id = $1 and e.id = n.id)
	when 'evaluation_version' then (select case status when 'draft' then 'not_published' else '' end from evaluation_versions e where e.tenant_id = $1 and e.id = n.id)
	when 'question_version' then (select case status when 'draft' then 'not_published' else '' end from question_versions q where q.tenant_id = $1 and q.id = n.id)
	when 'framework' then (select case when retired_at is null then '' else 'retired_framework' end from skill_frameworks f where f.tenant_id = $1 and f.id = n.id)
	end as problem
from (select distinct * from unnest($2::uuid[], $3::text[])) n (id, kind)`

// named is something that a selector names, and the path.
type named struct {
	path, kind string
	id         ids.ID
}

func (s Selector) named(i int) []named {
	var all []named
	for _, part := range []struct {
		field string
		words []string
	}{{"all", s.All}, {"any", s.Any}, {"none", s.None}} {
		for n, word := range part.words {
			id, err := ids.Parse("term", word)
			if err == nil {
				all = append(all, named{path(i, fmt.Sprintf("selector.%s[%d]", part.field, n)), "term", id})
			}
		}
	}
	for _, one := range []struct {
		field, kind string
		id          *ids.ID
	}{{"evaluationId", "evaluation", s.EvaluationID}, {"evaluationVersionId", "evaluation_version", s.EvaluationVersion},
		{"questionVersionId", "question_version", s.QuestionVersion}, {"frameworkId", "framework", s.FrameworkID}} {
		if one.id != nil {
			all = append(all, named{path(i, "selector."+one.field), one.kind, *one.id})
		}
	}
	return all
}

// strangers looks up what selectors name.
func (v MappingVersionDetail) strangers(ctx context.Context, tx *db.Tx, found *Validation) error {
	var all []named
	var looked []ids.ID
	var kinds []string
	for i, r := range v.Rules {
		for _, n := range r.Selector.named(i) {
			all, looked, kinds = append(all, n), append(looked, n.id), append(kinds, n.kind)
		}
	}
	rows, err := tx.Query(ctx, strangersSQL, tx.Tenant(), looked, kinds)
	if err != nil {
		return fmt.Errorf("look up what rules name: %w", err)
	}
	problems := map[named]*string{}
	var n named
	var problem *string
	_, err = pgx.ForEachRow(rows, []any{&n.id, &n.kind, &problem}, func() error {
		problems[n] = problem
		return nil
	})
	if err != nil {
		return fmt.Errorf("look up what rules name: %w", err)
	}
	for _, n := range all {
		switch problem := problems[named{id: n.id, kind: n.kind}]; {
		case problem == nil:
			found.add("error", n.path, "unknown_"+n.kind, "there is no such "+words[n.kind])
		case *problem == "retired_term":
			found.add("warning", n.path, *problem, "the term is retired; only what was published with it is matched")
		case *problem != "":
			found.add("error", n.path, *problem, "this "+words[n.kind]+" cannot be mapped: it is retired or was never published")
		}
	}
	return nil
}

var words = map[string]string{"term": "term", "evaluation": "evaluation", "evaluation_version": "version of an evaluation",
	"question_version": "version of a question", "framework": "framework"}

// skills checks the target skills of rules.
func (v MappingVersionDetail) skills(ctx context.Context, tx *db.Tx, found *Validation) error {
	var targets []ids.ID
	for _, r := range v.Rules {
		targets = append(targets, r.TargetSkillID)
	}
	rows, err := tx.Query(ctx, `
		select s.id, s.current_version_id is null, s.retired_at is not null, exists (
			select from skill_mapping_rules r join skill_mapping_sets o on o.tenant_id = r.tenant_id and o.active_version_id = r.version_id
			where r.tenant_id = $1 and r.target_skill_id = s.id and o.id <> $3 and o.retired_at is null)
		from skills s where s.tenant_id = $1 and s.id = any($2)`, tx.Tenant(), targets, v.SetID)
	if err != nil {
		return fmt.Errorf("look up skills: %w", err)
	}
	type state struct{ unpublished, retired, elsewhere bool }
	states := map[ids.ID]state{}
	var id ids.ID
	var s state
	_, err = pgx.ForEachRow(rows, []any{&id, &s.unpublished, &s.retired, &s.elsewhere}, func() error {
		states[id] = s
		return nil
	})
	if err != nil {
		return fmt.Errorf("look up skills: %w", err)
	}
	for i, r := range v.Rules {
		s := states[r.TargetSkillID]
		if s.unpublished {
			found.add("error", path(i, "targetSkillId"), "not_published", "the skill was never published")
		}
		if s.retired {
			found.add("error", path(i, "targetSkillId"), "retired_skill", "the skill is retired")
		}
		if s.elsewhere {
			found.add("error", path(i, "targetSkillId"), "mapped_elsewhere", "another mapping set gives figures of this skill")
		}
	}
	return nil
}
