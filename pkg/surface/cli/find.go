package cli

import (
	"context"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// finder gives ids by external id; unknown ones are absent.
type finder func(context.Context, *db.Tx, []string) (map[string]ids.ID, error)

// findQuestion finds a question by its id, or by its external id in the org unit.
func findQuestion(ctx context.Context, tx *db.Tx, word string) (ids.ID, error) {
	return findOne(ctx, tx, "question", word, authoring.FindQuestions)
}

// findPassage finds a passage in the same way.
func findPassage(ctx context.Context, tx *db.Tx, word string) (ids.ID, error) {
	return findOne(ctx, tx, "passage", word, authoring.FindPassages)
}

// findEvaluation finds an evaluation in the same way.
func findEvaluation(ctx context.Context, tx *db.Tx, word string) (ids.ID, error) {
	return findOne(ctx, tx, "evaluation", word, authoring.FindEvaluations)
}

func findOne(ctx context.Context, tx *db.Tx, noun, word string, find finder) (ids.ID, error) {
	found, err := findAll(ctx, tx, noun, []string{word}, find)
	if err != nil {
		return ids.None, err
	}
	return found[0], nil
}

// findAll gives the ids of things in the order of the words for them; it looks for all
// external ids at once.
func findAll(ctx context.Context, tx *db.Tx, noun string, words []string, find finder) ([]ids.ID, error) {
	found := make([]ids.ID, len(words))
	var external []string
	for i, word := range words {
		id, parseErr := ids.Parse(noun, word)
		if parseErr != nil {
			external = append(external, word)
			continue
		}
		found[i] = id
	}
	if len(external) == 0 {
		return found, nil
	}
	if tx.Scope().OrgUnit == ids.None {
		return nil, Usage("%q is no id, and an external id belongs to one org unit: give --org", external[0])
	}
	known, err := find(ctx, tx, external)
	if err != nil {
		return nil, err
	}
	for i, word := range words {
		if found[i] != ids.None {
			continue
		}
		id, ok := known[word]
		if !ok {
			return nil, errs.New(errs.NotFound, "There is no %s %q.", noun, word)
		}
		found[i] = id
	}
	return found, nil
}

// ifNamed finds what a flag names, where it was given.
func ifNamed[T any](ctx context.Context, tx *db.Tx, word string, find func(context.Context, *db.Tx, string) (T, error), to *T) error {
	if word == "" {
		return nil
	}
	found, err := find(ctx, tx, word)
	*to = found
	return err
}
