package inventory

import (
	"context"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// PassageUsage says where a passage is used. Questions that are about it but never pinned
// it do not keep it from being deleted.
type PassageUsage struct {
	PassageID    ids.ID                   `json:"passageId"`
	InUse        bool                     `json:"inUse" doc:"true: it cannot be deleted, only archived"`
	QuestionPins References[QuestionPin]  `json:"questionPins"`
	SectionItems References[PassageGroup] `json:"sectionItems"`
}

// QuestionPin is a published question version that pins a version of the passage.
type QuestionPin struct {
	QuestionID        ids.ID `json:"questionId"`
	QuestionVersionID ids.ID `json:"questionVersionId"`
	Number            int    `json:"number" doc:"Of the question version"`
	PassageVersionID  ids.ID `json:"passageVersionId"`
}

// PassageGroup is an item of an evaluation version that shows the passage.
type PassageGroup struct {
	EvaluationID        ids.ID `json:"evaluationId"`
	EvaluationTitle     string `json:"evaluationTitle"`
	EvaluationVersionID ids.ID `json:"evaluationVersionId"`
	Number              int    `json:"number"`
	VersionStatus       string `json:"versionStatus" enum:"draft,published"`
	SectionID           ids.ID `json:"sectionId"`
	ItemID              ids.ID `json:"itemId"`
}

const (
	pinsOfPassage = `
	from passage_versions p join question_versions q on q.tenant_id = $1 and q.passage_version_id = p.id
	where p.tenant_id = $1 and p.passage_id = $2`
	itemsOfPassage = `
	from evaluation_items i join evaluation_versions v on v.tenant_id = $1 and v.id = i.evaluation_version_id
	where i.tenant_id = $1 and i.passage_id = $2`

	countPassageSQL = `
	select (select count(*) from (select ` + pinsOfPassage + ` limit $3) q), (select count(*) from (select ` + itemsOfPassage + ` limit $3) i)`
	listPinsSQL = `
	select q.question_id, q.id, q.number, p.id ` + pinsOfPassage + ` order by q.id desc limit $3`
	listGroupsSQL = `
	select v.evaluation_id, v.title, v.id, v.number, v.status, i.section_id, i.id ` + itemsOfPassage + ` order by v.id desc, i.id limit $3`
)

func countPassage(ctx context.Context, tx *db.Tx, id ids.ID) (counts, error) {
	return countRow(ctx, tx, countPassageSQL, id, "questionPins", "sectionItems")
}

// UsageOfPassage says where a passage is used. Capability: questions.read. Errors:
// not_found.
func UsageOfPassage(ctx context.Context, tx *db.Tx, id ids.ID) (PassageUsage, error) {
	u := PassageUsage{PassageID: id}
	if err := tx.Require(Passages.read); err != nil {
		return u, err
	}
	if err := Passages.exists(ctx, tx, id); err != nil {
		return u, err
	}
	c, err := countPassage(ctx, tx, id)
	if err != nil {
		return u, err
	}
	u.InUse = c.inUse()
	u.QuestionPins, err = references[QuestionPin](ctx, tx, c[0].n, listPinsSQL, id)
	if err != nil {
		return u, err
	}
	u.SectionItems, err = references[PassageGroup](ctx, tx, c[1].n, listGroupsSQL, id)
	return u, err
}
