package cli

import (
	"encoding/json"
	"testing"
)

// Somebody wants to know what people can do, before any rule says which question counts for what.
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

// Sixty people took an exam of two questions: a framework, rules, what they would change, and what everybody can do then.
func TestSkillFiguresOfAnExam(t *testing.T) {
	t.Parallel()
	d := examDesk(t)
	d.must("projection run" + north)
	file := d.file("framework.csv", "code,name,parent,levels\nK,Knows the world,,some:0.3; much:0.8\nK.1,Knows capitals,K,sure:1\nK.2,Counts,K,\n")
	framework := d.idFrom("skill import commit "+file+" --title Knowledge --publish"+north, "frameworkId")
	skill := func(code string) string { return d.first("skill list --prefix "+code+north, "id") }
	evaluation := d.first("evaluation list"+north, "id")
	version := d.field("evaluation show "+evaluation+north, "published", "id")
	set := d.idFrom("skill-map create 'First rules'"+north, "id")
	d.say("skill-map rules " + set + " " + d.file("rules.json", `{"rules":[
		{"ruleType":"tag_predicate","selector":{"any":["tags:geography"]},"targetSkillId":"`+skill("K.1")+`"},
		{"ruleType":"tag_predicate","selector":{"any":["tags:arithmetic"]},"targetSkillId":"`+skill("K.2")+`","strategy":"best"},
		{"ruleType":"framework","selector":{"frameworkId":"`+framework+`","codePrefix":"K."},"targetSkillId":"`+skill("K")+`"}]}`) + north)
	draft := d.field("skill-map show "+set+north, "draftId")
	d.say("skill-map validate "+set+north,
		"skill-map preview "+set+" "+draft+north,
		"skill-map publish "+set+north,
		"skill-map resolve "+version+north,
		"skill overview"+north,
		"skill recalculate"+north)
	d.must("percentiles recompute" + north)
	d.say("skill overview"+north,
		"skill overview -o csv"+north,
		"skill coverage "+evaluation+" "+version+" --framework "+framework+north,
		"skill sources "+skill("K")+north,
		"skill profile p0@example.org"+north,
		"skill profile p0@example.org -o json"+north,
		"skill evidence p0@example.org "+skill("K")+north,
		"skill evidence p0@example.org "+skill("K")+" --page 2 --limit 1"+north,
		"skill profile p61@example.org"+north,
		"skill-map preview "+set+" "+draft+north,
		"skill-map recalculate"+north)
	d.check("skill_figures_exam.txt")
}

// field reads a field of the record that a command shows.
func (d *desk) field(line string, path ...string) string {
	d.t.Helper()
	var record any
	err := json.Unmarshal([]byte(d.must(line+" -o json")), &record)
	for _, name := range path {
		inner, _ := record.(map[string]any)
		record = inner[name]
	}
	text, is := record.(string)
	if err != nil || !is {
		d.t.Fatalf("%s: no %v, %v", line, path, err)
	}
	return text
}

// first reads a field of the first record of a list.
func (d *desk) first(line, name string) string {
	d.t.Helper()
	var list struct{ Items []map[string]any }
	err := json.Unmarshal([]byte(d.must(line+" -o json")), &list)
	if err != nil || len(list.Items) == 0 {
		d.t.Fatalf("%s: an empty list, %v", line, err)
	}
	return list.Items[0][name].(string)
}
