package projection

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/wire"
)

// KindSkillPreview is the kind of job that finds out what a mapping version would change.
const KindSkillPreview = "skill_preview"

// PreviewInput names the mapping version to preview.
type PreviewInput struct {
	VersionID ids.ID `json:"versionId"`
}

// SkillImpact is what a mapping version would change about one skill. Every person with a figure before or
// after is counted once; null replaces figures that would tell a reader who may not see single people
// something about fewer than five people.
type SkillImpact struct {
	SkillID            ids.ID  `json:"skillId"`
	Name               string  `json:"name" doc:"What the skill is called now"`
	Code               *string `json:"code"`
	Gains              *int64  `json:"gains" doc:"People who would have a figure and have none now"`
	Losses             *int64  `json:"losses" doc:"People who have a figure and would have none"`
	Rises              *int64  `json:"rises" doc:"People who would come to a higher level"`
	Falls              *int64  `json:"falls" doc:"People who would come to a lower level"`
	Moves              *int64  `json:"moves" doc:"People whose figure would change within its level"`
	Unchanged          *int64  `json:"unchanged"`
	QuestionsAdded     int64   `json:"questionsAdded" doc:"Questions of evaluation versions that would come to say something about the skill"`
	QuestionsRemoved   int64   `json:"questionsRemoved" doc:"Questions that would not any more"`
	QuestionsReweighed int64   `json:"questionsReweighed" doc:"Questions that would count with another weight"`
	StrategyBefore     *string `json:"strategyBefore"`
	StrategyAfter      *string `json:"strategyAfter"`
}

func (i *SkillImpact) counts() []**int64 {
	return []**int64{&i.Gains, &i.Losses, &i.Rises, &i.Falls, &i.Moves, &i.Unchanged}
}

// SkillJob is a recalculation or a preview; a completed preview has an impact, the skill with the most
// changes first.
type SkillJob struct {
	Job
	Impact []SkillImpact `json:"impact,omitempty" nullable:"false" doc:"What a preview found, a skill each"`
}

// QueueSkillPreview queues a job that finds out what publishing a version of a mapping set, draft or published, and
// recalculating after it would change. It writes nothing but its result. Capability: skills.mapping.manage. Errors:
// not_found.
func QueueSkillPreview(ctx context.Context, tx *db.Tx, set, version ids.ID) (Job, error) {
	err := tx.Require(capability.SkillsMapping)
	if err != nil {
		return Job{}, err
	}
	var known bool
	err = tx.QueryRow(ctx, "select exists (select from skill_mapping_versions where tenant_id = $1 and id = $2 and set_id = $3)", tx.Tenant(), version, set).Scan(&known)
	if err != nil {
		return Job{}, fmt.Errorf("find mapping version: %w", err)
	}
	if !known {
		return Job{}, errNoMapping
	}
	return queue(ctx, tx, KindSkillPreview, PreviewInput{version})
}

// SkillChange is what a mapping version would change about a person. Figures are null where there is
// none; levels count from 1, and 0 is below the first.
type SkillChange struct {
	Org, User, Skill        ids.ID
	Before, After           *float64
	LevelBefore, LevelAfter *int
}

var previewSkillsSQL = statement("preview_skills", "skill_facts", strings.ReplaceAll(skillFacts(together), "$2", "$3"),
	"skill_values", skillValues("("+sumsOfFacts+")"))

// PreviewSkills applies a mapping version as a recalculation does, in a transaction that is rolled back, and calls
// each for every person and skill with a figure before or after. It gives what rules would match then, by skill.
// unit limits it to an org unit; nil is all of them.
func PreviewSkills(ctx context.Context, store *db.Store, tenant, version ids.ID, unit *ids.ID, each func(SkillChange)) (map[ids.ID]SkillImpact, error) {
	var byRules map[ids.ID]SkillImpact
	err := store.DryRun(ctx, db.System(tenant, "projector"), func(tx *db.Tx) error {
		err := configure(ctx, tx, roomy)
		if err != nil {
			return err
		}
		before, err := rulesNow(ctx, tx)
		if err != nil {
			return err
		}
		versions, err := activeVersions(ctx, tx, &version)
		if err != nil {
			return err
		}
		err = apply(ctx, tx, versions)
		if err != nil {
			return err
		}
		after, err := rulesNow(ctx, tx)
		if err != nil {
			return err
		}
		byRules = compareRules(before, after)
		return previewPeople(ctx, tx, unit, each)
	})
	return byRules, err
}

