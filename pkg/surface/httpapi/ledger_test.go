package httpapi_test

import (
	"strings"
	"testing"

	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func TestProofsWaitForTheLog(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	ask := func(path string) response {
		return w.send(t, request{method: "GET", path: path, token: w.home.Token})
	}
	want(t, ask("/ledger/checkpoint"), 404, errs.NotFound)
	want(t, ask("/ledger/consistency?from=1"), 404, errs.NotFound)
	got := ask("/submissions/" + w.home.Submission.String() + "/proof")
	want(t, got, 409, errs.NotSequenced)
	if got.header.Get("Retry-After") == "" {
		t.Error("it does not say when to try again")
	}
	want(t, ask("/ledger/events/"+w.home.Event+"/proof"), 409, errs.NotSequenced)
	w.app.Project(t)
	w.app.Sequence(t)
	note := ask("/ledger/checkpoint")
	if note.status != 200 || !strings.HasPrefix(note.header.Get("Content-Type"), "text/plain") ||
		!strings.HasPrefix(string(note.body), "assess.example.org/"+w.app.Tenant.String()+"\n") {
		t.Errorf("got %d %s", note.status, note.body)
	}
	for path, status := range map[string]int{
		"/ledger/events/" + w.home.Event + "/proof":             200,
		"/ledger/events/99999999/proof":                         404,
		"/ledger/events/0/proof":                                422,
		"/ledger/events/x/proof":                                422,
		"/ledger/events/9999999999999999999999/proof":           422,
		"/ledger/consistency":                                   422,
		"/ledger/consistency?from=0":                            422,
		"/ledger/consistency?from=2&to=1":                       422,
		"/ledger/consistency?from=1&to=99999999":                422,
		"/ledger/consistency?from=1&to=2":                       200,
		"/submissions/" + ids.New().String() + "/proof":         404,
		"/submissions/" + w.home.Submission.String() + "/proof": 200,
	} {
		if got := ask(path); got.status != status {
			t.Errorf("%s: got %d %s, want %d", path, got.status, got.body, status)
		}
	}
}
