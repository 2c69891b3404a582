package db

import (
	"context"
	"fmt"
)

// EraseAnswers deletes the stored answers of the tenant that hold one of the texts, whoever called, or that
// belong to a path with one of them, and gives their number. A sealed one is found by its path alone, since nobody
// reads it without its key. Those about compliance stay: they hold ids, and a call that comes again must not begin a
// second job. It reads all that the tenant has stored, so it is for jobs.
func EraseAnswers(ctx context.Context, tx *Tx, texts []string) (int64, error) {
	n, err := tx.Exec(ctx, `
		delete from idempotency_keys k where tenant_id = $1 and position('compliance' in path) = 0 and exists (
			select from unnest($2::text[]) t where t <> '' and (position(convert_to(t, 'UTF8') in k.body) > 0
				or position(t in k.path) > 0 or position(t in k.location) > 0 or position(t in k.key) > 0))`, tx.Tenant(), texts)
	if err != nil {
		return 0, fmt.Errorf("delete stored answers: %w", err)
	}
	return n, nil
}
