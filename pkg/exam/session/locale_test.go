package session_test

import (
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
)

// A session says the language of its content when it is started, read, resumed and told again: the language requested
// if the content has it, else the default.
func TestASessionSaysTheLanguageOfItsContent(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"), sample.Choice("B"))
	s := r.start(r.candidate)
	for lang, want := range map[string]string{"": "en", "de": "de", "de-AT": "de", "fr": "en"} {
		sample.Write(t, r.store, r.candidate, func(tx *db.Tx) error {
			got, err := r.desk.Get(t.Context(), tx, session.GetInput{EvaluationID: r.snapshot.EvaluationID, SessionID: s.ID, Lang: lang})
			if err != nil {
				return err
			}
			again, err := r.desk.Tell(t.Context(), tx, got.Brief())
			if got.Locale != want || got.ContentLanguage() != want || again.Locale != want {
				t.Errorf("asked for %q: got %q, %q and told again %q, want %q", lang, got.Locale, got.ContentLanguage(), again.Locale, want)
			}
			return err
		})
	}
}
