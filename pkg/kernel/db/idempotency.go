package db

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"assess/pkg/kernel/errs"
)

// Key makes a write happen once (decisions, section 1). It belongs to the tenant, actor,
// method and path (with its ids) of the call.
type Key struct {
	Key, Method, Path string
	// BodyHash tells whether a repeated key comes with the same body.
	BodyHash [sha256.Size]byte
	// Sealed keeps an answer that holds a secret unreadable in the table.
	Sealed bool
}

// Answer is the answer to a call, which its replay gives again.
type Answer struct {
	Status   int
	Location string
	// Language is the language of the body, if it has one. It is not stored: the code that gives an answer again knows it.
	Language string
	Body     []byte
	Replayed bool
	// Kept is stored in place of Body if the caller can make the body from it again. A replay
	// gives it as Body.
	Kept []byte

	bodyHash []byte
}

// WriteOnce is Write for a call with an idempotency key: fn runs at most once for it, and
// its answer is stored in the same transaction. A second call waits for the first to end
// (up to the lock timeout, then idempotency_in_progress) and gets the stored answer;
// with another body it gets idempotency_key_reused, and subject_erased where the answer was erased. Errors are not stored.
func (s *Store) WriteOnce(ctx context.Context, scope Scope, key Key, fn func(*Tx) (*Answer, error)) (*Answer, error) {
	return s.main.runOnce(ctx, scope, readWrite, &key, fn)
}

const (
	// The lock makes the second call wait; a collision of two keys' hashes costs patience
	// and nothing else.
	lockKeySQL = `select pg_advisory_xact_lock(hashtextextended(
		concat_ws(E'\x1f', $1::text, $2::text, $3::text, $4::text, $5::text), 0))`
	findKeySQL = `select status, location, body, body_hash from idempotency_keys
		where tenant_id = $1 and actor = $2 and method = $3 and path = $4 and key in ($5, $6)`
	storeKeySQL = `insert into idempotency_keys (tenant_id, actor, method, path, key, body_hash, status, location, body, created_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
)

func (k *Key) lookUp(b *pgx.Batch, s Scope) *Answer {
	stored := &Answer{Replayed: true}
	id := []any{s.Tenant, s.Actor.String(), k.Method, k.Path, k.stored()}
	b.Queue(lockKeySQL, s.Tenant.String(), id[1], id[2], id[3], id[4])
	b.Queue(findKeySQL, append(id, k.erased())...).
		QueryRow(func(row pgx.Row) error {
			err := row.Scan(&stored.Status, &stored.Location, &stored.Body, &stored.bodyHash)
			if errors.Is(err, pgx.ErrNoRows) {
				return nil
			}
			return err
		})
	return stored
}

func (k *Key) store(b *pgx.Batch, tx *Tx, a *Answer) error {
	kept := a.Body
	if a.Kept != nil {
		kept = a.Kept
	}
	body, err := k.seal(kept)
	if err != nil {
		return err
	}
	b.Queue(storeKeySQL,
		tx.Tenant(), tx.Actor().String(), k.Method, k.Path, k.stored(), k.BodyHash[:], a.Status, a.Location, body, tx.Now())
	return nil
}

func (a *Answer) replay(k *Key) (*Answer, error) {
	if a.erased() {
		return nil, errs.New(errs.SubjectErased, "%s", errs.Meaning(errs.SubjectErased))
	}
	if !bytes.Equal(a.bodyHash, k.BodyHash[:]) {
		return nil, errs.New(errs.IdempotencyKeyReused, "This Idempotency-Key was used before with another body.")
	}
	body, err := k.open(a.Body)
	a.Body = body
	return a, err
}

// explain turns a lock timeout at the start of a call into idempotency_in_progress.
func (k *Key) explain(err error) error {
	var pe *pgconn.PgError
	if k != nil && errors.As(err, &pe) && pe.Code == lockTimeout {
		return errs.New(errs.IdempotencyInProgress, "The first request with this Idempotency-Key is still running.")
	}
	return err
}
