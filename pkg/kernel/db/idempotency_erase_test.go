package db_test

import (
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

func TestEraseAnswersFindsThemByTextAndPath(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	scope, other := newTenant(t, store), newTenant(t, store)
	once := func(scope db.Scope, name, path, answer string, sealed bool) bool {
		k := key(name, "b")
		k.Path, k.Sealed = path, sealed
		a, err := store.WriteOnce(t.Context(), scope, k, func(tx *db.Tx) (*db.Answer, error) {
			return &db.Answer{Status: 201, Body: []byte(answer)}, addFacet(t.Context(), tx, ids.New().String())
		})
		if err != nil {
			t.Fatal(err)
		}
		return a.Replayed
	}
	id := ids.New().String()
	all := []struct {
		scope              db.Scope
		name, path, answer string
		sealed, stays      bool
	}{
		{scope, "by name", "/x", `{"name":"Zoë \"Z\" Ünlü"}`, false, false},
		{scope, "by path", "/x/" + id, `{}`, false, false},
		{scope, "sealed, by path", "/y/" + id, `{"name":"?"}`, true, false},
		{scope, "by id", "/x", `{"id":"` + id + `"}`, false, false},
		{scope, "somebody else", "/x", `{"name":"Zoe"}`, false, true},
		{scope, "sealed", "/x", `{"name":"Zoë"}`, true, true},
		{scope, "compliance", "/compliance/forget", `{"subject_id":"` + id + `"}`, false, true},
		{other, "another tenant", "/x/" + id, `{}`, false, true},
	}
	for _, a := range all {
		once(a.scope, a.name, a.path, a.answer, a.sealed)
	}
	err := store.Write(t.Context(), scope, func(tx *db.Tx) error {
		n, err := db.EraseAnswers(t.Context(), tx, []string{"", id, `Zoë \"Z\" Ünlü`})
		if n != 4 {
			t.Errorf("%d answers are erased, want 4", n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if stayed := once(a.scope, a.name, a.path, a.answer, a.sealed); stayed != a.stays {
			t.Errorf("%s: stayed is %v", a.name, stayed)
		}
	}
}
