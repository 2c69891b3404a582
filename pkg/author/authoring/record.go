package authoring

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// The files record_*.go have what questions, passages and evaluations do alike; the store of
// each (question_store.go and the like) has the rest.

// record is a row of questions, passages or evaluations, version one of their versions.
type (
	record  interface{ Row() *models.Authored }
	version interface {
		Row() *models.AuthoredVersion
	}
)

// store keeps the records of one kind. R and V are its rows, C is a checked input, Out is a
// record as it is shown. load, save and freezing may be nil, and so may terms.
type store[R record, V version, C checked[R, V], Out any] struct {
	noun
	read, write capability.Capability
	// blank makes empty rows.
	blank func() (R, V)
	// owner is the place of the record's id in the row of a version.
	owner func(V) *ids.ID
	// unpin takes from a copy of a version what publishing gave it.
	unpin func(V)
	// facts are what an event of the ledger tells about a version, in addition to its number.
	facts func(V) map[string]any
	// terms are the places of all terms that a version names, beginning with the terms that it carries.
	terms func(V) []*[]ids.ID
	// load and save read and write what versions have outside their rows.
	load, save func(context.Context, *db.Tx, []V) error
	// freezing says what publishing drafts pins, and what keeps them from being published.
	freezing func(ctx context.Context, tx *db.Tx, drafts []*edit[R, V], paths []string) ([]freezing, error)
	// show makes the answer from a record, its versions by id, and the problems of its draft.
	show func(R, map[ids.ID]V, []errs.Field) (Out, error)
}

// edit is a record that is about to be stored, with its newest version. texts are what search
// finds it by from now on; nil changes nothing there. isNew says that it has never been stored.
type edit[R record, V version] struct {
	record  R
	version V
	texts   []string
	isNew   bool
}

// noun names a kind: a question, and the tables that start with the word.
type noun string

func (n noun) records() string  { return string(n) + "s" }
func (n noun) versions() string { return string(n) + "_versions" }
func (n noun) terms() string    { return string(n) + "_terms" }

func (n noun) notFound() error {
	return errs.New(errs.NotFound, "There is no such %s in your scope.", n)
}

// find gives the records of the scope with the ids.
func (s store[R, V, C, Out]) find(ctx context.Context, tx *db.Tx, wanted []ids.ID) ([]R, error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	var rows []R
	err := tx.NewSelect().Model(&rows).Apply(tx.InScope).Where("?TableAlias.id in (?)", bun.List(wanted)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", s.records(), err)
	}
	return rows, nil
}

// one gives one record of the scope. Errors: not_found.
func (s store[R, V, C, Out]) one(ctx context.Context, tx *db.Tx, id ids.ID) (R, error) {
	var none R
	rows, err := s.find(ctx, tx, []ids.ID{id})
	if err != nil {
		return none, err
	}
	if len(rows) == 0 {
		return none, s.notFound()
	}
	return rows[0], nil
}

// lock finds records by id and keeps all others from changing them. The order keeps two
// such calls from waiting for each other. It gives not_found if one is missing.
func (s store[R, V, C, Out]) lock(ctx context.Context, tx *db.Tx, wanted []ids.ID) ([]R, error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	var rows []R
	err := tx.NewSelect().Model(&rows).Apply(tx.InScope).Where("?TableAlias.id in (?)", bun.List(wanted)).
		OrderExpr("?TableAlias.id").For("update of ?TableAlias").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", s.records(), err)
	}
	if len(rows) < len(termSet(wanted)) {
		return nil, s.notFound()
	}
	return rows, nil
}

// lockExternal is lock for the records of an org unit that have one of the external ids, or
// that have none and one of these as their id; unknown ones are absent.
func (s store[R, V, C, Out]) lockExternal(ctx context.Context, tx *db.Tx, org ids.ID, externalIDs []string) ([]R, error) {
	var rows []R
	err := tx.NewSelect().Model(&rows).Where("?TableAlias.tenant_id = ?", tx.Tenant()).Where("?TableAlias.org_unit_id = ?", org).
		Where("(?TableAlias.external_id in (?) or (?TableAlias.external_id is null and ?TableAlias.id in (?)))",
			bun.List(searchable(externalIDs)), bun.List(searchableIDs(externalIDs))).
		OrderExpr("?TableAlias.id").For("update of ?TableAlias").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", s.records(), err)
	}
	return rows, nil
}

// versionsOf gives the draft and the published version of each record, by id.
func (s store[R, V, C, Out]) versionsOf(ctx context.Context, tx *db.Tx, records []R) (map[ids.ID]V, error) {
	var wanted []ids.ID
	for _, r := range records {
		wanted = append(wanted, versionIDs(r.Row().DraftID, r.Row().PublishedID)...)
	}
	return s.versionsByID(ctx, tx, wanted)
}

// versionsByID gives versions of the scope.
func (s store[R, V, C, Out]) versionsByID(ctx context.Context, tx *db.Tx, wanted []ids.ID) (map[ids.ID]V, error) {
	versions := make(map[ids.ID]V, len(wanted))
	if len(wanted) == 0 {
		return versions, nil
	}
	var rows []V
	err := tx.NewSelect().Model(&rows).Apply(tx.InScope).Where("v.id in (?)", bun.List(wanted)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read %s versions: %w", s.noun, err)
	}
	for _, row := range rows {
		versions[row.Row().ID] = row
	}
	if s.load == nil {
		return versions, nil
	}
	return versions, s.load(ctx, tx, rows)
}

// start begins a record that does not exist yet.
func (s store[R, V, C, Out]) start(tx *db.Tx, org ids.ID) *edit[R, V] {
	e := edit[R, V]{isNew: true}
	e.record, e.version = s.blank()
	*e.record.Row() = models.Authored{TenantID: tx.Tenant(), ID: ids.New(), OrgUnitID: org, Status: models.AuthoringDraft,
		CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
	return &e
}

// open takes a stored record with the version that authors see: the draft,
// or else the published one.
func (s store[R, V, C, Out]) open(r R, versions map[ids.ID]V) *edit[R, V] {
	return &edit[R, V]{record: r, version: versions[newestID(r.Row())]}
}

func newestID(r *models.Authored) ids.ID {
	if r.DraftID != nil {
		return *r.DraftID
	}
	return *r.PublishedID
}

// draft makes the newest version a draft: itself, or a copy under the next number, which pins
// nothing.
func (s store[R, V, C, Out]) draft(tx *db.Tx, e *edit[R, V]) {
	r, v := e.record.Row(), e.version.Row()
	if !e.isNew {
		r.UpdatedAt = tx.ChangedAt(r.UpdatedAt)
	}
	if r.DraftID == nil {
		*v = models.AuthoredVersion{TenantID: tx.Tenant(), ID: ids.New(), OrgUnitID: r.OrgUnitID, Number: v.Number + 1,
			Status: models.VersionDraft, CreatedAt: tx.Now()}
		*s.owner(e.version) = r.ID
		s.unpin(e.version)
		r.DraftID = &v.ID
	}
	v.UpdatedAt = r.UpdatedAt
}

func (s store[R, V, C, Out]) event(e *edit[R, V], what string) ledger.Event {
	r, v := e.record.Row(), e.version.Row()
	payload := map[string]any{string(s.noun) + "VersionId": v.ID, "number": v.Number}
	for name, fact := range s.facts(e.version) {
		payload[name] = fact
	}
	return ledger.Event{Type: string(s.noun) + "." + what, SubjectType: string(s.noun), SubjectID: r.ID, OrgUnit: r.OrgUnitID, Payload: payload}
}
