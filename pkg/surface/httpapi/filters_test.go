package httpapi_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func TestQuestionFiltersByTheirQueryNames(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	term := func(label string) ids.ID {
		return answer[struct{ ID ids.ID }](t, w.do(t, http.MethodPost, "/taxonomy/terms", map[string]any{"facetId": w.home.Facet, "label": label}), 201).ID
	}
	one, two := term("First"), term("Second")
	in := sample.QuestionInput("A")
	in.Stem, in.TaxonomyTermIDs = sample.Content("Rarissimum", "Selten"), []ids.ID{one, two}
	both := answer[authoring.Question](t, w.do(t, http.MethodPost, "/questions", in), 201)
	in = sample.QuestionInput("A")
	in.TaxonomyTermIDs = []ids.ID{one}
	single := answer[authoring.Question](t, w.do(t, http.MethodPost, "/questions", in), 201)
	w.do(t, http.MethodPut, "/passages/"+w.home.Passage.String()+"/questions", map[string]any{"questionIds": []ids.ID{both.ID}})
	for _, test := range []struct {
		query url.Values
		want  []ids.ID
	}{
		{url.Values{"terms_any": {one.String(), two.String()}}, []ids.ID{single.ID, both.ID}},
		{url.Values{"terms_all": {one.String(), two.String()}}, []ids.ID{both.ID}},
		{url.Values{"terms_all": {one.String()}, "include_descendants": {"true"}, "sort": {"createdAt"}}, []ids.ID{both.ID, single.ID}},
		{url.Values{"q": {"rarissi"}}, []ids.ID{both.ID}},
		{url.Values{"q": {"rarissi"}, "status": {"published"}}, []ids.ID{}},
		{url.Values{"passageId": {w.home.Passage.String()}}, []ids.ID{both.ID}},
		{url.Values{"contributesToScore": {"false"}}, []ids.ID{}},
		{url.Values{"terms_any": {two.String()}, "contributesToScore": {"true"}, "qtype": {"mcq"}}, []ids.ID{both.ID}},
	} {
		list := answer[struct{ Items []struct{ ID ids.ID } }](t, w.do(t, http.MethodGet, "/questions?"+test.query.Encode(), nil), 200)
		got := []ids.ID{}
		for _, item := range list.Items {
			got = append(got, item.ID)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.query.Encode(), diff)
		}
	}
	for _, bad := range []string{"terms_any=x", "terms_all=" + one.String() + "&terms_all=x", "passageId=1", "contributesToScore=maybe", "status=gone", "qtype=riddle"} {
		want(t, w.do(t, http.MethodGet, "/questions?"+bad, nil), 422, errs.ValidationFailed)
	}
}

func TestEvaluationFiltersByTermsOverHTTP(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	term := answer[struct{ ID ids.ID }](t, w.do(t, http.MethodPost, "/taxonomy/terms", map[string]any{"facetId": w.home.Facet, "label": "First"}), 201).ID
	in := sample.EvaluationInput(w.home.Question)
	in.TaxonomyTermIDs = []ids.ID{term}
	made := answer[authoring.Evaluation](t, w.do(t, http.MethodPost, "/evaluations", in), 201)
	for _, name := range []string{"terms_any", "terms_all"} {
		list := answer[struct{ Items []struct{ ID ids.ID } }](t, w.do(t, http.MethodGet, "/evaluations?"+name+"="+term.String(), nil), 200)
		if len(list.Items) != 1 || list.Items[0].ID != made.ID {
			t.Errorf("%s: got %+v", name, list.Items)
		}
		want(t, w.do(t, http.MethodGet, "/evaluations?"+name+"=x", nil), 422, errs.ValidationFailed)
	}
}
