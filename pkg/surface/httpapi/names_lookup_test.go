package httpapi_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/people/people"
)

// A name is looked up for callers who may read the record that it names, where they are.
func TestNamesAreFoundByThoseWhoMayReadThem(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	var email, group, there string
	sample.Write(t, w.app.Store, w.app.Scope, func(tx *db.Tx) error {
		user, err := people.GetUser(t.Context(), tx, w.home.User)
		email = user.Email
		if err == nil {
			err = tx.QueryRow(t.Context(), "select name from groups where tenant_id = $1 and id = $2", tx.Tenant(), w.nextDoor.Group).Scan(&group)
		}
		if err == nil {
			err = tx.QueryRow(t.Context(), "select slug from org_units where tenant_id = $1 and id = $2", tx.Tenant(), w.app.OtherOrgUnit).Scan(&there)
		}
		return err
	})
	candidate := w.app.Token(t, capability.Candidate)
	for name, step := range map[string]struct {
		token, noun, word string
		want              int
		says              string
	}{
		"a user":                   {w.home.Token, "user", email, 200, w.home.User.String()},
		"one's own org unit":       {candidate, "org-unit", "", 200, w.app.OrgUnit.String()},
		"another org unit":         {w.home.Token, "org-unit", there, 200, w.app.OtherOrgUnit.String()},
		"a user, by a candidate":   {candidate, "user", email, 403, "users.read"},
		"a role, by a candidate":   {candidate, "role", "author", 403, "forbidden"},
		"a group, by a candidate":  {candidate, "group", "x", 403, "forbidden"},
		"a library, of candidates": {candidate, "library", "x", 403, "forbidden"},
		"a term, by a candidate":   {candidate, "term", "x:y", 403, "forbidden"},
		"a provider":               {candidate, "idp", "campus", 403, "forbidden"},
		"a question":               {candidate, "question", "Q1", 403, "forbidden"},
		"org units, by candidates": {candidate, "org-unit", there, 403, "users.read"},
		"a group next door":        {w.home.Token, "group", group, 404, "There is no group"},
		"somebody elsewhere":       {w.elsewhere.Token, "user", email, 404, "There is no user"},
		"no such noun":             {w.home.Token, "submission", "x", 422, "noun"},
		"a word that names nobody": {w.home.Token, "user", "x", 422, "neither an e-mail address nor an id"},
	} {
		res, text := fetch(t, http.MethodGet, w.app.URL+"/api/v1/names?"+url.Values{"noun": {step.noun}, "word": {step.word}}.Encode(),
			map[string]string{"Authorization": "Bearer " + step.token}, nil)
		if res.StatusCode != step.want || !strings.Contains(text, step.says) {
			t.Errorf("%s: got %d %s, want %d", name, res.StatusCode, text, step.want)
		}
	}
}
