package db

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/errs"
)

// An erased answer leaves a row, so that a call that comes again does not write anew what was erased. The row has the
// status of the refusal and nothing of the call but who sent it and where to; its key is a hash, since clients put
// names into keys.
const erasedPrefix = "erased:"

// erased is the key of the row that an erased answer leaves.
func (k *Key) erased() string { return erasedKey(k.stored()) }

func erasedKey(stored string) string {
	hash := sha256.Sum256([]byte("erased\x1f" + stored))
	return erasedPrefix + hex.EncodeToString(hash[:])
}

func (a *Answer) erased() bool { return a.Status == errs.Status(errs.SubjectErased) }

const (
	eraseAnswersSQL = `
		delete from idempotency_keys k where tenant_id = $1 and left(key, length($3)) <> $3 and position('compliance' in path) = 0 and exists (
			select from unnest($2::text[]) t where t <> '' and (position(convert_to(t, 'UTF8') in k.body) > 0
				or position(t in k.path) > 0 or position(t in k.location) > 0 or position(t in k.key) > 0))
		returning actor, method, path, key, created_at`
	leaveErasedSQL = `
		insert into idempotency_keys (tenant_id, actor, method, path, key, body_hash, status, body, created_at)
		select $1, actor, method, path, key, '', $2, '', created_at
		from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[]) t (actor, method, path, key, created_at)
		returning true`
)

// EraseAnswers erases the stored answers of the tenant that hold one of the texts, no matter who called, or that belong to a
// path with one of them, and returns how many: such a call that comes again is refused with subject_erased. A sealed answer
// is found only by its path, since nobody can read it without its key. Answers about compliance stay: they hold ids, and a
// call that comes again must not begin a second job. It reads everything that the tenant has stored, so it is for jobs.
func EraseAnswers(ctx context.Context, tx *Tx, texts []string) (int64, error) {
	rows, err := tx.Query(ctx, eraseAnswersSQL, tx.Tenant(), texts, erasedPrefix)
	if err != nil {
		return 0, fmt.Errorf("erase stored answers: %w", err)
	}
	var actors, methods, paths, keys []string
	var times []time.Time
	var actor, method, path, key string
	var at time.Time
	_, err = pgx.ForEachRow(rows, []any{&actor, &method, &path, &key, &at}, func() error {
		actors, methods, paths, times = append(actors, actor), append(methods, method), append(paths, path), append(times, at)
		keys = append(keys, erasedKey(key))
		return nil
	})
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	_, err = tx.Exec(ctx, leaveErasedSQL, tx.Tenant(), errs.Status(errs.SubjectErased), actors, methods, paths, keys, times)
	if err != nil {
		return 0, fmt.Errorf("leave that stored answers were erased: %w", err)
	}
	return int64(len(keys)), nil
}
