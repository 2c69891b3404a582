package httpapi_test

import (
	"maps"
	"testing"

	"assess/pkg/dev/apptest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// skillFigurePlace holds a skill with a figure of User, the rules that lead to it, and a recalculation.
type skillFigurePlace struct{ FigureSkill, FigureSet, FigureMapping, Recalculation ids.ID }

func skillFiguresOf(t *testing.T, app *apptest.App, scope db.Scope, p place) skillFigurePlace {
	t.Helper()
	f := skillFigurePlace{FigureSkill: ids.New(), FigureSet: ids.New(), FigureMapping: ids.New()}
	version := ids.New()
	sample.Write(t, app.Store, scope, func(tx *db.Tx) error {
		for _, sql := range []string{
			`insert into skills (tenant_id, id, identifier, created_at, updated_at) select $1, $2, $2, now(), now() from (select $3::uuid, $4::uuid, $5::uuid, $6::uuid, $7::uuid) x`,
			`insert into skill_versions (tenant_id, id, skill_id, number, status, name, created_at, updated_at, published_at)
				select $1, $5, $2, 1, 'published', 'Reasoning', now(), now(), now() from (select $3::uuid, $4::uuid, $6::uuid, $7::uuid) x`,
			`update skills set current_version_id = $5 where tenant_id = $1 and id = $2 and num_nulls($3::uuid, $4::uuid, $6::uuid, $7::uuid) >= 0`,
			`insert into skill_mapping_sets (tenant_id, id, title, created_at, updated_at) select $1, $3, 'Figures', now(), now() from (select $2::uuid, $4::uuid, $5::uuid, $6::uuid, $7::uuid) x`,
			`insert into skill_mapping_versions (tenant_id, id, set_id, number, status, created_at, updated_at)
				select $1, $4, $3, 1, 'draft', now(), now() from (select $2::uuid, $5::uuid, $6::uuid, $7::uuid) x`,
			`insert into skill_mapping_rules (tenant_id, id, version_id, pos, rule_type, selector, target_skill_id, weight, strategy)
				select $1, $7, $4, 0, 'evaluation', jsonb_build_object('evaluationId', $6::uuid), $2, 1, 'mean' from (select $3::uuid, $5::uuid) x`,
			`update skill_mapping_versions set status = 'published', content_hash = 'h', published_at = now()
				where tenant_id = $1 and id = $4 and num_nulls($2::uuid, $3::uuid, $5::uuid, $6::uuid, $7::uuid) >= 0`,
			`update skill_mapping_sets set active_version_id = $4 where tenant_id = $1 and id = $3 and num_nulls($2::uuid, $5::uuid, $6::uuid, $7::uuid) >= 0`,
		} {
			_, err := tx.Exec(t.Context(), sql, tx.Tenant(), f.FigureSkill, f.FigureSet, f.FigureMapping, version, p.Evaluation, ids.New())
			if err != nil {
				return err
			}
		}
		queued, err := projection.QueueRecalculation(t.Context(), tx, projection.RecalculateInput{})
		f.Recalculation = queued.ID
		return err
	})
	for _, what := range []string{"the rules", "the people"} {
		_, err := projection.RunPiece(t.Context(), app.Store, scope.Tenant, f.Recalculation)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	return f
}

func init() {
	mapping := func(p place) map[string]ids.ID {
		return map[string]ids.ID{"id": p.FigureSet, "versionId": p.FigureMapping}
	}
	maps.Copy(noun, map[string]func(place) map[string]ids.ID{
		"getSkillsProfile":  func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.User} },
		"listSkillEvidence": func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.User, "skillId": p.FigureSkill} },
		"listSkillSources":  func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.FigureSkill} },
		"competencyCoverage": func(p place) map[string]ids.ID {
			return map[string]ids.ID{"id": p.Evaluation, "versionId": p.EvaluationVersion}
		},
		"getSkillJob":         func(p place) map[string]ids.ID { return map[string]ids.ID{"jobId": p.Recalculation} },
		"previewMapping":      mapping,
		"previewMappingAlias": mapping,
	})
	nothing := func(place) any { return nil }
	maps.Copy(body, map[string]func(place) any{"recalculateSkills": func(place) any { return map[string]any{} }, "previewMapping": nothing,
		"previewMappingAlias": nothing})
	for _, id := range []string{"getSkillsProfile", "listSkillEvidence", "listSkillSources", "previewMapping", "previewMappingAlias"} {
		tenantWide[id] = true
	}
}
