package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	packQuestions = "externalId,qtype,stem,optionA,optionB,optionC,correct,terms,weight\n" +
		"fire-1,single,Which extinguisher is for burning oil?,Water,Foam,None,B,topic:fire,1\n" +
		"fire-2,single,What do you do first?,Run,Warn others,Wait,B,topic:fire,1\n"
	packExams = "evaluation,title,question,passMarkPercent,publish\n" +
		"fire,Fire safety,fire-1,50,yes\nfire,,fire-2,,\ndrill,The drill,fire-2,50,yes\n"
)

var sums = regexp.MustCompile(`\b[0-9a-f]{64}\b`)

// officeDesk is a desk whose tenant northwind has a head office with two published exams, and a school.
func officeDesk(t *testing.T) *desk {
	t.Helper()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create head --name 'Head office' --tenant northwind")
	d.must("org create school --name 'Harbour school' --tenant northwind")
	d.bring(packQuestions, packExams, atHead)
	return d
}

const (
	atHead   = " --tenant northwind --org head"
	atSchool = " --tenant northwind --org school"
)

// bring imports questions and publishes them, and then evaluations.
func (d *desk) bring(questions, exams, where string) {
	d.t.Helper()
	d.must("import questions commit " + d.file("questions.csv", questions) + " --create-terms" + where)
	for _, id := range []string{"fire-1", "fire-2"} {
		d.run("question publish " + id + where) // one that did not change has nothing to publish
	}
	if exams != "" {
		d.must("import evaluations commit " + d.file("exams.csv", exams) + where)
	}
}

// told compares the conversation with a golden file, with hashes and keys numbered.
func (d *desk) told(file string) {
	d.t.Helper()
	text := numbered(d.said.String(), sums, "%064d")
	d.said.Reset()
	d.said.WriteString(text)
	d.check(file)
}

// The work of somebody who looks after a library: its content, its revisions, and what becomes of it.
func TestPackLibrary(t *testing.T) {
	t.Parallel()
	d := officeDesk(t)
	d.say("pack list"+atHead, "pack create ''"+atHead, "pack create 'Fire safety' --offered --dry-run"+atHead)
	if n := d.count("select count(*) from libraries"); n != 0 {
		t.Errorf("the dry run left %d libraries", n)
	}
	d.say("pack create 'Fire safety' --offered --description 'For all schools' --idempotency-key once"+atHead,
		"pack create 'Fire safety' --offered --description 'For all schools' --idempotency-key once"+atHead)
	id := idOf(t, d.must("pack list -o json"+atHead))
	d.say("pack publish "+id+atHead,
		"pack add "+id+" fire --metadata '{\"grade\":5}'"+atHead,
		"pack add "+id+" drill"+atHead,
		"pack add "+id+" drill"+atHead,
		"pack add "+id+" nothing"+atHead,
		"pack add "+id+" fire --metadata 5"+atHead,
		"pack add "+id+" fire"+atSchool)
	var shown struct{ Items []struct{ ID string } }
	err := json.Unmarshal([]byte(d.must("pack show "+id+" -o json"+atHead)), &shown)
	if err != nil || len(shown.Items) != 2 {
		t.Fatalf("%v, %d items", err, len(shown.Items))
	}
	item := shown.Items[1].ID
	d.say("pack item "+id+" "+item+" --pos 0 --metadata '{\"grade\":6}'"+atHead,
		"pack item "+id+" "+item+" --pos -1"+atHead,
		"pack item "+id+" "+id+" --pos 1"+atHead,
		"pack show "+id+" -o json"+atHead,
		"pack show nonsense"+atHead,
		"pack show "+item+atHead,
		"pack publish "+id+" --dry-run"+atHead,
		"pack publish "+id+atHead,
		"pack publish "+id+atHead,
		"pack remove "+id+" "+item+atHead,
		"pack remove "+id+" "+item+atHead,
		"pack publish "+id+" -o json"+atHead,
		"pack revisions "+id+atHead,
		"pack revisions "+id+" -o csv"+atSchool,
		"pack revision "+id+" 1"+atHead,
		"pack revision "+id+" -o json"+atHead,
		"pack revision "+id+" 9"+atHead,
		"pack diff "+id+atHead,
		"pack diff "+id+" 1"+atHead,
		"pack diff "+id+" 1 --from 2 -o json"+atHead,
		"pack list -o json"+atSchool,
		"pack update "+id+" --offered=false --name 'Fire safety 2026'"+atHead,
		"pack list"+atSchool,
		"pack revisions "+id+atSchool,
		"pack delete "+id+atHead,
		"pack delete "+id+" --yes"+atHead,
		"pack list"+atHead,
		"pack list --archived"+atHead,
		"pack update 'Fire safety 2026' --archived=false --offered"+atHead,
		"pack create Spare"+atHead)
	d.say("pack delete " + idOf(t, d.must("pack list --limit 1 -o json"+atHead)) + " --yes" + atHead)
	d.told("pack_library.txt")
}

