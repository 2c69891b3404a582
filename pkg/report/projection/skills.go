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

const (
	each     = "match_each"
	together = "match_together"
	ofTenant = "(select * from %s where tenant_id = $1 and $2::uuid[] is null)"
)

// skillFacts are the first parts of a statement: what the item attempts of the submissions $2 say about skills.
func skillFacts(matching string) string {
	return statement("skill_facts", "chosen", shared["item attempts"],
		"matching", statement(matching, "versions", shared["submissions"]))
}

// allSkillFacts are the same for all of a tenant.
func allSkillFacts() string {
	return statement("skill_facts", "chosen", fmt.Sprintf(ofTenant, "report_item_attempts_flat"),
		"matching", statement(together, "versions", fmt.Sprintf(ofTenant, "report_skill_matched")))
}

// SkillValues are the figures that sums come to; sums has rows like report_skill_submissions, of the tenant $1.
func SkillValues(sums string) string { return skillValues(sums) }

// skillValues are the figures that sums come to.
func skillValues(sums string) string {
	of := []string{"strategy", "strategy", "earned", "earned", "weight", "weight", "best", "best", "faded", "faded",
		"newest earned", "newest_earned", "newest weight", "newest_weight"}
	return statement("skill_values", "sums", sums, "value", statement("skill_value", of...), "trend", statement("skill_trend", of...))
}

// addSkills writes facts, with the rules that matching finds, and adds them to figures r.
func addSkills(matching string) string {
	newest := func(column string) string {
		return "case when (excluded.last_at, excluded.newest_submission_id) > (r.last_at, r.newest_submission_id) then excluded." + column + " else r." + column + " end"
	}
	of := []string{"strategy", "excluded.strategy", "earned", "(r.earned + excluded.earned)", "weight", "(r.weight + excluded.weight)",
		"best", "greatest(r.best, excluded.best)", "faded", "r.value", "newest earned", newest("newest_earned"),
		"newest weight", newest("newest_weight"), "newest submission", newest("newest_submission_id")}
	return statement("write_skill_facts", append(of, "skill_facts", skillFacts(matching), "skill_sums", sumsOfWritten, "skill_values", skillValues("sums"),
		"value", statement("skill_value", of...), "trend", statement("skill_trend", of...))...)
}

var (
	sumsOfFacts      = statement("skill_sums", "facts", "facts")
	sumsOfWritten    = statement("skill_sums", "facts", "(select u.tenant_id, r.org_unit_id, r.user_id, r.skill_id, r.completed_at, r.submission_id, r.value, r.weight from facts r "+ofItsUnit+")")
	dropSkillsSQL    = statement("drop_skill_facts")
	addSkillsSQL     = addSkills(together)
	addFewSQL        = addSkills(each)
	changedSkillsSQL = statement("changed_skill_facts", "skill_facts", skillFacts(together))
	deriveSkillsSQL  = statement("derive_skills", "skill_values", skillValues("sums"))
	// A rebuild finds the tables empty.
	writeAllSkills = []operation{
		{"write facts of skills", "with " + allSkillFacts() + " insert into report_skill_facts select * from facts returning true"},
		{"sum up facts of skills", "insert into report_skill_submissions " + statement("skill_sums", "facts", fmt.Sprintf(ofTenant, "report_skill_facts")) + " returning true"},
		{"write figures of skills", "insert into report_skill_rollups " + skillValues(fmt.Sprintf(ofTenant, "report_skill_submissions")) + " returning true"},
	}
)

// few is how many submissions look up their rules item by item; more of them read all rules of their
// evaluations once.
const few = 10

// projectSkills brings facts and figures of skills up to date with the flat rows of a batch, whose submissions are
// locked, and gives the figures that changed. Submissions of evaluations that no rule matches are skipped.
func projectSkills(ctx context.Context, tx *db.Tx, p submissionPlan) ([]skillKey, error) {
	gone, err := dropSkills(ctx, tx, p.retract)
	if err != nil {
		return nil, err
	}
	mapped, err := matchNewVersions(ctx, tx, p.write)
	if err != nil {
		return nil, err
	}
	write := p.write
	if !mapped {
		write = nil
	}
	return writeSkills(ctx, tx, write, gone)
}

// dropSkills takes out the facts of submissions, and gives the figures that have to be updated.
func dropSkills(ctx context.Context, tx *db.Tx, submissions []ids.ID) ([]skillKey, error) {
	if len(submissions) == 0 {
		return nil, nil
	}
	gone, err := skillKeys(ctx, tx, dropSkillsSQL, tx.Tenant(), submissions)
	if err != nil {
		return nil, fmt.Errorf("drop facts of skills: %w", err)
	}
	return gone, nil
}

// writeSkills writes the facts of submissions that have none, and updates the figures that they touch, and the figures
// in gone. It gives all of these.
func writeSkills(ctx context.Context, tx *db.Tx, submissions []ids.ID, gone []skillKey) ([]skillKey, error) {
	if len(submissions)+len(gone) == 0 {
		return nil, nil
	}
	sql := addSkillsSQL
	if len(submissions) <= few {
		sql = addFewSQL
	}
	orgs, users, skills := skillColumns(gone)
	var touched, anew []skillKey
	var k skillKey
	var derive bool
	err := eachRow(ctx, tx, sql, []any{tx.Tenant(), submissions, orgs, users, skills}, []any{&k.Org, &k.User, &k.Skill, &derive}, func() {
		touched = append(touched, k)
		if derive {
			anew = append(anew, k)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("write facts of skills: %w", err)
	}
	return touched, deriveSkills(ctx, tx, anew)
}

func skillColumns(keys []skillKey) (orgs, users, skills []ids.ID) {
	for _, k := range keys {
		orgs, users, skills = append(orgs, k.Org), append(users, k.User), append(skills, k.Skill)
	}
	return orgs, users, skills
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
		orgs, users, skills := skillColumns(piece)
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
	err = executeAll(ctx, tx, nil, slices.Concat(writeAllSkills, markAllSkills))
	if err != nil {
		return err
	}
	return recomputeSkillsWithin(ctx, tx)
}
