package pgdev

import (
	"context"
	"fmt"
)

// StartStandby gives a standby of a running server in the folder of the options: a copy of
// its cluster that follows what is committed there and takes reads alone. Both servers need
// the settings of Streaming. It is for tests of what reads from a replica.
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

// copyOf makes the cluster a copy of the primary's, with what it needs to follow it.
func (s *Server) copyOf(primary *Server) error {
	found, err := findPrograms(debianFolders, 0)
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
	cmd := s.account.command(s.folders.data, log, found.path("pg_basebackup"), "--pgdata="+s.folders.data,
		"--host="+primary.folders.socket, "--port=5432", "--username=postgres", "--checkpoint=fast", "--no-sync", "--write-recovery-conf")
	err = cmd.Run()
	if err != nil {
		return fmt.Errorf("pg_basebackup: %w: %s", err, logTail(s.folders.log, logged))
	}
	return nil
}
