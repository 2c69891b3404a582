package cli

import (
	"archive/zip"
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assess/pkg/trust/compliance"
)

// registry is a desk whose tenant has people.
func registry(t *testing.T, people ...string) *desk {
	t.Helper()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create north --name 'North campus' --tenant northwind")
	for _, name := range people {
		d.must("user create " + name + "@example.org --name '" + name + " Quist' --role candidate --tenant northwind --org north")
	}
	return d
}

// comply runs a compliance command and gives the job that it prints, and its exit code.
func (d *desk) comply(line string) (compliance.Job, int) {
	d.t.Helper()
	got := d.run("compliance " + line + " --tenant northwind -o json")
	var job compliance.Job
	if got.out.Len() > 0 {
		if err := json.Unmarshal(got.out.Bytes(), &job); err != nil {
			d.t.Fatalf("compliance %s: %v in %q", line, err, &got.out)
		}
	}
	return job, got.exit
}

// Each kind of job as an officer meets it, in tables, with the exit codes.
func TestComplianceJobs(t *testing.T) {
	t.Parallel()
	d := registry(t, "mara", "nils")
	const tenant = " --tenant northwind"
	d.say(
		"compliance dsar --subject mara@example.org --yes"+tenant,
		"compliance dsar --subject mara@example.org --yes"+tenant,
		"compliance dsar --subject mara@example.org --force --yes"+tenant,
		"compliance privacy-pack --subject mara@example.org --dry-run"+tenant,
		"compliance restrict --subject mara@example.org --kind legal --reason litigation --yes"+tenant,
		"compliance restrict --subject mara@example.org --kind legal --reason litigation --yes"+tenant,
		"compliance forget --subject mara@example.org --dry-run"+tenant,
		"compliance forget --subject mara@example.org --yes"+tenant,
		"compliance restrict --subject mara@example.org --kind legal --action lift --yes"+tenant,
		"compliance restrict --subject mara@example.org --kind legal --action lift --yes"+tenant,
		"compliance unlink --subject nils@example.org --from north --yes"+tenant,
		"compliance forget --subject mara@example.org --yes"+tenant,
		"compliance forget --subject mara@example.org --yes"+tenant,
		"compliance sweep --yes"+tenant,
		"compliance jobs list"+tenant,
		"compliance jobs list --type forget --status blocked --sla on_track"+tenant,
		"compliance ledger --event forget.completed"+tenant,
		"compliance holds --state lifted"+tenant,
		"compliance incidents"+tenant,
	)
	d.check("compliance.txt")
}

