package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/trace"
)

// mode is how a transaction begins; a short one does so with its first statement (WriteShort).
type mode struct {
	begin         string
	writes, short bool
}

var (
	readWrite  = mode{begin: "begin", writes: true}
	readOnly   = mode{begin: "begin isolation level repeatable read read only"}
	shortWrite = mode{begin: "begin", writes: true, short: true}
	shortRead  = mode{begin: readOnly.begin, short: true}
)

// tries bounds how often a transaction that lost a deadlock is run again.
const tries = 4

var (
	errNoScope = errors.New("db: a transaction needs a tenant")
	errNoActor = errors.New("db: a write needs an actor")
)

func (p pool) run(ctx context.Context, scope Scope, m mode, fn func(*Tx) error) error {
	_, err := p.runOnce(ctx, scope, m, nil, func(tx *Tx) (*Answer, error) { return nil, fn(tx) })
	return err
}

func (p pool) runOnce(ctx context.Context, scope Scope, m mode, key *Key, fn func(*Tx) (*Answer, error)) (*Answer, error) {
	if scope.Tenant == ids.None {
		return nil, errNoScope
	}
	if m.writes && scope.Actor.Kind == "" {
		return nil, errNoActor
	}
	if err := scope.Actor.check(); m.writes && err != nil {
		return nil, err
	}
	ctx, span := trace.Transaction(ctx, m.begin)
	for try := 1; ; try++ {
		answer, err := p.attempt(ctx, scope, m, key, fn)
		if err == nil || try == tries || !lostRace(err) {
			err = Translate(err)
			span.End(err)
			return answer, err
		}
		span.Again()
	}
}

func lostRace(err error) bool {
	var pe *pgconn.PgError
	return errors.As(err, &pe) && (pe.Code == "40P01" || pe.Code == "40001")
}

// attempt runs one transaction. The connection is pinned through database/sql for bun and
// used underneath for begin and commit, so that each of them shares a round trip with the
// statements that always go with it.
func (p pool) attempt(ctx context.Context, scope Scope, m mode, key *Key, fn func(*Tx) (*Answer, error)) (*Answer, error) {
	conn, err := p.bun.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close() //nolint:errcheck // hands the connection back; a broken one is dropped by the pool
	tx := &Tx{scope: scope, mode: m, conn: conn, state: unbegun, keySecret: p.keySecret, baseURL: p.baseURL}
	err = conn.Raw(func(driverConn any) error {
		tx.raw = driverConn.(*stdlib.Conn).Conn()
		return nil
	})
	if err != nil {
		return nil, err
	}
	defer tx.rollbackIfOpen(ctx)
	if m.short {
		tx.later = ctx
	} else {
		stored, err := tx.begin(ctx, key)
		if err != nil {
			return nil, err
		}
		if stored != nil {
			return stored.replay(key)
		}
	}
	answer, err := fn(tx)
	if tx.failed != nil {
		return nil, tx.failed
	}
	if refusal := asKept(err); refusal != nil {
		return nil, cmp.Or(tx.finish(ctx, nil, nil), refusal)
	}
	if err != nil {
		return nil, err
	}
	return answer, tx.finish(ctx, key, answer)
}

const scopeSQL = `select set_config('app.tenant_id', $1, true), set_config('app.org_unit_id', $2, true),
	set_config('app.scope_all', $3, true), set_config('app.actor', $4, true), now()`

// NowSQL is Tx.Now in a statement, for one that has to know it before the transaction has begun.
const NowSQL = "date_trunc('milliseconds', now())"

// prepare makes the statements ready that every transaction of a kind sends, once a
// connection: a batch finds them by their text. Parsing and planning them each time would
// cost PostgreSQL more than a small transaction's own work.
func (tx *Tx) prepare(ctx context.Context, further ...string) error {
	for _, sql := range append([]string{tx.mode.begin, scopeSQL, commitSQL}, further...) {
		_, err := tx.raw.Prepare(ctx, sql, sql)
		if err != nil {
			return err
		}
	}
	return nil
}

