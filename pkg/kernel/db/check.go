package db

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"assess/migrations"
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
func (s *Store) Check(ctx context.Context, all []migrations.Migration) ([]Problem, error) {
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
	add(owner && !super, "the login role "+role+" owns tables", "log in as the programs' role, and keep this one for migrations: database.owner_url")
	// Other advice would make the wrong role fit.
	plain := !super && !owner
	add(bypass && plain, "the login role "+role+" bypasses row-level security", "alter role "+role+" nobypassrls")
	add(!member && plain, "the login role "+role+" is not a member of assess_app", "grant assess_app to "+role)
	add(temporary && plain, "the login role "+role+" may make temporary tables, which can hide the real ones",
		"run assessctl migrate, which takes the right from everybody; where "+role+" has it by name: revoke temporary on database ... from "+role)
	missing, err := s.missing(ctx, all)
	var edited *migrations.EditedError
	if err != nil && !errors.As(err, &edited) {
		return nil, err
	}
	if edited != nil {
		add(true, edited.Error(), "take the program that the database was migrated with, or a newer one; a change of the schema is a new file, never an edit of one")
	}
	add(len(missing) > 0, "migrations are missing: "+strings.Join(missing, ", "), "run: assessctl migrate")
	return found, nil
}

// missing names the migrations that are not applied. Errors: migrations.EditedError.
func (s *Store) missing(ctx context.Context, all []migrations.Migration) ([]string, error) {
	var there bool
	err := s.Unscoped().QueryRow(ctx, "select to_regclass('public.applied_migrations') is not null").Scan(&there)
	if err != nil {
		return nil, Translate(err)
	}
	var applied []migrations.Applied
	if there {
		rows, err := s.Unscoped().Query(ctx, migrations.AppliedSQL)
		if err != nil {
			return nil, err
		}
		applied, err = pgx.CollectRows(rows, pgx.RowToStructByPos[migrations.Applied])
		if err != nil {
			return nil, Translate(err)
		}
	}
	missing, err := migrations.Missing(all, applied)
	var names []string
	for _, m := range missing {
		names = append(names, m.Name)
	}
	return names, err
}

// Ready fails with database_unavailable when the database is away, a migration is missing, or one
// is not what was applied.
func (s *Store) Ready(ctx context.Context, all []migrations.Migration) error {
	missing, err := s.missing(ctx, all)
	var edited *migrations.EditedError
	if errors.As(err, &edited) {
		return errs.Wrap(errs.DatabaseUnavailable, err, "The schema of the database is another one: %s.", edited).After(retryAfter)
	}
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return errs.New(errs.DatabaseUnavailable, "The database misses %s; run assessctl migrate.", plural.Of(len(missing), "migration")).After(retryAfter)
	}
	return nil
}
