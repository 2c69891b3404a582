package authoring

import (
	"context"
	"fmt"
	"time"

	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// FeedbackInput changes what candidates learn after submitting; what it does not name stays.
type FeedbackInput struct {
	UpdatedAt       *time.Time      `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
	FeedbackMode    *string         `json:"feedback_mode,omitempty" enum:"none,overall,tags,items"`
	FeedbackPolicy  *FeedbackPolicy `json:"feedbackPolicy,omitempty" doc:"Replaced as a whole"`
	FeedbackTagKeys *[]string       `json:"feedbackTagKeys,omitempty" nullable:"false" maxItems:"50" doc:"Slugs of facets of the content domain" example:"[\"topic\"]"`
}

func (in FeedbackInput) over(s Settings) Settings {
	set(&s.FeedbackMode, in.FeedbackMode)
	set(&s.FeedbackPolicy, in.FeedbackPolicy)
	set(&s.FeedbackTagKeys, in.FeedbackTagKeys)
	return s
}

// ConfigureFeedback changes the feedback of a draft and gives the draft. Publishing freezes
// it, with the tags of the facets (specification, section 4.6). Errors: not_found, archived,
// version_immutable for a version that is published, stale_update, validation_failed.
func ConfigureFeedback(ctx context.Context, tx *db.Tx, id, versionID ids.ID, in FeedbackInput) (EvaluationVersion, error) {
	if err := tx.Require(capability.EvaluationsWrite); err != nil {
		return EvaluationVersion{}, err
	}
	edit, err := takeUpEvaluation(ctx, tx, id)
	if err != nil {
		return EvaluationVersion{}, err
	}
	if edit.evaluation.DraftID == nil || *edit.evaluation.DraftID != versionID {
		return EvaluationVersion{}, notTheDraft(ctx, tx, id, versionID)
	}
	if err := db.Fresh(in.UpdatedAt, edit.evaluation.UpdatedAt); err != nil {
		return EvaluationVersion{}, err
	}
	current, err := edit.before()
	if err != nil {
		return EvaluationVersion{}, err
	}
	settings := in.over(current.Settings)
	changed, err := writeEvaluation(ctx, tx, edit, EvaluationPatch{Settings: &settings}.over(current.input(text(edit.evaluation.ExternalID))))
	if err != nil {
		return EvaluationVersion{}, err
	}
	return *changed.Draft, nil
}

// notTheDraft says why a version cannot be changed: it is published, or it is not there.
func notTheDraft(ctx context.Context, tx *db.Tx, id, versionID ids.ID) error {
	_, err := findEvaluationVersion(ctx, tx, id, versionID)
	if err != nil {
		return err
	}
	return errs.New(errs.VersionImmutable, "The version is published; begin a new one to change its feedback.")
}

// checkFacets says which keys name no facet of the content domain.
func checkFacets(ctx context.Context, tx *db.Tx, keys []facetUse) (problems, error) {
	slugs := make([]string, 0, len(keys))
	for _, key := range keys {
		slugs = append(slugs, key.slug)
	}
	known, err := taxonomy.FacetLabels(ctx, tx, searchable(slugs))
	var p problems
	for _, key := range keys {
		_, found := known[key.slug]
		p.addIf(!found, key.path, "unknown_facet", "there is no such facet in the content domain")
	}
	return p, err
}

// facetUse is a facet that an input names at a path.
type facetUse struct{ path, slug string }

func (s Settings) facetUses(path string) []facetUse {
	uses := make([]facetUse, 0, len(s.FeedbackTagKeys))
	for i, key := range s.FeedbackTagKeys {
		uses = append(uses, facetUse{fmt.Sprintf("%s[%d]", member(path, "settings.feedbackTagKeys"), i), key})
	}
	return uses
}
