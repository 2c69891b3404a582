package authoring

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// ExportedEvaluation is the newest version of an evaluation as an input for UpsertEvaluations.
// ExternalIDs has the external ids of its fixed questions, for those with one.
type ExportedEvaluation struct {
	ID          ids.ID
	Input       EvaluationInput
	ExternalIDs map[ids.ID]string
}

// Questions gives the ids of the fixed questions in the order of the sections.
func (e ExportedEvaluation) Questions() []ids.ID {
	var all []ids.ID
	for _, s := range e.Input.Sections {
		for _, item := range s.Items {
			if item.QuestionID != ids.None {
				all = append(all, item.QuestionID)
			}
		}
	}
	return all
}

// ExportEvaluations gives up to limit evaluations, as ExportQuestions gives questions. It
// needs evaluations.read.
func ExportEvaluations(ctx context.Context, tx *db.Tx, filter ExportFilter, after ids.ID, limit int) ([]ExportedEvaluation, error) {
	page, err := evaluationStore.exported(ctx, tx, filter, after, limit)
	if err != nil {
		return nil, err
	}
	all := make([]ExportedEvaluation, 0, len(page))
	var asked []ids.ID
	for _, e := range page {
		in, err := saidByEvaluation(e)
		if err != nil {
			return nil, err
		}
		for _, item := range e.version.Items {
			asked = append(asked, versionIDs(item.QuestionID)...)
		}
		all = append(all, ExportedEvaluation{ID: e.record.ID, Input: in})
	}
	names, err := externalIDsOf(ctx, tx, asked)
	for i := range all {
		all[i].ExternalIDs = names
	}
	return all, err
}

// NewestEvaluations gives the newest versions of evaluations of the home org unit by their external ids, as ExportEvaluations
// does; unknown ones are absent. It needs evaluations.read.
func NewestEvaluations(ctx context.Context, tx *db.Tx, externalIDs []string) (map[string]EvaluationInput, error) {
	found, err := evaluationStore.findExternal(ctx, tx, externalIDs)
	if err != nil {
		return nil, err
	}
	rows, err := evaluationStore.find(ctx, tx, slices.Collect(maps.Values(found)))
	if err != nil {
		return nil, err
	}
	edits, err := evaluationStore.newest(ctx, tx, rows)
	all := make(map[string]EvaluationInput, len(edits))
	for _, e := range edits {
		if err != nil {
			return nil, err
		}
		all[keyOf(e.record.ID, e.record.ExternalID)], err = saidByEvaluation(e)
	}
	return all, err
}

// externalIDsOf gives the external ids of questions that have one.
func externalIDsOf(ctx context.Context, tx *db.Tx, questionIDs []ids.ID) (map[ids.ID]string, error) {
	rows, err := tx.Query(ctx, `
		select id, external_id from questions where tenant_id = $1 and id = any($2) and external_id is not null`, tx.Tenant(), questionIDs)
	if err != nil {
		return nil, fmt.Errorf("name questions: %w", err)
	}
	names := make(map[ids.ID]string, len(questionIDs))
	var id ids.ID
	var name string
	_, err = pgx.ForEachRow(rows, []any{&id, &name}, func() error {
		names[id] = name
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("name questions: %w", err)
	}
	return names, nil
}
