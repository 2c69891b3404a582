package skill

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// maxLevels bounds the levels of a skill.
const maxLevels = 20

// Content is the content of a version of a skill.
type Content struct {
	Name        string  `json:"name" minLength:"1" maxLength:"200" example:"Calculates doses"`
	Description string  `json:"description,omitempty" maxLength:"10000"`
	Levels      []Level `json:"levels,omitempty" nullable:"false" maxItems:"20" doc:"From the lowest up, by rising thresholds"`
}

// Version is a version of a skill.
type Version struct {
	ID          ids.ID     `json:"id"`
	Number      int        `json:"number"`
	Status      string     `json:"status" enum:"draft,published"`
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Levels      []Level    `json:"levels" nullable:"false"`
	CreatedAt   time.Time  `json:"createdAt"`
	UpdatedAt   time.Time  `json:"updatedAt"`
	PublishedAt *time.Time `json:"publishedAt,omitempty"`
}

const versionSQL = `
	select id, number, status, name, description, levels, created_at, updated_at, published_at from skill_versions
	where tenant_id = $1 and skill_id = $2 `

// ListVersions lists the versions of a skill, newest first. Capability: skills.read. Errors: not_found.
func ListVersions(ctx context.Context, tx *db.Tx, id ids.ID, p db.Page) (db.List[Version], error) {
	if _, err := Get(ctx, tx, id); err != nil {
		return db.List[Version]{}, err
	}
	return listOf(ctx, tx, p, "versions", "select count(*) from skill_versions where tenant_id = $1 and skill_id = $2",
		versionSQL+"order by number desc", Version.utc, id)
}

// Publish makes the draft of a skill the version that counts. It never changes again. Capability:
// skills.manage. Errors: not_found, archived when it is retired, nothing_to_publish.
func Publish(ctx context.Context, tx *db.Tx, id ids.ID) (Detail, error) {
	if err := tx.Require(capability.SkillsManage); err != nil {
		return Detail{}, err
	}
	was, err := lockSkill(ctx, tx, id)
	if err != nil {
		return Detail{}, err
	}
	if was.retiredAt != nil {
		return Detail{}, errs.New(errs.Archived, "The skill is retired.")
	}
	if was.draft == nil {
		return Detail{}, errs.New(errs.NothingToPublish, "The skill has no draft.")
	}
	_, err = tx.Exec(ctx, "update skill_versions set status = 'published', published_at = $3, updated_at = $3 where tenant_id = $1 and id = $2",
		tx.Tenant(), was.draft.ID, tx.Now())
	if err == nil {
		_, err = tx.Exec(ctx, "update skills set current_version_id = $3, updated_at = $4 where tenant_id = $1 and id = $2",
			tx.Tenant(), id, was.draft.ID, tx.ChangedAt(was.updatedAt))
	}
	if err == nil {
		err = ledger.Append(ctx, tx, event("published", id, map[string]any{"versionId": was.draft.ID, "number": was.draft.Number}))
	}
	if err != nil {
		return Detail{}, fmt.Errorf("publish skill: %w", err)
	}
	return Get(ctx, tx, id)
}

func draftOf(ctx context.Context, tx *db.Tx, id ids.ID) (Version, error) {
	rows, err := tx.Query(ctx, versionSQL+"and status = 'draft'", tx.Tenant(), id)
	if err != nil {
		return Version{}, fmt.Errorf("find draft: %w", err)
	}
	v, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Version])
	return v.utc(), found("draft", err)
}

// writeDraft writes a draft, or overwrites it.
func writeDraft(ctx context.Context, tx *db.Tx, skill ids.ID, number int, c Content) error {
	_, err := tx.Exec(ctx, `
		insert into skill_versions (tenant_id, id, skill_id, number, status, name, description, levels, created_at, updated_at)
		values ($1, $2, $3, $4, 'draft', $5, $6, $7, $8, $8)
		on conflict (tenant_id, skill_id) where status = 'draft'
		do update set name = excluded.name, description = excluded.description, levels = excluded.levels, updated_at = excluded.updated_at`,
		tx.Tenant(), ids.New(), skill, number, c.Name, c.Description, c.Levels, tx.Now())
	return err
}

// check gives the content in the form in which it is stored, and its problems, at paths below prefix.
func (c Content) check(prefix string) (Content, []errs.Field) {
	c.Name, c.Description = strings.TrimSpace(c.Name), strings.TrimSpace(c.Description)
	if c.Levels == nil {
		c.Levels = []Level{}
	}
	bad := slices.Concat(errs.Line(prefix+"name", c.Name, maxName, true), errs.Prose(prefix+"description", c.Description, maxDescription, false))
	if len(c.Levels) > maxLevels {
		return c, append(bad, errs.Field{Path: prefix + "levels", Code: "too_many", Message: fmt.Sprintf("at most %d levels", maxLevels)})
	}
	names, below := map[string]bool{}, -1.0
	for i, l := range c.Levels {
		at := fmt.Sprintf("%slevels[%d].", prefix, i)
		bad = append(bad, errs.Line(at+"name", l.Name, 100, true)...)
		if names[l.Name] {
			bad = append(bad, errs.Field{Path: at + "name", Code: "duplicate", Message: "another level has this name"})
		}
		names[l.Name] = true
		switch {
		case !(l.Threshold >= 0 && l.Threshold <= 1):
			bad = append(bad, errs.Field{Path: at + "threshold", Code: "out_of_range", Message: "thresholds lie between 0 and 1"})
		case l.Threshold <= below:
			bad = append(bad, errs.Field{Path: at + "threshold", Code: "not_rising", Message: "levels go from the lowest up, by rising thresholds"})
		}
		below = max(below, l.Threshold)
	}
	return c, bad
}

func (v Version) utc() Version {
	v.CreatedAt, v.UpdatedAt, v.PublishedAt = v.CreatedAt.UTC(), v.UpdatedAt.UTC(), db.UTC(v.PublishedAt)
	return v
}
