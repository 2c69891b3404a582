package people

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"assess/config"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// directory holds the org units and roles of a tenant by every word that an input may use
// for them. Both are few, so that two statements serve an import of any size.
type directory struct {
	orgUnits map[string]ids.ID
	roles    map[string]knownRole
}

type knownRole struct {
	id           ids.ID
	capabilities []capability.Capability
}

func loadDirectory(ctx context.Context, tx *db.Tx) (directory, error) {
	d := directory{orgUnits: map[string]ids.ID{}, roles: map[string]knownRole{}}
	err := d.loadOrgUnits(ctx, tx)
	if err != nil {
		return d, err
	}
	return d, d.loadRoles(ctx, tx)
}

// loadOrgUnits leaves out what the scope does not reach: nobody sends people where they
// cannot go themselves.
func (d directory) loadOrgUnits(ctx context.Context, tx *db.Tx) error {
	rows, err := tx.Query(ctx, `select id, slug from org_units where tenant_id = $1 and ($2 or id = $3)`,
		tx.Tenant(), tx.Scope().All, tx.Scope().OrgUnit)
	if err != nil {
		return fmt.Errorf("read org units: %w", err)
	}
	var id ids.ID
	var slug string
	_, err = pgx.ForEachRow(rows, []any{&id, &slug}, func() error {
		d.orgUnits[slug], d.orgUnits[id.String()] = id, id
		return nil
	})
	if err != nil {
		return fmt.Errorf("read org units: %w", err)
	}
	return nil
}

func (d directory) loadRoles(ctx context.Context, tx *db.Tx) error {
	rows, err := tx.Query(ctx, `
		select r.id, coalesce(r.system_key, ''), r.name,
			array(select c.capability from role_capabilities c where c.tenant_id = $1 and c.role_id = r.id)
		from roles r where r.tenant_id = $1 order by r.system_key nulls first`, tx.Tenant())
	if err != nil {
		return fmt.Errorf("read roles: %w", err)
	}
	var id ids.ID
	var key, name string
	var holds []capability.Capability
	_, err = pgx.ForEachRow(rows, []any{&id, &key, &name, &holds}, func() error {
		role := knownRole{id, append([]capability.Capability(nil), holds...)}
		d.roles[id.String()], d.roles[strings.ToLower(name)] = role, role
		if key != "" {
			d.roles[key] = role // system roles come last: no custom name shadows a key
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read roles: %w", err)
	}
	return nil
}

func (d directory) findOrgUnits(words []string) ([]ids.ID, []errs.Field) {
	var found []ids.ID
	var bad []errs.Field
	for i, word := range words {
		id, ok := d.orgUnits[strings.ToLower(strings.TrimSpace(word))]
		if !ok {
			bad = append(bad, errs.Field{Path: fmt.Sprintf("orgUnits[%d]", i), Code: "unknown_org_unit",
				Message: "there is no such org unit in your scope"})
			continue
		}
		found = append(found, id)
	}
	return found, bad
}

// isHeld says that a word names a role that the user holds.
func (d directory) isHeld(word string, held []ids.ID) bool {
	role, known := d.roles[strings.ToLower(strings.TrimSpace(word))]
	return known && slices.Contains(held, role.id)
}

// findRoles gives the roles that are new to the user, and refuses the ones that the caller must not grant. A
// role that the user holds already is no grant: so an exported file can come in again, no matter who granted the
// roles in it.
func (d directory) findRoles(tx *db.Tx, words []string, held []ids.ID) ([]ids.ID, []errs.Field) {
	var found []ids.ID
	var bad []errs.Field
	for i, word := range words {
		if d.isHeld(word, held) {
			continue
		}
		path := fmt.Sprintf("roles[%d]", i)
		role, ok := d.roles[strings.ToLower(strings.TrimSpace(word))]
		if !ok {
			bad = append(bad, errs.Field{Path: path, Code: "unknown_role", Message: "there is no such role" + config.Meant(word, slices.Sorted(maps.Keys(d.roles)))})
			continue
		}
		if missing, lacks := firstMissing(tx, role.capabilities); lacks {
			bad = append(bad, errs.Field{Path: path, Code: "role_beyond_yours",
				Message: "you cannot grant a role with a capability that you do not hold: " + string(missing)})
		}
		found = append(found, role.id)
	}
	return found, bad
}

// firstMissing finds a capability that the actor would give away without having it.
func firstMissing(tx *db.Tx, wanted []capability.Capability) (capability.Capability, bool) {
	for _, c := range wanted {
		if !tx.Can(c) {
			return c, true
		}
	}
	return "", false
}
