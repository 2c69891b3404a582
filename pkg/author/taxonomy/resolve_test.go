package taxonomy_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/taxonomy"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

var names = []taxonomy.FacetTerm{{Facet: "Topic", Term: "Cells"}, {Facet: "topic", Term: "cells"}, {Facet: "Topic", Term: "Genes"},
	{Facet: "Level", Term: "B2"}, {Facet: "?", Term: "x"}}

func resolve(t *testing.T, store *db.Store, scope db.Scope, create bool) (map[taxonomy.FacetTerm]ids.ID, error) {
	t.Helper()
	var found map[taxonomy.FacetTerm]ids.ID
	err := store.Write(t.Context(), scope, func(tx *db.Tx) error {
		var err error
		found, err = taxonomy.Resolve(t.Context(), tx, names, create)
		return err
	})
	return found, err
}

func TestResolveFindsAndMakesTerms(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	none, err := resolve(t, store, scope, false)
	if err != nil || len(none) != 0 {
		t.Fatalf("before anything exists: got %v, %v", none, err)
	}
	made, err := resolve(t, store, scope, true)
	if err != nil {
		t.Fatal(err)
	}
	if len(made) != 4 || made[names[0]] != made[names[1]] || made[names[0]] == made[names[2]] {
		t.Errorf("got %v", made)
	}
	found, err := resolve(t, store, scope, false)
	if diff := cmp.Diff(made, found); diff != "" || err != nil {
		t.Errorf("%v, found later (-made +found):\n%s", err, diff)
	}
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		got, err := taxonomy.Names(t.Context(), tx, []ids.ID{made[names[2]], ids.New()})
		want := map[ids.ID]taxonomy.Name{made[names[2]]: {ID: made[names[2]], Domain: "content", Facet: "topic", Term: "genes", Label: "Genes"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("names (-want +got):\n%s", diff)
		}
		var events int
		return errors.Join(err, tx.QueryRow(t.Context(),
			"select count(*) from ledger_events where tenant_id = $1 and event_type in ('facet.created', 'term.created')", tx.Tenant()).Scan(&events),
			wantCount(events, 5))
	})
}

func wantCount(got, want int) error {
	if got != want {
		return errors.New("the number of ledger events is wrong")
	}
	return nil
}

func TestResolveAtOnceAgrees(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	results := make([]map[taxonomy.FacetTerm]ids.ID, 4)
	var all sync.WaitGroup
	for i := range results {
		all.Go(func() {
			var err error
			results[i], err = resolve(t, store, scope, true)
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, other := range results[1:] {
		if diff := cmp.Diff(results[0], other); diff != "" {
			t.Errorf("two callers disagree:\n%s", diff)
		}
	}
}

func TestMakingTermsNeedsTaxonomyManage(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	reader := sample.As(scope, ids.New(), capability.TaxonomyRead)
	_, err := resolve(t, store, reader, true)
	wantCode(t, err, errs.Forbidden)
	_, err = resolve(t, store, reader, false)
	wantCode(t, err, "")
	_, err = resolve(t, store, sample.As(scope, ids.New()), false)
	wantCode(t, err, errs.Forbidden)
}

func TestAnotherTenantsTermsAreUnknown(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	made, err := resolve(t, store, sample.Tenant(t, store), true)
	if err != nil {
		t.Fatal(err)
	}
	other := sample.Tenant(t, store)
	found, err := resolve(t, store, other, false)
	if err != nil || len(found) != 0 {
		t.Errorf("got %v, %v", found, err)
	}
	sample.Write(t, store, other, func(tx *db.Tx) error {
		got, err := taxonomy.Names(t.Context(), tx, []ids.ID{made[names[0]]})
		if len(got) != 0 {
			t.Errorf("names: got %v", got)
		}
		return err
	})
}
