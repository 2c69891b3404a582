package cli

import (
	"encoding/json"
	"testing"

	"assess/pkg/trust/requests"
)

// ask runs a command on a request and gives its output, and its exit code.
func (d *desk) ask(line string) (requests.Detail, int) {
	d.t.Helper()
	got := d.run("compliance request " + line + " --tenant northwind -o json")
	var detail requests.Detail
	if got.out.Len() > 0 {
		if err := json.Unmarshal(got.out.Bytes(), &detail); err != nil {
			d.t.Fatalf("compliance request %s: %v in %q", line, err, &got.out)
		}
	}
	return detail, got.exit
}

// An erasure with a hold against it, and later without: the request waits, and the exit code says why.
func TestARequestIsCarriedOut(t *testing.T) {
	t.Parallel()
	d := registry(t, "mara")
	r, _ := d.ask("record erasure letter --subject-id mara@example.org")
	id := r.ID.String()
	for _, c := range []struct {
		line  string
		exit  int
		state string
	}{
		{"carry-out " + id + " --yes", exitConflict, ""},
		{"verify " + id + " document", exitDone, requests.Verified},
		{"decide " + id + " granted", exitDone, requests.Decided},
		{"carry-out " + id + " --dry-run", exitDone, requests.Decided},
		{"show " + id, exitDone, requests.Decided},
	} {
		if got, exit := d.ask(c.line); exit != c.exit || c.state != "" && got.State != c.state {
			t.Fatalf("%s: exit %d, %s", c.line, exit, got.State)
		}
	}
	d.must("compliance restrict --subject mara@example.org --kind legal --reason audit --yes --tenant northwind")
	if got, exit := d.ask("carry-out " + id + " --yes"); exit != exitBlocked || got.State != requests.Decided {
		t.Errorf("under a hold: exit %d, %s", exit, got.State)
	}
	d.must("compliance restrict --subject mara@example.org --kind legal --action lift --yes --tenant northwind")
	if got, exit := d.ask("carry-out " + id + " --yes"); exit != exitDone || got.State != requests.CarriedOut || len(got.Jobs) != 2 {
		t.Errorf("without it: exit %d, %+v", exit, got)
	}
	if got, exit := d.ask("answer " + id); exit != exitDone || got.State != requests.Answered {
		t.Errorf("answered: exit %d, %s", exit, got.State)
	}
}

// Requests as an officer sees them, in tables.
func TestRequestsInTables(t *testing.T) {
	t.Parallel()
	d := registry(t, "mara")
	const tenant = " --tenant northwind"
	d.say("compliance request record rectification phone --subject-id mara@example.org" + tenant)
	r := d.run("compliance requests -o json" + tenant)
	var list struct{ Items []requests.Request }
	if err := json.Unmarshal(r.out.Bytes(), &list); err != nil || len(list.Items) != 1 {
		t.Fatal(err, &r.out)
	}
	id := list.Items[0].ID.String()
	d.say("compliance request verify "+id+" known"+tenant,
		"compliance request decide "+id+" partly"+tenant,
		"compliance request decide "+id+" partly --reason-code data_accurate"+tenant,
		"compliance request carry-out "+id+" --yes"+tenant,
		"compliance requests --due"+tenant,
		"compliance request answer "+id+tenant,
		"compliance request withdraw "+id+" --yes"+tenant)
	d.check("request.txt")
}
