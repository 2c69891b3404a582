package skill

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// namesOf gives the names of everything that rules refer to: skills, terms as facet:slug, frameworks, and
// evaluations in reach. A skill that was never published has the name of its draft.
func namesOf(ctx context.Context, tx *db.Tx, rules []Rule) (map[string]string, error) {
	var named []ids.ID
	for _, r := range rules {
		named = append(named, r.TargetSkillID)
		for _, term := range slices.Concat(r.Selector.All, r.Selector.Any, r.Selector.None) {
			if id, err := ids.Parse("term", term); err == nil {
				named = append(named, id)
			}
		}
		for _, id := range []*ids.ID{r.Selector.EvaluationID, r.Selector.EvaluationVersion, r.Selector.FrameworkID} {
			if id != nil {
				named = append(named, *id)
			}
		}
	}
	names := map[string]string{}
	if len(named) == 0 {
		return names, nil
	}
	rows, err := tx.Query(ctx, `
		select n.id, x.name from (select distinct id from unnest($2::uuid[]) u (id) offset 0) n
		cross join lateral (
			(select v.name from skills s cross join lateral (
					select name from skill_versions v where v.tenant_id = $1 and v.skill_id = s.id
					order by coalesce(v.id = s.current_version_id, false) desc, v.number desc limit 1) v
				where s.tenant_id = $1 and s.id = n.id)
			union all select f.slug || ':' || t.slug from (select * from terms t where t.tenant_id = $1 and t.id = n.id offset 0) t
				cross join lateral (select slug from facets f where f.tenant_id = $1 and f.id = t.facet_id offset 0) f
			union all select title from skill_frameworks f where f.tenant_id = $1 and f.id = n.id
			union all select title from evaluations e where e.tenant_id = $1 and e.id = n.id
			union all select v.title || ' (' || v.number || ')' from evaluation_versions v where v.tenant_id = $1 and v.id = n.id
			offset 0) x`, tx.Tenant(), named)
	if err != nil {
		return nil, fmt.Errorf("read names: %w", err)
	}
	var id ids.ID
	var name string
	_, err = pgx.ForEachRow(rows, []any{&id, &name}, func() error {
		names[id.String()] = name
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read names: %w", err)
	}
	return names, nil
}
