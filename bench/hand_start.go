package main

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"assess/pkg/kernel/ids"
)

const (
	handOfferSQL = `
		select published_id from evaluations where tenant_id = $1 and id = $2 and status <> 'archived' for share`
	handStartSQL = `
		insert into sessions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, started_by, state,
			started_at, last_activity_at, seed)
		values ($1, $2, $3, $4, $5, $6, $7, 'open', $8, $8, $9)`
	handStartedSQL = `
		insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) values ($1, 'session', $2, $3)`
)

// start opens a session.
func (h hand) start(ctx context.Context, e *exam, c candidate) (ids.ID, error) {
	session := ids.New()
	tenant, id, now := uuid(c.scope.Tenant), uuid(session), time.Now()
	return session, h.do(ctx, c, func(tx *pgx.Conn) error {
		var version pgtype.UUID
		err := tx.QueryRow(ctx, handOfferSQL, tenant, uuid(e.evaluation)).Scan(&version)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, handStartSQL, tenant, id, uuid(c.scope.OrgUnit), uuid(e.evaluation), version, uuid(c.scope.Actor.ID),
			c.scope.Actor.String(), now, rand.Int64())
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, handStartedSQL, tenant, id, now)
		return err
	})
}
