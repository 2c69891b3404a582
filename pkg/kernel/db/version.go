package db

import (
	"context"
	"slices"
	"time"
)

// TestedMajors are the versions of PostgreSQL that the tests run on, the oldest first, which is the
// oldest that will do.
var TestedMajors = []int{15, 16, 17, 18}

// Tested says whether the tests run on a version of PostgreSQL.
func Tested(major int) bool { return slices.Contains(TestedMajors, major) }

// Version asks the server for its version as people write it, and for the number before its dot.
func (s *Store) Version(ctx context.Context) (string, int, error) {
	var version string
	var number int
	err := s.Unscoped().QueryRow(ctx, `select split_part(current_setting('server_version'), ' ', 1),
		current_setting('server_version_num')::int`).Scan(&version, &number)
	return version, number / 10000, err
}

// Clock asks the server for its time.
func (s *Store) Clock(ctx context.Context) (time.Time, error) {
	var now time.Time
	err := s.Unscoped().QueryRow(ctx, "select clock_timestamp()").Scan(&now)
	return now, err
}

// Careless names the settings, as "fsync = off", with which a crash of the server takes away
// what it has acknowledged.
func (s *Store) Careless(ctx context.Context) ([]string, error) {
	var found []string
	err := s.Unscoped().QueryRow(ctx, `
		select coalesce(array_agg(name || ' = ' || setting order by name), '{}') from pg_settings
		where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'`).Scan(&found)
	return found, err
}
