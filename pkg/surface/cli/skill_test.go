package cli

import "testing"

// Somebody who asks what people can do, before any rule says which question counts for what.
func TestSkillFigures(t *testing.T) {
	t.Parallel()
	d := examDesk(t)
	d.must("projection run" + north)
	d.say(
		"skill overview"+north,
		"skill overview -o json"+north,
		"skill recalculate --queue"+north,
		"skill-map preview 0190b3c4-0000-7000-8000-000000000001 0190b3c4-0000-7000-8000-000000000002"+north,
		"skill-map resolve 0190b3c4-0000-7000-8000-000000000001"+north,
		"skill profile nobody@example.org"+north,
		"skill evidence nobody@example.org 0190b3c4-0000-7000-8000-000000000001"+north,
		"skill coverage nothing 0190b3c4-0000-7000-8000-000000000001"+north,
		"skill sources 0190b3c4-0000-7000-8000-000000000001"+north,
	)
	d.check("skill_figures.txt")
}
