package authoring

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/author/media"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// checked is an input that was checked as far as this is possible without the database.
type checked[R record, V version] interface {
	externalID() string
	// problems are the problems that the check found; paths start at path.
	problems(path string) problems
	// uses are the ids that it names and that have to be looked up in the database.
	uses(e *edit[R, V], path string) (uses, error)
	// settle turns an input without problems into the form in which it is stored.
	settle(e *edit[R, V]) (settled[R, V], error)
}

// settled is an input in the form in which it is stored.
type settled[R record, V version] interface {
	// same says whether the newest version has exactly this content.
	same(e *edit[R, V]) (bool, error)
	// put writes it into the record and its draft.
	put(e *edit[R, V])
}

// create adds a record with a first draft.
func (s store[R, V, C, Out]) create(ctx context.Context, tx *db.Tx, in C) (Out, error) {
	var none Out
	org, err := s.home(tx)
	if err != nil {
		return none, err
	}
	return s.change(ctx, tx, s.start(tx, org), in)
}

// update changes the draft; a published record without one gets a new draft that starts from
// the published version. asOf is the state that the change was made from; over applies the
// change to the newest version.
func (s store[R, V, C, Out]) update(ctx context.Context, tx *db.Tx, id ids.ID, asOf *time.Time, over func(*edit[R, V]) (C, error)) (Out, error) {
	var none Out
	if err := tx.Require(s.write); err != nil {
		return none, err
	}
	e, err := s.takeUp(ctx, tx, id)
	if err != nil {
		return none, err
	}
	if err := db.Fresh(asOf, e.record.Row().UpdatedAt); err != nil {
		return none, err
	}
	in, err := over(e)
	if err != nil {
		return none, err
	}
	return s.change(ctx, tx, e, in)
}

// begin begins a new draft as a copy of the published version.
func (s store[R, V, C, Out]) begin(ctx context.Context, tx *db.Tx, id ids.ID) (Out, error) {
	var none Out
	if err := tx.Require(s.write); err != nil {
		return none, err
	}
	e, err := s.takeUp(ctx, tx, id)
	if err != nil {
		return none, err
	}
	if draft := e.record.Row().DraftID; draft != nil {
		return none, errs.New(errs.Conflict, "There is a draft already.").With("draftId", *draft)
	}
	s.draft(tx, e)
	return s.keep(ctx, tx, e, "version_created")
}

// home gives the org unit that a new record belongs to.
func (s store[R, V, C, Out]) home(tx *db.Tx) (ids.ID, error) {
	err := tx.Require(s.write)
	if err != nil {
		return ids.None, err
	}
	return tx.HomeOrgUnit()
}

// takeUp locks a record for a change.
func (s store[R, V, C, Out]) takeUp(ctx context.Context, tx *db.Tx, id ids.ID) (*edit[R, V], error) {
	locked, err := s.lock(ctx, tx, []ids.ID{id})
	if err != nil {
		return nil, err
	}
	if err := checkChangeable(locked[0].Row().Status); err != nil {
		return nil, err
	}
	versions, err := s.versionsOf(ctx, tx, locked)
	if err != nil {
		return nil, err
	}
	e := s.open(locked[0], versions)
	return e, s.followMerges(ctx, tx, []*edit[R, V]{e})
}

// change checks an input against the database and writes it into the draft.
func (s store[R, V, C, Out]) change(ctx context.Context, tx *db.Tx, e *edit[R, V], in C) (Out, error) {
	var none Out
	named, err := in.uses(e, "")
	if err != nil {
		return none, err
	}
	unusable, err := named.check(ctx, tx)
	if err != nil {
		return none, err
	}
	if err := errs.Invalid(append(in.problems(""), unusable...)...); err != nil {
		return none, err
	}
	content, err := in.settle(e)
	if err != nil {
		return none, err
	}
	e.record.Row().ExternalID = reference(in.externalID())
	s.draft(tx, e)
	content.put(e)
	what := "updated"
	if e.isNew {
		what = "created"
	}
	return s.keep(ctx, tx, e, what)
}

// keep stores a record and shows it.
func (s store[R, V, C, Out]) keep(ctx context.Context, tx *db.Tx, e *edit[R, V], what string) (Out, error) {
	var none Out
	err := s.saveAll(ctx, tx, []*edit[R, V]{e})
	if err != nil {
		return none, err
	}
	err = ledger.Append(ctx, tx, s.event(e, what))
	if err != nil {
		return none, err
	}
	return s.shown(ctx, tx, e.record)
}

