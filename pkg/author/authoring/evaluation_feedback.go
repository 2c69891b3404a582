package authoring

import (
	"context"
	"fmt"
	"time"

	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// FeedbackInput changes what candidates learn after submitting; fields that it does not name
// keep their values.
type FeedbackInput struct {
	VersionInput
	UpdatedAt       *time.Time      `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
	FeedbackMode    *string         `json:"feedback_mode,omitempty" enum:"none,overall,tags,items"`
	FeedbackPolicy  *FeedbackPolicy `json:"feedbackPolicy,omitempty" doc:"Replaced as a whole"`
	FeedbackTagKeys *[]string       `json:"feedbackTagKeys,omitempty" nullable:"false" maxItems:"50" maxLength:"200" doc:"Slugs of facets of the content domain" example:"[\"topic\"]"`
}

// ConfigureFeedback changes the feedback of a draft and gives the draft. Publishing freezes
// it, with the tags of the facets (specification, section 4.6). Errors: not_found, archived,
// version_immutable for a version that is published, stale_update, validation_failed.
func ConfigureFeedback(ctx context.Context, tx *db.Tx, in FeedbackInput) (EvaluationVersion, error) {
	id, versionID := in.ID, in.VersionID
	changed, err := evaluationStore.update(ctx, tx, id, nil, func(e *evaluationEdit) (EvaluationInput, error) {
		if e.record.DraftID == nil || *e.record.DraftID != versionID {
			return EvaluationInput{}, notTheDraft(ctx, tx, id, versionID)
		}
		if err := db.Fresh(in.UpdatedAt, e.record.UpdatedAt); err != nil {
			return EvaluationInput{}, err
		}
		current, err := saidByEvaluation(e)
		current.Settings = overlaid(current.Settings, in)
		return current, err
	})
	if err != nil {
		return EvaluationVersion{}, err
	}
	return *changed.Draft, nil
}

// notTheDraft says why a version cannot be changed: it is published, or it does not exist.
func notTheDraft(ctx context.Context, tx *db.Tx, id, versionID ids.ID) error {
	_, err := evaluationStore.ownVersion(ctx, tx, VersionInput{id, versionID})
	if err != nil {
		return err
	}
	return errs.New(errs.VersionImmutable, "The version is published; begin a new one to change its feedback.")
}

// checkFacets names the keys that are not a facet of the content domain.
func checkFacets(ctx context.Context, tx *db.Tx, keys []facetUse) (problems, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	known, err := taxonomy.FacetLabels(ctx, tx, searchable(each(keys, func(key facetUse) string { return key.slug })))
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
