package authoring

import (
	"context"
	"errors"
	"slices"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// upsert writes records by external id in the home org unit, in a handful of statements for
// thousands: a new one is created as a draft, one that differs from its newest version gets a
// draft with the difference, one that does not is not changed. All or nothing: every problem
// of every input is reported, with paths from questions[0].
func (s store[R, V, C, Out]) upsert(ctx context.Context, tx *db.Tx, inputs []C) ([]Upserted, error) {
	org, err := s.home(tx)
	if err != nil || len(inputs) == 0 {
		return []Upserted{}, err
	}
	err = oneUpsertAtATime(ctx, tx, s.records(), org)
	if err != nil {
		return nil, err
	}
	edits, found, err := s.openAll(ctx, tx, org, inputs)
	if err != nil {
		return nil, err
	}
	if err := errs.Invalid(found...); err != nil {
		return nil, err
	}
	contents, failed := make([]settled[R, V], len(inputs)), make([]error, len(inputs))
	onAllCores(len(inputs), func(i int) { contents[i], failed[i] = inputs[i].settle(edits[i]) })
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	results := make([]Upserted, len(inputs))
	var changed []*edit[R, V]
	var events []ledger.Event
	for i, e := range edits {
		change, err := s.merge(tx, e, inputs[i].externalID(), contents[i])
		if err != nil {
			return nil, err
		}
		results[i] = Upserted{ID: e.record.Row().ID, Change: change}
		if change != Unchanged {
			changed, events = append(changed, e), append(events, s.event(e, eventOf[change]))
		}
	}
	err = s.saveAll(ctx, tx, changed)
	if err != nil {
		return nil, err
	}
	return results, ledger.Append(ctx, tx, events...)
}

var eventOf = map[Change]string{Created: "created", Changed: "updated"}

func (s store[R, V, C, Out]) merge(tx *db.Tx, e *edit[R, V], externalID string, content settled[R, V]) (Change, error) {
	change := Created
	if e.isNew {
		e.record.Row().ExternalID = reference(externalID)
	} else {
		same, err := content.same(e)
		if err != nil || same {
			return Unchanged, err
		}
		change = Changed
	}
	s.draft(tx, e)
	content.put(e)
	return change, nil
}

// checkUpsert names every problem that an upsert would report for the inputs. It writes
// nothing, and takes locks: run it in db.Tx.Rehearse.
func (s store[R, V, C, Out]) checkUpsert(ctx context.Context, tx *db.Tx, inputs []C) ([]errs.Field, error) {
	org, err := s.home(tx)
	if err != nil || len(inputs) == 0 {
		return nil, err
	}
	_, found, err := s.openAll(ctx, tx, org, inputs)
	return found, err
}

// openAll takes the record of each input, or starts one, and names everything that is wrong
// with the inputs, even for a faulty input as far as possible.
func (s store[R, V, C, Out]) openAll(ctx context.Context, tx *db.Tx, org ids.ID, inputs []C) ([]*edit[R, V], problems, error) {
	edits, p, err := s.match(ctx, tx, org, each(inputs, C.externalID))
	if err != nil {
		return nil, nil, err
	}
	var named uses
	for i, in := range inputs {
		path := element("", s.records(), i)
		p = append(p, in.problems(path)...)
		if edits[i].record.Row().Status == models.AuthoringArchived {
			same, err := s.says(in, edits[i])
			if err != nil {
				return nil, nil, err
			}
			p.addIf(!same, path+".externalId", "archived", "the "+string(s.noun)+" is archived")
		}
		one, err := in.uses(edits[i], path)
		if err != nil {
			return nil, nil, err
		}
		named.add(one)
	}
	unusable, err := named.check(ctx, tx)
	return edits, slices.Concat(p, unusable), err
}

// says reports whether an archived record already has the content of an input: then it stays as it is, so that
// exported records can be imported again.
func (s store[R, V, C, Out]) says(in C, e *edit[R, V]) (bool, error) {
	content, err := in.settle(e)
	if err != nil {
		return false, err
	}
	return content.same(e)
}

// match finds records by their external ids. If two inputs name the same record, which is a
// problem, both get it.
func (s store[R, V, C, Out]) match(ctx context.Context, tx *db.Tx, org ids.ID, names []string) ([]*edit[R, V], problems, error) {
	rows, err := s.lockExternal(ctx, tx, org, names)
	if err != nil {
		return nil, nil, err
	}
	versions, err := s.versionsOf(ctx, tx, rows)
	if err != nil {
		return nil, nil, err
	}
	stored := make(map[string]*edit[R, V], len(rows))
	for _, r := range rows {
		stored[keyOf(r.Row().ID, r.Row().ExternalID)] = s.open(r, versions)
	}
	edits := make([]*edit[R, V], len(names))
	for i, name := range names {
		edits[i] = stored[name]
		if edits[i] == nil {
			edits[i] = s.start(tx, org)
		}
	}
	return edits, checkExternalIDs(s.records(), names), s.followMerges(ctx, tx, edits)
}

// each calls do for each of all and gives the results.
func each[A, B any](all []A, do func(A) B) []B {
	made := make([]B, len(all))
	for i, one := range all {
		made[i] = do(one)
	}
	return made
}
