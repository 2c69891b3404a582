package apptest_test

import (
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// fault is something that a model may do wrong, as the service might.
type fault string

const (
	awaitsForever fault = "what is marked goes on waiting for its mark"
	rekeyOverMark fault = "a new key holds over what a person marked"
	eventsTwice   fault = "an event that is sent again counts again"
)

// Random histories prove little if they do not reach the places where faults show. Several of the
// histories tried by default have to reveal each fault; a service with one would hardly pass.
func TestHistoriesTellFaults(t *testing.T) {
	t.Parallel()
	items := map[string][]string{}
	for _, exam := range []string{"timed", "untimed"} {
		for i := range paper {
			items[exam] = append(items[exam], fmt.Sprint(exam, i))
		}
	}
	lived := rapid.Custom(func(rt *rapid.T) []call {
		h := begin(rt, items)
		for range h.steps() {
			h.calls = append(h.calls, h.next()...)
			h.model, _ = after(items, h.calls)
		}
		return append(h.calls, h.end()...)
	})
	told := map[fault]int{}
	for seed := range 100 {
		calls := lived.Example(seed)
		for _, f := range []fault{awaitsForever, rekeyOverMark, eventsTwice} {
			if tells(items, calls, f) {
				told[f]++
			}
		}
	}
	for _, f := range []fault{awaitsForever, rekeyOverMark, eventsTwice} {
		if told[f] < 15 {
			t.Errorf("%d of 100 histories tell that %s; with 15 it is unlikely that none of 40 does", told[f], f)
		}
	}
}

// tells says whether anything that is compared in the end differs under a fault.
func tells(items map[string][]string, calls []call, f fault) bool {
	right, answers := after(items, calls)
	wrong, others := afterWith(f, items, calls)
	for name, s := range right.sessions {
		if !reflect.DeepEqual(s.shows(), wrong.sessions[name].shows()) {
			return true
		}
	}
	return !reflect.DeepEqual(answers, others) || !reflect.DeepEqual(right.lists(), wrong.lists()) ||
		!reflect.DeepEqual(right.reports(), wrong.reports())
}
