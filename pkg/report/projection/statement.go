package projection

import (
	"context"
	"fmt"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// statement is one set-based step over subjects; $1 is the tenant and $2 the ids.
type statement struct {
	what, sql string
}

// run executes the steps in order; extra arguments are $3 and so on of each.
func run(ctx context.Context, tx *db.Tx, subjects []ids.ID, steps []statement, extra ...any) error {
	if len(subjects) == 0 {
		return nil
	}
	return runOn(ctx, tx, subjects, steps, extra...)
}

// runOn executes the steps for nil too, which stands for all of the tenant in the steps that
// know it.
func runOn(ctx context.Context, tx *db.Tx, subjects []ids.ID, steps []statement, extra ...any) error {
	for _, step := range steps {
		_, err := tx.Exec(ctx, step.sql, append([]any{tx.Tenant(), subjects}, extra...)...)
		if err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return nil
}

// The signs with which rows go into the day tables and out of them again.
const (
	in  = 1
	out = -1
)
