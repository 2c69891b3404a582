package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/people/people"
	"assess/pkg/surface/httpapi"
)

// Every route that changes a user refuses to change one of another org unit, and writes nothing.
func TestUsersOfAnotherOrgUnitAreOutOfReach(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	far := w.nextDoor
	show := func() string {
		return string(w.send(t, request{method: http.MethodGet, path: "/users/" + far.User.String(), token: w.home.Token}).body)
	}
	checked := 0
	for _, l := range httpapi.Lines() {
		if !l.Once || !strings.HasPrefix(l.Path, "/users/{id}") {
			continue
		}
		checked++
		if l.ID == "reactivateUser" {
			w.deactivate(t, far)
		}
		before := show()
		want(t, w.send(t, w.valid(t, l, far)), 403, errs.UserOutOfReach)
		if after := show(); after != before {
			t.Errorf("%s: refused and written all the same: %s", l.ID, after)
		}
	}
	if checked < 5 {
		t.Errorf("%d routes change a user, want 5 at least", checked)
	}
}

func (w *town) deactivate(t *testing.T, of place) {
	t.Helper()
	sample.Write(t, w.app.Store, w.app.Scope, func(tx *db.Tx) error {
		_, err := people.DeactivateUser(t.Context(), tx, of.User)
		return err
	})
}

func TestImportsChangeNobodyOutOfReach(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	var far people.User
	sample.Write(t, w.app.Store, w.app.Scope, func(tx *db.Tx) error {
		var err error
		far, err = people.GetUser(t.Context(), tx, w.nextDoor.User)
		return err
	})
	body := map[string]any{"csv": "email,name,meta.cohort\nnew@example.org,New,2031\n" + far.Email + ",Other,2031\n"}
	preview := w.send(t, request{method: http.MethodPost, path: "/users/import/preview", token: w.home.Token, body: body})
	if n := strings.Count(string(preview.body), `"user_out_of_reach"`); preview.status != 200 || n != 2 {
		t.Errorf("the preview names %d problems, want those of name and cohort: %d %s", n, preview.status, preview.body)
	}
	got := w.send(t, request{method: http.MethodPost, path: "/users/import/commit", token: w.home.Token, key: "k", body: body})
	want(t, got, 422, errs.ImportInvalid)
	if n := strings.Count(string(got.body), `"user_out_of_reach"`); n != 2 {
		t.Errorf("the commit names %d problems, want 2: %s", n, got.body)
	}
}
