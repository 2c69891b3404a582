package people

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

const beyondReach = "the user is in an org unit that you do not reach"

// checkReach adds a problem for everything that an import would change about users who are
// elsewhere. Its rows put users who are in no org unit into the caller's, so these are
// within reach. It also notes which users are stored, for guardStrangers.
func checkReach(ctx context.Context, tx *db.Tx, checks []UserCheck) error {
	if tx.Scope().All {
		return nil
	}
	stored, err := idsByKey(ctx, tx, mapSlice(checks, func(c UserCheck) candidate { return c.user }))
	if err != nil || len(stored) == 0 {
		return err
	}
	var known []ids.ID
	for i := range checks {
		id, there := stored[checks[i].user.key]
		checks[i].user.known = there
		if there {
			known = append(known, id)
		}
	}
	far, err := standings(ctx, tx, known)
	if err != nil {
		return err
	}
	var strangers []*UserCheck
	var who []ids.ID
	for i := range checks {
		id := stored[checks[i].user.key]
		if far[id] == elsewhere {
			strangers, who = append(strangers, &checks[i]), append(who, id)
		}
	}
	return refuseChanges(ctx, tx, strangers, who)
}

// refuseChanges compares imported rows with the users that they would change.
func refuseChanges(ctx context.Context, tx *db.Tx, checks []*UserCheck, who []ids.ID) error {
	if len(who) == 0 {
		return nil
	}
	var names, metadata []string
	for _, c := range checks {
		var stated candidate
		if len(c.Problems) == 0 { // the database takes no others
			stated = c.user
		}
		text, err := encodeMetadata(stated.metadata)
		if err != nil {
			return fmt.Errorf("encode metadata: %w", err)
		}
		names, metadata = append(names, stated.name), append(metadata, text)
	}
	rows, err := tx.Query(ctx, `
		select t.n - 1, u.status = 'invited', t.name not in ('', u.name), u.metadata || t.metadata::jsonb <> u.metadata,
			array(select g.role_id from user_roles g where g.tenant_id = $1 and g.user_id = u.id)
		from unnest($2::uuid[], $3::text[], $4::text[]) with ordinality as t (id, name, metadata, n)
		join users u on u.tenant_id = $1 and u.id = t.id`, tx.Tenant(), who, names, metadata)
	if err != nil {
		return fmt.Errorf("compare users: %w", err)
	}
	var n int
	var activates, renames, describes bool
	var holds []ids.ID
	_, err = pgx.ForEachRow(rows, []any{&n, &activates, &renames, &describes, &holds}, func() error {
		checks[n].refuse("email", activates)
		checks[n].refuse("name", renames)
		checks[n].refuse("metadata", describes)
		checks[n].refuse("roles", len(without(checks[n].user.roles, holds)) > 0)
		return nil
	})
	if err != nil {
		return fmt.Errorf("compare users: %w", err)
	}
	return nil
}

func (c *UserCheck) refuse(path string, changes bool) {
	if changes {
		c.add(errs.Field{Path: path, Code: string(errs.UserOutOfReach), Message: beyondReach})
	}
}

// guardStrangers refuses users that somebody else made in another org unit after checkReach
// had found nobody with their address.
func guardStrangers(ctx context.Context, tx *db.Tx, users []candidate, results []Upserted) error {
	var fresh []ids.ID
	for i, r := range results {
		if r.Change != Created && !users[i].known {
			fresh = append(fresh, r.ID)
		}
	}
	far, err := standings(ctx, tx, fresh)
	if err != nil {
		return err
	}
	var bad []errs.Field
	for i, r := range results {
		if far[r.ID] == elsewhere && !users[i].known {
			bad = append(bad, errs.Field{Path: fmt.Sprintf("[%d].email", i), Code: string(errs.UserOutOfReach), Message: beyondReach})
		}
	}
	return errs.Invalid(bad...)
}
