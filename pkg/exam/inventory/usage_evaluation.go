package inventory

import (
	"context"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// EvaluationUsage says what uses an evaluation (specification, section 4.6).
type EvaluationUsage struct {
	EvaluationID   ids.ID       `json:"evaluationId"`
	InUse          bool         `json:"inUse" doc:"true: it cannot be deleted, only archived"`
	Sessions       int64        `json:"sessions" doc:"All sessions, ended ones too; exact up to 10,000, then as the reports count"`
	ActiveSessions int64        `json:"activeSessions"`
	Submissions    int64        `json:"submissions" doc:"Exact up to 10,000, then as the reports count"`
	Assignments    int64        `json:"assignments"`
	Dependencies   Dependencies `json:"dependencies"`
}

// Dependencies are the records that name an evaluation.
type Dependencies struct {
	Assignments           References[AssignmentReference]  `json:"assignments"`
	ProgrammeRequirements References[RequirementReference] `json:"programmeRequirements"`
	ContentPackItems      References[PackItemReference]    `json:"contentPackItems"`
}

// AssignmentReference is an assignment of the evaluation, without the people it names.
type AssignmentReference struct {
	ID         ids.ID  `json:"id"`
	TargetType string  `json:"target_type" enum:"user_id,email,group_id,public_link"`
	Status     string  `json:"status" enum:"active,closed"`
	RunLabel   *string `json:"run_label,omitempty"`
}

// RequirementReference is a programme requirement that the evaluation fulfils.
type RequirementReference struct {
	ID        ids.ID `json:"id"`
	Programme string `json:"programme"`
	Name      string `json:"name"`
	Status    string `json:"status" enum:"active,retired"`
}

// PackItemReference is an item of a content pack's library.
type PackItemReference struct {
	ID          ids.ID `json:"id"`
	LibraryID   ids.ID `json:"libraryId"`
	LibraryName string `json:"libraryName"`
}

const countEvaluationSQL = `
with reported as materialized (
	select coalesce(sum(r.started_n), 0) as started, coalesce(sum(r.completed_n), 0) as completed
	from evaluation_versions v join report_evaluation_rollup r
		on r.tenant_id = v.tenant_id and r.org_unit_id = v.org_unit_id and r.evaluation_version_id = v.id and r.cut = 'all'
	where v.tenant_id = $1 and v.evaluation_id = $2
)
select greatest((select count(*) from (select from sessions where tenant_id = $1 and evaluation_id = $2 limit $3) s), started)::bigint,
	(select count(*) from sessions where tenant_id = $1 and evaluation_id = $2 and state = 'open'),
	greatest((select count(*) from (select from submissions where tenant_id = $1 and evaluation_id = $2 limit $3) s), completed)::bigint,
	(select count(*) from assignments where tenant_id = $1 and evaluation_id = $2),
	(select count(*) from programme_requirements where tenant_id = $1 and evaluation_id = $2),
	(select count(*) from library_items where tenant_id = $1 and evaluation_id = $2)
from reported`

func countEvaluation(ctx context.Context, tx *db.Tx, id ids.ID) (counts, error) {
	return countRow(ctx, tx, countEvaluationSQL, id,
		"sessions", "activeSessions", "submissions", "assignments", "programmeRequirements", "contentPackItems")
}

const (
	listAssignmentsSQL = `select id, target_type, status, run_label from assignments
		where tenant_id = $1 and evaluation_id = $2 order by created_at desc, id limit $3`
	listRequirementsSQL = `select id, programme, name, status from programme_requirements
		where tenant_id = $1 and evaluation_id = $2 order by id desc limit $3`
	listPackItemsSQL = `select i.id, i.library_id, l.name
		from library_items i join libraries l on l.tenant_id = i.tenant_id and l.id = i.library_id
		where i.tenant_id = $1 and i.evaluation_id = $2 order by i.library_id desc, i.id limit $3`
)

// UsageOfEvaluation says what uses an evaluation. Capability: evaluations.read. Errors: not_found.
func UsageOfEvaluation(ctx context.Context, tx *db.Tx, id ids.ID) (EvaluationUsage, error) {
	u := EvaluationUsage{EvaluationID: id}
	if err := tx.Require(Evaluations.read); err != nil {
		return u, err
	}
	if err := Evaluations.exists(ctx, tx, id); err != nil {
		return u, err
	}
	c, err := countEvaluation(ctx, tx, id)
	if err != nil {
		return u, err
	}
	u.InUse, u.Sessions, u.ActiveSessions, u.Submissions, u.Assignments = c.inUse(), c[0].n, c[1].n, c[2].n, c[3].n
	u.Dependencies, err = dependencies(ctx, tx, id, c)
	return u, err
}

func dependencies(ctx context.Context, tx *db.Tx, id ids.ID, c counts) (Dependencies, error) {
	var d Dependencies
	var err error
	d.Assignments, err = references[AssignmentReference](ctx, tx, c[3].n, listAssignmentsSQL, id)
	if err != nil {
		return d, err
	}
	d.ProgrammeRequirements, err = references[RequirementReference](ctx, tx, c[4].n, listRequirementsSQL, id)
	if err != nil {
		return d, err
	}
	d.ContentPackItems, err = references[PackItemReference](ctx, tx, c[5].n, listPackItemsSQL, id)
	return d, err
}
