package pack

import (
	"context"
	"errors"
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

// The bounds of a library, in characters and items.
const (
	maxName        = 200
	maxDescription = 2000
	maxItems       = 200
	maxMetadata    = 16 << 10
)

// ByLibrary names a library.
type ByLibrary struct {
	LibraryID ids.ID `path:"id" json:"-" noun:"library"`
}

// LibraryInput describes a library.
type LibraryInput struct {
	Name        string `json:"name" minLength:"1" maxLength:"200" example:"Fire safety 2026"`
	Description string `json:"description,omitempty" maxLength:"2000"`
	Offered     bool   `json:"offered,omitempty" doc:"Other org units of the tenant may see and install it"`
}

// LibraryPatch changes the fields that it names and no others. Items, if set, is the whole order: each item once.
type LibraryPatch struct {
	ByLibrary
	UpdatedAt   *time.Time `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
	Name        *string    `json:"name,omitempty" maxLength:"200"`
	Description *string    `json:"description,omitempty" maxLength:"2000"`
	Offered     *bool      `json:"offered,omitempty"`
	Archived    *bool      `json:"archived,omitempty" doc:"false takes an archived library into use again"`
	Items       *[]ids.ID  `json:"items,omitempty" nullable:"false" maxItems:"200" doc:"The ids of all items in their new order"`
}

// LibrarySummary is a library in a list. An org unit sees its own libraries and the ones that are offered.
type LibrarySummary struct {
	ID          ids.ID     `json:"id"`
	OrgUnitID   ids.ID     `json:"orgUnitId" doc:"The org unit that it belongs to"`
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Offered     bool       `json:"offered"`
	Imported    bool       `json:"imported" doc:"It came as a file: its items do not change here"`
	ArchivedAt  *time.Time `json:"archivedAt,omitempty"`
	CreatedAt   time.Time  `json:"createdAt"`
	UpdatedAt   time.Time  `json:"updatedAt"`
	// The newest revision, if there is one.
	RevisionNumber int     `json:"revisionNumber" doc:"The newest revision; 0 for none"`
	RevisionID     *ids.ID `json:"revisionId,omitempty"`
	ManifestHash   *string `json:"manifestHash,omitempty"`
	// InstalledNumber is the revision that the caller's org unit has installed.
	InstalledNumber int `json:"installedNumber" doc:"The revision that the caller's org unit works with; 0 for none"`
}

// Library is a library with the items of its next revision, in order; only its own org unit sees these.
type Library struct {
	LibrarySummary
	Items []Item `json:"items" nullable:"false"`
}

// LibraryFilter chooses libraries; the zero value chooses all that are not archived.
type LibraryFilter struct {
	Archived bool `query:"archived" doc:"Those that are archived instead"`
	db.Page
}

// librarySQL describes the libraries of a subquery l.
const librarySQL = `
	select l.id, l.org_unit_id, l.name, l.description, l.offered, l.origin_id is not null, l.archived_at, l.created_at, l.updated_at,
		coalesce(r.number, 0), r.id, r.manifest_hash, coalesce(i.revision_number, 0)
	from (%s) l
	left join lateral (select id, number, manifest_hash from library_revisions
		where tenant_id = $1 and library_id = l.id order by number desc limit 1) r on true
	left join lateral (select revision_number from library_installs
		where tenant_id = $1 and library_id = l.id and into_unit = $2 and state = 'current' offset 0) i on true
	order by l.updated_at desc, l.id`

var (
	oneLibrarySQL    = fmt.Sprintf(librarySQL, "select * from libraries where tenant_id = $1 and id = $3")
	listedLibrarySQL = fmt.Sprintf(librarySQL, `select * from libraries where tenant_id = $1 and (archived_at is not null) = $3
		order by updated_at desc, id limit $4 offset $5`)
)

// CreateLibrary adds a library to the caller's org unit. Capability: packs.manage. Errors:
// validation_failed.
func CreateLibrary(ctx context.Context, tx *db.Tx, in LibraryInput) (Library, error) {
	if err := tx.Require(capability.PacksManage); err != nil {
		return Library{}, err
	}
	org, err := tx.HomeOrgUnit()
	if err != nil {
		return Library{}, err
	}
	if err := errs.Invalid(in.problems()...); err != nil {
		return Library{}, err
	}
	id := ids.New()
	_, err = tx.Exec(ctx, `
		insert into libraries (tenant_id, id, org_unit_id, name, description, offered, created_at, updated_at)
		values ($1, $2, $3, $4, $5, $6, $7, $7)`,
		tx.Tenant(), id, org, strings.TrimSpace(in.Name), strings.TrimSpace(in.Description), in.Offered, tx.Now())
	if err != nil {
		return Library{}, fmt.Errorf("create library: %w", err)
	}
	err = ledger.Append(ctx, tx, libraryEvent("created", id, org, nil))
	if err != nil {
		return Library{}, err
	}
	return libraryOf(ctx, tx, id)
}

// GetLibrary gives a library that the scope has or that is offered to it. Capability:
// evaluations.read. Errors: not_found.
func GetLibrary(ctx context.Context, tx *db.Tx, input ByLibrary) (Library, error) {
	if err := tx.Require(capability.EvaluationsRead); err != nil {
		return Library{}, err
	}
	return libraryOf(ctx, tx, input.LibraryID)
}

func libraryOf(ctx context.Context, tx *db.Tx, id ids.ID) (Library, error) {
	rows, err := tx.Query(ctx, oneLibrarySQL, tx.Tenant(), tx.Scope().OrgUnit, id)
	if err != nil {
		return Library{}, fmt.Errorf("find library: %w", err)
	}
	summary, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[LibrarySummary])
	if errors.Is(err, pgx.ErrNoRows) {
		return Library{}, errNoLibrary()
	}
	if err != nil {
		return Library{}, fmt.Errorf("find library: %w", err)
	}
	items, err := itemsOf(ctx, tx, id)
	return Library{utc(summary), items}, err
}

// ListLibraries lists libraries, newest change first. Capability: evaluations.read.
func ListLibraries(ctx context.Context, tx *db.Tx, f LibraryFilter) (db.List[LibrarySummary], error) {
	none := db.List[LibrarySummary]{}
	if err := tx.Require(capability.EvaluationsRead); err != nil {
		return none, err
	}
	page, err := f.Check()
	if err != nil {
		return none, err
	}
	var total int
	err = tx.QueryRow(ctx, "select count(*) from libraries l where l.tenant_id = $1 and (l.archived_at is not null) = $2", tx.Tenant(), f.Archived).Scan(&total)
	if err != nil {
		return none, fmt.Errorf("count libraries: %w", err)
	}
	rows, err := tx.Query(ctx, listedLibrarySQL, tx.Tenant(), tx.Scope().OrgUnit, f.Archived, page.Limit, page.Offset())
	if err != nil {
		return none, fmt.Errorf("list libraries: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[LibrarySummary])
	if err != nil {
		return none, fmt.Errorf("list libraries: %w", err)
	}
	for i := range found {
		found[i] = utc(found[i])
	}
	return db.NewList(found, page, total), nil
}

// UpdateLibrary changes a library of the scope. Capability: packs.manage. Errors: not_found,
// stale_update, validation_failed, archived (it is offered while out of use).
func UpdateLibrary(ctx context.Context, tx *db.Tx, patch LibraryPatch) (Library, error) {
	id := patch.LibraryID
	if err := tx.Require(capability.PacksManage); err != nil {
		return Library{}, err
	}
	own, err := lockLibrary(ctx, tx, id)
	if err != nil {
		return Library{}, err
	}
	if err := db.Fresh(patch.UpdatedAt, own.updatedAt); err != nil {
		return Library{}, err
	}
	in := LibraryInput{Name: own.name, Description: own.description, Offered: own.offered}
	set(&in.Name, patch.Name)
	set(&in.Description, patch.Description)
	set(&in.Offered, patch.Offered)
	archived := own.archived
	set(&archived, patch.Archived)
	if err := errs.Invalid(in.problems()...); err != nil {
		return Library{}, err
	}
	if archived && patch.Offered != nil && *patch.Offered {
		return Library{}, errs.New(errs.Archived, "The library is archived; nobody can be offered it.")
	}
	if patch.Items != nil {
		err = own.reorder(ctx, tx, *patch.Items)
		if err != nil {
			return Library{}, err
		}
	}
	_, err = tx.Exec(ctx, `
		update libraries set name = $3, description = $4, offered = $5 and not $6, updated_at = $7,
			archived_at = case when $6 then coalesce(archived_at, $8) end
		where tenant_id = $1 and id = $2`,
		tx.Tenant(), id, strings.TrimSpace(in.Name), strings.TrimSpace(in.Description), in.Offered, archived, tx.ChangedAt(own.updatedAt), tx.Now())
	if err != nil {
		return Library{}, fmt.Errorf("update library: %w", err)
	}
	err = ledger.Append(ctx, tx, libraryEvent("updated", id, own.org, nil))
	if err != nil {
		return Library{}, err
	}
	return libraryOf(ctx, tx, id)
}

// DeleteLibrary removes a library that was never published. A published one is archived instead, and no
// longer offered: installs refer to its revisions. Capability: packs.manage. Errors: not_found,
// library_in_use, with which the archiving is kept.
func DeleteLibrary(ctx context.Context, tx *db.Tx, input ByLibrary) (db.None, error) {
	id := input.LibraryID
	if err := tx.Require(capability.PacksManage); err != nil {
		return db.None{}, err
	}
	own, err := lockLibrary(ctx, tx, id)
	if err != nil {
		return db.None{}, err
	}
	var revisions int
	err = tx.QueryRow(ctx, "select count(*) from library_revisions where tenant_id = $1 and library_id = $2", tx.Tenant(), id).Scan(&revisions)
	if err != nil {
		return db.None{}, fmt.Errorf("count revisions: %w", err)
	}
	if revisions == 0 {
		_, err = tx.Exec(ctx, "delete from libraries where tenant_id = $1 and id = $2", tx.Tenant(), id)
		if err != nil {
			return db.None{}, fmt.Errorf("delete library: %w", err)
		}
		return db.None{}, ledger.Append(ctx, tx, libraryEvent("deleted", id, own.org, nil))
	}
	inUse := errs.New(errs.LibraryInUse, "The library has published revisions; it was archived instead.").With("revisions", revisions)
	if own.archived {
		return db.None{}, inUse
	}
	_, err = tx.Exec(ctx, "update libraries set archived_at = $3, offered = false, updated_at = $4 where tenant_id = $1 and id = $2",
		tx.Tenant(), id, tx.Now(), tx.ChangedAt(own.updatedAt))
	if err != nil {
		return db.None{}, fmt.Errorf("archive library: %w", err)
	}
	err = ledger.Append(ctx, tx, libraryEvent("archived", id, own.org, nil))
	if err != nil {
		return db.None{}, err
	}
	return db.None{}, db.Keep(inUse)
}

// library is a library that is locked for a change.
type library struct {
	id, org                     ids.ID
	name, description           string
	offered, archived, imported bool
	originID                    *ids.ID
	updatedAt                   time.Time
}

// lockLibrary finds a library of the scope; one that is only offered cannot be changed and is not found.
func lockLibrary(ctx context.Context, tx *db.Tx, id ids.ID) (library, error) {
	l := library{id: id}
	err := tx.QueryRow(ctx, `
		select org_unit_id, name, description, offered, archived_at is not null, origin_id, updated_at from libraries
		where tenant_id = $1 and id = $2 and ($3 or org_unit_id = $4) for update`, tx.Tenant(), id, tx.Scope().All, tx.Scope().OrgUnit).
		Scan(&l.org, &l.name, &l.description, &l.offered, &l.archived, &l.originID, &l.updatedAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return l, errNoLibrary()
	}
	if err != nil {
		return l, fmt.Errorf("lock library: %w", err)
	}
	l.imported = l.originID != nil
	return l, nil
}

// changeable says whether items may change and revisions be published.
func (l library) changeable() error {
	if l.archived {
		return errs.New(errs.Archived, "The library is archived.")
	}
	if l.imported {
		return errs.New(errs.Conflict, "The library came as a file: whoever publishes it changes it.")
	}
	return nil
}

func (in LibraryInput) problems() []errs.Field {
	return slices.Concat(errs.Line("name", in.Name, maxName, true), errs.Prose("description", in.Description, maxDescription, false))
}

func errNoLibrary() error { return errs.New(errs.NotFound, "There is no such library in your scope.") }

func libraryEvent(what string, id, org ids.ID, payload map[string]any) ledger.Event {
	return ledger.Event{Type: "library." + what, SubjectType: "library", SubjectID: id, OrgUnit: org, Payload: payload}
}

func utc(l LibrarySummary) LibrarySummary {
	l.ArchivedAt, l.CreatedAt, l.UpdatedAt = db.UTC(l.ArchivedAt), l.CreatedAt.UTC(), l.UpdatedAt.UTC()
	return l
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}
