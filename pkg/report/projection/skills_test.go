package projection

import (
	"context"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"assess/models"
	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// The four strategies on evidence that can be worked out by hand, by the statement and by the slow way.
func TestStrategiesByHand(t *testing.T) {
	t.Parallel()
	w := newSkilled(t, newStore(t, dbtest.Clone(t)))
	old, mid, fresh := ids.New(), ids.New(), ids.New()
	day := func(n int) time.Time { return epoch.AddDate(0, 0, n) }
	// Three submissions: 1/4 on the first day, 1 and 0 with weights 3 and 1 on the eleventh, 1/2 on the
	// twenty-first.
	three := []said{{old, day(0), 0.25, 1}, {mid, day(10), 1, 3}, {mid, day(10), 0, 1}, {fresh, day(20), 0.5, 2}}
	sameTime := []said{{old, day(0), 0, 1}, {mid, day(0), 1, 1}}
	for _, c := range []struct {
		name, strategy string
		halfLife       float64
		evidence       []said
		value, trend   float64
	}{
		{"latest is the newest submission", "latest", 0, three, 0.5, 0.5 - 3.25/5},
		{"latest of several items is their weighted mean", "latest", 0, three[:3], 0.75, 0.5},
		{"latest of two at once is the one that began later", "latest", 0, sameTime, 1, 1},
		{"best is the best submission, not the best item", "best", 0, three, 0.75, 0.5 - 3.25/5},
		{"best of one", "best", 0, three[:1], 0.25, math.NaN()},
		// (1/4 + 3 + 0 + 1) / (1 + 3 + 1 + 2)
		{"mean weighs", "mean", 0, three, 4.25 / 7, 0.5 - 3.25/5},
		// Ages of 20, 10 and 0 days at a half-life of 10: a quarter, a half, the whole.
		// (1/16 + 3/2 + 0 + 1) / (1/4 + 3/2 + 1/2 + 2)
		{"weighted_recent fades", "weighted_recent", 10, three, (0.0625 + 1.5 + 1) / (0.25 + 1.5 + 0.5 + 2), 0.5 - 3.25/5},
		{"weighted_recent of what is old says as much as what is new", "weighted_recent", 10, three[:1], 0.25, math.NaN()},
		{"weighted_recent forgets what is a thousand half-lives old", "weighted_recent", 0.01, three, 0.5, 0.5 - 3.25/5},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := able{c.value, c.trend, len(c.evidence), submissionsAmong(c.evidence)}
			if diff := cmp.Diff(want, valueOf(c.strategy, c.halfLife, c.evidence), approximately); diff != "" {
				t.Errorf("the slow way (-want +got):\n%s", diff)
			}
			key := skillKey{w.orgs[0], ids.New(), ids.New()}
			w.write(t, func(ctx context.Context, tx *db.Tx) error {
				_, err := tx.Exec(ctx, `insert into report_skill_targets (tenant_id, skill_id, set_id, version_id, strategy, half_life_days, applied_at)
					values ($1, $2, $2, $2, $3, nullif($4::float8, 0)::numeric, $5)`, w.tenant, key.Skill, c.strategy, c.halfLife, epoch)
				for _, s := range c.evidence {
					if err == nil {
						_, err = tx.Exec(ctx, `insert into report_skill_facts values ($1, $2, $3, $4, $4, $5, $6, $4, $7, $8::float8::numeric, $9::float8::numeric, null)`,
							w.tenant, key.Org, s.submission, ids.New(), key.Skill, key.User, s.at, s.value, s.weight)
					}
				}
				if err == nil {
					_, err = tx.Exec(ctx, "insert into report_skill_submissions "+
						statement("skill_sums", "facts", "(select * from report_skill_facts where tenant_id = $1 and user_id = $2)"), w.tenant, key.User)
				}
				if err != nil {
					return err
				}
				return deriveSkills(ctx, tx, []skillKey{key})
			})
			if diff := cmp.Diff(want, w.readSkills(t)[key], approximately); diff != "" {
				t.Errorf("the statement (-want +got):\n%s", diff)
			}
		})
	}
}

