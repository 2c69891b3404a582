package session_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
)

// A process that has seen nothing of the session tells a brief in the same words, even after the
// session went on.
func TestABriefIsToldInTheSameWords(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]*room{
		"draws, passages and shuffles": drawnRoom(t),
		"draws chosen by exposure":     poolRoom(t, authoring.ExposurePolicy{AvoidSeen: true}),
		"sections with times":          timedRoom(t, "linear"),
	} {
		t.Run(name, func(t *testing.T) {
			for _, lang := range []string{"", "de"} {
				s := r.startIn(lang)
				r.tellsAgain(t, s)
				_, err := r.save(r.candidate, s.ID, answer(s.Sections[0].Items[0].ItemID, 1, `{"optionIds":["A"]}`))
				if err != nil {
					t.Fatal(err)
				}
				taken, err := r.resume(r.candidate, s.ID)
				if err != nil || len(taken.Answers) != 1 {
					t.Fatalf("resume: got %+v, %v", taken.Answers, err)
				}
				r.exec("delete from session_answers where session_id = $1", s.ID)
				r.exec("update sessions set view = 9, state = 'closed', section_starts = null, furthest = 0 where id = $1", s.ID)
				r.tellsAgain(t, s)
				r.tellsAgain(t, taken)
			}
		})
	}
}

func (r *room) startIn(lang string) session.Session {
	r.t.Helper()
	var s session.Session
	err := r.store.Write(r.t.Context(), r.candidate, func(tx *db.Tx) (err error) {
		s, err = r.desk.Start(r.t.Context(), tx, session.StartInput{EvaluationID: r.snapshot.EvaluationID, Lang: lang})
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

func (r *room) tellsAgain(t *testing.T, s session.Session) {
	t.Helper()
	want, kept := asJSON(t, s), asJSON(t, s.Brief())
	var b session.Brief
	err := json.Unmarshal(kept, &b)
	if err != nil {
		t.Fatal(err)
	}
	err = r.store.Read(t.Context(), r.operator, func(tx *db.Tx) error {
		again, err := session.NewDesk().Tell(t.Context(), tx, b)
		if diff := cmp.Diff(string(want), string(asJSON(t, again))); diff != "" {
			t.Errorf("told otherwise (-first +again):\n%s", diff)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
