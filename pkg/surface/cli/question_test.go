package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// bankDesk is a desk whose tenant northwind, org unit north, has two questions and
// a draft of a passage that one of them is about.
func bankDesk(t *testing.T) *desk {
	t.Helper()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create north --name 'North campus' --tenant northwind")
	d.must("import questions commit testdata/import/questions.csv --create-terms --tenant northwind --org north")
	d.must("import passages commit testdata/import/passages.csv --tenant northwind --org north")
	return d
}

// in adds the org unit to calls.
func in(scope string, lines ...string) []string {
	for i := range lines {
		lines[i] += scope
	}
	return lines
}

func TestQuestionList(t *testing.T) {
	t.Parallel()
	d := bankDesk(t)
	d.say(in(north, "question list", "question list --search prim", "question list --status published", "question list --qtype mcq -o json",
		"question list --contributes-to-score=false", "question list --contributes-to-score --sort createdAt --limit 1",
		"question list --terms-any tags:geography --terms-any tags:arithmetic --sort createdAt", "question list --terms-all tags:geography --terms-all tags:arithmetic",
		"question list --terms-any tags:geography --include-descendants", "question list --terms-any tags:nothing", "question list --passage-id paris",
		"question list --passage-id rome", "question list --status lost", "question list --qtype riddle", "question list --sort text",
		"question list --limit 0")...)
	d.say("question list --passage-id paris --tenant northwind --all-orgs", "question list --tenant northwind --all-orgs")
	d.check("question_list.txt")
}

func TestQuestionShowAndPublish(t *testing.T) {
	t.Parallel()
	d := bankDesk(t)
	d.say(in(north, "question show primes", "question show primes --lang de -o json", "question show rome", "question show "+unseen.String(),
		"question publish cap-fr", "question publish primes --dry-run", "question publish primes --idempotency-key once",
		"question publish primes --idempotency-key once", "question publish primes", "question publish primes cap-fr",
		"passage publish paris", "question publish cap-fr primes rome", "question publish cap-fr primes -o json",
		"question archive cap-fr", "question archive cap-fr --yes", "question publish cap-fr", "question restore cap-fr",
		"question usage cap-fr", "question delete primes --yes", "question show primes", "question publish")...)
	d.check("question.txt")
}

// Each type of question shows its right answer in its own way.
func TestQuestionTypesAreShown(t *testing.T) {
	t.Parallel()
	d := bankDesk(t)
	file := filepath.Join(t.TempDir(), "questions.csv")
	err := os.WriteFile(file, []byte("externalId,qtype,stem,optionA,optionB,correct,tolerance,scoring,minSelections,maxSelections,weight,explanation,contributesToScore\n"+
		"g,numeric,How strong is gravity?,,,9.81,0.01,,,,2.5,In metres per second squared.,yes\n"+
		"lake,short_text,Which lake?,,,Lake Constance|Bodensee,,,,,,,yes\n"+
		"why,essay,Why?,,,,,,,,,,yes\n"+
		"even,mrq,Which are even?,2,4,\"A,B\",,partial,1,2,,,yes\n"+
		"mood,mcq,How are you?,Well,Not so well,A,,,,,,,no\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	d.must("import questions commit " + file + north)
	d.say(in(north, "question show g", "question show lake", "question show why", "question show even", "question show mood --lang en",
		"question list --contributes-to-score=false", "question list --qtype essay")...)
	d.check("question_types.txt")
}

// The output for a key, the first time and again, is the same as the output of a dry run before and
// of reading afterwards.
func TestPublishedOnceIsShownAlike(t *testing.T) {
	t.Parallel()
	d := bankDesk(t)
	for noun, name := range map[string]string{"question": "primes", "passage": "paris"} {
		publish := noun + " publish " + name + north
		dry := d.must(publish + " --dry-run")
		for range 2 {
			if got := d.must(publish + " --idempotency-key k1"); got != dry {
				t.Errorf("%s: got %s, a dry run showed %s", publish, got, dry)
			}
		}
		var read, got map[string]any
		for call, into := range map[string]*map[string]any{noun + " show " + name + north + " -o json": &read, publish + " --idempotency-key k1 -o json": &got} {
			if err := json.Unmarshal([]byte(d.must(call)), into); err != nil {
				t.Fatal(err)
			}
		}
		if got["dryRun"] != false || got["warnings"] == nil {
			t.Errorf("%s: got %v", publish, got)
		}
		delete(got, "dryRun")
		delete(got, "warnings")
		if diff := cmp.Diff(read, got); diff != "" {
			t.Errorf("%s (-read afterwards +published):\n%s", publish, diff)
		}
	}
}

func TestPassageCommands(t *testing.T) {
	t.Parallel()
	d := bankDesk(t)
	d.say(in(north, "passage list", "passage list --lang de -o json", "passage list --search seine --status draft", "passage list --status published",
		"passage show paris", "passage show paris --lang de", "passage show rome", "passage usage paris",
		"passage publish paris --dry-run", "passage publish paris", "passage publish paris", "question publish cap-fr", "passage usage paris",
		"passage usage paris -o json", "passage archive paris", "passage archive paris --yes", "passage archive paris --yes", "passage publish paris",
		"passage restore paris", "passage delete paris", "passage delete paris --dry-run", "passage delete paris --yes", "passage list",
		"passage delete rome --yes")...)
	d.check("passage.txt")
}

// A dry run of a deletion does not change a record that is in use, either: it is not archived instead.
func TestDryRunDoesNotArchiveWhatIsInUse(t *testing.T) {
	t.Parallel()
	d := bankDesk(t)
	d.must("passage publish paris" + north)
	d.must("question publish cap-fr" + north)
	for _, step := range []struct {
		flags    string
		archived int
	}{{" --dry-run", 0}, {" --yes", 1}} {
		got := d.run("passage delete paris" + step.flags + north)
		if n := d.count("select count(*) from passages where status = 'archived'"); got.exit != exitConflict || n != step.archived {
			t.Errorf("passage delete paris%s: exit %d, %d archived, want %d", step.flags, got.exit, n, step.archived)
		}
	}
}

// A passage that nothing pins is deleted for good, a dry run leaves it.
func TestDeletePassage(t *testing.T) {
	t.Parallel()
	d := bankDesk(t)
	for _, step := range []struct {
		flags string
		left  int
	}{{" --dry-run", 1}, {" --yes", 0}} {
		d.must("passage delete paris" + step.flags + north)
		if n := d.count("select count(*) from passages"); n != step.left {
			t.Errorf("passage delete paris%s: %d left, want %d", step.flags, n, step.left)
		}
	}
}
