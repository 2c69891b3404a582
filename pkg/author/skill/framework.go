package skill

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// The longest texts, in characters.
const (
	maxName        = 200
	maxTitle       = 500
	maxDescription = 10_000
	maxCode        = 200
)

// Framework is a set of skills that belong together, such as a curriculum or a competency model.
type Framework struct {
	ID          ids.ID     `json:"id"`
	Identifier  ids.ID     `json:"identifier" doc:"Its name in CASE, for ever"`
	Title       string     `json:"title" example:"Nursing, first year"`
	Description string     `json:"description"`
	SkillsN     int        `json:"skillsN" doc:"Its skills, retired ones included"`
	RetiredAt   *time.Time `json:"retiredAt,omitempty"`
	CreatedAt   time.Time  `json:"createdAt"`
	UpdatedAt   time.Time  `json:"updatedAt"`
}

// FrameworkInput describes a framework.
type FrameworkInput struct {
	Title       string `json:"title" minLength:"1" maxLength:"500" example:"Nursing, first year"`
	Description string `json:"description,omitempty" maxLength:"10000"`
}

// FrameworkPatch changes the fields that it names and no others.
type FrameworkPatch struct {
	UpdatedAt   *time.Time `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
	Title       *string    `json:"title,omitempty" maxLength:"500"`
	Description *string    `json:"description,omitempty" maxLength:"10000"`
	Retired     *bool      `json:"retired,omitempty" doc:"A retired framework takes no new skills"`
}

const frameworkSQL = `
	select f.id, f.identifier, f.title, f.description,
		(select count(*) from skills s where s.tenant_id = $1 and s.framework_id = f.id), f.retired_at, f.created_at, f.updated_at
	from skill_frameworks f where f.tenant_id = $1 `

// CreateFramework adds a framework. Capability: skills.manage. Errors: validation_failed.
func CreateFramework(ctx context.Context, tx *db.Tx, in FrameworkInput) (Framework, error) {
	if err := tx.Require(capability.SkillsManage); err != nil {
		return Framework{}, err
	}
	if err := errs.Invalid(in.problems()...); err != nil {
		return Framework{}, err
	}
	id := ids.New()
	_, err := tx.Exec(ctx, `
		insert into skill_frameworks (tenant_id, id, identifier, title, description, created_at, updated_at)
		values ($1, $2, $2, $3, $4, $5, $5)`, tx.Tenant(), id, in.Title, in.Description, tx.Now())
	if err != nil {
		return Framework{}, fmt.Errorf("create framework: %w", err)
	}
	err = ledger.Append(ctx, tx, ledger.Event{Type: "skill_framework.created", SubjectType: "skill_framework", SubjectID: id})
	if err != nil {
		return Framework{}, err
	}
	return GetFramework(ctx, tx, id)
}

// GetFramework gives one framework. Capability: skills.read. Errors: not_found.
func GetFramework(ctx context.Context, tx *db.Tx, id ids.ID) (Framework, error) {
	if err := requireReader(tx); err != nil {
		return Framework{}, err
	}
	rows, err := tx.Query(ctx, frameworkSQL+"and f.id = $2", tx.Tenant(), id)
	if err != nil {
		return Framework{}, fmt.Errorf("find framework: %w", err)
	}
	f, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Framework])
	return f.utc(), found("framework", err)
}

// ListFrameworks lists frameworks, newest first. Capability: skills.read.
func ListFrameworks(ctx context.Context, tx *db.Tx, p db.Page) (db.List[Framework], error) {
	return listOf(ctx, tx, p, "frameworks", "select count(*) from skill_frameworks where tenant_id = $1",
		frameworkSQL+"order by f.created_at desc, f.id", Framework.utc)
}

// UpdateFramework changes a framework. Capability: skills.manage. Errors: not_found, stale_update,
// validation_failed.
func UpdateFramework(ctx context.Context, tx *db.Tx, id ids.ID, patch FrameworkPatch) (Framework, error) {
	if err := tx.Require(capability.SkillsManage); err != nil {
		return Framework{}, err
	}
	was, err := lockFramework(ctx, tx, id)
	if err != nil {
		return Framework{}, err
	}
	if err := db.Fresh(patch.UpdatedAt, was.UpdatedAt); err != nil {
		return Framework{}, err
	}
	in := FrameworkInput{was.Title, was.Description}
	set(&in.Title, patch.Title)
	set(&in.Description, patch.Description)
	if err := errs.Invalid(in.problems()...); err != nil {
		return Framework{}, err
	}
	_, err = tx.Exec(ctx, "update skill_frameworks set title = $3, description = $4, retired_at = $5, updated_at = $6 where tenant_id = $1 and id = $2",
		tx.Tenant(), id, in.Title, in.Description, retiring(tx, was.RetiredAt, patch.Retired), tx.ChangedAt(was.UpdatedAt))
	if err != nil {
		return Framework{}, fmt.Errorf("update framework: %w", err)
	}
	err = ledger.Append(ctx, tx, ledger.Event{Type: "skill_framework.updated", SubjectType: "skill_framework", SubjectID: id})
	if err != nil {
		return Framework{}, err
	}
	return GetFramework(ctx, tx, id)
}

// lockFramework lets the changes to a tree happen one at a time. Skills can be mapped and read meanwhile.
func lockFramework(ctx context.Context, tx *db.Tx, id ids.ID) (Framework, error) {
	f := Framework{ID: id}
	err := tx.QueryRow(ctx, "select title, description, retired_at, updated_at from skill_frameworks where tenant_id = $1 and id = $2 for no key update",
		tx.Tenant(), id).Scan(&f.Title, &f.Description, &f.RetiredAt, &f.UpdatedAt)
	return f, found("framework", err)
}

func (in FrameworkInput) problems() []errs.Field {
	return slices.Concat(errs.Line("title", in.Title, maxTitle, true), errs.Prose("description", in.Description, maxDescription, false))
}

func (f Framework) utc() Framework {
	f.RetiredAt, f.CreatedAt, f.UpdatedAt = db.UTC(f.RetiredAt), f.CreatedAt.UTC(), f.UpdatedAt.UTC()
	return f
}

// requireReader lets users read who may change.
func requireReader(tx *db.Tx) error {
	for _, c := range []capability.Capability{capability.SkillsManage, capability.SkillsMapping, capability.SkillsTaxonomy} {
		if tx.Can(c) {
			return nil
		}
	}
	return tx.Require(capability.SkillsRead)
}

// listOf gives a page of a list. The parameters of the statements are the tenant and args; the page comes last.
func listOf[T any](ctx context.Context, tx *db.Tx, p db.Page, noun, counting, reading string, finish func(T) T, args ...any) (db.List[T], error) {
	none := db.List[T]{}
	if err := requireReader(tx); err != nil {
		return none, err
	}
	page, err := p.Check()
	if err != nil {
		return none, err
	}
	args = append([]any{tx.Tenant()}, args...)
	var total int
	err = tx.QueryRow(ctx, counting, args...).Scan(&total)
	if err != nil {
		return none, fmt.Errorf("count %s: %w", noun, err)
	}
	n := len(args)
	rows, err := tx.Query(ctx, fmt.Sprintf("%s limit $%d offset $%d", reading, n+1, n+2), append(args, page.Limit, page.Offset())...)
	if err != nil {
		return none, fmt.Errorf("list %s: %w", noun, err)
	}
	items, err := pgx.CollectRows(rows, pgx.RowToStructByPos[T])
	if err != nil {
		return none, fmt.Errorf("list %s: %w", noun, err)
	}
	for i := range items {
		items[i] = finish(items[i])
	}
	return db.NewList(items, page, total), nil
}

func found(noun string, err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return errs.New(errs.NotFound, "There is no such %s.", noun)
	}
	if err != nil {
		return fmt.Errorf("find %s: %w", noun, err)
	}
	return nil
}

// retiring gives the time at which a record was retired, nil if it is not.
func retiring(tx *db.Tx, was *time.Time, retired *bool) *time.Time {
	switch now := tx.Now(); {
	case retired == nil || *retired == (was != nil):
		return was
	case *retired:
		return &now
	}
	return nil
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}
