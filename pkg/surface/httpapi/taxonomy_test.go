package httpapi_test

import (
	"maps"
	"testing"

	"assess/pkg/author/taxonomy"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// taxonomyPlace holds terms of one facet; Doomed is there to be merged.
type taxonomyPlace struct{ Term, OtherTerm, Doomed ids.ID }

func taxonomyOf(t *testing.T, tx *db.Tx) (ids.ID, taxonomyPlace) {
	t.Helper()
	facet := "topic-" + ids.New().String()
	p := taxonomyPlace{Term: sample.Term(t, tx, facet, "one"), OtherTerm: sample.Term(t, tx, facet, "two"), Doomed: sample.Term(t, tx, facet, "three")}
	term, err := taxonomy.GetTerm(t.Context(), tx, p.Term)
	if err != nil {
		t.Fatal(err)
	}
	return term.FacetID, p
}

func init() {
	facet := func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Facet} }
	term := func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Term} }
	ofTaxonomy := map[string]func(place) map[string]ids.ID{
		"getFacet": facet, "updateFacet": facet,
		"getTerm": term, "updateTerm": term, "listTermChildren": term, "listTermAncestors": term,
		"retireTerm": term, "restoreTerm": term, "listTermUses": term,
		"mergeTerm": func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Doomed} },
	}
	maps.Copy(noun, ofTaxonomy)
	for id := range ofTaxonomy {
		tenantWide[id] = true
	}
	for _, id := range []string{"getQuestionTerms", "setQuestionTerms"} {
		noun[id] = func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Question} }
	}
	for _, id := range []string{"getEvaluationTerms", "setEvaluationTerms"} {
		noun[id] = func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Evaluation} }
	}
	terms := func(p place) any { return map[string]any{"taxonomyTermIds": []ids.ID{p.OtherTerm}} }
	maps.Copy(body, map[string]func(place) any{
		"updateFacet": func(place) any { return map[string]any{"label": "F " + ids.New().String()} },
		"updateTerm": func(p place) any {
			return map[string]any{"label": "T " + ids.New().String(), "parentId": p.OtherTerm}
		},
		"retireTerm":         func(place) any { return nil },
		"restoreTerm":        func(place) any { return nil },
		"mergeTerm":          func(p place) any { return map[string]any{"intoId": p.OtherTerm} },
		"setQuestionTerms":   terms,
		"setEvaluationTerms": terms,
	})
}
