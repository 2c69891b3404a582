package httpapi_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assess/pkg/dev/golden"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/errs"
	"assess/pkg/surface/httpapi"
)

// TestRolesReachWhatTheMatrixSays tries every route as every system role and compares with
// docs/roles.md, which people read and review: a route or capability that somebody gains
// shows there.
func TestRolesReachWhatTheMatrixSays(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.app.Project(t)
	var page strings.Builder
	page.WriteString("# Who may do what\n\nThe system roles, which every tenant has and nobody can change. " +
		"This page is written by a test that tries every route as every role; `make golden` writes it anew.\n\n## Capabilities\n\n")
	writeMatrix(&page, "capability", capability.All, func(e capability.Entry) string { return "`" + string(e.Capability) + "`" },
		func(role capability.SystemRole, e capability.Entry) bool {
			return slices.Contains(role.Capabilities, e.Capability)
		})
	tokens := map[string]string{}
	for _, role := range capability.SystemRoles {
		tokens[role.Key] = w.app.Token(t, role.Key)
	}
	page.WriteString("\n## Routes\n\nWho holds several roles may do what any of them may. An operation may ask for more than its route: " +
		"a candidate reads their own submission, and nobody gives away a capability that they do not hold. Routes without a token are left out.\n\n")
	lines := slices.DeleteFunc(httpapi.Lines(), func(l httpapi.Line) bool { return l.Public })
	writeMatrix(&page, "route", lines, func(l httpapi.Line) string { return fmt.Sprintf("`%s %s`", l.Method, l.Path) },
		func(role capability.SystemRole, l httpapi.Line) bool { return w.admits(t, l, tokens[role.Key]) })
	golden.Check(t, []byte(page.String()), filepath.Join("..", "..", "..", "docs", "roles.md"))
}

// admits sends a valid request; one that changes something comes without its key, so that
// a caller who may send it changes nothing.
func (w *town) admits(t *testing.T, l httpapi.Line, token string) bool {
	t.Helper()
	r := w.valid(t, l, w.home)
	r.token, r.proof = token, ""
	if l.Once {
		r.key = ""
	}
	got := w.send(t, r)
	return got.problem.Code != errs.Forbidden
}

func writeMatrix[T any](page *strings.Builder, head string, rows []T, name func(T) string, may func(capability.SystemRole, T) bool) {
	fmt.Fprintf(page, "| %s |", head)
	for _, role := range capability.SystemRoles {
		fmt.Fprintf(page, " %s |", role.Name)
	}
	page.WriteString("\n|---|" + strings.Repeat(":-:|", len(capability.SystemRoles)) + "\n")
	for _, row := range rows {
		fmt.Fprintf(page, "| %s |", name(row))
		for _, role := range capability.SystemRoles {
			page.WriteString(map[bool]string{true: " yes |", false: " |"}[may(role, row)])
		}
		page.WriteString("\n")
	}
}