// A school that installs, changes its copy, upgrades and gives it up.
func TestPackInstall(t *testing.T) {
	t.Parallel()
	d := officeDesk(t)
	id := idOf(t, d.must("pack create 'Fire safety' --offered -o json"+atHead))
	for _, exam := range []string{"fire", "drill"} {
		d.must("pack add " + id + " " + exam + atHead)
	}
	d.must("pack publish " + id + atHead)
	d.say("pack install " + id + " --dry-run" + atSchool)
	if n := d.count("select count(*) from library_installs"); n != 0 {
		t.Errorf("the dry run left %d installs", n)
	}
	d.say("pack install "+id+atHead,
		"pack install "+id+" 2"+atSchool,
		"pack install "+id+" --org-unit-id head"+atSchool,
		"pack install "+id+" --on-conflict maybe"+atSchool,
		"pack install "+id+" --idempotency-key once"+atSchool,
		"pack install "+id+" --idempotency-key once"+atSchool,
		"pack install "+id+" -o json"+atSchool,
		"evaluation show fire"+atSchool)
	d.bring(strings.ReplaceAll(packQuestions, "topic:fire,1", "topic:fire,2"), "", atHead)
	d.must("import evaluations commit " + d.file("again.csv", strings.ReplaceAll(packExams, "50", "60")) + atHead)
	d.must("pack publish " + id + atHead)
	d.bring(strings.ReplaceAll(packQuestions, "topic:fire,1", "topic:fire,7"), "", atSchool)
	d.say("pack diff "+id+atSchool,
		"pack install "+id+" --dry-run"+atSchool,
		"pack install "+id+atSchool,
		"pack install "+id+" --on-conflict keep_local --resolve nonsense"+atSchool,
		"pack install "+id+" --on-conflict take_pack --resolve '{\"sourceId\":\""+d.sourceOf("fire-1")+"\",\"take\":\"keep_local\"}'"+atSchool,
		"pack install "+id+" 1 --on-conflict take_pack"+atSchool,
		"pack lineage "+id+atHead,
		"pack lineage "+id+" 1 -o json"+atHead,
		"pack uninstall "+id+atSchool,
		"pack uninstall "+id+" --dry-run"+atSchool,
		"pack uninstall "+id+" --yes"+atSchool,
		"pack uninstall "+id+" --yes -o json"+atSchool,
		"pack install "+id+atSchool)
	d.told("pack_install.txt")
}

// sourceOf gives the id of a question of the head office.
func (d *desk) sourceOf(question string) string {
	d.t.Helper()
	return idOf(d.t, d.must("question show "+question+" -o json"+atHead))
}

// A pack that goes to another tenant as a file.
func TestPackFile(t *testing.T) {
	t.Parallel()
	d := officeDesk(t)
	d.must("tenant create southwind --name 'Southwind College'")
	d.must("org create main --name 'Main' --tenant southwind")
	const there = " --tenant southwind --org main"
	id := idOf(t, d.must("pack create 'Fire safety' -o json"+atHead))
	d.must("pack add " + id + " fire" + atHead)
	file := filepath.Join(t.TempDir(), "fire.pack")
	d.say("pack export " + id + " " + file + atHead)
	d.must("pack publish " + id + atHead)
	d.say("pack export "+id+" /nowhere/fire.pack"+atHead,
		"pack export "+id+" "+file+atSchool,
		"pack export "+id+" "+file+atHead,
		"pack import "+file+there,
		"pack import "+filepath.Dir(file)+"/nothing"+there)
	var out struct{ PublicKey string }
	err := json.Unmarshal([]byte(d.must("pack export "+id+" "+file+" -o json"+atHead)), &out)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cut := d.file("cut.pack", string(whole[:len(whole)/2]))
	d.say("pack import "+cut+" --trust "+out.PublicKey+there,
		"pack import "+file+" --trust "+strings.Repeat("0", 64)+there,
		"pack import "+file+" --dry-run --trust "+out.PublicKey+there)
	if n := d.count("select count(*) from libraries l join tenants t on t.id = l.tenant_id where t.slug = 'southwind'"); n != 0 {
		t.Errorf("what was refused or rehearsed left %d libraries", n)
	}
	d.say("pack import "+file+" --trust "+out.PublicKey+" --idempotency-key once"+there,
		"pack import "+file+" --trust "+out.PublicKey+" --idempotency-key once"+there,
		"pack import "+file+" -o json"+there,
		"pack key list"+there,
		"pack list"+there)
	copied := idOf(t, d.must("pack list -o json"+there))
	d.say("pack revision "+copied+there,
		"pack install "+copied+there,
		"pack install "+copied+" --create-terms"+there,
		"pack add "+copied+" fire"+there,
		"pack publish "+copied+there,
		"pack key remove "+out.PublicKey+there,
		"pack key remove "+out.PublicKey+there,
		"pack key trust "+out.PublicKey+" --name 'Head office'"+there,
		"pack key trust 5d1f --name 'Head office'"+there)
	d.told("pack_file.txt")
}