// Two workers that meet at a recalculation count nobody twice, and leave the same tables as a rebuild.
func TestWorkersMeetAtARecalculation(t *testing.T) {
	t.Parallel()
	w := newSkilled(t, newStore(t, dbtest.Clone(t)))
	submitted(t, w.world, 6)
	w.drain(t, 10)
	v := w.versions[0]
	w.publishRules(t, 0, []mapRule{{skill: w.skills[0].id, kind: "evaluation", target: v.evaluation, weight: 1, strategy: "mean"}})
	w.recalculate(t)
	id := w.jobs(t)[0]
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for state := ""; state != models.ReportJobCompleted; {
				done, err := runPiece(t.Context(), w.store, w.tenant, id, 2)
				if err != nil {
					t.Error(err)
					return
				}
				state = done.State
			}
		})
	}
	workers.Wait()
	people := w.count(t, "select count(*)::int from users where tenant_id = $1", w.tenant)
	if n := w.count(t, "select done_n::int from report_jobs where tenant_id = $1 and id = $2", w.tenant, id); n != people {
		t.Errorf("%d people were visited of %d", n, people)
	}
	if len(w.readSkills(t)) == 0 {
		t.Error("nobody has a figure")
	}
	if r := w.verify(t); r.Differences != 0 {
		t.Errorf("the tables differ from a rebuild: %+v", r.Tables)
	}
}

func submissionsAmong(all []said) int {
	seen := map[ids.ID]bool{}
	for _, s := range all {
		seen[s.submission] = true
	}
	return len(seen)
}

// Whatever happens to submissions, terms, rules and groups, in whatever order, with several workers
// and crashes: figures are what the slow way finds, and verification finds nothing.
func TestSkillsEqualTheSlowWay(t *testing.T) {
	t.Parallel()
	store := newStore(t, dbtest.Clone(t))
	left := histories()
	figures := 0
	rapid.Check(t, func(rt *rapid.T) {
		if left--; left < 0 {
			return
		}
		w := newSkilled(t, store)
		w.assign(t)
		h := skillHistory{rt, t, w}
		attempts := h.run()
		var others sync.WaitGroup
		others.Go(func() {
			for _, id := range w.jobs(t) {
				_, err := runPiece(t.Context(), store, w.tenant, id, 1)
				if err != nil {
					t.Error(err)
				}
			}
		})
		quarrel(t, w.world, rapid.Uint64().Draw(rt, "workers"))
		others.Wait()
		w.settle(t)
		got := w.readSkills(t)
		figures += len(got)
		if diff := cmp.Diff(w.referenceSkills(attempts), got, approximately); diff != "" {
			rt.Fatalf("figures differ (-slow +stored):\n%s", diff)
		}
		if r := w.verify(t); r.Differences != 0 {
			rt.Fatalf("the tables differ from a rebuild: %+v", r)
		}
		h.previewEqualsRecalculation()
	})
	if figures == 0 {
		t.Error("no history led to a figure")
	}
}

// skillHistory makes things happen.
type skillHistory struct {
	rt *rapid.T
	t  *testing.T
	w  *skilled
}

func (h skillHistory) run() []*attempt {
	h.w.publishRules(h.t, 0, h.rules(0))
	h.w.recalculate(h.t)
	if rapid.Bool().Draw(h.rt, "settled") {
		h.w.settle(h.t)
	}
	var all []*attempt
	for range rapid.IntRange(1, 20).Draw(h.rt, "attempts") {
		s := drawAttempt(h.rt, h.w.world)
		all = append(all, &s)
	}
	started := map[ids.ID]bool{}
	// In the last third no rule changes, so only batches can keep the figures right.
	first := 0
	for i := range 3 * len(all) {
		if i == 2*len(all) {
			h.w.settle(h.t)
			first = 4
		}
		h.w.write(h.t, func(ctx context.Context, tx *db.Tx) error {
			return step(ctx, tx, h.rt, h.w.world, all[i%len(all)], started)
		})
		h.happen(first)
	}
	return all
}

// happen does one thing besides the attempts, or nothing; things before first are left out.
func (h skillHistory) happen(first int) {
	w := h.w
	switch rapid.IntRange(first, 24).Draw(h.rt, "happens") {
	case 0:
		set := rapid.IntRange(0, 1).Draw(h.rt, "set")
		w.publishRules(h.t, set, h.rules(set))
	case 1:
		w.recalculate(h.t)
	case 2:
		if _, done := w.merged[w.terms[5]]; !done {
			w.merge(h.t, w.terms[5], rapid.SampledFrom([]ids.ID{w.terms[4], w.terms[2]}).Draw(h.rt, "into"))
		}
	case 3:
		w.move(h.t, w.terms[3], rapid.SampledFrom(w.terms[:3]).Draw(h.rt, "under"))
	case 4, 5, 6:
		w.write(h.t, func(ctx context.Context, tx *db.Tx) error {
			_, err := ProjectBatch(ctx, tx, 5)
			return err
		})
	case 7:
		group := rapid.IntRange(0, 2).Draw(h.rt, "group")
		w.do(h.t, `insert into group_members (tenant_id, group_id, user_id, org_unit_id, added_at) values ($1, $2, $3, $4, $5) on conflict do nothing`,
			w.groups[group], rapid.SampledFrom(w.users).Draw(h.rt, "member"), w.orgs[group%2], epoch)
	case 8:
		w.settle(h.t)
	case 9:
		w.do(h.t, "delete from group_members where tenant_id = $1 and user_id = $2", rapid.SampledFrom(w.users).Draw(h.rt, "leaver"))
	}
}

