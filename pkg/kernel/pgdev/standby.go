package pgdev

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"
)

// StartStandby starts a standby of a running server in the folder of the options: a copy of
// its cluster that follows the commits there and takes only reads. Both servers need the
// settings of Streaming. It is for tests of code that reads from a replica.
func StartStandby(ctx context.Context, primary *Server, opts Options) (*Server, error) {
	s, err := open(opts)
	if err != nil {
		return nil, err
	}
	err = s.exclusively(ctx, func(ctx context.Context) error {
		err := s.copyOf(primary)
		if err != nil {
			return err
		}
		return s.start(ctx)
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Streaming are the settings with which a server has standbys, and is one.
func Streaming() map[string]string {
	return map[string]string{"wal_level": "replica", "max_wal_senders": "4", "hot_standby": "on"}
}

// copyOf makes the cluster a copy of the primary's, with what it needs to follow it. It does what
// pg_basebackup does, which not every set of server programs has.
func (s *Server) copyOf(primary *Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	conn, err := pgx.Connect(ctx, primary.SuperURL("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // which ends the backup, whatever became of it
	_, err = conn.Exec(ctx, "select pg_backup_start('standby', true)")
	if err != nil {
		return fmt.Errorf("copy the primary: %w", err)
	}
	err = s.copyFiles(primary.folders.data, false)
	if err != nil {
		return fmt.Errorf("copy the primary: %w", err)
	}
	var label string
	err = conn.QueryRow(ctx, "select labelfile from pg_backup_stop(false)").Scan(&label)
	if err != nil {
		return fmt.Errorf("copy the primary: %w", err)
	}
	// Only the log up to the end of the copy makes its files agree.
	err = s.copyFiles(primary.folders.data, true)
	if err != nil {
		return fmt.Errorf("copy the primary's log: %w", err)
	}
	follow := fmt.Sprintf("primary_conninfo = 'host=''%s'' port=5432 user=postgres'\n", primary.folders.socket)
	return errors.Join(s.write("backup_label", label), s.write("standby.signal", ""), s.write("postgresql.auto.conf", follow))
}

// copyFiles copies the log, or all files but the log. The cluster works while it is read, so that
// files may go meanwhile.
func (s *Server) copyFiles(from string, log bool) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return preparePrivate(filepath.Join(s.folders.data, name), s.account)
		}
		inLog := strings.HasPrefix(name, "pg_wal"+string(filepath.Separator))
		if inLog != log || strings.HasPrefix(name, "postmaster.") {
			return nil
		}
		content, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return s.write(name, string(content))
	})
}

func (s *Server) write(name, content string) error {
	path := filepath.Join(s.folders.data, name)
	err := os.WriteFile(path, []byte(content), 0o600)
	if err != nil {
		return err
	}
	return os.Lchown(path, s.account.uid, s.account.gid)
}
