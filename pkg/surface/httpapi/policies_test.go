package httpapi_test

import (
	"net/http"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// TestSubmitStatesItsContext submits at L2, which needs a context, and at L3, which also
// needs a proof.
func TestSubmitStatesItsContext(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	const stated = `{"kind":"auth.session","fields":{"room":"12"}}`
	for _, c := range []struct {
		name, level, context string
		proven               bool
		status               int
		code                 errs.Code
	}{
		{"L1 asks for nothing", "L1", "", false, http.StatusOK, ""},
		{"L2 without a context", "L2", "", false, http.StatusUnprocessableEntity, errs.ValidationFailed},
		{"L2 with half a context", "L2", `{"kind":`, false, http.StatusUnprocessableEntity, errs.ValidationFailed},
		{"L2 with a kind that is none", "L2", `{"kind":"auth.guess"}`, false, http.StatusUnprocessableEntity, errs.ValidationFailed},
		{"L2 with a context", "L2", stated, false, http.StatusOK, ""},
		{"L3 without a proof", "L3", stated, false, http.StatusForbidden, errs.StepUpRequired},
		{"L3 with a proof", "L3", stated, true, http.StatusOK, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := "/evaluations/" + w.openAt(t, c.level) + "/submit"
			r := request{method: http.MethodPost, path: path, token: w.home.Token, key: ids.New().String(), body: map[string]any{}, context: c.context}
			if c.proven {
				r.proof = w.proof(t, w.home)
			}
			got := w.send(t, r)
			want(t, got, c.status, c.code)
			if c.proven {
				r.key = ids.New().String()
				want(t, w.send(t, r), http.StatusOK, "") // already complete: nothing is left to prove
			}
		})
	}
}

// openAt starts a session of the actor at an evaluation of a level.
func (w *town) openAt(t *testing.T, level string) string {
	t.Helper()
	scope := w.app.Scope
	scope.All = false
	var path string
	sample.Write(t, w.app.Store, scope, func(tx *db.Tx) error {
		e := sample.Published(t, tx, authoring.Settings{VerificationLevel: level}, sample.Choice("A")).EvaluationID
		path = e.String() + "/sessions/" + startFor(t, tx, session.NewDesk(), e, w.home.Actor).ID.String()
		return nil
	})
	return path
}