func previewPeople(ctx context.Context, tx *db.Tx, unit *ids.ID, each func(SkillChange)) error {
	last := ids.None
	for {
		people, err := idsOf(ctx, tx, usersSQL, last, jobSize)
		if err != nil {
			return fmt.Errorf("find people: %w", err)
		}
		if len(people) == 0 {
			return nil
		}
		last = people[len(people)-1]
		submissions, err := idsOf(ctx, tx, submissionsOfSQL, people)
		if err != nil {
			return fmt.Errorf("find submissions: %w", err)
		}
		var c SkillChange
		err = eachRow(ctx, tx, previewSkillsSQL, []any{tx.Tenant(), people, submissions, unit},
			[]any{&c.Org, &c.User, &c.Skill, &c.Before, &c.After, &c.LevelBefore, &c.LevelAfter}, func() { each(c) })
		if err != nil {
			return fmt.Errorf("compare figures of skills: %w", err)
		}
	}
}

// ruleMatches are the rules of a skill: its strategy, and what its questions count.
type ruleMatches struct {
	strategy string
	weights  map[[2]ids.ID]float64
}

func rulesNow(ctx context.Context, tx *db.Tx) (map[ids.ID]ruleMatches, error) {
	all := map[ids.ID]ruleMatches{}
	var skill, version, question ids.ID
	var strategy string
	var weight float64
	err := eachRow(ctx, tx, "select skill_id, strategy from report_skill_targets where tenant_id = $1", []any{tx.Tenant()},
		[]any{&skill, &strategy}, func() { all[skill] = ruleMatches{strategy, map[[2]ids.ID]float64{}} })
	if err == nil {
		err = eachRow(ctx, tx, `
			select skill_id, evaluation_version_id, question_version_id, sum(weight)::float8 from report_skill_matches
			where tenant_id = $1 group by 1, 2, 3`, []any{tx.Tenant()}, []any{&skill, &version, &question, &weight},
			func() { all[skill].weights[[2]ids.ID{version, question}] = weight })
	}
	if err != nil {
		return nil, fmt.Errorf("read matches: %w", err)
	}
	return all, nil
}

// compareRules says for each skill that either side targets why its figures change.
func compareRules(before, after map[ids.ID]ruleMatches) map[ids.ID]SkillImpact {
	all := map[ids.ID]SkillImpact{}
	for skill, b := range before {
		impact := SkillImpact{SkillID: skill, StrategyBefore: &b.strategy}
		for question, weight := range b.weights {
			now, stays := after[skill].weights[question]
			switch {
			case !stays:
				impact.QuestionsRemoved++
			case now != weight:
				impact.QuestionsReweighed++
			}
		}
		all[skill] = impact
	}
	for skill, a := range after {
		impact := all[skill]
		impact.SkillID, impact.StrategyAfter = skill, &a.strategy
		for question := range a.weights {
			if _, was := before[skill].weights[question]; !was {
				impact.QuestionsAdded++
			}
		}
		all[skill] = impact
	}
	return all
}

// preview does a preview at once, and records what it found.
func preview(ctx context.Context, store *db.Store, tenant, id ids.ID, _ int) (Job, error) {
	var row models.ReportJob
	scope := db.System(tenant, "projector")
	err := store.Write(ctx, scope, func(tx *db.Tx) error {
		var err error
		row, err = lockJob(ctx, tx, id)
		if err != nil || row.State == models.ReportJobCompleted {
			return err
		}
		return begin(ctx, tx, &row)
	})
	if err != nil || row.State == models.ReportJobCompleted {
		return jobOf(row), err
	}
	in, err := argumentsOf[PreviewInput](row)
	if err != nil {
		return jobOf(row), err
	}
	found, err := impactOf(ctx, store, tenant, in.VersionID, row.OrgUnitID)
	if err != nil {
		return jobOf(row), err
	}
	err = store.Write(ctx, scope, func(tx *db.Tx) error {
		row, err = lockJob(ctx, tx, id)
		if err != nil || row.State == models.ReportJobCompleted {
			return err
		}
		row.Result, err = wire.Marshal(found)
		if err != nil {
			return fmt.Errorf("encode impact: %w", err)
		}
		now := tx.Now()
		row.State, row.DoneN, row.FinishedAt = models.ReportJobCompleted, *row.TotalN, &now
		return saveJob(ctx, tx, row)
	})
	return jobOf(row), err
}

