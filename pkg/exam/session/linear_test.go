package session_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

const choseA = `{"optionIds":["A"]}`

func TestLinearNavigationTakesNoAnswerToAnItemThatWasLeft(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{Navigation: "linear"}, sample.Choice("A"), sample.Choice("A"), sample.Choice("A"))
	s := r.start(r.candidate)
	save := func(answers ...session.Answer) error {
		_, err := r.save(r.candidate, s.ID, answers...)
		return err
	}
	if err := save(answer(r.item(1), 1, choseA)); err != nil {
		t.Fatal(err)
	}
	if err := save(answer(r.item(1), 2, `{"optionIds":["B"]}`)); err != nil {
		t.Errorf("the item that one is at: %v", err)
	}
	err := save(answer(r.item(2), 1, choseA), answer(r.item(0), 1, choseA))
	wantCode(t, err, errs.ItemLeft)
	if got := errs.Of(err).Details["itemIds"].([]ids.ID); len(got) != 1 || got[0] != r.item(0) {
		t.Errorf("details name %v, want the first item", got)
	}
	now, err := r.get(r.candidate, s.ID)
	if err != nil || len(now.Answers) != 1 || now.Revision != 2 || *now.FurthestItemID != r.item(1) {
		t.Fatalf("something was saved: %+v, %v", now, err)
	}
	if err := save(answer(r.item(2), 1, "null")); err != nil {
		t.Fatal(err)
	}
	wantCode(t, save(answer(r.item(1), 3, choseA)), errs.ItemLeft)
}

// The order is the session's, and a session accepts exactly the saves that never go back.
func TestLinearNavigationFollowsTheOrderOfTheSession(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{Navigation: "linear", ShuffleItems: true},
		sample.Choice("A"), sample.Choice("A"), sample.Choice("A"), sample.Choice("A"), sample.Choice("A"))
	rapid.Check(t, func(t *rapid.T) {
		s := r.start(r.candidate)
		furthest, sequence := -1, int64(0)
		for range rapid.IntRange(1, 8).Draw(t, "saves") {
			first, last := 5, -1
			var answers []session.Answer
			for range rapid.IntRange(1, 2).Draw(t, "answers") {
				place := rapid.IntRange(0, 4).Draw(t, "place")
				first, last, sequence = min(first, place), max(last, place), sequence+1
				answers = append(answers, answer(s.Sections[0].Items[place].ItemID, sequence, choseA))
			}
			_, err := r.save(r.candidate, s.ID, answers...)
			goesBack := first < furthest
			if goesBack != (err != nil) || goesBack && errs.Of(err).Code != errs.ItemLeft {
				t.Fatalf("at %d, answers from %d to %d: %v", furthest, first, last, err)
			}
			if !goesBack {
				furthest = max(furthest, last)
			}
		}
	})
}

func TestFreeNavigationGoesBack(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"), sample.Choice("A"))
	s := r.start(r.candidate)
	for n, i := range []int{1, 0, 1, 0} {
		_, err := r.save(r.candidate, s.ID, answer(r.item(i), int64(n+1), fmt.Sprintf(`{"optionIds":[%q]}`, "B")))
		if err != nil {
			t.Fatal(err)
		}
	}
	now, err := r.get(r.candidate, s.ID)
	if err != nil || now.FurthestItemID != nil {
		t.Errorf("got %v, %v; want no furthest item", now.FurthestItemID, err)
	}
}
