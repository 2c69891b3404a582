package authoring_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func TestListQuestionsFiltersAndSorts(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first, second, third := b.question(t, true, "A"), b.question(t, false, "A", "B"), b.question(t, false, "C")
	must(t, b, b.updateQuestion(first.ID), authoring.QuestionPatch{Stem: sample.Content("Changed", "Neu")})
	tests := []struct {
		name   string
		filter authoring.QuestionFilter
		want   []ids.ID
	}{
		{"newest change first", authoring.QuestionFilter{}, []ids.ID{first.ID, third.ID, second.ID}},
		{"oldest first", authoring.QuestionFilter{Sort: "createdAt"}, []ids.ID{first.ID, second.ID, third.ID}},
		{"by status", authoring.QuestionFilter{Status: "published"}, []ids.ID{first.ID}},
		{"by type", authoring.QuestionFilter{QType: "mrq"}, []ids.ID{second.ID}},
		{"second page", authoring.QuestionFilter{Page: db.Page{Page: 2, Limit: 2}}, []ids.ID{second.ID}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			list := must(t, b, authoring.ListQuestions, test.filter)
			var got []ids.ID
			for _, item := range list.Items {
				got = append(got, item.ID)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("questions (-want +got):\n%s", diff)
			}
		})
	}
	list := must(t, b, authoring.ListQuestions, authoring.QuestionFilter{Status: "published"})
	if got := list.Items[0]; list.Total != 1 || got.Text != "Changed" || got.Number != 2 || !got.HasDraft {
		t.Errorf("got %+v of %d", got, list.Total)
	}
	_, err := write(t, b, authoring.ListQuestions, authoring.QuestionFilter{Sort: "colour"})
	wantFields(t, err, errs.ValidationFailed, "sort out_of_range")
}

func TestQuestionsNeedTheirCapabilities(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q := b.question(t, false, "A")
	reader := bench{b.Store, sample.As(b.scope, ids.New(), capability.QuestionsRead)}
	_, err := write(t, reader, authoring.PublishQuestion, q.ID)
	wantCode(t, err, errs.Forbidden)
	_, err = write(t, reader, sample.UpsertQuestions, nil)
	wantCode(t, err, errs.Forbidden)
	must(t, reader, authoring.GetQuestion, q.ID)
}