// impactOf counts the people of each skill by what would happen to them, the skill with the most
// changes first. Each count is exact: what may be shown is decided when it is read.
func impactOf(ctx context.Context, store *db.Store, tenant, version ids.ID, unit *ids.ID) ([]SkillImpact, error) {
	counted := map[ids.ID]*[6]int64{}
	byRules, err := PreviewSkills(ctx, store, tenant, version, unit, func(c SkillChange) {
		if counted[c.Skill] == nil {
			counted[c.Skill] = &[6]int64{}
		}
		counted[c.Skill][c.kind()]++
	})
	if err != nil {
		return nil, err
	}
	all := []SkillImpact{}
	for skill, impact := range byRules {
		counts := counted[skill]
		if counts == nil {
			counts = &[6]int64{}
		}
		for i, into := range impact.counts() {
			*into = &counts[i]
		}
		impact.SkillID = skill
		all = append(all, impact)
	}
	changes := func(i SkillImpact) int64 { return *i.Gains + *i.Losses + *i.Rises + *i.Falls + *i.Moves }
	slices.SortFunc(all, func(a, b SkillImpact) int {
		return cmp.Or(cmp.Compare(changes(b), changes(a)), slices.Compare(a.SkillID[:], b.SkillID[:]))
	})
	return all, nil
}

// kind is the index of a change among the counts of an impact.
func (c SkillChange) kind() int {
	level := func(l *int) int {
		if l == nil {
			return 0
		}
		return *l
	}
	switch {
	case c.Before == nil:
		return 0
	case c.After == nil:
		return 1
	case level(c.LevelAfter) > level(c.LevelBefore):
		return 2
	case level(c.LevelAfter) < level(c.LevelBefore):
		return 3
	case *c.After != *c.Before:
		return 4
	}
	return 5
}

// skillJobOf adds the result of a preview, without figures that would tell a reader who may not see
// single people something about fewer than five people.
func skillJobOf(ctx context.Context, tx *db.Tx, j Job) (SkillJob, error) {
	full := SkillJob{Job: j}
	var result json.RawMessage
	err := tx.QueryRow(ctx, "select result from report_jobs where tenant_id = $1 and id = $2", tx.Tenant(), j.ID).Scan(&result)
	if err != nil {
		return full, fmt.Errorf("read impact: %w", err)
	}
	if len(result) == 0 {
		return full, nil
	}
	err = json.Unmarshal(result, &full.Impact)
	if err != nil {
		return full, fmt.Errorf("read impact: %w", err)
	}
	err = nameSkills(ctx, tx, full.Impact)
	if err != nil || tx.Can(capability.ReportingViewNamed) {
		return full, err
	}
	for i := range full.Impact {
		counts := full.Impact[i].counts()
		var plain []int64
		for _, c := range counts {
			plain = append(plain, **c)
		}
		for at, hidden := range Hide(plain) {
			if hidden {
				*counts[at] = nil
			}
		}
	}
	return full, nil
}

// nameSkills adds the names of the skills to an impact.
func nameSkills(ctx context.Context, tx *db.Tx, impact []SkillImpact) error {
	at := map[ids.ID]*SkillImpact{}
	var skills []ids.ID
	for i := range impact {
		at[impact[i].SkillID] = &impact[i]
		skills = append(skills, impact[i].SkillID)
	}
	var skill ids.ID
	var name string
	var code *string
	err := eachRow(ctx, tx, `
		select k.id, v.name, s.code from unnest($2::uuid[]) k (id)
		cross join lateral (select code, current_version_id from skills s where s.tenant_id = $1 and s.id = k.id offset 0) s
		cross join lateral (select name from skill_versions v where v.tenant_id = $1 and v.id = s.current_version_id offset 0) v`,
		[]any{tx.Tenant(), skills}, []any{&skill, &name, &code}, func() { at[skill].Name, at[skill].Code = name, code })
	if err != nil {
		return fmt.Errorf("name skills: %w", err)
	}
	return nil
}

// Hide says which of the counts that make up a whole must not be shown to a reader who may not see single
// people, and may know the whole: counts of fewer than Fewest people, and as many more, the smallest
// first, as it takes until the hidden counts are about Fewest people at least.
func Hide(counts []int64) []bool {
	hidden := make([]bool, len(counts))
	sum := int64(0)
	for i, n := range counts {
		if n > 0 && n < Fewest {
			hidden[i] = true
			sum += n
		}
	}
	for sum > 0 && sum < Fewest {
		least := -1
		for i, n := range counts {
			if !hidden[i] && n > 0 && (least < 0 || n < counts[least]) {
				least = i
			}
		}
		if least < 0 {
			break
		}
		hidden[least] = true
		sum += counts[least]
	}
	return hidden
}