// rules draws a version of a set: the first is about the skills of the framework, the second about
// the other one.
func (h skillHistory) rules(set int) []mapRule {
	w := h.w
	targets := w.skills[:2]
	if set == 1 {
		targets = w.skills[3:]
	}
	var all []mapRule
	for _, s := range targets {
		strategy := rapid.SampledFrom([]string{"latest", "best", "mean", "weighted_recent"}).Draw(h.rt, "strategy")
		for range rapid.IntRange(0, 3).Draw(h.rt, "rules") {
			r := mapRule{skill: s.id, strategy: strategy, weight: rapid.SampledFrom([]float64{0.5, 1, 3}).Draw(h.rt, "weight")}
			h.choose(&r)
			all = append(all, r)
		}
	}
	if set == 0 && rapid.Bool().Draw(h.rt, "framework") {
		all = append(all, mapRule{skill: w.skills[2].id, kind: "framework", target: w.framework, weight: 1, strategy: "mean",
			prefix: rapid.SampledFrom([]string{"", "A.", "A.2", "C"}).Draw(h.rt, "prefix")})
	}
	for i := range all {
		if all[i].strategy == "weighted_recent" {
			all[i].halfLife = 7.5
		}
	}
	return all
}

func (h skillHistory) choose(r *mapRule) {
	v := rapid.SampledFrom(h.w.versions).Draw(h.rt, "version")
	terms := func(name string) []ids.ID {
		return rapid.SliceOfNDistinct(rapid.SampledFrom(h.w.terms), 0, 2, rapid.ID).Draw(h.rt, name)
	}
	switch r.kind = rapid.SampledFrom([]string{"tag_predicate", "tag_predicate", "tag_predicate", "evaluation", "evaluation_version", "question_version"}).Draw(h.rt, "kind"); r.kind {
	case "evaluation":
		r.target = v.evaluation
	case "evaluation_version":
		r.target = v.id
	case "question_version":
		r.target = rapid.SampledFrom(v.questions).Draw(h.rt, "question").id
	default:
		r.all, r.any, r.none = terms("all"), terms("any"), terms("none")
		r.descendants = rapid.Bool().Draw(h.rt, "descendants")
		if len(r.all)+len(r.any)+len(r.none) == 0 {
			r.any = h.w.terms[:1]
		}
	}
}

// previewEqualsRecalculation looks at what a draft would change, publishes it, recalculates, and compares person by
// person.
func (h skillHistory) previewEqualsRecalculation() {
	w := h.w
	set := rapid.IntRange(0, 1).Draw(h.rt, "set to preview")
	rules := h.rules(set)
	draft := w.draftRules(h.t, set, rules)
	before := w.readSkills(h.t)
	wantBefore, want := map[skillKey]float64{}, map[skillKey]float64{}
	_, err := PreviewSkills(h.t.Context(), w.store, w.tenant, draft, nil, func(c SkillChange) {
		k := skillKey{c.Org, c.User, c.Skill}
		if c.Before != nil {
			wantBefore[k] = *c.Before
		}
		if c.After != nil {
			want[k] = *c.After
		}
	})
	if err != nil {
		h.rt.Fatal(err)
	}
	if diff := cmp.Diff(values(before), wantBefore, approximately); diff != "" {
		h.rt.Fatalf("the preview starts elsewhere (-stored +preview):\n%s", diff)
	}
	if diff := cmp.Diff(before, w.readSkills(h.t), approximately); diff != "" {
		h.rt.Fatalf("the preview wrote something (-before +after):\n%s", diff)
	}
	w.publishDraft(h.t, set, draft, rules)
	w.recalculate(h.t)
	w.settle(h.t)
	if diff := cmp.Diff(want, values(w.readSkills(h.t)), approximately); diff != "" {
		h.rt.Fatalf("the preview said otherwise (-preview +recalculated):\n%s", diff)
	}
}

func values(all map[skillKey]able) map[skillKey]float64 {
	only := map[skillKey]float64{}
	for k, a := range all {
		only[k] = a.Value
	}
	return only
}
