package people

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// UserCheck is the result of checking a UserInput: its canonical address (empty when it
// has none) and every problem, with paths like "roles[0]".
type UserCheck struct {
	EmailKey string
	Problems []errs.Field

	user candidate
}

// candidate is a checked user with its references resolved.
type candidate struct {
	id ids.ID
	// key tells people apart: the canonical address, or the id of who has none.
	email, key, name string
	metadata         map[string]any
	orgUnits, roles  []ids.ID
	// known says that checkReach found a user of the address.
	known bool
}

// addressless says that the user has no address, and is known by the id.
func (c candidate) addressless() bool { return c.email == "" && c.key == c.id.String() }

// byKey finds the users u of candidates: $2 are keys of addresses, $3 the ids of people who have none.
const byKey = "(u.email_key = any($2) or u.email_key is null and u.id = any($3))"

// keysOf gives the parameters of byKey.
func keysOf(users []candidate) (keys []string, without []ids.ID) {
	for _, c := range users {
		if c.addressless() {
			without = append(without, c.id)
		} else {
			keys = append(keys, c.key)
		}
	}
	return keys, without
}

// CheckUsers checks users as UpsertUsers would, and writes nothing: the preview of an
// import. It needs users.import. The result runs parallel to the input; an address that
// occurs twice is a problem of the later one.
func CheckUsers(ctx context.Context, tx *db.Tx, in []UserInput) ([]UserCheck, error) {
	err := tx.Require(capability.UsersImport)
	if err != nil {
		return nil, err
	}
	checks, err := checkUsers(ctx, tx, in)
	if err != nil {
		return nil, err
	}
	return checks, checkStored(ctx, tx, checks)
}

// checkStored adds what the users who are stored say against an import.
func checkStored(ctx context.Context, tx *db.Tx, checks []UserCheck) error {
	err := checkWithout(ctx, tx, checks)
	if err != nil {
		return err
	}
	err = checkErased(ctx, tx, checks)
	if err != nil {
		return err
	}
	err = checkHeld(ctx, tx, checks)
	if err != nil {
		return err
	}
	return checkReach(ctx, tx, checks)
}

const goesByAddress = "this person has an address, and goes by it"

// checkWithout adds a problem to rows that name somebody with an address by an id, and to rows that make somebody without a name.
func checkWithout(ctx context.Context, tx *db.Tx, checks []UserCheck) error {
	_, without := keysOf(mapSlice(checks, func(c UserCheck) candidate { return c.user }))
	if len(without) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, "select id, email_key is not null from users where tenant_id = $1 and id = any($2)", tx.Tenant(), without)
	if err != nil {
		return fmt.Errorf("find people by their ids: %w", err)
	}
	addressed := map[ids.ID]bool{}
	var id ids.ID
	var has bool
	_, err = pgx.ForEachRow(rows, []any{&id, &has}, func() error {
		addressed[id] = has
		return nil
	})
	if err != nil {
		return fmt.Errorf("find people by their ids: %w", err)
	}
	for i := range checks {
		c := &checks[i]
		if !c.user.addressless() {
			continue
		}
		has, known := addressed[c.user.id]
		if has {
			c.add(errs.Field{Path: "id", Code: "not_needed", Message: goesByAddress})
		}
		if !known {
			c.add(checkNameless("", c.user.name)...)
		}
	}
	return nil
}

func checkUsers(ctx context.Context, tx *db.Tx, in []UserInput) ([]UserCheck, error) {
	known, err := loadDirectory(ctx, tx)
	if err != nil {
		return nil, err
	}
	held, err := heldRoles(ctx, tx, in)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool, len(in))
	checks := make([]UserCheck, len(in))
	for i, u := range in {
		key := u.key()
		if slices.ContainsFunc(u.Roles, func(word string) bool { return !known.isHeld(word, held[key]) }) {
			err := tx.Require(capability.UsersManage)
			if err != nil {
				return nil, err
			}
		}
		checks[i] = known.check(tx, u, held[key])
		if key != "" && seen[key] {
			checks[i].add(checks[i].twice())
		}
		seen[key] = true
	}
	return checks, nil
}

// key is the key of the candidate that the input makes; empty if it names nobody.
func (u UserInput) key() string {
	if u.Email == "" && u.ID != ids.None {
		return u.ID.String()
	}
	key, _ := EmailKey(u.Email)
	return key
}

