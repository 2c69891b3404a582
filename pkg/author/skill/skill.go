package skill

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// Skill is something that a person can be able to do. Its name, description and levels are from the
// version that counts: the newest published one, or the draft of a skill that was never published.
type Skill struct {
	ID          ids.ID     `json:"id"`
	Identifier  ids.ID     `json:"identifier" doc:"Its name in CASE, for ever"`
	FrameworkID *ids.ID    `json:"frameworkId,omitempty"`
	ParentID    *ids.ID    `json:"parentId,omitempty" doc:"Absent at the top of the framework"`
	Code        *string    `json:"code,omitempty" doc:"What people call it in its framework" example:"N1.2"`
	Position    int        `json:"position" doc:"Its place in the framework, from 0"`
	Name        string     `json:"name" example:"Calculates doses"`
	Description string     `json:"description"`
	Levels      []Level    `json:"levels" nullable:"false" doc:"From the lowest up; none where figures are not put into levels"`
	Number      int        `json:"number" doc:"The version that counts"`
	VersionID   *ids.ID    `json:"versionId,omitempty" doc:"The newest published version"`
	HasDraft    bool       `json:"hasDraft"`
	TermIDs     []ids.ID   `json:"termIds" nullable:"false" doc:"Competency tags: terms of facets of the domain skills"`
	RetiredAt   *time.Time `json:"retiredAt,omitempty" doc:"A retired skill takes no new rules"`
	CreatedAt   time.Time  `json:"createdAt"`
	UpdatedAt   time.Time  `json:"updatedAt"`
}

// Detail is a skill with its draft.
type Detail struct {
	Skill
	Draft *Version `json:"draft,omitempty"`
}

// Level is reached by a person whose figure is Threshold or more.
type Level struct {
	Name      string  `json:"name" minLength:"1" maxLength:"100" example:"proficient"`
	Threshold float64 `json:"threshold" minimum:"0" maximum:"1" example:"0.7"`
}

// Place is the place of a skill.
type Place struct {
	FrameworkID *ids.ID `json:"frameworkId,omitempty"`
	ParentID    *ids.ID `json:"parentId,omitempty" doc:"A skill of the same framework. Default: the top"`
	Code        string  `json:"code,omitempty" maxLength:"200" example:"N1.2" doc:"Unique in its framework"`
	Position    int     `json:"position,omitempty" minimum:"0" maximum:"1000000"`
}

// Input describes a new skill. It begins as a draft.
type Input struct {
	Place
	Content
	TermIDs []ids.ID `json:"termIds,omitempty" nullable:"false" maxItems:"50" doc:"Needs skills.taxonomy.manage"`
}

// Filter chooses skills; the zero value chooses all.
type Filter struct {
	FrameworkID *ids.ID
	ParentID    *ids.ID
	TermID      *ids.ID
	// Top chooses skills without a parent.
	Top     bool
	Retired *bool
	// Prefix is how the code begins.
	Prefix string
	db.Page
}

const skillSQL = `
	select s.id, s.identifier, s.framework_id, s.parent_id, s.code, s.position, v.name, v.description, v.levels, v.number,
		s.current_version_id, exists (select from skill_versions d where d.tenant_id = $1 and d.skill_id = s.id and d.status = 'draft'),
		array(select t.term_id from skill_tags t where t.tenant_id = $1 and t.skill_id = s.id order by 1),
		s.retired_at, s.created_at, s.updated_at
	from skills s
	join skill_versions v on v.tenant_id = s.tenant_id and v.skill_id = s.id
		and (v.id = s.current_version_id or s.current_version_id is null and v.status = 'draft')
	where s.tenant_id = $1 `

