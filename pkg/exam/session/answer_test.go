package session_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

func TestSaveReportsEveryProblemAtOnce(t *testing.T) {
	t.Parallel()
	numeric := scoring.Key{QType: scoring.Numeric, Value: 1}
	short := scoring.Key{QType: scoring.ShortText, Accepted: []string{"x"}}
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"), sample.Choice("A", "B"), numeric, short)
	s := r.start(r.candidate)
	_, err := r.save(r.candidate, s.ID,
		answer(r.item(0), 0, `{"optionIds":["A"]}`),
		answer(ids.New(), 1, `{"optionIds":["A"]}`),
		answer(r.item(0), 1, `{"optionIds":["A","B"]}`),
		answer(r.item(1), 1, `{"optionIds":["A","Z","A"]}`),
		answer(r.item(1), 1, `{"text":"A"}`),
		answer(r.item(2), 1, `{"number":1e999}`),
		answer(r.item(2), 1<<53, `{"number":1}`),
		answer(r.item(3), 1, `{"text":"a\u0000b"}`),
		answer(r.item(3), 1, ``),
		answer(r.item(3), 1, `{"text":"x","nonsense":1}`),
		session.Answer{ItemID: r.item(0), Sequence: 1, Response: json.RawMessage("null"), TimeSpentMs: ptr(int64(-1))},
	)
	wantCode(t, err, errs.ValidationFailed)
	var got []string
	for _, f := range errs.Of(err).Fields {
		got = append(got, f.Path+" "+f.Code)
	}
	want := []string{
		"answers[0].sequence out_of_range",
		"answers[1].itemId unknown_item",
		"answers[2].response.optionIds too_many_selections",
		"answers[3].response.optionIds[1] unknown_option",
		"answers[3].response.optionIds[2] duplicate_option",
		"answers[4].response wrong_response_kind",
		"answers[5].response.number wrong_type",
		"answers[6].sequence out_of_range",
		"answers[7].response.text invalid_text",
		"answers[8].response required",
		"answers[9].response.nonsense unknown_field",
		"answers[10].timeSpentMs out_of_range",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	now, err := r.get(r.candidate, s.ID)
	if err != nil {
		t.Fatal(err)
	}
	if now.Revision != 0 || len(now.Answers) != 0 {
		t.Errorf("something was saved: revision %d, %d answers", now.Revision, len(now.Answers))
	}
}

func TestSaveBoundsTheNumberOfAnswers(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	s := r.start(r.candidate)
	_, err := r.save(r.candidate, s.ID)
	wantCode(t, err, errs.ValidationFailed)
	_, err = r.save(r.candidate, s.ID, make([]session.Answer, 1001)...)
	wantCode(t, err, errs.ValidationFailed)
	if got := len(errs.Of(err).Fields); got != 1 {
		t.Errorf("got %d problems, want the one that there are too many", got)
	}
}

func TestLongTextIsRefusedNotCut(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, scoring.Key{QType: scoring.Essay})
	s := r.start(r.candidate)
	_, err := r.save(r.candidate, s.ID, answer(r.item(0), 1, `{"text":"`+strings.Repeat("x", scoring.MaxTextLength+1)+`"}`))
	wantCode(t, err, errs.ValidationFailed)
}
