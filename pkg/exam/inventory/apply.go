package inventory

import (
	"cmp"
	"context"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// The caller's filters take precedence over the view's, key by key. The terms and whether they
// include their descendants belong together: terms of the caller replace all of the view's.

// ViewQuery applies a saved view.
type ViewQuery struct {
	ViewID ids.ID `query:"viewId" doc:"Take what is not given here from this view; terms_any, terms_all and include_descendants are taken together"`
}

// QuestionQuery chooses questions, also by a saved view.
type QuestionQuery struct {
	authoring.QuestionFilter
	ViewQuery
}

// ListQuestions lists questions. Errors: not_found for the view, validation_failed.
func ListQuestions(ctx context.Context, tx *db.Tx, query QuestionQuery) (db.List[authoring.QuestionSummary], error) {
	filter, err := QuestionsOf(ctx, tx, query.ViewID, query.QuestionFilter)
	if err != nil {
		return db.List[authoring.QuestionSummary]{}, err
	}
	return authoring.ListQuestions(ctx, tx, filter)
}

// EvaluationQuery chooses evaluations, also by a saved view.
type EvaluationQuery struct {
	authoring.EvaluationFilter
	ViewQuery
}

// ListEvaluations lists evaluations. Errors: not_found for the view, validation_failed.
func ListEvaluations(ctx context.Context, tx *db.Tx, query EvaluationQuery) (db.List[authoring.EvaluationSummary], error) {
	filter, err := EvaluationsOf(ctx, tx, query.ViewID, query.EvaluationFilter)
	if err != nil {
		return db.List[authoring.EvaluationSummary]{}, err
	}
	return authoring.ListEvaluations(ctx, tx, filter)
}

// QuestionsOf completes a filter with a view's; without a view it is as it was. Errors:
// not_found.
func QuestionsOf(ctx context.Context, tx *db.Tx, view ids.ID, f authoring.QuestionFilter) (authoring.QuestionFilter, error) {
	if view == ids.None {
		return f, nil
	}
	v, err := GetView(ctx, tx, Questions, view)
	if err != nil {
		return f, err
	}
	f.Statuses, f.Sort = v.Filter.statuses(), cmp.Or(f.Sort, v.Filter.Sort)
	f.Search, f.QType = cmp.Or(f.Search, v.Filter.Search), cmp.Or(f.QType, v.Filter.QType)
	f.ContributesToScore = cmp.Or(f.ContributesToScore, v.Filter.ContributesToScore)
	if len(f.TermsAny)+len(f.TermsAll) == 0 {
		f.TermsAny, f.TermsAll = v.Filter.TermsAny, v.Filter.TermsAll
		f.IncludeDescendants = f.IncludeDescendants || v.Filter.descends()
	}
	return f, nil
}

// EvaluationsOf is QuestionsOf for evaluations.
func EvaluationsOf(ctx context.Context, tx *db.Tx, view ids.ID, f authoring.EvaluationFilter) (authoring.EvaluationFilter, error) {
	if view == ids.None {
		return f, nil
	}
	v, err := GetView(ctx, tx, Evaluations, view)
	if err != nil {
		return f, err
	}
	f.Statuses, f.Sort = v.Filter.statuses(), cmp.Or(f.Sort, v.Filter.Sort)
	f.Search = cmp.Or(f.Search, v.Filter.Search)
	if len(f.TermsAny)+len(f.TermsAll) == 0 {
		f.TermsAny, f.TermsAll = v.Filter.TermsAny, v.Filter.TermsAll
		f.IncludeDescendants = f.IncludeDescendants || v.Filter.descends()
	}
	return f, nil
}

func (f Filter) descends() bool { return f.IncludeDescendants != nil && *f.IncludeDescendants }

// statuses gives the statuses that the presets choose; none means the default.
func (f Filter) statuses() []string {
	var all []string
	for _, preset := range []struct {
		on     bool
		status string
	}{{f.Draft, models.AuthoringDraft}, {f.Published, models.AuthoringPublished}, {f.Archived, models.AuthoringArchived}} {
		if preset.on {
			all = append(all, preset.status)
		}
	}
	return all
}
