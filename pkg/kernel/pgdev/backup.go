package pgdev

import (
	"context"
	"fmt"
)

// BaseBackup copies the cluster of the running server into another folder with pg_basebackup, which gets the further
// arguments too. The server of that folder has the settings of this one; Restart starts it. It is for tests of
// restoring and of standbys: Debian's server programs come with pg_basebackup, and not every other set does.
func (s *Server) BaseBackup(ctx context.Context, dir string, args ...string) (*Server, error) {
	opts := s.opts
	opts.Dir = dir
	backup, err := open(opts)
	if err != nil {
		return nil, err
	}
	err = backup.exclusively(ctx, func(context.Context) error { return backup.take(s, args) })
	if err != nil {
		return nil, err
	}
	return backup, nil
}

func (s *Server) take(from *Server, args []string) error {
	major, err := clusterVersion(from.folders.data)
	if err != nil {
		return err
	}
	found, err := findPrograms(debianFolders, major)
	if err != nil {
		return err
	}
	err = preparePrivate(s.folders.data, s.account)
	if err != nil {
		return err
	}
	log, err := openLog(s.folders.log)
	if err != nil {
		return err
	}
	defer log.Close()
	logged := logSize(s.folders.log)
	args = append([]string{"-h", from.folders.socket, "-U", "postgres", "-D", s.folders.data}, args...)
	err = s.account.command(s.folders.data, log, found.path("pg_basebackup"), args...).Run()
	if err != nil {
		return fmt.Errorf("pg_basebackup: %w: %s", err, logTail(s.folders.log, logged))
	}
	return nil
}
