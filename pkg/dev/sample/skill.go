package sample

import (
	"testing"

	"assess/pkg/author/skill"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Skill makes a published skill with two levels, in a framework of its own.
func Skill(t testing.TB, tx *db.Tx, name string) skill.Detail {
	t.Helper()
	f, err := skill.CreateFramework(t.Context(), tx, skill.FrameworkInput{Title: "Framework of " + name})
	if err != nil {
		t.Fatal(err)
	}
	made, err := skill.Create(t.Context(), tx, skill.Input{Place: skill.Place{FrameworkID: &f.ID, Code: "S1"},
		Content: skill.Content{Name: name, Levels: []skill.Level{{Name: "begun", Threshold: 0.3}, {Name: "able", Threshold: 0.7}}}})
	if err == nil {
		made, err = skill.Publish(t.Context(), tx, made.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// Mapping makes a mapping set with a draft of these rules.
func Mapping(t testing.TB, tx *db.Tx, rules ...skill.RuleInput) (set, version ids.ID) {
	t.Helper()
	s, err := skill.CreateSet(t.Context(), tx, skill.MappingSetInput{Title: "Mapping"})
	if err != nil {
		t.Fatal(err)
	}
	v, err := skill.Draft(t.Context(), tx, s.ID, skill.RulesInput{Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	return s.ID, v.ID
}
