package remediation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Version is one version of the scores of a submission, with what it changed.
type Version struct {
	Number        int           `json:"number" doc:"1 is the submit; the greatest is the one that counts"`
	Reason        string        `json:"reason" enum:"submitted,remediation_applied,remediation_reverted,scored_by_person"`
	RemediationID *ids.ID       `json:"remediationId"`
	Actor         string        `json:"actor" doc:"user:<id>, operator:<name> or system:<job>"`
	Comment       string        `json:"comment,omitempty" doc:"What the person wrote who scored an item"`
	Score         float64       `json:"score"`
	MaxScore      float64       `json:"maxScore"`
	OutcomeCode   string        `json:"outcome_code" enum:"pass,fail,incomplete"`
	OutcomeLabel  string        `json:"outcome_label"`
	CreatedAt     time.Time     `json:"createdAt"`
	Items         []VersionItem `json:"items" nullable:"false" doc:"The items that it changed; none for the submit"`
}

// VersionItem is an item as a version scored it.
type VersionItem struct {
	ItemID      ids.ID  `json:"itemId"`
	ScoreStatus string  `json:"scoreStatus" enum:"SCORED,PENDING,INVALID,EXEMPT"`
	ScoreMethod string  `json:"scoreMethod" doc:"all_or_nothing, partial, manual, or the rule of a remediation"`
	Score       float64 `json:"score"`
	MaxScore    float64 `json:"max_score"`
}

const versionsSQL = `
select v.number, v.reason, v.remediation_id, v.actor, coalesce(k.comment, ''), v.score::float8, v.max_score::float8,
	v.outcome_code, v.outcome_label, v.created_at
from (
	select number, reason, remediation_id, actor, score, max_score, outcome_code, outcome_label, created_at
	from score_versions where tenant_id = $1 and submission_id = $2
	union all
	select 1, 'submitted', null, submitted_by, score, max_score, outcome_code, outcome_label, completed_at
	from submissions where tenant_id = $1 and id = $2 and score_version = 1
) v
left join item_marks k on v.reason = 'scored_by_person' and k.tenant_id = $1 and k.submission_id = $2 and k.score_version = v.number
order by v.number desc limit $3 offset $4`

// ListVersions gives the versions of the scores of a submission, the newest first.
// Capability: submissions.read. Errors: not_found, validation_failed.
func ListVersions(ctx context.Context, tx *db.Tx, id ids.ID, page db.Page) (db.List[Version], error) {
	var none db.List[Version]
	if err := tx.Require(capability.SubmissionsRead); err != nil {
		return none, err
	}
	page, err := page.Check()
	if err != nil {
		return none, err
	}
	var total int
	err = tx.QueryRow(ctx, "select score_version from submissions where tenant_id = $1 and id = $2 and ($3 or org_unit_id = $4)",
		tx.Tenant(), id, tx.Scope().All, tx.Scope().OrgUnit).Scan(&total)
	if errors.Is(err, pgx.ErrNoRows) {
		return none, errs.New(errs.NotFound, "There is no such submission in your scope.")
	}
	if err != nil {
		return none, fmt.Errorf("find submission: %w", err)
	}
	rows, err := tx.Query(ctx, versionsSQL, tx.Tenant(), id, page.Limit, page.Offset())
	if err != nil {
		return none, fmt.Errorf("list score versions: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Version, error) {
		v := Version{Items: []VersionItem{}}
		err := row.Scan(&v.Number, &v.Reason, &v.RemediationID, &v.Actor, &v.Comment, &v.Score, &v.MaxScore, &v.OutcomeCode, &v.OutcomeLabel, &v.CreatedAt)
		v.CreatedAt = v.CreatedAt.UTC()
		return v, err
	})
	if err != nil {
		return none, fmt.Errorf("list score versions: %w", err)
	}
	return db.NewList(all, page, total), addItems(ctx, tx, id, all)
}

// addItems fills in what the versions changed.
func addItems(ctx context.Context, tx *db.Tx, id ids.ID, all []Version) error {
	place := map[int]int{}
	var numbers []int
	for i, v := range all {
		place[v.Number] = i
		numbers = append(numbers, v.Number)
	}
	rows, err := tx.Query(ctx, `
		select c.number, i.item_id, c.score_status, c.score_method, c.score::float8, c.max_score::float8
		from item_scores c join submission_items i on i.tenant_id = c.tenant_id and i.submission_id = c.submission_id and i.id = c.submission_item_id
		where c.tenant_id = $1 and c.submission_id = $2 and c.number = any($3) order by c.number, i.position`, tx.Tenant(), id, numbers)
	if err != nil {
		return fmt.Errorf("list item scores: %w", err)
	}
	var number int
	var item VersionItem
	_, err = pgx.ForEachRow(rows, []any{&number, &item.ItemID, &item.ScoreStatus, &item.ScoreMethod, &item.Score, &item.MaxScore}, func() error {
		v := &all[place[number]]
		v.Items = append(v.Items, item)
		return nil
	})
	if err != nil {
		return fmt.Errorf("list item scores: %w", err)
	}
	return nil
}
