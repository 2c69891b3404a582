package inventory

import (
	"context"
	"fmt"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// QuestionUsage says where a question is used (specification, section 4.6).
type QuestionUsage struct {
	QuestionID     ids.ID                  `json:"questionId"`
	InUse          bool                    `json:"inUse" doc:"true: it cannot be deleted, only archived"`
	Submissions    int64                   `json:"submissions" doc:"Submissions of evaluation versions that can show it; exact up to 10,000, then as the reports count"`
	ActiveSessions int64                   `json:"activeSessions" doc:"Open sessions of evaluation versions that can show it"`
	Assignments    int64                   `json:"assignments" doc:"Assignments of evaluations with a published version that can show it"`
	SectionItems   References[SectionItem] `json:"sectionItems"`
	PassageLinks   References[PassageLink] `json:"passageLinks"`
}

// SectionItem is an item of an evaluation version that shows a question: fixed, with its
// passage, or out of the pool of a draw. Pools exist once they are published.
type SectionItem struct {
	EvaluationID        ids.ID `json:"evaluationId"`
	EvaluationTitle     string `json:"evaluationTitle"`
	EvaluationVersionID ids.ID `json:"evaluationVersionId"`
	Number              int    `json:"number"`
	VersionStatus       string `json:"versionStatus" enum:"draft,published"`
	SectionID           ids.ID `json:"sectionId"`
	ItemID              ids.ID `json:"itemId"`
	Via                 string `json:"via" enum:"direct,passage,draw"`
}

// PassageLink is the passage that a question belongs to.
type PassageLink struct {
	PassageID ids.ID `json:"passageId"`
	Title     string `json:"title"`
	Status    string `json:"status" enum:"draft,published,archived"`
}

// itemsOfQuestion finds the items of all evaluation versions that show the question $2 of
// the tenant $1. Publishing pins a passage's questions and a draw's pool; a draft's
// passages are looked at as they are now.
const itemsOfQuestion = `
	select evaluation_version_id, id as item_id, section_id, 'direct' as via
	from evaluation_items where tenant_id = $1 and question_id = $2
	union all
	select i.evaluation_version_id, i.id, i.section_id, 'passage'
	from passage_questions q
	join evaluation_items i on i.tenant_id = q.tenant_id and i.passage_id = q.passage_id
	join evaluation_versions v on v.tenant_id = i.tenant_id and v.id = i.evaluation_version_id and v.status = 'draft'
	where q.tenant_id = $1 and q.question_id = $2
	union all
	select p.evaluation_version_id, i.id, i.section_id, case when i.passage_id is null then 'draw' else 'passage' end
	from evaluation_pins p
	join evaluation_items i on i.tenant_id = p.tenant_id and i.evaluation_version_id = p.evaluation_version_id
		and i.id = p.group_id and i.question_id is null
	where p.tenant_id = $1 and p.question_id = $2`

// countQuestionSQL goes from the question to the versions that pin it, and from these to sessions
// and submissions, which refer to versions and not to questions.
const countQuestionSQL = `
with items as (` + itemsOfQuestion + `), versions as materialized (
	select v.tenant_id, v.org_unit_id, v.evaluation_id, v.id from evaluation_versions v
	where v.tenant_id = $1 and v.id in (select evaluation_version_id from evaluation_pins where tenant_id = $1 and question_id = $2)
)
select (select count(*) from items),
	(select count(*) from passage_questions where tenant_id = $1 and question_id = $2),
	greatest(
		(select count(*) from (select from versions v cross join lateral (
			select from submissions s where s.tenant_id = $1 and s.evaluation_version_id = v.id limit $3) s limit $3) counted),
		(select coalesce(sum(r.completed_n), 0) from versions v join report_evaluation_rollup r
			on r.tenant_id = $1 and r.org_unit_id = v.org_unit_id and r.evaluation_version_id = v.id and r.cut = 'all'))::bigint,
	(select count(*) from versions v join sessions s
		on s.tenant_id = $1 and s.evaluation_id = v.evaluation_id and s.evaluation_version_id = v.id and s.state = 'open')`

func countQuestion(ctx context.Context, tx *db.Tx, id ids.ID) (counts, error) {
	return countRow(ctx, tx, countQuestionSQL, id, "sectionItems", "passageLinks", "submissions", "activeSessions")
}

// countAssignedSQL goes evaluation by evaluation, so that no estimate has all assignments of the tenant read.
const countAssignedSQL = `
with evaluations as materialized (
	select distinct v.evaluation_id from evaluation_versions v
	where v.tenant_id = $1 and v.status = 'published'
		and v.id in (select evaluation_version_id from evaluation_pins where tenant_id = $1 and question_id = $2)
)
select coalesce(sum(a.n), 0)::bigint from evaluations e
cross join lateral (select count(*) as n from assignments where tenant_id = $1 and evaluation_id = e.evaluation_id offset 0) a`

const listItemsSQL = `
with items as (` + itemsOfQuestion + ` order by 1 desc, 2 limit $3)
select v.evaluation_id, v.title, v.id, v.number, v.status, i.section_id, i.item_id, i.via
from items i join evaluation_versions v on v.tenant_id = $1 and v.id = i.evaluation_version_id
order by v.id desc, i.item_id`

const listPassagesSQL = `
select p.id, p.title, p.status
from passage_questions q join passages p on p.tenant_id = q.tenant_id and p.id = q.passage_id
where q.tenant_id = $1 and q.question_id = $2 order by p.id limit $3`

// UsageOfQuestion says where a question is used. Capability: questions.read. Errors:
// not_found.
func UsageOfQuestion(ctx context.Context, tx *db.Tx, id ids.ID) (QuestionUsage, error) {
	u := QuestionUsage{QuestionID: id}
	if err := tx.Require(Questions.read); err != nil {
		return u, err
	}
	if err := Questions.exists(ctx, tx, id); err != nil {
		return u, err
	}
	c, err := countQuestion(ctx, tx, id)
	if err != nil {
		return u, err
	}
	u.InUse, u.Submissions, u.ActiveSessions = c.inUse(), c[2].n, c[3].n
	err = tx.QueryRow(ctx, countAssignedSQL, tx.Tenant(), id).Scan(&u.Assignments)
	if err != nil {
		return u, fmt.Errorf("count assignments: %w", err)
	}
	u.SectionItems, err = references[SectionItem](ctx, tx, c[0].n, listItemsSQL, id)
	if err != nil {
		return u, err
	}
	u.PassageLinks, err = references[PassageLink](ctx, tx, c[1].n, listPassagesSQL, id)
	return u, err
}
