package projection

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// The kinds of jobs.
const (
	KindSubmission  = "submission"
	KindRange       = "range"
	KindRemediation = "remediation"
	KindTelemetry   = "telemetry"
	kindPercentiles = "percentiles"
)

// maxSubmissions bounds the submissions that one job names.
const maxSubmissions = 10000

// JobInput chooses what to project again, within the scope of the caller. From and To bound the
// completion of submissions and the start of sessions: from included, to excluded.
//
//	submission   the submissions (and sessions) of SubmissionIDs
//	range        all between From and To, of all evaluation versions or of one
//	remediation  submissions whose scores a remediation changed
//	telemetry    submissions whose raw events are not rolled up yet, chosen as for range
type JobInput struct {
	Kind                string     `json:"kind" enum:"submission,range,remediation,telemetry"`
	SubmissionIDs       []ids.ID   `json:"submissionIds,omitempty" maxItems:"10000" doc:"Kinds submission and telemetry"`
	RemediationID       *ids.ID    `json:"remediationId,omitempty" doc:"Kind remediation"`
	EvaluationVersionID *ids.ID    `json:"evaluationVersionId,omitempty" doc:"Kinds range and telemetry"`
	From                *time.Time `json:"from,omitempty" doc:"Kinds range and telemetry: completed (or started) at or after"`
	To                  *time.Time `json:"to,omitempty" doc:"Kinds range and telemetry: completed (or started) before"`
}

func (in JobInput) check() error {
	var bad []errs.Field
	add := func(path, code, message string) {
		bad = append(bad, errs.Field{Path: path, Code: code, Message: message})
	}
	ranged := in.Kind == KindRange || in.Kind == KindTelemetry
	switch in.Kind {
	case KindSubmission:
		if len(in.SubmissionIDs) == 0 {
			add("submissionIds", "required", "name at least one submission")
		}
	case KindRange:
		if in.From == nil && in.To == nil && in.EvaluationVersionID == nil {
			add("from", "required", "give from, to or evaluationVersionId")
		}
	case KindRemediation:
		if in.RemediationID == nil {
			add("remediationId", "required", "name the remediation")
		}
	case KindTelemetry:
	default:
		return errs.Invalid(errs.Field{Path: "kind", Code: "unknown_value", Message: "expected submission, range, remediation or telemetry"})
	}
	if len(in.SubmissionIDs) > maxSubmissions {
		add("submissionIds", "too_many", "at most 10,000")
	}
	for _, field := range []struct {
		path         string
		given, taken bool
	}{
		{"submissionIds", len(in.SubmissionIDs) > 0, in.Kind == KindSubmission || in.Kind == KindTelemetry},
		{"remediationId", in.RemediationID != nil, in.Kind == KindRemediation},
		{"evaluationVersionId", in.EvaluationVersionID != nil, ranged},
		{"from", in.From != nil, ranged}, {"to", in.To != nil, ranged},
	} {
		if field.given && !field.taken {
			add(field.path, "not_applicable", "this kind of projection does not take it")
		}
	}
	if in.From != nil && in.To != nil && !in.From.Before(*in.To) {
		add("to", "out_of_range", "to must be after from")
	}
	return errs.Invalid(bad...)
}

// unknownSQL gives the fields whose ids do not exist in the scope, and their positions.
const unknownSQL = `
select 'submissionIds[' || n - 1 || ']', 'unknown_submission' from unnest($3::uuid[]) with ordinality named (id, n)
where not exists (select from submissions s where s.tenant_id = $1 and s.id = named.id and ($2::uuid is null or s.org_unit_id = $2))
	and not exists (select from sessions s where s.tenant_id = $1 and s.id = named.id and ($2::uuid is null or s.org_unit_id = $2))
union all
select 'remediationId', 'unknown_remediation' where $4::uuid is not null
	and not exists (select from remediations where tenant_id = $1 and id = $4 and ($2::uuid is null or org_unit_id = $2))
union all
select 'evaluationVersionId', 'unknown_evaluation_version' where $5::uuid is not null
	and not exists (select from evaluation_versions where tenant_id = $1 and id = $5 and ($2::uuid is null or org_unit_id = $2))`

// known refuses ids that do not exist in the scope: a job about nothing would look like one that
// found everything right.
func (in JobInput) known(ctx context.Context, tx *db.Tx) error {
	rows, err := tx.Query(ctx, unknownSQL, tx.Tenant(), unitOf(tx), in.SubmissionIDs, in.RemediationID, in.EvaluationVersionID)
	if err != nil {
		return fmt.Errorf("look for what a job is about: %w", err)
	}
	bad, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (errs.Field, error) {
		f := errs.Field{Message: "there is none of this id in your scope"}
		return f, row.Scan(&f.Path, &f.Code)
	})
	if err != nil {
		return fmt.Errorf("look for what a job is about: %w", err)
	}
	return errs.Invalid(bad...)
}

// subjectsSQL finds the subjects of a job behind a cursor ($3) in the order of their ids. Each
// branch stops at the limit, so that a long job reads everything once and not once a piece.
const subjectsSQL = `
(select id from submissions s
where tenant_id = $1 and ($2::uuid is null or org_unit_id = $2) and id > $3
	and ($5::uuid[] is null or id = any($5)) and ($6::uuid is null or evaluation_version_id = $6)
	and ($7::timestamptz is null or completed_at >= $7) and ($8::timestamptz is null or completed_at < $8)
	and ($9::uuid is null or id in (select submission_id from remediation_submissions where tenant_id = $1 and remediation_id = $9))
	and (not $10::bool or exists (select from session_events e where e.tenant_id = $1 and e.session_id = s.id))
order by id limit $4)
union
(select id from sessions
where tenant_id = $1 and ($2::uuid is null or org_unit_id = $2) and id > $3
	and ($5::uuid[] is null or id = any($5)) and ($6::uuid is null or evaluation_version_id = $6)
	and ($7::timestamptz is null or started_at >= $7) and ($8::timestamptz is null or started_at < $8)
	and $9::uuid is null and not $10::bool
order by id limit $4)
order by id limit $4`

// arguments are the arguments of subjectsSQL; a limit of nil means all of them.
func (in JobInput) arguments(tenant ids.ID, unit *ids.ID, after ids.ID, limit *int) []any {
	var only []ids.ID
	if len(in.SubmissionIDs) > 0 {
		only = in.SubmissionIDs
	}
	return []any{tenant, unit, after, limit, only, in.EvaluationVersionID, in.From, in.To, in.RemediationID, in.Kind == KindTelemetry}
}
