package inventory_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Each preset of a view chooses what it says; the caller's filters take precedence over it.
func TestViewAppliedToQuestions(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a := s.term("topic", "a")
	draft, published, tagged, shelved := s.draft(), s.question(), s.tagged(a), s.question()
	_, err := s.archive(inventory.Questions, shelved)
	wantCode(t, err, "")
	for _, c := range []struct {
		name, filter string
		explicit     authoring.QuestionFilter
		want         []ids.ID
	}{
		{"nothing", `{}`, authoring.QuestionFilter{}, []ids.ID{draft, published, tagged}},
		{"status.draft", `{"status.draft":true}`, authoring.QuestionFilter{}, []ids.ID{draft}},
		{"status.published", `{"status.published":true}`, authoring.QuestionFilter{}, []ids.ID{published, tagged}},
		{"status.archived", `{"status.archived":true}`, authoring.QuestionFilter{}, []ids.ID{shelved}},
		{"two presets", `{"status.draft":true,"status.archived":true}`, authoring.QuestionFilter{}, []ids.ID{draft, shelved}},
		{"the caller's status", `{"status.draft":true}`, authoring.QuestionFilter{Status: "archived"}, []ids.ID{shelved}},
		{"termsAny", `{"termsAny":["` + a.String() + `"]}`, authoring.QuestionFilter{}, []ids.ID{tagged}},
		{"taxonomy.focus", `{"taxonomy.focus":true,"termsAll":["` + a.String() + `"]}`, authoring.QuestionFilter{}, []ids.ID{tagged}},
		{"the caller's terms", `{"termsAny":["` + a.String() + `"]}`, authoring.QuestionFilter{TermsFilter: authoring.TermsFilter{TermsAny: []ids.ID{ids.New()}}}, nil},
		{"qtype", `{"qtype":"essay"}`, authoring.QuestionFilter{}, nil},
		{"the caller's qtype", `{"qtype":"essay"}`, authoring.QuestionFilter{QType: "mcq"}, []ids.ID{draft, published, tagged}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := s.createView(s.operator, inventory.Questions, input(c.name, "shared", c.filter))
			wantCode(t, err, "")
			c.explicit.Sort = "createdAt"
			list, err := do(s, s.operator, func(ctx context.Context, tx *db.Tx) (db.List[authoring.QuestionSummary], error) {
				f, err := inventory.QuestionsOf(ctx, tx, v.ID, c.explicit)
				if err != nil {
					return db.List[authoring.QuestionSummary]{}, err
				}
				return authoring.ListQuestions(ctx, tx, f)
			})
			wantCode(t, err, "")
			var got []ids.ID
			for _, q := range list.Items {
				got = append(got, q.ID)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	_, err = do(s, s.operator, func(ctx context.Context, tx *db.Tx) (authoring.QuestionFilter, error) {
		return inventory.QuestionsOf(ctx, tx, ids.New(), authoring.QuestionFilter{})
	})
	wantCode(t, err, errs.NotFound)
}

func TestViewAppliedToEvaluations(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a := s.term("topic", "a")
	tagged, shelved := s.evaluation(s.question()), s.evaluation(s.question())
	s.mustBulk(inventory.Evaluations, inventory.BulkInput{Action: "taxonomyReplace", IDs: []ids.ID{tagged.ID}, AddTermIDs: []ids.ID{a}})
	_, err := s.archive(inventory.Evaluations, shelved.ID)
	wantCode(t, err, "")
	for name, c := range map[string]struct {
		filter string
		want   ids.ID
	}{
		"termsAll":        {`{"terms_all":["` + a.String() + `"],"include_descendants":true}`, tagged.ID},
		"status.archived": {`{"status.archived":true}`, shelved.ID},
		"nothing":         {`{}`, tagged.ID},
	} {
		v, err := s.createView(s.operator, inventory.Evaluations, input(name, "shared", c.filter))
		wantCode(t, err, "")
		list, err := do(s, s.operator, func(ctx context.Context, tx *db.Tx) (db.List[authoring.EvaluationSummary], error) {
			f, err := inventory.EvaluationsOf(ctx, tx, v.ID, authoring.EvaluationFilter{})
			if err != nil {
				return db.List[authoring.EvaluationSummary]{}, err
			}
			return authoring.ListEvaluations(ctx, tx, f)
		})
		wantCode(t, err, "")
		if len(list.Items) != 1 || list.Items[0].ID != c.want {
			t.Errorf("%s: got %+v", name, list.Items)
		}
	}
}
