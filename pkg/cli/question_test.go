package cli

import (
	"strings"
	"testing"
)

// bankDesk is a desk whose tenant northwind, org unit north, has two questions and
// a draft of a passage that one of them is about.
func bankDesk(t *testing.T) *desk {
	t.Helper()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create north --name 'North campus' --tenant northwind")
	for _, noun := range []string{"questions", "passages"} {
		d.must("import " + noun + " commit testdata/import/" + noun + ".csv --tenant northwind --org north")
	}
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
		"question list --contributes=false", "question list --contributes --sort createdAt --limit 1",
		"question list --any-term tags:geography,tags:arithmetic --sort createdAt", "question list --all-terms tags:geography --all-terms tags:arithmetic",
		"question list --any-term tags:geography --include-descendants", "question list --any-term tags:nothing", "question list --passage paris",
		"question list --passage rome", "question list --status lost", "question list --qtype riddle", "question list --sort text",
		"question list --limit 0")...)
	d.say("question list --passage paris --tenant northwind --all-orgs", "question list --tenant northwind --all-orgs")
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

// What is printed for a key that was used already is what was printed the first time.
func TestPublishedOnceIsShownAlike(t *testing.T) {
	t.Parallel()
	d := bankDesk(t)
	for _, call := range []string{"question publish primes", "passage publish paris"} {
		for _, format := range []string{"table", "json"} {
			line := call + " -o " + format + " --idempotency-key k1" + north
			if first, again := d.must(line), d.must(line); first != again || !strings.Contains(first, "published") {
				t.Errorf("%s: first %s, again %s", line, first, again)
			}
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
