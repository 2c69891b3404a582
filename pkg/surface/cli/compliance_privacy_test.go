package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"assess/pkg/kernel/db"
	"assess/pkg/trust/requests"
)

// Records that an officer keeps besides requests: recipients and their tasks, letters, holds of a matter, and the record of processing.
func TestAnOfficersOtherBooks(t *testing.T) {
	t.Parallel()
	d := registry(t, "mara")
	const tenant = " --tenant northwind"
	d.say("compliance recipient create Watchful --role processor --purpose integrity --gets Events --contact privacy@watchful.example" + tenant)
	d.say("compliance recipients" + tenant)
	r, _ := d.ask("record rectification letter --subject-id mara@example.org")
	id := r.ID.String()
	for _, line := range []string{"verify " + id + " document", "decide " + id + " granted", "carry-out " + id + " --yes"} {
		if _, exit := d.ask(line); exit != exitDone {
			t.Fatalf("%s: exit %d", line, exit)
		}
	}
	var tasks db.List[requests.Task]
	if err := json.Unmarshal(d.run("compliance tasks --state open -o json"+tenant).out.Bytes(), &tasks); err != nil || tasks.Total != 1 || tasks.Items[0].Way != "mail" {
		t.Fatalf("the tasks are %+v, %v", tasks, err)
	}
	task := tasks.Items[0].ID.String()
	d.say("compliance task remind "+task+tenant, "compliance task acknowledge "+task+tenant, "compliance task give-up "+task+" impossible"+tenant)
	d.say("compliance letter set done de --subject Erledigt --text '{name}, es ist erledigt.'"+tenant,
		"compliance letter set done de --subject Erledigt --text {password}"+tenant,
		"compliance letter send "+id+" done"+tenant)
	if got := d.run("compliance letter show " + id + " received" + tenant); !strings.Contains(got.out.String(), "article 16") {
		t.Errorf("the letter is %s", &got.out)
	}
	d.say("compliance hold place litigation mara@example.org --matter 2026-014 --review-at 2031-01-01T00:00:00Z"+tenant,
		"compliance holds --matter 2026-014"+tenant, "compliance hold lift 2026-014 --yes"+tenant, "compliance hold lift 2026-014 --yes"+tenant)
	d.say("compliance residue list"+tenant, "compliance legal-basis exams public_task"+tenant)
	d.say("policy retention set submissions --outcome incomplete --days 30 --action delete"+tenant, "policy retention forecast"+tenant)
	if got := d.run("compliance record-of-processing -o csv" + tenant); !strings.Contains(got.out.String(), "public_task") || !strings.Contains(got.out.String(), "Watchful (processor): Events") {
		t.Errorf("the record is %s", &got.out)
	}
}
