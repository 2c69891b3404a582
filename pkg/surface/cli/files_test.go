package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Files that are somewhere else than the settings say are found by doctor, and no command begins a second store.
func TestTheStoreOfFilesIsTheOneOfTheRecords(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create north --name 'North campus' --tenant northwind")
	where := " --tenant northwind --org north"
	d.must("media upload " + d.file("leaf.png", onePixel) + where)
	if got := d.run("doctor"); !strings.Contains(got.out.String(), "1 file of the newest records are in") {
		t.Errorf("a sound store:\n%s", &got.out)
	}
	blobs := filepath.Join(filepath.Dir(d.settings), "blob")
	if err := os.Rename(blobs, blobs+".away"); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"media upload " + d.file("more.png", onePixel+"more") + where, "compliance dsar --subject admin@example.org --yes --tenant northwind"} {
		if got := d.run(line); got.exit != exitUsage || !strings.Contains(got.err.String(), "blob.url") {
			t.Errorf("%s without a store: exit %d, %s", line, got.exit, &got.err)
		}
	}
	if _, err := os.Stat(blobs); err == nil {
		t.Error("a command began a store of its own")
	}
	if got := d.run("doctor"); !strings.Contains(got.out.String(), "warning  files: there is no folder") {
		t.Errorf("without a folder:\n%s", &got.out)
	}
	if err := os.Mkdir(blobs, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := d.run("doctor"); got.exit != exitFailed || !strings.Contains(got.out.String(), "problem  files: 1 of 1 file") {
		t.Errorf("another store: exit %d\n%s", got.exit, &got.out)
	}
}
