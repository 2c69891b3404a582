package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"assess/pkg/exam/remediation"
	"assess/pkg/kernel/ids"
)

// Applying and reverting are accepted with the address at which the remediation tells how far
// it is.
func TestRemediationsAreFoundAtTheirLocation(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	for verb, c := range map[string]struct {
		id    ids.ID
		state string
	}{"apply": {w.home.Ready, "applying"}, "revert": {w.home.Applied, "reverting"}} {
		path := "/remediations/" + c.id.String()
		got := w.send(t, request{method: http.MethodPost, path: path + "/" + verb, token: w.home.Token, key: ids.New().String()})
		if begun := answer[remediation.Remediation](t, got, http.StatusAccepted); begun.ID != c.id || begun.State != c.state {
			t.Errorf("%s: got %+v", verb, begun)
		}
		at, ok := strings.CutPrefix(got.header.Get("Location"), "/api/v1")
		if !ok || at != path {
			t.Fatalf("%s: Location is %q", verb, got.header.Get("Location"))
		}
		if found := answer[remediation.Remediation](t, w.do(t, http.MethodGet, at, nil), http.StatusOK); found.ID != c.id {
			t.Errorf("%s: got %+v", at, found)
		}
	}
}
