package projection

import (
	"testing"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"assess/pkg/dev/dbtest"
)

// However slow the percentiles are, only one job computes them at a time; afterwards another may.
func TestOnePercentilesJobAtATime(t *testing.T) {
	t.Parallel()
	store := newStore(t, dbtest.Clone(t))
	client, err := river.NewClient(riverpgxv5.New(store.Pool()), &river.Config{Schema: "river"})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		state string // of the existing jobs
		want  bool
	}{{"available", true}, {"available", false}, {"running", false}, {"retryable", false}, {"completed", true}} {
		_, err := store.Unscoped().Exec(t.Context(), `update river.river_job set state = $1::text::river.river_job_state,
			finalized_at = case when $1 = 'completed' then now() end`, step.state)
		if err != nil {
			t.Fatal(err)
		}
		made, err := client.Insert(t.Context(), PercentilesArgs{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if made.UniqueSkippedAsDuplicate == step.want {
			t.Errorf("after one that is %s another is queued %t, want %t", step.state, !step.want, step.want)
		}
	}
}
