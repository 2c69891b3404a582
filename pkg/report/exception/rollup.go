package exception

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Kind of a rollup.
type Kind string

// The kinds of rollups.
const (
	Engagements  Kind = "engagement"
	Requirements Kind = "programme_requirement"
)

// Rollup is an engagement or a programme requirement in the queue. The submissions of a requirement
// are the ones of its evaluation.
type Rollup struct {
	ID         ids.ID `json:"id" doc:"Of the engagement or programme requirement"`
	ExternalID string `json:"externalId,omitempty"`
	Triage
	ReadinessState             string     `json:"readinessState" enum:"not_met,pending,met" doc:"not_met while a submission is blocked, else pending while one waits for somebody"`
	ActiveSubmissionCount      int64      `json:"activeSubmissionCount" doc:"Submissions that are not voided"`
	BlockedSubmissionCount     int64      `json:"blockedSubmissionCount" doc:"Those of them that something stands against"`
	NeedsReviewSubmissionCount int64      `json:"needsReviewSubmissionCount" doc:"Those of them that only wait for somebody"`
	FirstSeenAt                *time.Time `json:"firstSeenAt" doc:"Since when one of them or another was not ready"`
	LastSeenAt                 time.Time  `json:"lastSeenAt" doc:"When one of them was last looked at and had changed"`
	UpdatedAt                  *time.Time `json:"updatedAt" doc:"When somebody last triaged it"`
	unit                       ids.ID
}

//go:embed rollups.sql
var rollupsSQL string

// ListRollups gives the engagements or requirements of the scope that have submissions, the oldest
// issue first. It ignores reason and evaluation of the filter. Capability: exceptions.read. Errors:
// validation_failed.
func ListRollups(ctx context.Context, tx *db.Tx, kind Kind, f Filter) (db.List[Rollup], error) {
	none := db.List[Rollup]{}
	if err := tx.Require(capability.ExceptionsRead); err != nil {
		return none, err
	}
	f, err := f.check()
	if err != nil {
		return none, err
	}
	var total int
	all, err := rollups(ctx, tx, kind, f, nil, &total)
	if err == nil && len(all) == 0 && f.Page.Page > 1 {
		first := f
		first.Page = db.Page{Page: 1, Limit: 1}
		_, err = rollups(ctx, tx, kind, first, nil, &total)
	}
	return db.NewList(all, f.Page, total), err
}

// rollups reads a page of rollups, or the one with the id.
func rollups(ctx context.Context, tx *db.Tx, kind Kind, f Filter, id *ids.ID, total *int) ([]Rollup, error) {
	var owner *ids.ID
	if f.OwnerUserID != ids.None {
		owner = &f.OwnerUserID
	}
	rows, err := tx.Query(ctx, rollupsSQL, tx.Tenant(), unitOf(tx), string(kind), id, f.State, f.ReadinessState, owner,
		f.IncludeSuppressed, tx.Now(), f.Sort == NewestFirst, f.Limit, f.Offset())
	if err != nil {
		return nil, fmt.Errorf("list %ss: %w", kind, err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Rollup, error) {
		var r Rollup
		err := row.Scan(&r.ID, &r.ExternalID, &r.unit, &r.State, &r.OwnerUserID, &r.SuppressedUntil, &r.ReadinessState, &r.ActiveSubmissionCount,
			&r.BlockedSubmissionCount, &r.NeedsReviewSubmissionCount, &r.FirstSeenAt, &r.LastSeenAt, &r.UpdatedAt, total)
		r.SuppressedUntil, r.FirstSeenAt, r.UpdatedAt, r.LastSeenAt = db.UTC(r.SuppressedUntil), db.UTC(r.FirstSeenAt), db.UTC(r.UpdatedAt), r.LastSeenAt.UTC()
		return r, err
	})
	if err != nil {
		return nil, fmt.Errorf("list %ss: %w", kind, err)
	}
	return all, nil
}

func unitOf(tx *db.Tx) *ids.ID {
	if tx.Scope().All {
		return nil
	}
	unit := tx.Scope().OrgUnit
	return &unit
}

const writeRollupSQL = `
insert into defensibility_rollup_triage (tenant_id, org_unit_id, kind, target_id, state, owner_user_id, suppressed_until, updated_at)
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict (tenant_id, org_unit_id, kind, target_id) do update set state = excluded.state, owner_user_id = excluded.owner_user_id,
	suppressed_until = excluded.suppressed_until, updated_at = excluded.updated_at`

// WorkRollup changes the triage of an engagement or requirement. Capability: exceptions.triage.
// Errors: not_found where it has no submission, validation_failed, stale_update.
func WorkRollup(ctx context.Context, tx *db.Tx, kind Kind, id ids.ID, in TriageInput) (Rollup, error) {
	if err := tx.Require(capability.ExceptionsTriage); err != nil {
		return Rollup{}, err
	}
	_, err := tx.Exec(ctx, "select pg_advisory_xact_lock(hashtextextended('triage ' || $1::text, 0))", id.String())
	if err != nil {
		return Rollup{}, fmt.Errorf("lock %s: %w", kind, err)
	}
	one := Filter{IncludeSuppressed: true, State: anyState, Page: db.Page{Page: 1, Limit: 1}}
	var total int
	found, err := rollups(ctx, tx, kind, one, &id, &total)
	if err != nil {
		return Rollup{}, err
	}
	if len(found) == 0 {
		return Rollup{}, errs.New(errs.NotFound, "There is no such %s with submissions in your scope.", noun[kind])
	}
	r := found[0]
	if err := db.Fresh(in.UpdatedAt, db.OrZero(r.UpdatedAt)); err != nil {
		return Rollup{}, err
	}
	r.Triage, err = in.over(ctx, tx, r.unit, r.Triage)
	if err != nil {
		return Rollup{}, err
	}
	at := tx.ChangedAt(db.OrZero(r.UpdatedAt))
	_, err = tx.Exec(ctx, writeRollupSQL, tx.Tenant(), r.unit, string(kind), id, r.State, r.OwnerUserID, r.SuppressedUntil, at)
	if err != nil {
		return Rollup{}, fmt.Errorf("triage %s: %w", kind, err)
	}
	r.UpdatedAt = &at
	return r, record(ctx, tx, string(kind), id, r.unit, r.Triage)
}

// anyState selects rollups in any state.
const anyState = "any"

var noun = map[Kind]string{Engagements: "engagement", Requirements: "programme requirement"}
