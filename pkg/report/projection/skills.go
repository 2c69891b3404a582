package projection

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// skillKey names a figure: what a person can do, as an org unit sees it.
type skillKey struct{ Org, User, Skill ids.ID }

// The rules that match are looked up by key where a few submissions are projected, and joined where
// a whole tenant is.
const (
	matchingByKey = `cross join lateral (select m.rule_id, m.skill_id, m.weight, m.term_id from report_skill_matches m
		where m.tenant_id = $1 and m.evaluation_version_id = f.evaluation_version_id
			and m.question_version_id = f.question_version_id offset 0) m`
	matchingAtOnce = `join report_skill_matches m on m.tenant_id = $1 and m.evaluation_version_id = f.evaluation_version_id
		and m.question_version_id = f.question_version_id`
	ofSubmissions = "f.submission_id = any($2)"
)

var (
	syncSkillsSQL   = statement("sync_skill_facts", "skill_facts", statement("skill_facts", "matching", matchingByKey, "chosen", ofSubmissions))
	syncManySQL     = statement("sync_skill_facts", "skill_facts", statement("skill_facts", "matching", matchingAtOnce, "chosen", ofSubmissions))
	deriveSkillsSQL = statement("derive_skills", "skill_values", statement("skill_values", "facts", "facts"))
	// A rebuild finds the tables empty.
	writeSkillFacts   = []operation{{"write facts of skills", "insert into report_skill_facts " + statement("skill_facts", "matching", matchingAtOnce, "chosen", "$2::uuid[] is null")}}
	writeSkillRollups = []operation{{"write figures of skills", `insert into report_skill_rollups
		(tenant_id, org_unit_id, user_id, skill_id, value, facts_n, submissions_n, trend, first_at, last_at) ` +
		statement("skill_values", "facts", "(select * from report_skill_facts where tenant_id = $1 and $2::uuid[] is null)")}}
)

// projectSkills makes facts and figures of skills what the flat rows of the submissions, which are
// locked, say, and gives the figures that changed. A tenant without mappings has nothing to do here.
func projectSkills(ctx context.Context, tx *db.Tx, submissions []ids.ID) ([]skillKey, error) {
	if len(submissions) == 0 {
		return nil, nil
	}
	mapped, err := matchNewVersions(ctx, tx, submissions)
	if err != nil || !mapped {
		return nil, err
	}
	touched, err := skillKeys(ctx, tx, syncSkillsSQL, tx.Tenant(), submissions)
	if err != nil {
		return nil, fmt.Errorf("write facts of skills: %w", err)
	}
	return touched, deriveSkills(ctx, tx, touched)
}

func skillKeys(ctx context.Context, tx *db.Tx, sql string, args ...any) ([]skillKey, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[skillKey])
}

func deriveSkills(ctx context.Context, tx *db.Tx, keys []skillKey) error {
	for piece := range slices.Chunk(keys, rebuildSize) {
		var orgs, users, skills []ids.ID
		for _, k := range piece {
			orgs, users, skills = append(orgs, k.Org), append(users, k.User), append(skills, k.Skill)
		}
		_, err := tx.Exec(ctx, deriveSkillsSQL, tx.Tenant(), orgs, users, skills)
		if err != nil {
			return fmt.Errorf("derive figures of skills: %w", err)
		}
	}
	return nil
}

// rebuildSkills writes facts, figures and cells of skills from flat rows, by the mapping versions that
// are applied.
func rebuildSkills(ctx context.Context, tx *db.Tx) error {
	applied, err := appliedVersions(ctx, tx)
	if err != nil {
		return err
	}
	err = rematch(ctx, tx, applied)
	if err != nil {
		return err
	}
	err = executeAll(ctx, tx, nil, slices.Concat(writeSkillFacts, writeSkillRollups, markAllSkills))
	if err != nil {
		return err
	}
	return recomputeSkillsWithin(ctx, tx)
}
