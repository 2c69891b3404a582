package pack

import (
	"context"
	"fmt"
	"slices"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Publish makes a revision of the items of a library, which never changes again: copies of every
// evaluation, with the questions and passages that it pins, the files that they show, and the names of their
// terms. Of two calls at once one publishes, and the other gets nothing_to_publish. Capability: packs.manage.
// Errors: not_found, archived, conflict for a library that came as a file, publish_blocked with every problem,
// nothing_to_publish when the newest revision says the same.
func Publish(ctx context.Context, tx *db.Tx, input ByLibrary) (Revision, error) {
	if err := tx.Require(capability.PacksManage); err != nil {
		return Revision{}, err
	}
	own, err := lockLibrary(ctx, tx, input.LibraryID)
	if err != nil {
		return Revision{}, err
	}
	if err := own.changeable(); err != nil {
		return Revision{}, err
	}
	c := collection{tx: tx, manifest: manifest{}, terms: map[ids.ID]bool{}}
	err = c.collect(ctx, own)
	if err != nil {
		return Revision{}, err
	}
	if len(c.problems) > 0 {
		e := errs.New(errs.PublishBlocked, "The library cannot be published yet.")
		e.Fields = c.problems
		return Revision{}, e
	}
	c.manifest.sort()
	r := revision{id: ids.New(), library: own.id, hash: c.manifest.hash(), name: own.name, description: own.description, publishedAt: tx.Now()}
	newest, err := newestRevision(ctx, tx, own.id)
	if err != nil {
		return Revision{}, err
	}
	if newest.hash == r.hash {
		return Revision{}, errs.New(errs.NothingToPublish, "The newest revision says the same.").With("revisionId", newest.id)
	}
	r.number = newest.number + 1
	err = r.store(ctx, tx, c.manifest)
	if err != nil {
		return Revision{}, err
	}
	_, err = own.changed(ctx, tx, "published", map[string]any{"revisionId": r.id, "revisionNumber": r.number, "manifestHash": r.hash,
		"canonicalScheme": content.CanonicalScheme, "hashScheme": content.HashScheme})
	if err != nil {
		return Revision{}, err
	}
	return revisionOf(ctx, tx, own.id, r.id)
}

// collection gathers the parts of a revision.
type collection struct {
	tx       *db.Tx
	manifest manifest
	problems []errs.Field
	// terms are the terms that anything names, by id; names their "facet:slug".
	terms map[ids.ID]bool
	names map[ids.ID]string
	// assets are the files by the id of the version that was pinned.
	assets map[ids.ID]string
}

func (c *collection) add(e entry, err error) error {
	if err == nil {
		c.manifest[e.kind] = append(c.manifest[e.kind], e)
	}
	return err
}

func (c *collection) problem(path, code, message string) {
	c.problems = append(c.problems, errs.Field{Path: path, Code: code, Message: message})
}

// collect goes from the items down to the terms.
func (c *collection) collect(ctx context.Context, own library) error {
	evaluations, err := c.items(ctx, own)
	if err != nil || len(c.problems) > 0 {
		return err
	}
	questions, passages := map[ids.ID]bool{}, map[ids.ID]bool{}
	for _, e := range evaluations {
		e.terms(c.terms)
		for _, pin := range e.Pins {
			questions[pin.QuestionVersionID] = true
			if pin.PassageVersionID != nil {
				passages[*pin.PassageVersionID] = true
			}
		}
	}
	found, err := findQuestions(ctx, c.tx, inOrder(questions))
	if err != nil {
		return err
	}
	for _, q := range found {
		for _, term := range q.terms {
			c.terms[term] = true
		}
		if q.passage != nil {
			passages[*q.passage] = true
		}
	}
	err = c.nameTerms(ctx)
	if err != nil {
		return err
	}
	err = c.findAssets(ctx, inOrder(questions), inOrder(passages))
	if err != nil {
		return err
	}
	err = c.questions(ctx, found)
	if err != nil {
		return err
	}
	err = c.passages(ctx, inOrder(passages))
	if err != nil {
		return err
	}
	for _, e := range evaluations {
		err = c.evaluation(ctx, e)
		if err != nil {
			return err
		}
	}
	return nil
}

// items adds the evaluations of the library.
func (c *collection) items(ctx context.Context, own library) ([]frozen, error) {
	items, err := itemsOf(ctx, c.tx, own.id)
	if err != nil {
		return nil, err
	}
	if len(items) == 0 {
		c.problem("items", "empty_library", "the library has no items")
	}
	var all []frozen
	for i, item := range items {
		wrong, err := own.checkItem(ctx, c.tx, item.EvaluationID, item.SourceEvaluationVersionID)
		if err != nil {
			return nil, err
		}
		for _, f := range wrong {
			c.problem(fmt.Sprintf("items[%d].%s", i, f.Path), f.Code, f.Message)
		}
		if len(wrong) > 0 {
			continue
		}
		version := item.SourceEvaluationVersionID
		if version == nil {
			version, err = publishedVersion(ctx, c.tx, item.EvaluationID)
			if err != nil {
				return nil, err
			}
		}
		f, err := authoring.FindFrozen(ctx, c.tx, *version)
		if err != nil {
			return nil, err
		}
		all = append(all, frozen{f})
		err = c.add(newEntry(kindItem, version.String(), itemLine{Pos: i, SourceEvaluationID: item.EvaluationID,
			SourceEvaluationVersionID: *version, Metadata: item.Metadata}))
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func publishedVersion(ctx context.Context, tx *db.Tx, evaluation ids.ID) (*ids.ID, error) {
	var version ids.ID
	err := tx.QueryRow(ctx, "select published_id from evaluations where tenant_id = $1 and id = $2", tx.Tenant(), evaluation).Scan(&version)
	if err != nil {
		return nil, fmt.Errorf("find published version: %w", err)
	}
	return &version, nil
}

// frozen is an evaluation that is about to go into a pack.
type frozen struct{ authoring.FrozenEvaluation }

func (f frozen) terms(into map[ids.ID]bool) {
	for _, id := range f.TaxonomyTermIDs {
		into[id] = true
	}
	for _, section := range f.Sections {
		for _, item := range section.Items {
			if item.Draw == nil {
				continue
			}
			for _, id := range slices.Concat(item.Draw.TaxonomyTermIDs, item.Draw.ExcludeTaxonomyTermIDs) {
				into[id] = true
			}
		}
	}
}

func (c *collection) evaluation(ctx context.Context, f frozen) error {
	body := evaluationBody{Title: f.Title, Settings: f.Settings, Terms: c.named(f.TaxonomyTermIDs), Sections: []bodySection{}, Pins: []bodyPin{}}
	for _, section := range f.Sections {
		s := bodySection{ID: section.ID, Title: section.Title, TimeLimitSeconds: section.TimeLimitSeconds, Items: []bodyItem{}}
		for _, item := range section.Items {
			i := bodyItem{ID: item.ID, QuestionID: item.QuestionID, PassageID: item.PassageID, Weight: item.Weight}
			if item.Draw != nil {
				i.Draw = &bodyDraw{item.Draw.Count, c.named(item.Draw.TaxonomyTermIDs), c.named(item.Draw.ExcludeTaxonomyTermIDs)}
			}
			s.Items = append(s.Items, i)
		}
		body.Sections = append(body.Sections, s)
	}
	for _, pin := range f.Pins {
		body.Pins = append(body.Pins, bodyPin{pin.GroupID, pin.QuestionVersionID, pin.PassageVersionID})
	}
	canonical, err := content.Canonical(body)
	if err != nil {
		return fmt.Errorf("write evaluation %s: %w", f.EvaluationID, err)
	}
	hash := content.Hash(canonical)
	err = storeContents(ctx, c.tx, []stored{{hash: hash, body: string(canonical), extracts: "{}"}})
	if err != nil {
		return err
	}
	e, err := newEntry(kindEvaluation, f.ID.String(), evaluationLine{EvaluationID: f.EvaluationID, EvaluationVersionID: f.ID,
		Number: f.Number, ExternalID: f.ExternalID, Title: f.Title, ContentHash: hash})
	return c.add(e.of(f.EvaluationID, f.Number, hash), err)
}

// named gives terms by name, in alphabetical order.
func (c *collection) named(terms []ids.ID) []string {
	names := make([]string, 0, len(terms))
	for _, id := range terms {
		names = append(names, c.names[id])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// inOrder lists a set of ids.
func inOrder(set map[ids.ID]bool) []ids.ID {
	all := make([]ids.ID, 0, len(set))
	for id := range set {
		all = append(all, id)
	}
	slices.SortFunc(all, func(a, b ids.ID) int { return slices.Compare(a[:], b[:]) })
	return all
}
