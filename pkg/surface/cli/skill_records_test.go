package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

// idFrom gives the id of the record that a line makes.
func (d *desk) idFrom(line, field string) string {
	d.t.Helper()
	var record map[string]any
	err := json.Unmarshal([]byte(d.must(line+" -o json")), &record)
	id, is := record[field].(string)
	if err != nil || !is {
		d.t.Fatalf("%s: %v without %s, %v", line, record, field, err)
	}
	return id
}

const skillCSV = "code,name,parent,levels\nN,Nursing,,\nN.1,Calculates doses,N,novice:0; able:0.7\nN.1.a,Reads the order,N.1,\nN.2,Dresses wounds,N,\n"

// A framework comes from a file, is looked at, changed, and goes out again.
func TestSkillRecords(t *testing.T) {
	t.Parallel()
	d := officeDesk(t)
	file := d.file("nursing.csv", skillCSV)
	framework := d.idFrom("skill import commit "+file+" --title Nursing --publish"+atHead, "frameworkId")
	made := d.idFrom("skill create 'Keeps records' --code N.3 --framework "+framework+" --level able:0.5"+atHead, "id")
	d.say(
		"skill import preview "+d.file("bad.csv", "code,name,parent\nA,,B\nB,Second,A\nC,Third,D\n")+" --title Bad"+atHead,
		"skill import commit "+d.file("bad.csv", "code,name,parent\nA,,B\nB,Second,A\nC,Third,D\n")+" --title Bad"+atHead,
		"skill import commit "+file+" --framework "+framework+" --dry-run"+atHead,
		"skill tree "+framework+atHead,
		"skill tree "+framework+" -o csv"+atHead,
		"skill publish "+made+atHead,
		"skill update "+made+" --name 'Keeps good records' --level begun:0 --level able:0.5"+atHead,
		"skill show "+made+atHead,
		"skill versions "+made+atHead,
		"skill list --framework "+framework+atHead,
		"skill list --prefix N.1"+atHead,
		"skill update "+made+" --retired --no-levels"+atHead,
		"skill list --retired"+atHead,
		"skill framework list"+atHead,
		"skill framework update "+framework+" --title 'Nursing, first year'"+atHead,
		"skill framework show "+framework+atHead,
		"skill export "+framework+" --csv"+atHead,
		"skill create A --level much"+atHead,
		"skill export nothing"+atHead,
	)
	d.check("skill_records.txt")
	out := d.must("skill export " + framework + atHead)
	if again := d.must("skill import commit " + d.file("out.json", out) + atHead); !strings.HasPrefix(again, "0 created, 0 changed, 5 unchanged") &&
		!strings.HasPrefix(again, "0 created, 5 changed") {
		t.Errorf("import of the export: %s", again)
	}
	if again := d.must("skill import commit " + d.file("out.json", out) + atHead); !strings.HasPrefix(again, "0 created, 0 changed, 5 unchanged") {
		t.Errorf("import of the export, again: %s", again)
	}
}

// A mapping set is written, checked and published.
func TestSkillMapRecords(t *testing.T) {
	t.Parallel()
	d := officeDesk(t)
	target := d.idFrom("skill create 'Fights fires'"+atHead, "id")
	d.must("skill publish " + target + atHead)
	set := d.idFrom("skill-map create 'Fire exams'"+atHead, "id")
	rules := func(term string) string {
		return d.file("rules.json", `{"rules":[{"ruleType":"tag_predicate","selector":{"any":["`+term+`"]},"targetSkillId":"`+target+`"}]}`)
	}
	d.say("skill-map list"+atHead, "skill-map publish "+set+atHead, "skill-map rules "+set+" "+rules("topic:water")+atHead)
	d.say("skill-map rules "+set+" "+d.file("odd.json", `{"rulez":[]}`)+atHead, "skill-map rules "+set+" "+d.file("none.json", `{}`)+atHead,
		"skill-map validate "+set+atHead, "skill-map rules "+set+" "+rules("topic:fire")+atHead)
	d.say("skill-map validate "+set+atHead, "skill-map show "+set+atHead, "skill-map publish "+set+" --dry-run"+atHead, "skill-map publish "+set+" --recalculate"+atHead,
		"skill-map show "+set+atHead, "skill-map rules "+set+" "+rules("topic:fire")+atHead, "skill-map versions "+set+atHead,
		"skill-map drop "+set+" --yes"+atHead, "skill-map update "+set+" --retired"+atHead, "skill-map drop "+set+" --yes"+atHead)
	d.check("skill_map_records.txt")
}
