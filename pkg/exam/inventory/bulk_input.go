package inventory

import (
	"context"
	"fmt"

	"assess/models"
	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// maxBulk bounds the ids of one call.
const maxBulk = 10_000

// problems collects everything that is wrong with an input.
type problems []errs.Field

func (p *problems) addIf(bad bool, path, code, message string) {
	if bad {
		*p = append(*p, errs.Field{Path: path, Code: code, Message: message})
	}
}

// action checks the input and gives what to do with each row.
func (in BulkInput) action(ctx context.Context, tx *db.Tx) (action, error) {
	var p problems
	p.addIf(messages[in.Action] == nil, "action", "not_allowed", "expected archive, restore or taxonomyReplace")
	p.addIf(len(in.IDs) == 0, "ids", "required", "name at least one id")
	p.addIf(len(in.IDs) > maxBulk, "ids", "out_of_range", "at most 10,000 ids in one call")
	p.duplicates("ids", in.IDs)
	in.checkTermFields(&p)
	change, err := in.termChange(ctx, tx, &p)
	if err != nil {
		return nil, err
	}
	switch in.Action {
	case ArchiveAction:
		return archive, errs.Invalid(p...)
	case RestoreAction:
		return restore, errs.Invalid(p...)
	}
	return change.replace, errs.Invalid(p...)
}

func (p *problems) duplicates(path string, all []ids.ID) {
	seen := make(map[ids.ID]bool, len(all))
	for i, id := range all {
		p.addIf(seen[id], fmt.Sprintf("%s[%d]", path, i), "duplicate", "the id stands here a second time")
		seen[id] = true
	}
}

// checkTermFields: the whole set or a difference, and neither for other actions.
func (in BulkInput) checkTermFields(p *problems) {
	whole, difference := in.TaxonomyTermIDs != nil, len(in.RemoveTermIDs)+len(in.AddTermIDs) > 0
	if in.Action != TaxonomyReplaceAction {
		p.addIf(whole || difference, "action", "not_allowed", "only taxonomyReplace takes terms")
		return
	}
	p.addIf(whole && difference, "taxonomyTermIds", "not_allowed", "give the whole set or removeTermIds and addTermIds, not both")
	p.addIf(!whole && !difference, "taxonomyTermIds", "required", "give taxonomyTermIds, or removeTermIds and addTermIds")
}

// termChange checks the terms. Only active terms of the content domain are assigned; a
// retired one may be taken away (specification, section 2.6).
func (in BulkInput) termChange(ctx context.Context, tx *db.Tx, p *problems) (termChange, error) {
	path, add := "addTermIds", in.AddTermIDs
	if in.TaxonomyTermIDs != nil {
		path, add = "taxonomyTermIds", *in.TaxonomyTermIDs
	}
	added, err := taxonomy.Assignable(ctx, tx, add)
	if err != nil {
		return termChange{}, err
	}
	removed, err := taxonomy.Names(ctx, tx, in.RemoveTermIDs)
	if err != nil {
		return termChange{}, err
	}
	change := termChange{whole: in.TaxonomyTermIDs != nil, remove: map[ids.ID]bool{}}
	for i, id := range add {
		p.assignable(fmt.Sprintf("%s[%d]", path, i), added, id)
		change.add = append(change.add, added[id].ID)
	}
	for i, id := range in.RemoveTermIDs {
		_, known := removed[id]
		p.addIf(!known, fmt.Sprintf("removeTermIds[%d]", i), "unknown_term", "there is no such term")
		change.remove[removed[id].ID] = true
	}
	return change, nil
}

func (p *problems) assignable(path string, names map[ids.ID]taxonomy.Name, id ids.ID) {
	name, known := names[id]
	p.addIf(!known, path, "unknown_term", "there is no such term")
	p.addIf(known && name.Domain != models.DomainContent, path, "wrong_domain", "the term does not belong to the content domain")
	p.addIf(known && name.Retired, path, "retired_term", "the term is retired")
}
