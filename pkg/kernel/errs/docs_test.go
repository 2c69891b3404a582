package errs_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"assess/pkg/dev/golden"
	"assess/pkg/kernel/errs"
)

const errorsHead = `# Error codes

Every answer that is not 2xx has this body:

` + "```json" + `
{"code": "validation_failed", "message": "The input is not valid.",
 "details": {"fields": [{"path": "answers[0].sequence", "code": "out_of_range", "message": "sequence numbers are 1 to 2^53-1"}]}}
` + "```" + `

The code is stable and is what programs look at; the message is a sentence for people and
may change. ` + "`details`" + ` holds facts of the code's own shape; ` + "`details.fields`" + ` names the
problems of the input all at once: up to a hundred of them, up to a thousand of an import, and
` + "`details.moreErrors`" + ` is the number of the others. Answers with 429, 503 and 507 carry ` + "`Retry-After`" + `. The
command line prints the same codes with ` + "`-o json`" + `, on standard error.

This page is made from the catalogue in ` + "`pkg/kernel/errs/codes.go`" + ` (` + "`make golden`" + `).

| code | status | meaning |
|---|---|---|
`

// TestErrorPage keeps docs/errors.md equal to the catalogue.
func TestErrorPage(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(errorsHead)
	for _, e := range errs.Catalogue {
		fmt.Fprintf(&b, "| `%s` | %d %s | %s |\n", e.Code, e.Status, http.StatusText(e.Status), e.Meaning)
	}
	golden.Check(t, []byte(b.String()), filepath.Join("..", "..", "..", "docs", "errors.md"))
}

func TestCatalogueListsEachCodeOnceWithAnErrorStatus(t *testing.T) {
	t.Parallel()
	seen := map[errs.Code]bool{}
	for _, e := range errs.Catalogue {
		if seen[e.Code] {
			t.Errorf("%s stands twice", e.Code)
		}
		seen[e.Code] = true
		if e.Status < 400 || http.StatusText(e.Status) == "" || e.Meaning == "" {
			t.Errorf("%s: status %d, meaning %q", e.Code, e.Status, e.Meaning)
		}
	}
}