func (c UserCheck) twice() errs.Field {
	if c.user.addressless() {
		return errs.Field{Path: "id", Code: "duplicate_id", Message: "the person occurs twice"}
	}
	return errs.Field{Path: "email", Code: "duplicate_email", Message: "the address occurs twice"}
}

// heldRoles gives the roles of the stored users that an input names roles for, by the key of the address.
func heldRoles(ctx context.Context, tx *db.Tx, in []UserInput) (map[string][]ids.ID, error) {
	var some []candidate
	for _, u := range in {
		if key := u.key(); key != "" && len(u.Roles) > 0 {
			some = append(some, candidate{id: u.ID, key: key})
		}
	}
	if len(some) == 0 {
		return nil, nil //nolint:nilnil // nobody
	}
	keys, without := keysOf(some)
	rows, err := tx.Query(ctx, `
		select coalesce(u.email_key, u.id::text), g.role_id from users u
		cross join lateral (select role_id from user_roles where tenant_id = $1 and user_id = u.id offset 0) g
		where u.tenant_id = $1 and `+byKey, tx.Tenant(), keys, without)
	if err != nil {
		return nil, fmt.Errorf("read roles of users: %w", err)
	}
	held := map[string][]ids.ID{}
	var key string
	var role ids.ID
	_, err = pgx.ForEachRow(rows, []any{&key, &role}, func() error {
		held[key] = append(held[key], role)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read roles of users: %w", err)
	}
	return held, nil
}

// holdUsers checks users that are about to be written, and takes the locks for that: the
// rules of groups, then the roles that are given. Nobody deletes such a role until the grant
// commits, or adds to it what the caller does not hold; so it is looked at under the lock.
func holdUsers(ctx context.Context, tx *db.Tx, in []UserInput) ([]UserCheck, error) {
	err := shareRules(ctx, tx)
	if err != nil {
		return nil, err
	}
	checks, err := checkUsers(ctx, tx, in)
	var given []ids.ID
	for _, c := range checks {
		given = append(given, c.user.roles...)
	}
	if err != nil || len(given) == 0 {
		return checks, err
	}
	_, err = tx.Exec(ctx, "select from roles where tenant_id = $1 and id = any($2) order by id for share", tx.Tenant(), given)
	if err != nil {
		return nil, fmt.Errorf("hold roles: %w", err)
	}
	return checkUsers(ctx, tx, in)
}

func (d directory) check(tx *db.Tx, in UserInput, held []ids.ID) UserCheck {
	c := checkEmail(in.Email)
	if in.Email == "" && in.ID != ids.None {
		c = UserCheck{user: candidate{id: in.ID, key: in.ID.String()}}
	}
	c.user.name, c.user.metadata = strings.TrimSpace(in.Name), in.Metadata
	c.add(errs.Line("name", c.user.name, maxNameChars, false)...)
	c.add(checkMetadata("metadata", in.Metadata)...)
	var bad []errs.Field
	c.user.orgUnits, bad = d.findOrgUnits(in.OrgUnits)
	c.add(bad...)
	c.user.roles, bad = d.findRoles(tx, in.Roles, held)
	c.add(bad...)
	if len(in.OrgUnits) == 0 && tx.Scope().OrgUnit != ids.None {
		c.user.orgUnits = []ids.ID{tx.Scope().OrgUnit}
	}
	return c
}

// checkNameless refuses a person that nobody could identify.
func checkNameless(email, name string) []errs.Field {
	if email == "" && strings.TrimSpace(name) == "" {
		return []errs.Field{{Path: "name", Code: "required", Message: "a person without an address needs a name"}}
	}
	return nil
}

// checkEmail starts the check of a user, with a new id in case that the address is new.
func checkEmail(email string) UserCheck {
	key, ok := EmailKey(email)
	c := UserCheck{EmailKey: key, user: candidate{id: ids.New(), email: strings.TrimSpace(email), key: key}}
	switch {
	case c.user.email == "":
		c.add(errs.Field{Path: "email", Code: "required", Message: "it must not be empty"})
	case !ok:
		c.add(errs.Field{Path: "email", Code: "invalid_email", Message: "it is no e-mail address"})
	}
	return c
}

func (c *UserCheck) add(problems ...errs.Field) { c.Problems = append(c.Problems, problems...) }