// begin opens the transaction, states the scope, and, for a call with an idempotency key,
// waits for the key and looks for its stored answer: one round trip.
func (tx *Tx) begin(ctx context.Context, key *Key) (*Answer, error) {
	var further []string
	if key != nil {
		further = []string{lockKeySQL, findKeySQL, storeKeySQL}
	}
	err := tx.prepare(ctx, further...)
	if err != nil {
		return nil, err
	}
	b := &pgx.Batch{}
	tx.queueBegin(b)
	var stored *Answer
	if key != nil {
		stored = key.lookUp(b, tx.scope)
	}
	err = tx.raw.SendBatch(ctx, b).Close()
	if err != nil {
		return nil, key.explain(err)
	}
	tx.state = begun
	if stored == nil || stored.Status == 0 {
		return nil, nil //nolint:nilnil // no stored answer is the usual case
	}
	return stored, nil
}

func (tx *Tx) queueBegin(b *pgx.Batch) {
	b.Queue(tx.mode.begin)
	tx.queueScopeOfNodes(b)
	b.Queue(scopeSQL, tx.scope.Tenant.String(), orgSetting(tx.scope), onOff(tx.scope.All), tx.scope.Actor.String()).
		QueryRow(func(row pgx.Row) error {
			err := row.Scan(nil, nil, nil, nil, &tx.now)
			tx.now = tx.now.UTC().Truncate(time.Millisecond)
			return err
		})
}

func orgSetting(s Scope) string {
	if s.OrgUnit == ids.None {
		return ""
	}
	return s.OrgUnit.String()
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

const commitSQL = "commit"

// commit stores the answer of a call with an idempotency key, runs what was left for the
// end, and commits, in one round trip: no crash leaves one without the other.
func (tx *Tx) commit(ctx context.Context, key *Key, answer *Answer) error {
	if tx.state != begun {
		return nil
	}
	b := &pgx.Batch{}
	if key != nil && answer != nil {
		err := key.store(b, tx, answer)
		if err != nil {
			return err
		}
	}
	tx.queueLast(b)
	return tx.sendCommit(ctx, b)
}

// sendCommit sends the queued statements and the commit after them. Errors: outcome_unknown for a write that
// was sent and not answered.
func (tx *Tx) sendCommit(ctx context.Context, b *pgx.Batch) error {
	var committed pgconn.CommandTag
	b.Queue(commitSQL).Exec(func(tag pgconn.CommandTag) error {
		committed = tag
		return nil
	})
	sent := ctx.Err() == nil && !tx.raw.IsClosed()
	err := tx.raw.SendBatch(ctx, b).Close()
	if tx.mode.writes && sent && unsettled(err) {
		return unknown(err)
	}
	if err != nil {
		return err
	}
	// PostgreSQL answers the commit of a failed transaction with ROLLBACK and no error.
	if committed.String() != "COMMIT" {
		return fmt.Errorf("commit ended as %q", committed)
	}
	tx.state = ended
	return nil
}

func unknown(err error) error {
	return errs.Wrap(errs.OutcomeUnknown, err, "%s", errs.Meaning(errs.OutcomeUnknown)).After(retryAfter)
}

// unsettled says whether a commit that was sent and ended with err may have been carried out all the same: the
// connection or its session ended before an answer came. An ERROR of PostgreSQL is an answer: nothing was committed,
// unless it says that a node was lost, which may have committed.
func unsettled(err error) bool {
	var answered *pgconn.PgError
	if errors.As(err, &answered) {
		return answered.SeverityUnlocalized != "ERROR" || lostNode(answered)
	}
	return err != nil
}

// rollbackIfOpen ends a transaction that was not committed; the caller's context may be
// over by then.
func (tx *Tx) rollbackIfOpen(ctx context.Context) {
	if tx.raw.IsClosed() || tx.raw.PgConn().TxStatus() == 'I' {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_, err := tx.raw.Exec(ctx, "rollback")
	if err != nil {
		tx.raw.Close(ctx) //nolint:errcheck // the pool drops the connection
	}
}
