package authoring

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// ExportFilter chooses what is exported of the home org unit. No status means drafts and
// published ones: an import takes nothing that is archived.
type ExportFilter struct {
	Status string
	// QType is for questions alone.
	QType scoring.QType
}

// ExportedQuestion is a question as its newest version says it: what UpsertQuestions would
// take for it.
type ExportedQuestion struct {
	ID    ids.ID
	Input QuestionInput
}

// exportPage chooses a page of records by the primary key, so that the next page begins
// where this one ends and nothing is sorted, however many there are.
const exportPage = `
	with page as (
		select id, external_id, status, coalesce(draft_id, published_id) as version_id from %s
		where tenant_id = $1 and org_unit_id = $2 and id > $3 and (status = $4 or ($4 = '' and status <> 'archived'))
		order by id limit $5)`

// ExportQuestions gives up to limit questions in the order in which they were made,
// beginning behind one; none means the end. It needs questions.read.
func ExportQuestions(ctx context.Context, tx *db.Tx, filter ExportFilter, after ids.ID, limit int) ([]ExportedQuestion, error) {
	org, err := exportScope(tx, capability.QuestionsRead, filter)
	if err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, fmt.Sprintf(exportPage, "questions")+`
		select p.id, coalesce(p.external_id, ''), v.qtype, v.body, v.term_ids
		from page p join question_versions v on v.tenant_id = $1 and v.id = p.version_id
		order by p.id`, tx.Tenant(), org, after, filter.Status, limit)
	if err != nil {
		return nil, fmt.Errorf("export questions: %w", err)
	}
	all, err := pgx.CollectRows(rows, scanExportedQuestion)
	if err != nil {
		return nil, fmt.Errorf("export questions: %w", err)
	}
	return all, nil
}

func scanExportedQuestion(row pgx.CollectableRow) (ExportedQuestion, error) {
	var id ids.ID
	var externalID, qtype string
	var body []byte
	v := QuestionVersion{}
	err := row.Scan(&id, &externalID, &qtype, &body, &v.TaxonomyTermIDs)
	if err != nil {
		return ExportedQuestion{}, err
	}
	err = json.Unmarshal(body, &v.QuestionBody)
	if err != nil {
		return ExportedQuestion{}, fmt.Errorf("read body of question %s: %w", id, err)
	}
	v.QType = scoring.QType(qtype)
	in, err := v.input(externalID)
	return ExportedQuestion{ID: id, Input: in}, err
}

func exportScope(tx *db.Tx, needs capability.Capability, filter ExportFilter) (ids.ID, error) {
	err := tx.Require(needs)
	if err != nil {
		return ids.None, err
	}
	switch filter.Status {
	case "", "draft", "published", "archived":
		return tx.HomeOrgUnit()
	}
	return ids.None, errs.Invalid(errs.Field{Path: "status", Code: "out_of_range", Message: "expected draft, published or archived"})
}
