package projection

import (
	"strings"
	"testing"
	"unicode"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
)

// A gap that scoring calls blank is blank in reports, whatever white space was typed.
func TestBlankMeansTheSameInScoringAndInReports(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	err := store.Read(t.Context(), scope, func(tx *db.Tx) error {
		var said []bool
		var texts []string
		for r := range rune(0x3100) {
			if r != 0 {
				texts = append(texts, string(r))
			}
		}
		texts = append(texts, "\u00a0 \t", "\u00a0x", "")
		err := tx.QueryRow(t.Context(), "select array_agg(t ~ "+notBlank()+" order by n) from unnest($1::text[]) with ordinality e (t, n)", texts).Scan(&said)
		if err != nil {
			return err
		}
		for i, text := range texts {
			if want := strings.TrimFunc(text, unicode.IsSpace) != ""; said[i] != want {
				t.Errorf("%q says something: %v in reports, %v in scoring", text, said[i], want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
