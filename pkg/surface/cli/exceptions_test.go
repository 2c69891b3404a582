package cli

import (
	"strings"
	"testing"
)

// The work of somebody who looks after results: which ones cannot be defended, why, and who cares for it.
func TestExceptions(t *testing.T) {
	t.Parallel()
	d := examDesk(t)
	d.must("projection run" + north)
	id := idOf(t, strings.ReplaceAll(d.must("exceptions list --reason outcome_fail --limit 1 -o json"+north), "submissionId", "id"))
	d.say(
		"exceptions list --limit 2"+north,
		"exceptions list --readiness pending --sort -age"+north,
		"exceptions show "+id+north,
		"exceptions triage "+id+" --state acknowledged"+north,
		"exceptions triage "+id+north,
		"exceptions list --state acknowledged -o csv"+north,
		"exceptions requirements"+north,
		"exceptions refresh --submission "+id+north,
	)
	d.check("exceptions.txt")
}
