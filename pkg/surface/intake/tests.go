package intake

import (
	"context"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
)

// evaluationOf reads a test of a question bank.
func evaluationOf(r row, in Input) evaluation {
	t := r.test
	r.lost(&t.Item, in)
	e := evaluation{externalID: t.ID, title: oneSpace(t.Name), first: r}
	if e.title == "" {
		e.title = e.externalID
	}
	e.settings.TimeLimitSeconds, e.settings.ShuffleItems = t.TimeLimit, t.Shuffled
	if t.Linear {
		e.settings.Navigation = "linear"
	}
	for _, s := range t.Sections {
		one := section{title: oneSpace(s.Title), timeLimit: s.TimeLimit}
		for _, i := range s.Items {
			one.items = append(one.items, item{row: r, question: i.ID, weight: i.Weight})
		}
		e.sections = append(e.sections, one)
	}
	return e
}

// questions gives the external ids of the questions.
func (e *evaluation) questions() []string {
	var all []string
	for _, one := range e.items() {
		all = append(all, one.question)
	}
	return all
}

// keepSettings leaves an existing evaluation the settings and terms that a test cannot have, such as its pass mark.
func keepSettings(ctx context.Context, tx *db.Tx, records []record[evaluation]) error {
	names := make([]string, len(records))
	for i, r := range records {
		names[i] = r.key
	}
	before, err := authoring.NewestEvaluations(ctx, tx, names)
	if err != nil {
		return err
	}
	for i, r := range records {
		is, known := before[r.key]
		if !known {
			continue
		}
		said, settings := r.value.settings, is.Settings
		settings.TimeLimitSeconds, settings.Navigation, settings.ShuffleItems = said.TimeLimitSeconds, said.Navigation, said.ShuffleItems
		records[i].value.settings, records[i].value.kept = settings, is.TaxonomyTermIDs
	}
	return nil
}