// saveAll stores records and their drafts as they now are, new ones and changed ones alike: a
// fixed number of statements for any number of them.
func (s store[R, V, C, Out]) saveAll(ctx context.Context, tx *db.Tx, edits []*edit[R, V]) error {
	if len(edits) == 0 {
		return nil
	}
	records, drafts := make([]R, len(edits)), make([]V, len(edits))
	var words []searchText
	for i, e := range edits {
		records[i], drafts[i] = e.record, e.version
		if e.texts != nil {
			words = append(words, searchText{e.record.Row(), e.texts})
		}
	}
	err := s.number(ctx, tx, edits)
	if err != nil {
		return err
	}
	err = db.Upsert(ctx, tx, records)
	if err != nil {
		return err
	}
	err = db.Upsert(ctx, tx, drafts)
	if err != nil {
		return err
	}
	err = s.saveTerms(ctx, tx, edits)
	if err != nil {
		return err
	}
	err = saveSearch(ctx, tx, s.noun, words)
	if err != nil || s.save == nil {
		return err
	}
	return s.save(ctx, tx, drafts)
}

// number gives drafts that begin the number after the highest of their records: the published version need not have it if a
// content pack went back to an earlier one.
func (s store[R, V, C, Out]) number(ctx context.Context, tx *db.Tx, edits []*edit[R, V]) error {
	var records, begun []ids.ID
	drafts := map[ids.ID]*models.AuthoredVersion{}
	for _, e := range edits {
		if v := e.version.Row(); !e.isNew && v.CreatedAt.Equal(tx.Now()) {
			id := e.record.Row().ID
			records, begun = append(records, id), append(begun, v.ID)
			drafts[id] = v
		}
	}
	if len(records) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, fmt.Sprintf(`select %[1]s_id, max(number) from %[1]s_versions
		where tenant_id = $1 and %[1]s_id = any($2) and not id = any($3) group by 1`, s.noun), tx.Tenant(), records, begun)
	if err != nil {
		return fmt.Errorf("number %s: %w", s.versions(), err)
	}
	var record ids.ID
	var highest int
	_, err = pgx.ForEachRow(rows, []any{&record, &highest}, func() error {
		drafts[record].Number = highest + 1
		return nil
	})
	if err != nil {
		return fmt.Errorf("number %s: %w", s.versions(), err)
	}
	return nil
}

// get gives a record with its draft and its published version. Errors: not_found.
func (s store[R, V, C, Out]) get(ctx context.Context, tx *db.Tx, id ids.ID) (Out, error) {
	var none Out
	if err := tx.Require(s.read); err != nil {
		return none, err
	}
	row, err := s.one(ctx, tx, id)
	if err != nil {
		return none, err
	}
	return s.shown(ctx, tx, row)
}

// shown gives the record of a row, with the problems for which publishing would refuse its draft.
func (s store[R, V, C, Out]) shown(ctx context.Context, tx *db.Tx, row R) (Out, error) {
	var none Out
	versions, err := s.versionsOf(ctx, tx, []R{row})
	if err != nil {
		return none, err
	}
	var blocking problems
	if s.freezing != nil && row.Row().DraftID != nil {
		ready, err := s.freezing(ctx, tx, []*edit[R, V]{s.open(row, versions)}, []string{""})
		if err != nil {
			return none, err
		}
		_, blocking, err = pin(ctx, tx, ready, media.Current)
		if err != nil {
			return none, err
		}
	}
	return s.show(row, versions, blocking.listed())
}

// versionsShown makes the existing versions of a record.
func versionsShown[V, Shown any](row *models.Authored, versions map[ids.ID]V, show func(V) (Shown, error)) (draft, published *Shown, err error) {
	for id, place := range map[*ids.ID]**Shown{row.DraftID: &draft, row.PublishedID: &published} {
		if id == nil {
			continue
		}
		version, err := show(versions[*id])
		if err != nil {
			return nil, nil, err
		}
		*place = &version
	}
	return draft, published, nil
}

// overlaid gives an input with the values that a patch names: each field of the patch that
// is not nil replaces the field of the same name.
func overlaid[In, Patch any](in In, patch Patch) In {
	from, to := reflect.ValueOf(patch), reflect.ValueOf(&in).Elem()
	for i := range from.NumField() {
		field, value := from.Type().Field(i), from.Field(i)
		name := field.Name
		if field.Anonymous || name == "UpdatedAt" || value.IsNil() {
			continue
		}
		place := to.FieldByName(name)
		if value.Type() != place.Type() {
			value = value.Elem()
		}
		place.Set(value)
	}
	return in
}

// sendable gives a version as an input that a client could have sent: input fields have the
// same names in JSON.
func sendable[In any](version any) (In, error) {
	var in In
	raw, err := json.Marshal(version)
	if err == nil {
		err = json.Unmarshal(raw, &in)
	}
	if err != nil {
		return in, fmt.Errorf("take up what was sent before: %w", err)
	}
	return in, nil
}
