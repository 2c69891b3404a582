package projection

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// skilled is a world with terms, skills and two sets of rules.
type skilled struct {
	*world
	terms     []ids.ID
	parent    map[ids.ID]ids.ID
	merged    map[ids.ID]ids.ID
	framework ids.ID
	skills    []skillOf
	groups    []ids.ID
	members   map[ids.ID][]ids.ID
	sets      [2]ids.ID
	// published are the rules of the newest version of each set, applied the rules that figures follow.
	published, applied [2][]mapRule
	drafts             int
}

type skillOf struct {
	id        ids.ID
	framework bool
	code      string
	levels    []float64
}

type mapRule struct {
	id, skill        ids.ID
	kind             string
	all, any, none   []ids.ID
	descendants      bool
	target           ids.ID
	prefix, strategy string
	weight, halfLife float64
}

func (r mapRule) selector() map[string]any {
	switch r.kind {
	case "evaluation":
		return map[string]any{"evaluationId": r.target}
	case "evaluation_version":
		return map[string]any{"evaluationVersionId": r.target}
	case "question_version":
		return map[string]any{"questionVersionId": r.target}
	case "framework":
		return map[string]any{"frameworkId": r.target, "codePrefix": r.prefix}
	}
	return map[string]any{"all": r.all, "any": r.any, "none": r.none, "includeDescendants": r.descendants}
}

// newSkilled adds two evaluation versions whose questions have terms, one in each org unit.
func newSkilled(t testing.TB, store *db.Store) *skilled {
	t.Helper()
	w := &skilled{world: newWorld(t, store), framework: ids.New(), parent: map[ids.ID]ids.ID{}, merged: map[ids.ID]ids.ID{},
		members: map[ids.ID][]ids.ID{}, sets: [2]ids.ID{ids.New(), ids.New()}}
	facet := ids.New()
	w.do(t, "insert into facets (tenant_id, id, domain, slug, label, created_at, updated_at) values ($1, $2, 'content', 'topic', 'Topic', $3, $3)", facet, epoch)
	for i := range 6 {
		w.terms = append(w.terms, ids.New())
		w.do(t, `insert into terms (tenant_id, id, facet_id, slug, label, created_at, updated_at) values ($1, $2, $3, $4, $4, $5, $5)`,
			w.terms[i], facet, fmt.Sprintf("t%d", i), epoch)
	}
	w.move(t, w.terms[1], w.terms[0])
	w.move(t, w.terms[2], w.terms[1])
	w.addSkills(t)
	for i, org := range w.orgs {
		of := func(terms ...ids.ID) question { return question{ids.New(), "mcq", 1, nil, false, terms} }
		w.addVersion(t, org, []question{of(w.terms[i], w.terms[4]), of(w.terms[2]), of(w.terms[3], w.terms[5]), of(),
			{ids.New(), "short_text", 0, nil, true, w.terms[:1]}})
	}
	for i := range 3 {
		group := ids.New()
		w.groups = append(w.groups, group)
		w.do(t, `insert into groups (tenant_id, id, org_unit_id, name, created_at, updated_at) values ($1, $2, $3, $4, $5, $5)`, group, w.orgs[i%2], fmt.Sprint("G", i), epoch)
	}
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		err := tx.AnnounceAccess(ctx)
		if err == nil {
			_, err = tx.Exec(ctx, `insert into user_org_units (tenant_id, user_id, org_unit_id)
				select $1, u, o from unnest($2::uuid[]) u cross join unnest($3::uuid[]) o returning true`, w.tenant, w.users, w.orgs)
		}
		return err
	})
	return w
}

func (w *skilled) addSkills(t testing.TB) {
	t.Helper()
	w.do(t, `insert into skill_frameworks (tenant_id, id, identifier, title, created_at, updated_at) values ($1, $2, $2, 'Framework', $3, $3)`, w.framework, epoch)
	w.skills = []skillOf{{ids.New(), true, "A.1", []float64{0.5, 0.8}}, {ids.New(), true, "A.2", nil}, {ids.New(), true, "B", []float64{0.25}}, {ids.New(), false, "", []float64{0, 1}}}
	for i, s := range w.skills {
		var framework *ids.ID
		if s.framework {
			framework = &w.framework
		}
		version := ids.New()
		w.do(t, `insert into skills (tenant_id, id, identifier, framework_id, code, position, created_at, updated_at) values ($1, $2, $2, $3, nullif($4, ''), $5, $6, $6)`, s.id, framework, s.code, i, epoch)
		w.do(t, `insert into skill_versions (tenant_id, id, skill_id, number, status, name, levels, created_at, updated_at, published_at)
			values ($1, $2, $3, 1, 'published', $4, $5::text::jsonb, $6, $6, $6)`,
			version, s.id, fmt.Sprint("Skill ", i), levelsJSON(s.levels), epoch)
		w.do(t, "update skills set current_version_id = $3 where tenant_id = $1 and id = $2", s.id, version)
	}
	for _, set := range w.sets {
		w.do(t, "insert into skill_mapping_sets (tenant_id, id, title, created_at, updated_at) values ($1, $2, 'Set', $3, $3)", set, epoch)
	}
}

