package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assess/pkg/trust/translog"
)

// verified runs a verification and gives its report and exit code.
func (d *desk) verified(line string) (translog.Report, int) {
	d.t.Helper()
	got := d.run("ledger verify -o json " + line)
	var r translog.Report
	err := json.Unmarshal(got.out.Bytes(), &r)
	if err != nil {
		d.t.Fatalf("ledger verify %s: %v in %q, stderr %q", line, err, &got.out, &got.err)
	}
	return r, got.exit
}

func codes(r translog.Report) string {
	var all []string
	for _, f := range r.Findings {
		all = append(all, f.Code)
	}
	return strings.Join(all, " ")
}

// An officer keeps a checkpoint, an export and a proof; later somebody who owns the database changes
// an event and a score, and each of the three shows it.
func TestLedger(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const tenant = " --tenant northwind"
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create north --name 'North campus' --tenant northwind")
	submission := d.submitted()
	if got := d.run("ledger checkpoint" + tenant); got.exit != exitNotFound {
		t.Errorf("before the first checkpoint: exit %d, %s", got.exit, &got.err)
	}
	if got := d.run("ledger prove submission " + submission + tenant); got.exit != exitConflict {
		t.Errorf("before the first checkpoint: exit %d, %s", got.exit, &got.err)
	}
	d.must("projection run --all-orgs" + tenant)
	d.must("ledger sequence" + tenant)
	dir := t.TempDir()
	keep := func(name, line string) string {
		path := filepath.Join(dir, name)
		err := os.WriteFile(path, []byte(d.must(line)), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	checkpoint := keep("old.checkpoint", "ledger checkpoint"+tenant)
	keys := keep("keys.json", "ledger keys list -o json"+tenant)
	proof := keep("proof.json", "ledger prove submission "+submission+" -o json"+tenant)
	event := keep("event.json", "ledger prove event 1 -o json"+tenant)
	export := filepath.Join(dir, "ledger.ndjson")
	d.must("ledger export --file " + export + tenant)
	trusted := " --key " + keys + " --against " + checkpoint
	for _, line := range []string{tenant + trusted, export + trusted, proof + trusted, event + trusted, export + " --against " + event} {
		if r, exit := d.verified(line); exit != exitDone || !r.Sound() {
			t.Errorf("%s: exit %d, found %+v", line, exit, r)
		}
	}
	for line, want := range map[string]int{
		"ledger verify " + filepath.Join(dir, "nothing"):       exitUsage,
		"ledger verify " + checkpoint:                          exitUsage,
		"ledger verify " + export + " --against " + keys:       exitUsage,
		"ledger verify " + export + " --key nonsense":          exitUsage,
		"ledger export" + tenant:                               exitUsage,
		"ledger prove event 0" + tenant:                        exitUsage,
		"ledger prove event 99999" + tenant:                    exitNotFound,
		"ledger prove submission " + unseen.String() + tenant:  exitNotFound,
		"ledger keys rotate --dry-run" + tenant:                exitDone,
		"ledger prove event 1" + tenant:                        exitDone,
		"ledger verify --events-only -o table" + tenant:        exitDone,
		"ledger keys rotate --idempotency-key again" + tenant:  exitDone,
		"ledger keys rotate  --idempotency-key again" + tenant: exitDone,
	} {
		if got := d.run(line); got.exit != want {
			t.Errorf("%s: exit %d, want %d: %s%s", line, got.exit, want, &got.out, &got.err)
		}
	}
	if n := d.count("select count(*) from trust_keys"); n != 2 {
		t.Errorf("there are %d keys after one rotation, want 2", n)
	}

	d.past("update ledger_events set actor = 'operator:nobody' where seq = 2", "update submissions set score = score + 1")
	r, exit := d.verified(tenant + trusted)
	if got := codes(r); exit != exitFailed || got != "event_edited submission_changed" ||
		r.Findings[0].Seq != 2 || r.Findings[1].SubmissionID.String() != submission {
		t.Errorf("with the database: exit %d, found %+v", exit, r.Findings)
	}
	d.must("ledger export --file " + export + tenant)
	r, exit = d.verified(export + trusted)
	if got := codes(r); exit != exitFailed || got != "event_edited" {
		t.Errorf("offline: exit %d, found %+v", exit, r.Findings)
	}
	if r, exit = d.verified(proof + trusted); exit != exitDone {
		t.Errorf("the proof that was kept: exit %d, found %+v", exit, r.Findings)
	}
}
