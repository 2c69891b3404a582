package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

func TestHowManyWordsACommandTakes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		use         string
		least, most int
	}{
		{"list", 0, 0},
		{"list --evaluation ID|EXTERNAL-ID | --user EMAIL|ID", 0, 0},
		{"forget {--subject ID|EMAIL | --file PATH}", 0, 0},
		{"show ID", 1, 1},
		{"move TERM --below TERM | --top", 1, 1},
		{"score SUBMISSION-ID ITEM-ID SCORE", 3, 3},
		{"tree [FACET]", 0, 1},
		{"add GROUP EMAIL|ID...", 2, 9},
		{"create EVALUATION TARGET-TYPE [TARGET...]", 2, 9},
	} {
		for n := range 10 {
			err := takes(tt.use)(&cobra.Command{}, make([]string, n))
			if want := n >= tt.least && n <= tt.most; (err == nil) != want {
				t.Errorf("%q with %d words: %v, want it taken: %v", tt.use, n, err, want)
			}
		}
	}
}

// A mistyped id is reported even where there is no database.
func TestIDsAreCheckedFirst(t *testing.T) {
	t.Parallel()
	for line, noun := range map[string]string{
		"session show nonsense":                              "session",
		"assignment schedule delete nonsense":                "schedule",
		"submission score 00000000-0000-7000-8000-1 x 3":     "submission",
		"remediation create rekey nonsense --reason because": "question version",
	} {
		got := assessctl(strings.Fields(line)...)
		if want := "is no id: say which " + noun; got.exit != exitUsage || !strings.Contains(got.err.String(), want) {
			t.Errorf("%s: exit %d, stderr %q; want exit 2 and %q", line, got.exit, &got.err, want)
		}
	}
	if got := assessctl("subject", "create", "site-17", "--name", "x"); strings.Contains(got.err.String(), "is no id") {
		t.Errorf("an external id is taken for an id: %q", &got.err)
	}
}

func TestWhatAnIdempotencyKeyHoldsFor(t *testing.T) {
	t.Parallel()
	callOf := func(line string) any {
		s, _ := piped(FormatTable)
		cmd, rest, err := newRoot(s).Find(strings.Fields(line))
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err != nil {
			t.Fatal(err)
		}
		return said(cmd, cmd.Flags().Args())
	}
	first := callOf("subject create site-17 --name Harbour --metadata a=1 --metadata b=2 --idempotency-key k")
	for line, same := range map[string]bool{
		"subject create --metadata b=2 --metadata a=1 --name Harbour site-17 --idempotency-key l -o json --quiet": true,
		"subject create site-18 --name Harbour --metadata a=1 --metadata b=2":                                     false,
		"subject create site-17 --name Harbour --metadata a=1 --metadata b=3":                                     false,
		"subject create site-17 --name Harbour --metadata a=1 --metadata b=2 --kind site":                         false,
	} {
		if got := cmp.Equal(callOf(line), first); got != same {
			t.Errorf("%s: the same call: %v, want %v", line, got, same)
		}
	}
	ids := "finding add 00000000-0000-7000-8000-000000000001 PHONE --severity minor --evidence-ids "
	one, two := "00000000-0000-7000-8000-000000000002", "00000000-0000-7000-8000-000000000003"
	if cmp.Equal(callOf(ids+one+" --evidence-ids "+two), callOf(ids+two)) {
		t.Error("only the last of several ids counts")
	}
}