func levelsJSON(thresholds []float64) string {
	all := []map[string]any{}
	for i, at := range thresholds {
		all = append(all, map[string]any{"name": fmt.Sprint("Level ", i+1), "threshold": at})
	}
	text, _ := json.Marshal(all)
	return string(text)
}

// do runs a statement; $1 is the tenant.
func (w *world) do(t testing.TB, sql string, args ...any) {
	t.Helper()
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, sql, append([]any{w.tenant}, args...)...)
		return err
	})
}

// move puts a term under another.
func (w *skilled) move(t testing.TB, term, parent ids.ID) {
	t.Helper()
	w.parent[term] = parent
	w.do(t, `insert into term_relations (tenant_id, term_id, parent_id, created_at) values ($1, $2, $3, $4)
		on conflict (tenant_id, term_id) do update set parent_id = excluded.parent_id`, term, parent, epoch)
}

// merge merges a term without relations into another.
func (w *skilled) merge(t testing.TB, from, into ids.ID) {
	t.Helper()
	w.merged[from] = into
	w.do(t, "update terms set merged_into = $3, retired_at = $4 where tenant_id = $1 and id = $2", from, into, epoch)
}

// publishRules publishes a version of a set, which figures do not follow yet.
func (w *skilled) publishRules(t testing.TB, set int, rules []mapRule) ids.ID {
	t.Helper()
	version := w.draftRules(t, set, rules)
	w.publishDraft(t, set, version, rules)
	return version
}

func (w *skilled) publishDraft(t testing.TB, set int, version ids.ID, rules []mapRule) {
	t.Helper()
	w.do(t, "update skill_mapping_versions set status = 'published', content_hash = 'h', published_at = $3 where tenant_id = $1 and id = $2", version, epoch)
	w.do(t, "update skill_mapping_sets set active_version_id = $3 where tenant_id = $1 and id = $2", w.sets[set], version)
	w.published[set] = rules
}

func (w *skilled) draftRules(t testing.TB, set int, rules []mapRule) ids.ID {
	t.Helper()
	version := ids.New()
	w.drafts++
	w.do(t, "insert into skill_mapping_versions (tenant_id, id, set_id, number, status, created_at, updated_at) values ($1, $2, $3, $4, 'draft', $5, $5)", version, w.sets[set], w.drafts, epoch)
	for i := range rules {
		r := &rules[i]
		r.id = ids.New()
		selector, err := json.Marshal(r.selector())
		if err != nil {
			t.Fatal(err)
		}
		w.do(t, `insert into skill_mapping_rules (tenant_id, id, version_id, pos, rule_type, selector, target_skill_id, weight, strategy, half_life_days)
			values ($1, $2, $3, $4, $5, $6::text::jsonb, $7, $8::float8::numeric, $9, nullif($10::float8, 0)::numeric)`,
			r.id, version, i, r.kind, string(selector), r.skill, r.weight, r.strategy, r.halfLife)
	}
	return version
}

// recalculate starts a recalculation; its pieces are left for settle.
func (w *skilled) recalculate(t testing.TB) {
	t.Helper()
	var j Job
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		var err error
		j, err = QueueRecalculation(ctx, tx, RecalculateInput{})
		return err
	})
	_, err := runPiece(t.Context(), w.store, w.tenant, j.ID, 2)
	if err != nil {
		t.Fatal(err)
	}
	w.applied = [2][]mapRule{slices.Clone(w.published[0]), slices.Clone(w.published[1])}
}

// settle projects and recalculates until nothing waits.
func (w *skilled) settle(t testing.TB) {
	t.Helper()
	for {
		w.drain(t, 7)
		waiting := w.jobs(t)
		if len(waiting) == 0 {
			return
		}
		for _, id := range waiting {
			for {
				done, err := runPiece(t.Context(), w.store, w.tenant, id, 2)
				if err != nil {
					t.Fatal(err)
				}
				if done.State == models.ReportJobCompleted {
					break
				}
			}
		}
	}
}

func (w *skilled) jobs(t testing.TB) []ids.ID {
	t.Helper()
	var waiting []ids.ID
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		var err error
		waiting, err = idsOf(ctx, tx, "select id from report_jobs where tenant_id = $1 and state <> 'completed' order by created_at, id")
		return err
	})
	return waiting
}
