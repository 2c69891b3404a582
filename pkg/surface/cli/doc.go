// Package cli is assessctl, the command line (decisions, section 8).
//
// A command takes its input from arguments and flags, calls one domain operation in a
// scoped transaction, and hands the typed result to Print, PrintPage, PrintOne or Show.
// Most are made of their use line, a sentence, the work in the transaction and a printer, by
// newList, newShow, newAct or newRemove (record.go); the use line says how many words a call
// takes, and which are ids (words.go). The columns of a table are named after the fields of
// the result (columns.go), and flags know what an id or a day is (choose.go).
// It decides nothing of the domain. Shell holds what all commands share: the scope
// flags, the settings, the screen, and the database once a command needs it.
//
// The database is opened on first use, and refused when it is not fit to work on: a login
// that bypasses row-level security, a missing migration. Only migrate and doctor work
// on such a database. With --embedded it is the private server in database.embedded_dir, which
// is started if it is not running, and stopped again unless somebody else has started to use it.
//
// read, report and write run an operation in the scope of --tenant with --org or
// --all-orgs. Commands on the whole tenant (people, roles, projection) need no
// --org. Commands that change something take --dry-run, which does everything and rolls it
// back, and --idempotency-key, with which a repetition prints the first result again;
// destructive ones ask first, unless --yes is given.
//
// Questions, passages and evaluations go by their ids, or by their external ids within the
// org unit of --org (find.go); terms go by their ids or as facet:slug.
//
// Standard output carries data and nothing else. -o json, csv and yaml are made from the
// JSON of the result, the same that the HTTP interface answers; -o table is for people,
// as wide as the terminal, without colour when it is piped or NO_COLOR is set. Notes,
// progress, questions and errors go to standard error.
//
// Exit codes, decided only in exit.go:
//
//	0    done
//	1    failed
//	2    usage: the call itself is wrong, nothing was tried
//	3    not found
//	4    blocked by a hold
//	5    conflict
//	6    partly done
//	130  interrupted with Ctrl-C
//
// Anything that fails before a command runs (an unknown flag, a missing argument) is usage.
// Commands report usage mistakes of their own with Usage, and bulk work that failed in
// part with Partly; a check that found something ends with Unsound. Their codes,
// partly_done and check_failed, are the only ones that the HTTP interface does not have.
package cli
