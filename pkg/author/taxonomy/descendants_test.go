package taxonomy_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/taxonomy"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

func TestDescendantsFollowTheTreeAndMerges(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		top, middle, leaf := sample.Term(t, tx, "topic", "top"), sample.Term(t, tx, "topic", "middle"), sample.Term(t, tx, "topic", "leaf")
		old, apart := sample.Term(t, tx, "topic", "old"), sample.Term(t, tx, "topic", "apart")
		for child, parent := range map[ids.ID]ids.ID{middle: top, leaf: middle} {
			_, err := tx.Exec(t.Context(), "insert into term_relations (tenant_id, term_id, parent_id, created_at) values ($1, $2, $3, now())",
				tx.Tenant(), child, parent)
			if err != nil {
				return err
			}
		}
		_, err := tx.Exec(t.Context(), "update terms set retired_at = now(), merged_into = $2 where tenant_id = $1 and id = $3", tx.Tenant(), middle, old)
		if err != nil {
			return err
		}
		tests := []struct {
			name       string
			from, want []ids.ID
		}{
			{"a tree", []ids.ID{top}, []ids.ID{top, middle, leaf}},
			{"each once", []ids.ID{top, leaf}, []ids.ID{top, middle, leaf}},
			{"a merged term", []ids.ID{old}, []ids.ID{middle, leaf}},
			{"several", []ids.ID{leaf, apart}, []ids.ID{leaf, apart}},
			{"unknown", []ids.ID{ids.New()}, []ids.ID{}},
			{"none", nil, []ids.ID{}},
		}
		for _, test := range tests {
			wantDescendants(t, tx, test.name, test.from, test.want)
		}
		survivors, err := taxonomy.Survivors(t.Context(), tx, []ids.ID{old, leaf, ids.New()})
		if diff := cmp.Diff(map[ids.ID]ids.ID{old: middle, leaf: leaf}, survivors); diff != "" {
			t.Errorf("survivors (-want +got):\n%s", diff)
		}
		return err
	})
}

func wantDescendants(t *testing.T, tx *db.Tx, name string, from, want []ids.ID) {
	t.Helper()
	got, err := taxonomy.Descendants(t.Context(), tx, from)
	if err != nil {
		t.Fatal(err)
	}
	byID := func(a, b ids.ID) int { return slices.Compare(a[:], b[:]) }
	slices.SortFunc(got, byID)
	slices.SortFunc(want, byID)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
