package httpapi_test

import (
	"maps"
	"testing"

	"assess/pkg/author/skill"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// skillPlace holds a published skill with a draft, a draft to publish, and mapping sets: one with a draft to read and
// change, one with a draft to drop, one to publish, and one without a draft.
type skillPlace struct {
	Skill, NewSkill, Framework ids.ID
	// Mappings are two of each, because their routes have two names.
	Mappings [2]mappingPlace
}

type mappingPlace struct{ Set, Version, Doubtful, DoubtfulVersion, Sound, SoundVersion, Mapped, MappedVersion ids.ID }

func skillsOf(t *testing.T, tx *db.Tx) skillPlace {
	t.Helper()
	s := sample.Skill(t, tx, "Adds numbers")
	name := "Adds whole numbers"
	changed, err := skill.Update(t.Context(), tx, s.ID, skill.Patch{Name: &name})
	if err != nil {
		t.Fatal(err)
	}
	p := skillPlace{Skill: changed.ID, Framework: *changed.FrameworkID}
	fresh, err := skill.Create(t.Context(), tx, skill.Input{Content: skill.Content{Name: "Subtracts"}})
	if err != nil {
		t.Fatal(err)
	}
	p.NewSkill = fresh.ID
	term := sample.Term(t, tx, "sums-"+ids.New().String(), "one")
	for i := range p.Mappings {
		m := &p.Mappings[i]
		for _, at := range []struct{ set, version *ids.ID }{{&m.Set, &m.Version}, {&m.Doubtful, &m.DoubtfulVersion}, {&m.Sound, &m.SoundVersion}, {&m.Mapped, &m.MappedVersion}} {
			target := sample.Skill(t, tx, "Counts")
			*at.set, *at.version = sample.Mapping(t, tx, skill.RuleInput{RuleType: skill.TagPredicate, Selector: skill.Selector{Any: []string{term.String()}}, TargetSkillID: target.ID})
		}
		_, err = skill.PublishMapping(t.Context(), tx, m.Mapped, m.MappedVersion, projection.CountSkillMatches)
		if err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func init() {
	at := func(choose func(place) ids.ID) func(place) map[string]ids.ID {
		return func(p place) map[string]ids.ID { return map[string]ids.ID{"id": choose(p)} }
	}
	one, framework := at(func(p place) ids.ID { return p.Skill }), at(func(p place) ids.ID { return p.Framework })
	named := map[string]func(place) map[string]ids.ID{
		"getSkillFramework": framework, "updateSkillFramework": framework,
		"getSkill": one, "updateSkill": one, "listSkillVersions": one, "publishSkill": at(func(p place) ids.ID { return p.NewSkill }),
	}
	bodies := map[string]func(place) any{
		"createSkillFramework": func(place) any { return map[string]any{"title": "Arithmetic"} },
		"updateSkillFramework": func(place) any { return map[string]any{"description": "For the first year"} },
		"createSkill":          func(place) any { return map[string]any{"name": "Multiplies"} },
		"updateSkill":          func(place) any { return map[string]any{"description": "Up to a hundred"} },
		"publishSkill":         func(place) any { return nil },
	}
	for i, suffix := range []string{"", "Alias"} {
		sampleMappings(i, suffix, named, bodies)
	}
	maps.Copy(noun, named)
	maps.Copy(body, bodies)
	for id := range named {
		tenantWide[id] = true
	}
}

func sampleMappings(i int, suffix string, named map[string]func(place) map[string]ids.ID, bodies map[string]func(place) any) {
	version := func(choose func(mappingPlace) (set, version ids.ID)) func(place) map[string]ids.ID {
		return func(p place) map[string]ids.ID {
			set, version := choose(p.Mappings[i])
			return map[string]ids.ID{"id": set, "versionId": version}
		}
	}
	set := func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Mappings[i].Set} }
	mapping := version(func(m mappingPlace) (ids.ID, ids.ID) { return m.Set, m.Version })
	for id, of := range map[string]func(place) map[string]ids.ID{
		"getMappingSet": set, "updateMappingSet": set, "listMappingVersions": set,
		"getMappingVersion": mapping, "setMappingRules": mapping, "validateMapping": mapping,
		"draftMapping":     func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Mappings[i].Mapped} },
		"dropMappingDraft": version(func(m mappingPlace) (ids.ID, ids.ID) { return m.Doubtful, m.DoubtfulVersion }),
		"publishMapping":   version(func(m mappingPlace) (ids.ID, ids.ID) { return m.Sound, m.SoundVersion }),
	} {
		named[id+suffix] = of
	}
	for id, of := range map[string]func(place) any{
		"createMappingSet": func(place) any { return map[string]any{"title": "Exams of arithmetic"} },
		"updateMappingSet": func(place) any { return map[string]any{"description": "All of them"} },
		"draftMapping":     func(place) any { return map[string]any{} },
		"setMappingRules": func(p place) any {
			return map[string]any{"rules": []any{map[string]any{"ruleType": "evaluation", "selector": map[string]any{"evaluationId": p.Evaluation}, "targetSkillId": p.Skill}}}
		},
		"validateMapping": func(place) any { return nil },
		"publishMapping":  func(place) any { return nil },
	} {
		bodies[id+suffix] = of
	}
}
