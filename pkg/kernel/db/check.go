package db

import (
	"context"
	"fmt"
	"strings"

	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/plural"
)

// Problem is something wrong with the database, and how to mend it.
type Problem struct {
	What   string `json:"what"`
	Remedy string `json:"remedy"`
}

// Check looks at the login role and the schema. The programs refuse to work when it finds
// a problem: a role that can step around row-level security would void every promise
// about tenants.
func (s *Store) Check(ctx context.Context, migrations []string) ([]Problem, error) {
	var role string
	var super, bypass, member, owner, temporary bool
	var version int
	err := s.Unscoped().QueryRow(ctx, `
		select r.rolname, r.rolsuper, r.rolbypassrls,
			exists (select from pg_roles a where a.rolname = 'assess_app' and pg_has_role(r.oid, a.oid, 'member')),
			exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
				where n.nspname = 'public' and c.relkind = 'r' and pg_has_role(r.oid, c.relowner, 'member')),
			has_database_privilege(current_database(), 'temporary'), current_setting('server_version_num')::int
		from pg_roles r where r.rolname = current_user`).
		Scan(&role, &super, &bypass, &member, &owner, &temporary, &version)
	if err != nil {
		return nil, Translate(err)
	}
	var found []Problem
	add := func(bad bool, what, remedy string) {
		if bad {
			found = append(found, Problem{what, remedy})
		}
	}
	add(version/10000 < TestedMajors[0], fmt.Sprintf("PostgreSQL %d is too old", version/10000), fmt.Sprintf("use PostgreSQL %d or newer", TestedMajors[0]))
	add(super, "the login role "+role+" is a superuser", "log in as a plain role: create role assess login in role assess_app")
	add(bypass, "the login role "+role+" bypasses row-level security", "alter role "+role+" nobypassrls")
	add(!member, "the login role "+role+" is not a member of assess_app", "grant assess_app to "+role)
	add(owner && !super, "the login role "+role+" owns tables", "run migrations as another role: database.owner_url")
	add(temporary && !owner && !super, "the login role "+role+" may make temporary tables, which can stand in the place of others",
		"run assessctl migrate, which takes the right from everybody; where "+role+" has it by name: revoke temporary on database ... from "+role)
	missing, err := s.missing(ctx, migrations)
	if err != nil {
		return nil, err
	}
	add(len(missing) > 0, "migrations are missing: "+strings.Join(missing, ", "), "run: assessctl migrate")
	return found, nil
}

func (s *Store) missing(ctx context.Context, want []string) ([]string, error) {
	var there bool
	err := s.Unscoped().QueryRow(ctx, "select to_regclass('public.bun_migrations') is not null").Scan(&there)
	if err != nil {
		return nil, Translate(err)
	}
	have := map[string]bool{}
	if there {
		rows, err := s.Unscoped().Query(ctx, "select name from bun_migrations")
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		for rows.Next() {
			var name string
			err := rows.Scan(&name)
			if err != nil {
				return nil, Translate(err)
			}
			have[name] = true
		}
	}
	var missing []string
	for _, name := range want {
		if !have[name] {
			missing = append(missing, name)
		}
	}
	return missing, nil
}

// Ready fails with database_unavailable when the database is away or a migration is
// missing.
func (s *Store) Ready(ctx context.Context, migrations []string) error {
	missing, err := s.missing(ctx, migrations)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return errs.New(errs.DatabaseUnavailable, "The database misses %s; run assessctl migrate.", plural.Of(len(missing), "migration")).After(retryAfter)
	}
	return nil
}
