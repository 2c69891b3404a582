package projection

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"assess/models"
	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// histories is how many random histories the property test tries; each takes a few hundred
// milliseconds.
func histories() int {
	n, err := strconv.Atoi(os.Getenv("ASSESS_HISTORIES"))
	if err != nil {
		return 12
	}
	return n
}

// Whatever the order of projection, the repetitions, the workers and the crashes: the tables end up
// like the tables of one rebuild, and the rollups and the people as a slow count says.
func TestProjectionIsIdempotentAndOrderFree(t *testing.T) {
	t.Parallel()
	store := newStore(t, dbtest.Clone(t))
	left := histories()
	rapid.Check(t, func(rt *rapid.T) {
		if left--; left < 0 {
			return
		}
		w := newWorld(t, store)
		w.assign(t)
		attempts := history(rt, t, w)
		quarrel(t, w, rapid.Uint64().Draw(rt, "seed"))
		w.drain(t, 7)
		if r := w.verify(t); r.Differences != 0 {
			rt.Fatalf("the tables differ from a rebuild: %+v", r)
		}
		if sums, wrong := comparePeople(t, w, 3); wrong > 0 {
			rt.Fatalf("%d of %d sums are another number of people", wrong, sums)
		}
		compareWithReference(rt, t, w, attempts)
	})
}

// history starts, submits, changes and voids attempts in random order, projecting a bit
// now and then.
func history(rt *rapid.T, t *testing.T, w *world) []*attempt {
	var all []*attempt
	for range rapid.IntRange(1, 40).Draw(rt, "attempts") {
		s := drawAttempt(rt, w)
		all = append(all, &s)
	}
	steps := rapid.IntRange(0, 3*len(all)).Draw(rt, "steps")
	started := map[ids.ID]bool{}
	var newKeys []*rekey
	for i := range steps + len(all) {
		s := all[i%len(all)]
		w.write(t, func(ctx context.Context, tx *db.Tx) error { return step(ctx, tx, rt, w, s, started) })
		if rapid.IntRange(0, 7).Draw(rt, "correct key") == 0 {
			w.write(t, func(ctx context.Context, tx *db.Tx) error { return drawRekey(ctx, tx, rt, w, &newKeys) })
		}
		if rapid.IntRange(0, 9).Draw(rt, "project") == 0 {
			w.write(t, func(ctx context.Context, tx *db.Tx) error {
				_, err := ProjectBatch(ctx, tx, 3)
				return err
			})
		}
	}
	return all
}

func step(ctx context.Context, tx *db.Tx, rt *rapid.T, w *world, s *attempt, started map[ids.ID]bool) error {
	switch {
	case !started[s.id]:
		started[s.id] = true
		return w.start(ctx, tx, *s)
	case !s.submitted && s.state == "open" && rapid.IntRange(0, 4).Draw(rt, "end") == 0:
		s.state = rapid.SampledFrom([]string{"expired", "closed", "abandoned"}).Draw(rt, "state")
		return w.setState(ctx, tx, s.id, s.state)
	case !s.submitted && s.state == "open":
		s.submitted, s.state = true, "submitted"
		return w.submit(ctx, tx, *s)
	case s.submitted && !s.voided && rapid.IntRange(0, 2).Draw(rt, "correct") == 0:
		return w.correct(ctx, tx, *s, s.rescore(rt))
	case s.submitted && !s.voided && rapid.IntRange(0, 2).Draw(rt, "void") == 0:
		s.voided = true
		return w.void(ctx, tx, s.id)
	}
	return w.queue(ctx, tx, rapid.SampledFrom([]string{"session", "submission"}).Draw(rt, "kind"), s.id)
}

var errCrash = errors.New("crash")

// quarrel makes several workers project at once, and rolls some of their batches back.
func quarrel(t *testing.T, w *world, seed uint64) {
	t.Helper()
	var workers sync.WaitGroup
	for i := range 4 {
		workers.Add(1)
		go func() {
			defer workers.Done()
			dice := rand.New(rand.NewPCG(seed, uint64(i)))
			for range 12 {
				err := w.store.Write(context.Background(), db.System(w.tenant, "test"), func(tx *db.Tx) error {
					_, err := ProjectBatch(context.Background(), tx, 1+dice.IntN(9))
					if err == nil && dice.IntN(3) == 0 {
						return errCrash
					}
					return err
				})
				if err != nil && !errors.Is(err, errCrash) {
					t.Error(err)
				}
			}
		}()
	}
	workers.Wait()
}

func compareWithReference(rt *rapid.T, t *testing.T, w *world, attempts []*attempt) {
	_, err := RecomputeAll(t.Context(), w.store, w.tenant)
	if err != nil {
		rt.Fatal(err)
	}
	got, err := readRollups(t, w)
	if err != nil {
		rt.Fatal(err)
	}
	if diff := cmp.Diff(reference(attempts), got, approximately); diff != "" {
		rt.Fatalf("rollups differ from the count (-want +got):\n%s", diff)
	}
	for _, org := range w.orgs {
		compareWithFlatRows(rt, t, w, org)
	}
}

// The flat rows give exactly the same rollups, runs included.
func compareWithFlatRows(rt *rapid.T, t *testing.T, w *world, org ids.ID) {
	var rows, flat []models.QuestionHealth
	var runs, flatRuns []models.QuestionRun
	scope := db.Scope{Tenant: w.tenant, OrgUnit: org, Actor: db.Actor{Kind: db.SystemActor, Name: "test"}}
	err := w.store.Report(t.Context(), scope, func(tx *db.Tx) error {
		measured, err := Measure(t.Context(), tx, Filter{}, ForDetail)
		for _, m := range measured {
			flat, flatRuns = append(flat, m.Health), append(flatRuns, m.Runs...)
		}
		if err != nil {
			return err
		}
		err = tx.NewSelect().Model(&rows).Where("tenant_id = ?", w.tenant).OrderExpr("question_version_id").Scan(t.Context())
		if err != nil {
			return err
		}
		return tx.NewSelect().Model(&runs).Where("tenant_id = ?", w.tenant).Scan(t.Context())
	})
	if err != nil {
		rt.Fatal(err)
	}
	ignored := cmpopts.IgnoreFields(models.QuestionHealth{}, "OrgUnitID", "PercentilesStale", "PercentilesAt", "Revision", "LastComputedAt")
	if diff := cmp.Diff(rows, flat, ignored); diff != "" {
		rt.Fatalf("flat rows differ from the rollup (-rollup +flat):\n%s", diff)
	}
	byKey := cmpopts.SortSlices(func(a, b models.QuestionRun) bool {
		return a.QuestionVersionID.String()+a.RunLabel < b.QuestionVersionID.String()+b.RunLabel
	})
	if diff := cmp.Diff(runs, flatRuns, byKey, cmpopts.EquateEmpty(),
		cmpopts.IgnoreFields(models.QuestionRun{}, "TenantID", "OrgUnitID")); diff != "" {
		rt.Fatalf("flat rows differ from the runs (-rollup +flat):\n%s", diff)
	}
}
