package httpapi_test

import (
	"encoding/json"
	"testing"
	"time"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/surface/httpapi"
)

// TestExamplesOfBodiesWork sends the body that the description shows for each route, unchanged except for the
// names of records: ids and secrets come from the sample.
func TestExamplesOfBodiesWork(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.app.Project(t)
	w.app.Sequence(t)
	document := described(t)
	here := w.inTown(t)
	guarded(t, w, all, func(t *testing.T, l httpapi.Line, r request) {
		op := document.Paths.Value("/api/v1" + l.Path).GetOperation(l.Method)
		if op.RequestBody == nil || op.RequestBody.Value.Content.Get("application/json") == nil {
			return
		}
		var valid any
		err := json.Unmarshal(encoded(t, r.body), &valid)
		if err != nil {
			t.Fatal(err)
		}
		r.body = here.value("", op.RequestBody.Value.Content.Get("application/json").Example, valid)
		got := w.send(t, r)
		if got.status >= 300 && !refusedByData[l.ID] {
			t.Errorf("%s\ngot %d %s", encoded(t, r.body), got.status, got.body)
		}
	})
}

// inTown has records of a place by the fields in which examples name others. Where none is here, the
// sample has its own.
type inTown map[string]any

// inTown also makes the records that examples name by words: an evaluation, and a term.
func (w *town) inTown(t *testing.T) inTown {
	t.Helper()
	p := w.home
	var facet ids.ID
	sample.Write(t, w.app.Store, w.app.Scope, func(tx *db.Tx) error {
		sample.Term(t, tx, "maths", "fractions")
		_, err := tx.Exec(t.Context(), "update evaluations set external_id = 'LEAVES' where tenant_id = $1 and id = $2", tx.Tenant(), p.SettledEvaluation)
		if err != nil {
			return err
		}
		return tx.QueryRow(t.Context(), "select facet_id from terms where tenant_id = $1 and id = $2", tx.Tenant(), p.OtherTerm).Scan(&facet)
	})
	return inTown{"facetId": facet, "parentId": p.OtherTerm, "questionId": p.Question, "passageId": p.Passage, "assetId": p.Asset, "frameworkId": p.Framework,
		"targetSkillId": p.Skill, "taxonomyTermIds": p.Term, "termsAny": p.Term, "evaluationVersionId": p.EvaluationVersion,
		"questionVersionId": p.QuestionVersion, "targetRefs": p.SpareGroup, "ownerUserId": p.Actor, "provider": p.Strong, "redirectUri": "http://127.0.0.1:4711/",
		"expiresAt": time.Now().Add(time.Hour)}
}

// value gives the value of an example, under the name of its field, as it is to be sent; sample is the value that a
// valid request has in its place.
func (h inTown) value(name string, example, sample any) any {
	switch example := example.(type) {
	case map[string]any:
		of, _ := sample.(map[string]any)
		sent := map[string]any{}
		for key, v := range example {
			if key != "updatedAt" && key != "updated_at" { // the moment at which the sample was made
				sent[key] = h.value(key, v, of[key])
			}
		}
		return sent
	case []any:
		of, _ := sample.([]any)
		sent := make([]any, len(example))
		for i, v := range example {
			var first any
			if len(of) > 0 {
				first = of[min(i, len(of)-1)]
			}
			sent[i] = h.value(name, v, first)
		}
		return sent
	case string:
		return h.text(name, example, sample)
	}
	return example
}

// text replaces texts that name a record, a secret, or a moment to come.
func (h inTown) text(name, example string, sample any) any {
	here, known := h[name]
	switch {
	case known && example != "":
		return here
	case sample != nil && name != "identifier" && (name == "token" || anID.MatchString(example)):
		return sample
	}
	return example
}
