// Package pgdev runs a private PostgreSQL for development, the demo and tests, and for
// an assessd that is started with its own database. It needs the server programs of
// PostgreSQL 15 or newer on the machine and nothing else: no service, no configuration,
// no password, no port.
//
// # Folders
//
// A server belongs to a folder, Options.Dir:
//
//	Dir/data     the cluster, made by initdb on first use
//	Dir/socket   the unix socket, mode 0700; the only way in
//	Dir/log      what initdb and postgres print; log.1 is the one before
//	Dir/lock     held while a process starts or stops the server
//
// Two rules move a folder elsewhere, both keyed by a hash of Dir, so that every process
// comes to the same answer:
//   - PostgreSQL refuses to run as root. Root runs it as the account postgres, or nobody.
//     Where that account cannot enter Dir, everything lives in /var/tmp/assess-<hash>.
//     Server.Home says which it is.
//   - A socket's path has at most 107 bytes (103 on macOS). Where Dir is longer than that,
//     the socket lives in /tmp/assess-<hash>.
//
// # Life
//
// Start takes over a server that already runs in the folder, and else starts one; any
// number of processes may do so at the same time. The server is no part of the caller's
// session: Ctrl-C and the caller's death do not end it. A cluster that crashed recovers
// on the next Start. Stop ends only a server that this process started; Shutdown ends it
// no matter who started it.
//
// StartStandby starts a server as a standby of another one, for tests of reading from a
// replica. BaseBackup copies one with pg_basebackup, for tests of what an operator does.
//
// StartCluster starts a coordinator and two workers, if the server programs come with Citus.
//
// # Roles
//
//	postgres      superuser
//	assess_owner  login; owns the databases and runs migrations; obeys row-level security
//	assess_app    no login; holds what the programs may do
//	assess        login, a plain member of assess_app: what assessd and assessctl use
//
// All of them get in without a password: the mode of the socket's folder is the guard.
//
// # Invariants
//
//   - The server listens on no network address.
//   - Its log holds no statement, parameter or detail of an error, and so no personal data.
//   - Options.Durable keeps every commit through a crash of the machine; without it a crash of
//     the machine may cost the whole cluster (if only PostgreSQL crashes, nothing is lost).
//
// The error without server programs is ErrNoPrograms; it names the remedy.
package pgdev