// A call that cannot be carried out says so, with an exit code of its own kind, and leaves nothing behind.
func TestComplianceCallsThatAreRefused(t *testing.T) {
	t.Parallel()
	d := registry(t, "mara")
	d.must("tenant create southwind --name 'Southwind College'")
	d.must("org create south --name South --tenant southwind")
	d.must("user create olga@example.com --name 'Olga Lind' --tenant southwind --org south")
	folder := t.TempDir()
	empty, list := filepath.Join(folder, "empty"), filepath.Join(folder, "list")
	for path, text := range map[string]string{empty: "\n \n", list: "mara@example.org\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const rows = "select (select count(*) from compliance_jobs) + (select count(*) from compliance_ledger) + (select count(*) from holds) + (select count(*) from ledger_events)"
	before := d.count(rows)
	for line, want := range map[string]int{
		"forget": exitUsage,
		"forget --subject mara@example.org --file " + list:                                                exitUsage,
		"forget --file " + empty:                                                                          exitUsage,
		"forget --file " + folder + "/none":                                                               exitUsage,
		"forget mara@example.org":                                                                         exitUsage,
		"forget --subject nobody@example.org":                                                             exitNotFound,
		"forget --subject olga@example.com":                                                               exitNotFound,
		"forget --subject " + unseen.String():                                                             exitNotFound,
		"dsar --subject nobody@example.org":                                                               exitNotFound,
		"dsar --subject mara@example.org --out " + list:                                                   exitUsage,
		"dsar --file " + list + " --out " + list:                                                          exitUsage,
		"privacy-pack --subject olga@example.com":                                                         exitNotFound,
		"unlink --subject mara@example.org --from nowhere":                                                exitNotFound,
		"restrict --subject mara@example.org":                                                             exitUsage,
		"restrict --subject mara@example.org --reason litigation":                                         exitUsage,
		"restrict --subject mara@example.org --kind sealed --reason audit":                                exitUsage,
		"restrict --subject mara@example.org --kind legal --reason audit --submission " + unseen.String(): exitNotFound,
		"restrict --subject mara@example.org --action lift":                                               exitConflict,
		"holds --org north":                                                                               exitUsage,
		"jobs show " + unseen.String():                                                                    exitNotFound,
		"jobs show nonsense":                                                                              exitUsage,
		"jobs list --type nonsense":                                                                       exitUsage,
		"jobs fetch " + unseen.String():                                                                   exitUsage,
		"jobs fetch nonsense --out x":                                                                     exitUsage,
		"ledger --event forget.forgotten":                                                                 exitUsage,
		"incidents --domain nonsense":                                                                     exitUsage,
		"reapply":                                                                                         exitUsage,
		"reapply --ledger " + list:                                                                        exitUsage,
		"scan":                                                                                            exitUsage,
	} {
		if got := d.run("compliance " + line + " --yes --tenant northwind"); got.exit != want || got.err.Len() == 0 {
			t.Errorf("compliance %s: exit %d, want %d: %s", line, got.exit, want, &got.err)
		}
	}
	if got := d.run("compliance jobs fetch " + unseen.String() + " --out " + folder + "/x --tenant northwind"); got.exit != exitNotFound {
		t.Errorf("files of no job: exit %d, %s", got.exit, &got.err)
	}
	if after := d.count(rows); after != before {
		t.Errorf("%d rows were written", after-before)
	}
}

// A line of a list that fails does not stop the others, and the exit code says that some failed.
func TestAListOfPeople(t *testing.T) {
	t.Parallel()
	d := registry(t, "mara", "nils", "tia", "uwe")
	d.must("compliance restrict --subject nils@example.org --reason objection_pending --yes --tenant northwind")
	file := filepath.Join(t.TempDir(), "requests")
	if err := os.WriteFile(file, []byte("mara@example.org\n\nnobody@example.org\nnils@example.org\r\ntia@example.org\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dry := range []string{" --dry-run", " --yes"} {
		got := d.run("compliance forget --tenant northwind -o json --file " + file + dry)
		var all []outcome
		if err := json.Unmarshal(got.out.Bytes(), &all); err != nil || got.exit != exitPartly {
			t.Fatalf("%s: exit %d, %v: %s %s", dry, got.exit, err, &got.out, &got.err)
		}
		if want := `{"code":"partly_done",`; !strings.Contains(got.err.String(), want) {
			t.Errorf("%s: %s, want %s", dry, &got.err, want)
		}
		var words []string
		for _, o := range all {
			words = append(words, o.Code)
		}
		if got := strings.Join(words, " "); got != " not_found hold_active " {
			t.Errorf("%s: %q", dry, got)
		}
		want := map[string]int{" --dry-run": 3, " --yes": 1}[dry]
		if n := d.count("select count(*) from users where status <> 'erased' and email is not null and email like '%@example.org' and email not like 'uwe%'"); n != want {
			t.Errorf("%s: %d of the list are still known, want %d", dry, n, want)
		}
	}
	jobs := d.count("select count(*) from compliance_jobs")
	first := d.run("compliance dsar --tenant northwind --yes --idempotency-key k -o json --file " + file)
	again := d.run("compliance dsar --tenant northwind --yes --idempotency-key k -o json --file " + file)
	if first.exit != exitPartly || again.exit != exitPartly || first.out.String() != again.out.String() {
		t.Errorf("with the same key: exit %d and %d\n%s\n%s", first.exit, again.exit, &first.out, &again.out)
	}
	if n := d.count("select count(*) from compliance_jobs") - jobs; n != 1 {
		t.Errorf("%d jobs were made for the one person of the list who is left, want 1", n)
	}
	if n := d.count("select count(*) from idempotency_keys where key like '%@%' or key like '%nils%'"); n != 0 {
		t.Errorf("%d keys name somebody", n)
	}
	whole := d.run("compliance unlink --tenant northwind --yes --file " + textFile(t, "uwe@example.org\n"))
	if whole.exit != exitDone {
		t.Errorf("a list that was all done: exit %d, %s", whole.exit, &whole.err)
	}
}

// A forget that leaves something says so by its exit code, each time that it is told of; a dry run searches nothing.
func TestAForgetThatLeavesSomething(t *testing.T) {
	t.Parallel()
	d := registry(t, "mara", "nils", "tia")
	const north = " --tenant northwind --org north"
	d.must("role create Tutor --description 'Stands in for mara Quist and nils Quist' --capabilities users.read" + north)
	if _, exit := d.comply("forget --subject mara@example.org --dry-run"); exit != exitDone {
		t.Errorf("dry run: exit %d", exit)
	}
	job, exit := d.comply("forget --subject mara@example.org --yes")
	if exit != exitPartly || job.Status != "completed" || !job.Partial {
		t.Errorf("exit %d, %+v", exit, job)
	}
	if again, exit := d.comply("jobs resume " + job.ID.String()); exit != exitPartly || again.ID != job.ID {
		t.Errorf("resumed: exit %d, %+v", exit, again)
	}
	got := d.run("compliance forget --tenant northwind -o json --yes --file " + textFile(t, "nils@example.org\ntia@example.org\n"))
	var all []outcome
	if err := json.Unmarshal(got.out.Bytes(), &all); err != nil || got.exit != exitPartly || len(all) != 2 {
		t.Fatalf("a list: exit %d, %v: %s %s", got.exit, err, &got.out, &got.err)
	}
	if !all[0].Job.Partial || !strings.Contains(all[0].Reason, "residue.json") || all[1].Job.Partial || all[1].Reason != "" {
		t.Errorf("a list: %s", &got.out)
	}
	// A backup of before knows the person, and nothing of the job.
	export := filepath.Join(t.TempDir(), "export.ndjson")
	d.must("ledger sequence --tenant northwind")
	d.must("ledger export --file " + export + " --tenant northwind")
	d.count("with u as (update users set name = 'mara Quist', email = 'mara@example.org', email_key = 'mara@example.org', status = 'active' where id = '" + job.SubjectID.String() + "' returning 1), " +
		"j as (update compliance_jobs set subject_id = (select id from users where id <> '" + job.SubjectID.String() + "' limit 1) where id = '" + job.ID.String() + "' returning 1) " +
		"select (select count(*) from u) + (select count(*) from j)")
	if got := d.run("compliance reapply --yes --ledger " + export + " --tenant northwind"); got.exit != exitPartly || !strings.Contains(got.err.String(), "1 of 1 job ") {
		t.Errorf("reapplied: exit %d, %s%s", got.exit, &got.out, &got.err)
	}
}

func textFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The receipt of a forget is fetched with its signature and key, and nothing is overwritten.
func TestFilesOfJobsAreFetched(t *testing.T) {
	t.Parallel()
	d := registry(t, "mara")
	out := filepath.Join(t.TempDir(), "mara.zip")
	export, exit := d.comply("dsar --subject mara@example.org --yes --out " + out)
	content, err := os.ReadFile(out)
	if exit != exitDone || err != nil {
		t.Fatal(exit, err)
	}
	if _, err := zip.NewReader(bytes.NewReader(content), int64(len(content))); err != nil {
		t.Error(err)
	}
	if _, exit := d.comply("dsar --subject mara@example.org --yes --force --out " + out); exit != exitUsage {
		t.Errorf("a file was written over: exit %d", exit)
	}
	done, exit := d.comply("forget --subject mara@example.org --yes --idempotency-key k")
	if exit != exitDone || done.Status != "completed" {
		t.Fatalf("exit %d, %+v", exit, done)
	}
	// Forgotten people cannot be found by their address any more, but the job can, by its key.
	if again, exit := d.comply("forget --subject mara@example.org --yes --idempotency-key k"); exit != exitDone || again.ID != done.ID {
		t.Errorf("the same call again: exit %d, %+v", exit, again)
	}
	folder := filepath.Join(t.TempDir(), "receipt")
	d.must("compliance jobs fetch " + done.ID.String() + " --out " + folder + " --tenant northwind")
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	block, _ := pem.Decode(read("receipt.pem"))
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"receipt", "residue"} {
		if !ed25519.Verify(key.(ed25519.PublicKey), read(name+".json"), read(name+".sig")) {
			t.Errorf("%s.json is not what was signed", name)
		}
	}
	if got := d.run("compliance jobs fetch " + done.ID.String() + " --out " + folder + " --tenant northwind"); got.exit != exitUsage {
		t.Errorf("files were written over: exit %d", got.exit)
	}
	// Exports from before somebody was forgotten go with them.
	got := d.run("compliance jobs fetch " + export.ID.String() + " --out " + folder + "/export --tenant northwind")
	if got.exit != exitNotFound {
		t.Errorf("the export of somebody who was forgotten: exit %d, %s", got.exit, &got.err)
	}
	if n := d.count("select count(*) from ledger_events where event_type = 'compliance.artifact_viewed'"); n != 1+5 {
		t.Errorf("the ledger tells of %d views, want 6", n)
	}
}
