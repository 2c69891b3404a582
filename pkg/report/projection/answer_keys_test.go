package projection

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// rekey is a remediation with a new key; of chosen submissions when it has no version.
type rekey struct {
	id, question ids.ID
	version      *version
	right        []string
	applied      bool
}

// turn applies a rekey or takes it back, and queues what package remediation does.
func (w *world) turn(ctx context.Context, tx *db.Tx, r *rekey) error {
	r.applied = !r.applied
	state := "reverted"
	if r.applied {
		state = "applied"
	}
	org, of := w.orgs[0], (*ids.ID)(nil)
	if r.version != nil {
		org, of = r.version.org, &r.version.id
	}
	_, err := tx.Exec(ctx, `
		insert into remediations as r (tenant_id, id, org_unit_id, evaluation_version_id, question_version_id, rule, parameters, reason, state,
			created_by, applied_number, submissions_n, created_at, updated_at, applied_at)
		values ($1, $2, $3, $4, $5, 'rekey', jsonb_build_object('correctOptionIds', $6::text[]), 'wrong', $7, 'test', nextval('remediation_order'), 7, $8, $8, $8)
		on conflict (tenant_id, id) do update set state = excluded.state, applied_number = excluded.applied_number`,
		w.tenant, r.id, org, of, r.question, r.right, state, epoch)
	if err != nil {
		return err
	}
	return w.queue(ctx, tx, "key", r.id)
}

// drawRekey applies or takes back one of the rekeys, or a new one.
func drawRekey(ctx context.Context, tx *db.Tx, rt *rapid.T, w *world, all *[]*rekey) error {
	if len(*all) == 0 || rapid.Bool().Draw(rt, "new key") {
		v := rapid.SampledFrom(w.versions).Draw(rt, "of version")
		r := &rekey{id: ids.New(), question: rapid.SampledFrom(v.questions).Draw(rt, "of question").id, version: &v,
			right: rapid.SampledFrom([][]string{{"B"}, {"C", "D"}, {}}).Draw(rt, "right")}
		if rapid.IntRange(0, 3).Draw(rt, "chosen") == 0 {
			r.version = nil
		}
		*all = append(*all, r)
		return w.turn(ctx, tx, r)
	}
	return w.turn(ctx, tx, rapid.SampledFrom(*all).Draw(rt, "rekey"))
}

// Flags and key follow a remediation that corrects the key of an evaluation version, at once, from
// the rollup as well as from the cells, until it is taken back; the last of several counts.
func TestFlagsFollowTheCorrectedKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newStore(t, dbtest.Clone(t)))
	asked := question{id: ids.New(), qtype: "mcq", right: 1}
	w.addVersion(t, w.orgs[0], []question{asked})
	w.addVersion(t, w.orgs[0], []question{asked})
	first, second := w.versions[3], w.versions[4]
	w.take(t, first, 60, answer{question: asked, options: []string{"B"}, status: "SCORED"})
	turn := func(r *rekey) {
		w.write(t, func(ctx context.Context, tx *db.Tx) error { return w.turn(ctx, tx, r) })
		w.drain(t, 100)
	}
	dominant := func(want bool, what string, right ...string) {
		t.Helper()
		m := w.measured(t, asked.id)
		counted := slices.ContainsFunc(m.Health.Flags, func(f Flag) bool { return f.Code == "DISTRACTOR_DOMINANCE" })
		if got := slices.Contains(w.flags(t, asked.id), "DISTRACTOR_DOMINANCE"); got != want || counted != want {
			t.Errorf("%s: DISTRACTOR_DOMINANCE stored %t, counted %t, want %t", what, got, counted, want)
		}
		var called []string
		for _, o := range m.Key.Options {
			if o.Correct {
				called = append(called, o.ID)
			}
		}
		if diff := cmp.Diff(right, called); diff != "" || m.Key.Corrected == (right[0] == "A" && len(right) == 1) {
			t.Errorf("%s: corrected %t, right options (-want +got):\n%s", what, m.Key.Corrected, diff)
		}
		if r := w.verify(t); r.Differences != 0 {
			t.Errorf("%s: the tables differ from a rebuild: %+v", what, r.Tables)
		}
	}
	w.drain(t, 100)
	dominant(true, "with the snapshot's key", "A")
	toB := &rekey{id: ids.New(), question: asked.id, version: &first, right: []string{"B"}}
	toC := &rekey{id: ids.New(), question: asked.id, version: &first, right: []string{"C"}}
	turn(&rekey{id: ids.New(), question: asked.id, right: []string{"B"}})
	dominant(true, "with another key for chosen submissions", "A")
	turn(toB)
	dominant(false, "with B", "B")
	_, err := RecomputeAll(t.Context(), w.store, w.tenant)
	if err != nil {
		t.Fatal(err)
	}
	dominant(false, "after the percentiles", "B")
	turn(toC)
	dominant(true, "with B and then C", "C")
	turn(toB)
	dominant(true, "without B", "C")
	turn(toB)
	dominant(false, "with C and then B", "B")
	w.take(t, second, 1, answer{question: asked, options: []string{"B"}, status: "SCORED"})
	w.drain(t, 100)
	dominant(false, "with another version, of the snapshot's key", "A", "B")
	turn(toB)
	dominant(true, "with C, and A in another version", "A", "C")
	turn(toC)
	dominant(true, "with all taken back", "A")
}

// take makes people give the same answer at a version.
func (w *world) take(t *testing.T, v version, n int, given ...answer) {
	t.Helper()
	for i := range n {
		s := attempt{id: ids.New(), version: v, user: w.users[i%len(w.users)], outcome: "incomplete",
			startedAt: epoch, completedAt: epoch.Add(time.Hour), answers: slices.Clone(given)}
		w.write(t, func(ctx context.Context, tx *db.Tx) error {
			err := w.start(ctx, tx, s)
			if err != nil {
				return err
			}
			return w.submit(ctx, tx, s)
		})
	}
}