// Create adds a skill, as a draft. Capability: skills.manage. Errors: validation_failed.
func Create(ctx context.Context, tx *db.Tx, in Input) (Detail, error) {
	if err := tx.Require(capability.SkillsManage); err != nil {
		return Detail{}, err
	}
	content, bad := in.Content.check("")
	id := ids.New()
	misplaced, err := in.Place.check(ctx, tx, id)
	if err != nil {
		return Detail{}, err
	}
	if err := errs.Invalid(append(bad, misplaced...)...); err != nil {
		return Detail{}, err
	}
	_, err = tx.Exec(ctx, `
		insert into skills (tenant_id, id, identifier, framework_id, parent_id, code, position, created_at, updated_at)
		values ($1, $2, $2, $3, $4, nullif($5, ''), $6, $7, $7)`, tx.Tenant(), id, in.FrameworkID, in.ParentID, in.Code, in.Position, tx.Now())
	if err == nil {
		err = writeDraft(ctx, tx, id, 1, content)
	}
	if err != nil {
		return Detail{}, fmt.Errorf("create skill: %w", err)
	}
	if len(in.TermIDs) > 0 {
		err = setTags(ctx, tx, id, in.TermIDs)
	}
	if err == nil {
		err = ledger.Append(ctx, tx, event("created", id, nil))
	}
	if err != nil {
		return Detail{}, err
	}
	return Get(ctx, tx, id)
}

// Get gives one skill, with its draft. Capability: skills.read. Errors: not_found.
func Get(ctx context.Context, tx *db.Tx, id ids.ID) (Detail, error) {
	if err := requireReader(tx); err != nil {
		return Detail{}, err
	}
	rows, err := tx.Query(ctx, skillSQL+"and s.id = $2", tx.Tenant(), id)
	if err != nil {
		return Detail{}, fmt.Errorf("find skill: %w", err)
	}
	s, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Skill])
	if err != nil {
		return Detail{}, found("skill", err)
	}
	d := Detail{Skill: s.utc()}
	draft, err := draftOf(ctx, tx, id)
	if err == nil {
		d.Draft = &draft
	} else if errors.Is(err, errs.NotFound) {
		err = nil
	}
	return d, err
}

// List lists skills: the skills of a framework in their order, others by age. Capability: skills.read.
func List(ctx context.Context, tx *db.Tx, f Filter) (db.List[Skill], error) {
	if bad := errs.Line("q", f.Prefix, maxCode, false); bad != nil {
		return db.List[Skill]{}, errs.Invalid(bad...)
	}
	chosen, args := f.where()
	order := "order by s.created_at desc, s.id"
	if f.FrameworkID != nil || f.ParentID != nil {
		order = "order by s.position, s.id"
	}
	return listOf(ctx, tx, f.Page, "skills", "select count(*) from skills s where s.tenant_id = $1 "+chosen, skillSQL+chosen+order, Skill.utc, args...)
}

// where has only the conditions that are set: a generic plan uses an index only if the statement names the
// framework or the parent for certain.
func (f Filter) where() (string, []any) {
	var sql string
	var args []any
	and := func(condition string, value any) {
		args = append(args, value)
		sql += fmt.Sprintf("and "+condition+" ", len(args)+1) // $1 is the tenant
	}
	if f.FrameworkID != nil {
		and("s.framework_id = $%d", *f.FrameworkID)
	}
	if f.ParentID != nil {
		and("s.parent_id = $%d", *f.ParentID)
	}
	if f.Top {
		sql += "and s.parent_id is null "
	}
	if f.Retired != nil {
		and("(s.retired_at is not null) = $%d", *f.Retired)
	}
	if f.Prefix != "" {
		and("s.code ^@ $%d", f.Prefix)
	}
	if f.TermID != nil {
		and("exists (select from skill_tags g where g.tenant_id = $1 and g.skill_id = s.id and g.term_id = $%d)", *f.TermID)
	}
	return sql, args
}

func (s Skill) utc() Skill {
	s.RetiredAt, s.CreatedAt, s.UpdatedAt = db.UTC(s.RetiredAt), s.CreatedAt.UTC(), s.UpdatedAt.UTC()
	return s
}

func event(what string, id ids.ID, payload map[string]any) ledger.Event {
	return ledger.Event{Type: "skill." + what, SubjectType: "skill", SubjectID: id, Payload: payload}
}
