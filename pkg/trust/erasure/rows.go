package erasure

import (
	"context"
	"fmt"
	"strings"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/datamap"
)

// settings of the transaction: rows are looked up from the rows of this person, one after the other. Where
// the planner knows nothing yet, or plans for anybody, it would join them with all rows of the tenant.
var settings = []string{"plan_cache_mode = force_custom_plan", "enable_hashjoin = off", "enable_mergejoin = off", "enable_seqscan = off"}

// eraseRows does to the rows about a person what the data map says, and gives how many it deleted or
// changed by table. Again changes nothing.
func eraseRows(ctx context.Context, tx *db.Tx, user ids.ID) (map[string]int64, error) {
	for _, setting := range settings {
		_, err := tx.Exec(ctx, "set local "+setting)
		if err != nil {
			return nil, fmt.Errorf("prepare to erase rows: %w", err)
		}
	}
	err := tx.AnnounceAccess(ctx)
	if err != nil {
		return nil, err
	}
	counts := map[string]int64{}
	for _, t := range datamap.Tables {
		if t.Subject == "" || t.Row == datamap.Keep {
			continue
		}
		for _, statement := range statements(t) {
			n, err := tx.Exec(ctx, statement, tx.Tenant(), user)
			if err != nil {
				return nil, fmt.Errorf("erase rows of %s: %w", t.Name, err)
			}
			if n > 0 {
				counts[t.Name] += n
			}
		}
	}
	return counts, nil
}

// statements erase the rows of a table about the person $2 of the tenant $1. Rows that are erased already
// are left as they are, so that the count says what was done and no row is written for nothing.
func statements(t datamap.Table) []string {
	var all []string
	if t.Row == datamap.Delete {
		return []string{fmt.Sprintf("delete from %s t where %s", t.Name, t.Subject)}
	}
	if t.Own != "" {
		all = append(all, fmt.Sprintf("delete from %s t where %s and %s", t.Name, t.Subject, t.Own))
	}
	var set, differs []string
	for _, c := range t.Redacted() {
		set = append(set, fmt.Sprintf("%s = %s", c.Name, c.Erased))
		differs = append(differs, fmt.Sprintf("%s is distinct from %s", c.Name, c.Erased))
	}
	return append(all, fmt.Sprintf("update %s t set %s where (%s) and (%s)", t.Name, strings.Join(set, ", "), t.Subject, strings.Join(differs, " or ")))
}
