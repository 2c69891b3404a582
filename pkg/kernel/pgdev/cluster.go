package pgdev

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// initialise makes the cluster where there is none, and gives the programs that fit it.
func (s *Server) initialise() (programs, error) {
	major, err := clusterVersion(s.folders.data)
	if err != nil {
		return programs{}, err
	}
	found, err := findPrograms(debianFolders, major)
	if err != nil {
		return programs{}, err
	}
	if major != 0 {
		return found, nil
	}
	return found, s.initdb(found)
}

// clusterVersion is the major version that made the cluster; 0 without a cluster.
func clusterVersion(data string) (int, error) {
	content, err := os.ReadFile(filepath.Join(data, "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the cluster's version: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		return 0, fmt.Errorf("read the cluster's version: %w", err)
	}
	return major, nil
}

// initdb works in a folder of another name that is renamed at the end: a cluster is there
// whole or not at all.
func (s *Server) initdb(found programs) error {
	building := s.folders.data + ".new"
	if err := os.RemoveAll(building); err != nil {
		return fmt.Errorf("remove an unfinished cluster: %w", err)
	}
	if err := preparePrivate(building, s.account); err != nil {
		return err
	}
	if err := s.runInitdb(found, building); err != nil {
		return err
	}
	if err := os.Rename(building, s.folders.data); err != nil {
		return fmt.Errorf("put the new cluster into place: %w", err)
	}
	return nil
}

func (s *Server) runInitdb(found programs, building string) error {
	log, err := openLog(s.folders.log)
	if err != nil {
		return err
	}
	defer log.Close()
	logged := logSize(s.folders.log)
	cmd := s.account.command(building, log, found.path("initdb"), initdbArguments(building, s.opts.Durable)...)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, logTail(s.folders.log, logged))
	}
	return nil
}

// initdbArguments: collation C sorts alike on every machine, and its indexes serve LIKE;
// the character type knows the letters of all languages, which lower() needs.
func initdbArguments(data string, durable bool) []string {
	args := []string{
		"-D", data, "--username=postgres", "--auth-local=trust", "--auth-host=reject",
		"--encoding=UTF8", "--locale=C.UTF-8", "--lc-collate=C", "--no-instructions",
	}
	if durable {
		return append(args, "--data-checksums")
	}
	return append(args, "--no-sync")
}

// rolesSQL runs at every start, since a crash may have come between initdb and the roles.
const rolesSQL = `
do $$
begin
	if to_regrole('assess_owner') is null then
		create role assess_owner login nosuperuser nocreatedb nocreaterole nobypassrls;
	end if;
	if to_regrole('assess_app') is null then
		create role assess_app nologin nosuperuser nocreatedb nocreaterole nobypassrls;
	end if;
	if to_regrole('assess') is null then
		create role assess login nosuperuser nocreatedb nocreaterole nobypassrls in role assess_app;
	end if;
end
$$`

func (s *Server) createRoles(ctx context.Context) error {
	if err := s.asSuperuser(ctx, "postgres", rolesSQL); err != nil {
		return fmt.Errorf("create the roles: %w", err)
	}
	return nil
}

// asSuperuser runs one statement on a connection of its own.
func (s *Server) asSuperuser(ctx context.Context, database, statement string) error {
	conn, err := pgx.Connect(ctx, s.SuperURL(database))
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	return errors.Join(err, conn.Close(ctx))
}
