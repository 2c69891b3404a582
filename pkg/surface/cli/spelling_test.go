package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A name typed on a Mac finds the name typed on a PC; files still go by their bytes.
func TestEitherSpellingNamesTheSame(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create main --name Main --tenant northwind")
	d.must("subject create U\u0308-9 --name Cafe\u0301\u200b --metadata re\u0301gion\u200b=e\u0301 --tenant northwind --org main")
	if got := d.must("subject list --external-id '\ufeffÜ-9\u200b' -o json --tenant northwind --org main"); !strings.Contains(got, `"Café"`) || !strings.Contains(got, `"région": "é"`) {
		t.Errorf("got %s", got)
	}
	d.must("taxonomy import commit " + d.file("terms.csv", "facet,slug,label\ntopic,café,Café\n") + " --tenant northwind")
	if got := d.must("taxonomy retire topic:cafe\u0301 --tenant northwind"); !strings.Contains(got, "café") {
		t.Errorf("got %s", got)
	}
	file := filepath.Join(t.TempDir(), "cafe\u0301\u200b.csv")
	if err := os.WriteFile(file, []byte("externalId,name\nÜ-9,Café\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := d.must("import subjects commit '" + file + "' --tenant northwind --org main"); !strings.Contains(got, "1 unchanged") {
		t.Errorf("got %s", got)
	}
	for _, line := range []string{"subject create '\u200b' --name Ada --tenant northwind --org main", "subject create a --name '\u200b' --tenant northwind --org main"} {
		if got := d.run(line); got.exit != exitUsage || !strings.Contains(got.err.String(), "nothing that can be seen") {
			t.Errorf("%q: exit %d %s", line, got.exit, &got.err)
		}
	}
}
