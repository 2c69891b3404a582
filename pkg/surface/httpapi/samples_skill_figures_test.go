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
		for _, made := range []struct {
			sql  string
			args []any
		}{
			{`insert into skills (tenant_id, id, identifier, created_at, updated_at) values ($1, $2, $2, now(), now())`, []any{f.FigureSkill}},
			{`insert into skill_versions (tenant_id, id, skill_id, number, status, name, created_at, updated_at, published_at)
				values ($1, $2, $3, 1, 'published', 'Reasoning', now(), now(), now())`, []any{version, f.FigureSkill}},
			{`update skills set current_version_id = $2 where tenant_id = $1 and id = $3`, []any{version, f.FigureSkill}},
			{`insert into skill_mapping_sets (tenant_id, id, title, created_at, updated_at) values ($1, $2, 'Figures', now(), now())`, []any{f.FigureSet}},
			{`insert into skill_mapping_versions (tenant_id, id, set_id, number, status, created_at, updated_at)
				values ($1, $2, $3, 1, 'draft', now(), now())`, []any{f.FigureMapping, f.FigureSet}},
			{`insert into skill_mapping_rules (tenant_id, id, version_id, pos, rule_type, selector, target_skill_id, weight, strategy)
				values ($1, $2, $3, 0, 'evaluation', jsonb_build_object('evaluationId', $4::uuid), $5, 1, 'mean')`,
				[]any{ids.New(), f.FigureMapping, p.Evaluation, f.FigureSkill}},
			{`update skill_mapping_versions set status = 'published', content_hash = 'h', published_at = now()
				where tenant_id = $1 and id = $2`, []any{f.FigureMapping}},
			{`update skill_mapping_sets set active_version_id = $2 where tenant_id = $1 and id = $3`, []any{f.FigureMapping, f.FigureSet}},
		} {
			_, err := tx.Exec(t.Context(), made.sql, append([]any{tx.Tenant()}, made.args...)...)
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
