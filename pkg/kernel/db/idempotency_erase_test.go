package db_test

import (
	"errors"
	"strings"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func TestEraseAnswersFindsThemByTextAndPath(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	scope, other := newTenant(t, store), newTenant(t, store)
	calls := 0
	once := func(scope db.Scope, name, path, answer string, sealed bool) (bool, error) {
		k := key(name, "b")
		k.Path, k.Sealed = path, sealed
		a, err := store.WriteOnce(t.Context(), scope, k, func(tx *db.Tx) (*db.Answer, error) {
			calls++
			return &db.Answer{Status: 201, Body: []byte(answer)}, addFacet(t.Context(), tx, ids.New().String())
		})
		return err == nil && a.Replayed, err
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
		{scope, `named-Zoë \"Z\" Ünlü`, "/x", `{}`, false, false},
		{scope, "somebody else", "/x", `{"name":"Zoe"}`, false, true},
		{scope, "sealed", "/x", `{"name":"Zoë"}`, true, true},
		{scope, "compliance", "/compliance/forget", `{"subject_id":"` + id + `"}`, false, true},
		{other, "another tenant", "/x/" + id, `{}`, false, true},
	}
	for _, a := range all {
		if _, err := once(a.scope, a.name, a.path, a.answer, a.sealed); err != nil {
			t.Fatal(err)
		}
	}
	erase := func(want int64) {
		err := store.Write(t.Context(), scope, func(tx *db.Tx) error {
			n, err := db.EraseAnswers(t.Context(), tx, []string{"", id, `Zoë \"Z\" Ünlü`})
			if n != want {
				t.Errorf("%d answers are erased, want %d", n, want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	erase(5)
	erase(0)
	calls = 0
	for _, a := range all {
		replayed, err := once(a.scope, a.name, a.path, a.answer, a.sealed)
		if replayed != a.stays || errors.Is(err, errs.SubjectErased) == a.stays {
			t.Errorf("%s: replayed is %v, %v", a.name, replayed, err)
		}
	}
	if calls > 0 {
		t.Errorf("%d calls were made anew", calls)
	}
	for _, a := range all {
		if replayed, err := once(a.scope, a.name+" of now", "/x", "{}", a.sealed); replayed || err != nil {
			t.Errorf("a new call, %s: replayed is %v, %v", a.name, replayed, err)
		}
	}
	var left string
	err := store.Read(t.Context(), scope, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), "select string_agg(k::text, ' ') from idempotency_keys k where tenant_id = $1 and status = 409", tx.Tenant()).Scan(&left)
	})
	if err != nil || strings.Contains(left, "Zoë") {
		t.Errorf("what erased answers leave holds the name: %s, %v", left, err)
	}
}
