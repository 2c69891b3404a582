// Package cli is assessctl, the command line (decisions, section 8).
//
// A command takes its input from arguments and flags, calls one domain operation in a
// scoped transaction, and hands the typed result to Print, PrintPage, PrintOne or Show.
// It decides nothing of the domain. Session holds what all commands share: the scope
// flags, the settings, the screen.
//
// Standard output carries data and nothing else. -o json, csv and yaml are made from the
// JSON of the result, the same that the HTTP interface answers; -o table is for people,
// as wide as the terminal, without colour when it is piped or NO_COLOR is set. Notes,
// progress, questions and errors go to standard error.
//
// Exit codes, decided in exit.go alone:
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
// Whatever fails before a command runs (an unknown flag, a missing argument) is usage.
// Commands report usage mistakes of their own with Usage, and bulk work of which a part
// failed with Partly.
package cli
