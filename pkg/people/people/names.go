package people

import (
	"context"
	"fmt"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// NamesOf says what users are called, by name or else address. It names nobody to callers who may not read users, and leaves
// out users whose processing is restricted.
func NamesOf(ctx context.Context, tx *db.Tx, users []ids.ID) (map[ids.ID]string, error) {
	names := map[ids.ID]string{}
	if !tx.Can(capability.UsersRead) || len(users) == 0 {
		return names, nil
	}
	rows, err := tx.Query(ctx, "select id, coalesce(nullif(name, ''), email, '') from users where tenant_id = $1 and id = any($2) and not restricted", tx.Tenant(), users)
	if err != nil {
		return nil, fmt.Errorf("read names of users: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var id ids.ID
		var name string
		err := rows.Scan(&id, &name)
		if err != nil {
			return nil, fmt.Errorf("read names of users: %w", err)
		}
		names[id] = name
	}
	err = rows.Err()
	if err != nil {
		return nil, fmt.Errorf("read names of users: %w", err)
	}
	return names, nil
}
