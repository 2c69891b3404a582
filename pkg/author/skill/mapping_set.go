package skill

import (
	"context"
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

// MappingSet is a set of rules from questions to skills.
type MappingSet struct {
	ID              ids.ID     `json:"id"`
	Title           string     `json:"title" example:"Nursing exams"`
	Description     string     `json:"description"`
	ActiveVersionID *ids.ID    `json:"activeVersionId,omitempty" doc:"The newest published version: figures follow it from the next recalculation on"`
	ActiveNumber    int        `json:"activeNumber" doc:"0 for none"`
	DraftID         *ids.ID    `json:"draftId,omitempty"`
	RetiredAt       *time.Time `json:"retiredAt,omitempty" doc:"From the next recalculation on the rules of a retired set make no figures"`
	CreatedAt       time.Time  `json:"createdAt"`
	UpdatedAt       time.Time  `json:"updatedAt"`
}

// MappingSetInput describes a mapping set.
type MappingSetInput struct {
	Title       string `json:"title" minLength:"1" maxLength:"200" example:"Nursing exams"`
	Description string `json:"description,omitempty" maxLength:"10000"`
}

// MappingSetPatch changes the fields that it names and no others.
type MappingSetPatch struct {
	UpdatedAt   *time.Time `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
	Title       *string    `json:"title,omitempty" maxLength:"200"`
	Description *string    `json:"description,omitempty" maxLength:"10000"`
	Retired     *bool      `json:"retired,omitempty"`
}

const setSQL = `
	select s.id, s.title, s.description, s.active_version_id, coalesce(v.number, 0),
		(select d.id from skill_mapping_versions d where d.tenant_id = $1 and d.set_id = s.id and d.status = 'draft'),
		s.retired_at, s.created_at, s.updated_at
	from skill_mapping_sets s
	left join skill_mapping_versions v on v.tenant_id = s.tenant_id and v.id = s.active_version_id
	where s.tenant_id = $1 `

// CreateSet adds a mapping set without rules. Capability: skills.mapping.manage. Errors: validation_failed.
func CreateSet(ctx context.Context, tx *db.Tx, in MappingSetInput) (MappingSet, error) {
	if err := tx.Require(capability.SkillsMapping); err != nil {
		return MappingSet{}, err
	}
	if err := errs.Invalid(in.problems()...); err != nil {
		return MappingSet{}, err
	}
	id := ids.New()
	_, err := tx.Exec(ctx, "insert into skill_mapping_sets (tenant_id, id, title, description, created_at, updated_at) values ($1, $2, $3, $4, $5, $5)",
		tx.Tenant(), id, in.Title, in.Description, tx.Now())
	if err != nil {
		return MappingSet{}, fmt.Errorf("create mapping set: %w", err)
	}
	err = ledger.Append(ctx, tx, setEvent("created", id, nil))
	if err != nil {
		return MappingSet{}, err
	}
	return GetSet(ctx, tx, id)
}

// GetSet gives one mapping set. Capability: skills.read. Errors: not_found.
func GetSet(ctx context.Context, tx *db.Tx, id ids.ID) (MappingSet, error) {
	if err := requireReader(tx); err != nil {
		return MappingSet{}, err
	}
	rows, err := tx.Query(ctx, setSQL+"and s.id = $2", tx.Tenant(), id)
	if err != nil {
		return MappingSet{}, fmt.Errorf("find mapping set: %w", err)
	}
	s, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[MappingSet])
	return s.utc(), found("mapping set", err)
}

// ListSets lists mapping sets, newest first. Capability: skills.read.
func ListSets(ctx context.Context, tx *db.Tx, p db.Page) (db.List[MappingSet], error) {
	return listOf(ctx, tx, p, "mapping sets", "select count(*) from skill_mapping_sets where tenant_id = $1",
		setSQL+"order by s.created_at desc, s.id", MappingSet.utc)
}

// UpdateSet changes a mapping set. Capability: skills.mapping.manage. Errors: not_found, stale_update,
// validation_failed.
func UpdateSet(ctx context.Context, tx *db.Tx, id ids.ID, patch MappingSetPatch) (MappingSet, error) {
	was, err := lockSet(ctx, tx, id)
	if err != nil {
		return MappingSet{}, err
	}
	if err := db.Fresh(patch.UpdatedAt, was.UpdatedAt); err != nil {
		return MappingSet{}, err
	}
	in := MappingSetInput{was.Title, was.Description}
	set(&in.Title, patch.Title)
	set(&in.Description, patch.Description)
	if err := errs.Invalid(in.problems()...); err != nil {
		return MappingSet{}, err
	}
	_, err = tx.Exec(ctx, "update skill_mapping_sets set title = $3, description = $4, retired_at = $5, updated_at = $6 where tenant_id = $1 and id = $2",
		tx.Tenant(), id, in.Title, in.Description, retiring(tx, was.RetiredAt, patch.Retired), tx.ChangedAt(was.UpdatedAt))
	if err == nil {
		err = ledger.Append(ctx, tx, setEvent("updated", id, nil))
	}
	if err != nil {
		return MappingSet{}, fmt.Errorf("update mapping set: %w", err)
	}
	return GetSet(ctx, tx, id)
}

// lockSet reads a set for a change of the set or of its draft.
func lockSet(ctx context.Context, tx *db.Tx, id ids.ID) (MappingSet, error) {
	if err := tx.Require(capability.SkillsMapping); err != nil {
		return MappingSet{}, err
	}
	_, err := tx.Exec(ctx, "select from skill_mapping_sets where tenant_id = $1 and id = $2 for no key update", tx.Tenant(), id)
	if err != nil {
		return MappingSet{}, fmt.Errorf("lock mapping set: %w", err)
	}
	return GetSet(ctx, tx, id)
}

// MappingVersion is a version of a mapping set. In lists it has no rules.
type MappingVersion struct {
	ID          ids.ID     `json:"id"`
	SetID       ids.ID     `json:"setId"`
	Number      int        `json:"number"`
	Status      string     `json:"status" enum:"draft,published"`
	ContentHash *string    `json:"contentHash,omitempty" doc:"SHA-256 of the canonical rules (RFC 8785), of a published version"`
	RulesN      int        `json:"rulesN"`
	CreatedAt   time.Time  `json:"createdAt"`
	UpdatedAt   time.Time  `json:"updatedAt"`
	PublishedAt *time.Time `json:"publishedAt,omitempty"`
}

// MappingVersionDetail is a version with its rules, in order.
type MappingVersionDetail struct {
	MappingVersion
	Rules []Rule            `json:"rules" nullable:"false"`
	Names map[string]string `json:"names" nullable:"false" doc:"What the skills, terms (facet:slug), frameworks and evaluations in the rules are called now, by id"`
}

// RulesInput are all rules of a version.
type RulesInput struct {
	UpdatedAt *time.Time  `json:"updatedAt,omitempty" doc:"The state of the draft that the change was made from"`
	Rules     []RuleInput `json:"rules,omitempty" nullable:"false" maxItems:"2000" doc:"All rules, in order"`
}

const mappingSQL = `
	select v.id, v.set_id, v.number, v.status, v.content_hash,
		(select count(*) from skill_mapping_rules r where r.tenant_id = $1 and r.version_id = v.id), v.created_at, v.updated_at, v.published_at
	from skill_mapping_versions v where v.tenant_id = $1 and v.set_id = $2 `

// Draft begins the next version of a set, with the given rules or with the rules of the active version.
// Capability: skills.mapping.manage. Errors: not_found, archived, conflict when there is a draft,
// validation_failed.
func Draft(ctx context.Context, tx *db.Tx, set ids.ID, in RulesInput) (MappingVersionDetail, error) {
	none := MappingVersionDetail{}
	was, err := lockSet(ctx, tx, set)
	switch {
	case err != nil:
		return none, err
	case was.RetiredAt != nil:
		return none, errs.New(errs.Archived, "The mapping set is retired.")
	case was.DraftID != nil:
		return none, errs.New(errs.Conflict, "The mapping set has a draft; change that one.").With("versionId", *was.DraftID)
	}
	rules, err := checkRules(ctx, tx, in.Rules)
	if err == nil && in.Rules == nil && was.ActiveVersionID != nil {
		rules, err = rulesOf(ctx, tx, *was.ActiveVersionID)
		for i := range rules {
			rules[i].ID = ids.New()
		}
	}
	if err != nil {
		return none, err
	}
	id := ids.New()
	_, err = tx.Exec(ctx, `
		insert into skill_mapping_versions (tenant_id, id, set_id, number, status, created_at, updated_at)
		select $1, $3, $2, coalesce(max(number), 0) + 1, 'draft', $4, $4 from skill_mapping_versions where tenant_id = $1 and set_id = $2
		returning true`,
		tx.Tenant(), set, id, tx.Now())
	if err != nil {
		return none, fmt.Errorf("begin draft: %w", err)
	}
	err = writeRules(ctx, tx, id, rules)
	if err == nil {
		err = ledger.Append(ctx, tx, setEvent("drafted", set, map[string]any{"versionId": id}))
	}
	if err != nil {
		return none, err
	}
	return GetMapping(ctx, tx, set, id)
}

// SetRules replaces the rules of a draft. Capability: skills.mapping.manage. Errors: not_found,
// version_immutable, stale_update, validation_failed.
func SetRules(ctx context.Context, tx *db.Tx, set, version ids.ID, in RulesInput) (MappingVersionDetail, error) {
	was, err := lockDraft(ctx, tx, set, version)
	if err != nil {
		return MappingVersionDetail{}, err
	}
	if err := db.Fresh(in.UpdatedAt, was.UpdatedAt); err != nil {
		return MappingVersionDetail{}, err
	}
	rules, err := checkRules(ctx, tx, in.Rules)
	if err == nil {
		err = writeRules(ctx, tx, version, rules)
	}
	if err == nil {
		_, err = tx.Exec(ctx, "update skill_mapping_versions set updated_at = $3 where tenant_id = $1 and id = $2", tx.Tenant(), version, tx.ChangedAt(was.UpdatedAt))
	}
	if err == nil {
		err = ledger.Append(ctx, tx, setEvent("drafted", set, map[string]any{"versionId": version}))
	}
	if err != nil {
		return MappingVersionDetail{}, err
	}
	return GetMapping(ctx, tx, set, version)
}

// DropDraft removes a draft with its rules. Capability: skills.mapping.manage. Errors: not_found,
// version_immutable.
func DropDraft(ctx context.Context, tx *db.Tx, set, version ids.ID) error {
	_, err := lockDraft(ctx, tx, set, version)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "delete from skill_mapping_versions where tenant_id = $1 and id = $2", tx.Tenant(), version)
	if err != nil {
		return fmt.Errorf("drop draft: %w", err)
	}
	return ledger.Append(ctx, tx, setEvent("updated", set, map[string]any{"versionId": version}))
}

// GetMapping gives a version with its rules. Capability: skills.read. Errors: not_found.
func GetMapping(ctx context.Context, tx *db.Tx, set, version ids.ID) (MappingVersionDetail, error) {
	if err := requireReader(tx); err != nil {
		return MappingVersionDetail{}, err
	}
	rows, err := tx.Query(ctx, mappingSQL+"and v.id = $3", tx.Tenant(), set, version)
	if err != nil {
		return MappingVersionDetail{}, fmt.Errorf("find version: %w", err)
	}
	v, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[MappingVersion])
	if err != nil {
		return MappingVersionDetail{}, found("version of the mapping set", err)
	}
	rules, err := rulesOf(ctx, tx, version)
	if rules == nil {
		rules = []Rule{}
	}
	if err != nil {
		return MappingVersionDetail{}, err
	}
	names, err := namesOf(ctx, tx, rules)
	return MappingVersionDetail{v.utc(), rules, names}, err
}

// ListMappings lists the versions of a set, newest first. Capability: skills.read. Errors: not_found.
func ListMappings(ctx context.Context, tx *db.Tx, set ids.ID, p db.Page) (db.List[MappingVersion], error) {
	if _, err := GetSet(ctx, tx, set); err != nil {
		return db.List[MappingVersion]{}, err
	}
	return listOf(ctx, tx, p, "versions", "select count(*) from skill_mapping_versions where tenant_id = $1 and set_id = $2",
		mappingSQL+"order by v.number desc", MappingVersion.utc, set)
}

// lockDraft reads a version that may change, with its set locked.
func lockDraft(ctx context.Context, tx *db.Tx, set, version ids.ID) (MappingVersionDetail, error) {
	_, err := lockSet(ctx, tx, set)
	if err != nil {
		return MappingVersionDetail{}, err
	}
	v, err := GetMapping(ctx, tx, set, version)
	if err == nil && v.Status != "draft" {
		err = errs.New(errs.VersionImmutable, "A published version never changes; begin a draft.")
	}
	return v, err
}

func (in MappingSetInput) problems() []errs.Field {
	return slices.Concat(errs.Line("title", in.Title, maxName, true), errs.Prose("description", in.Description, maxDescription, false))
}

func (s MappingSet) utc() MappingSet {
	s.RetiredAt, s.CreatedAt, s.UpdatedAt = db.UTC(s.RetiredAt), s.CreatedAt.UTC(), s.UpdatedAt.UTC()
	return s
}

func (v MappingVersion) utc() MappingVersion {
	v.CreatedAt, v.UpdatedAt, v.PublishedAt = v.CreatedAt.UTC(), v.UpdatedAt.UTC(), db.UTC(v.PublishedAt)
	return v
}

func setEvent(what string, id ids.ID, payload map[string]any) ledger.Event {
	return ledger.Event{Type: "skill_mapping_set." + what, SubjectType: "skill_mapping_set", SubjectID: id, Payload: payload}
}
