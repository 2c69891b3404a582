// Package config holds the typed settings of assessd and assessctl.
//
// A setting has one key, "section.name", and four places where it may be given. A later
// place wins over an earlier one:
//
//	default      Default, written out with comments in example.yaml
//	file         YAML; named by --config or ASSESS_CONFIG, else the first of Places that is there
//	environment  ASSESS_ and the key in capitals, dots as underscores: ASSESS_DATABASE_URL
//	flag         the key with dashes (--database-url), or the flag that Bind names
//
// In the environment a list is separated by commas, and an empty variable counts as not
// given. Durations are Go durations ("30s", "24h"), sizes are bytes with or without a
// unit ("1MiB", "500kB", "4096").
//
// The file may also hold profiles, only for assessctl (FindProfile).
//
// Load reports every problem at once, each with its key and the place of the value: an
// unknown key of the file, a value of the wrong type, a value out of range. Secrets (the
// SMTP password, passwords in database URLs) never appear in a problem, and printing or
// logging a Config masks them.
package config
