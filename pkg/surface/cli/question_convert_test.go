package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assess/pkg/dev/golden"
)

func TestQuestionConvertNeedsNoDatabase(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := func(name string) string { return filepath.Join(folder, name) }
	write := func(name, text string) {
		if err := os.WriteFile(file(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("bank.gift", "// [id:1]\nFine {T}\n\n// [id:2]\nLess {=a ~b#no}\n\n// [id:3]\nPart {=a =%50%b}\n")
	write("part.gift", "// [id:3]\nPart {=a =%50%b}\n")
	write("broken.xml", "<quiz>\n<question></quiz>")
	write("letter.txt", "Dear reader")
	var said bytes.Buffer
	for _, line := range []string{"bank.gift bank.xml", "bank.gift bank.zip --accept-scoring-changes", "bank.zip again.gift", "bank.gift bank.xml -o json",
		"part.gift none.xml", "broken.xml none.gift", "letter.txt none.gift", "bank.gift none.pdf", "bank.gift none.txt --to aiken", "gone.gift none.xml", "bank.gift none.xml --from word"} {
		args := strings.Fields(line)
		args[0], args[1] = file(args[0]), file(args[1])
		got := assessctl(append([]string{"question", "convert"}, args...)...)
		fmt.Fprintf(&said, "$ assessctl question convert %s\n%s%s[exit %d]\n\n", line, &got.out, &got.err, got.exit)
	}
	for _, name := range []string{"none.xml", "none.gift", "none.pdf", "none.txt"} {
		if _, err := os.Stat(file(name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	golden.Check(t, []byte(strings.ReplaceAll(said.String(), folder+string(filepath.Separator), "")), filepath.Join("testdata", "calls", "question_convert.txt"))
}

func TestConvertedQuestionsAreImported(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const north = " --tenant northwind --org north"
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create north --name 'North campus' --tenant northwind")
	folder := t.TempDir()
	source, table := filepath.Join(folder, "bank.gift"), filepath.Join(folder, "bank.csv")
	const bank = "$CATEGORY: Logic/Sets\n\n// [id:1] [tag:easy]\nFine \\(x\\) {T}\n\n// [id:2]\nMany {~%50%a ~%50%b ~%-50%c}\n\n// [id:3]\nHow many? {#3:0.5}\n\n// [id:4]\nPair {=a -> b =c -> d}\n\n// [id:5]\nA text without a question.\n"
	if err := os.WriteFile(source, []byte(strings.ReplaceAll(bank, `\(`, `\\(`)), 0o600); err != nil {
		t.Fatal(err)
	}
	got := assessctl("question", "convert", source, table)
	if got.exit != exitPartly || !strings.Contains(got.out.String(), "there is no question type for this kind of answer") {
		t.Errorf("exit %d: %s%s", got.exit, &got.out, &got.err)
	}
	for _, want := range []string{"4 created", "4 unchanged"} {
		if said := d.must("import questions commit " + table + " --create-terms" + north); !strings.Contains(said, want) {
			t.Errorf("%s: %s", want, said)
		}
	}
	shown := d.must("question show 2 -o json" + north)
	for _, want := range []string{`"qtype": "mrq"`, `"method": "partial"`} {
		if !strings.Contains(shown, want) {
			t.Errorf("%s is not in %s", want, shown)
		}
	}
}
