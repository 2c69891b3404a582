package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// onePixel is the smallest PNG, in grey.
const onePixel = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU" +
	"\x00\x00\x00\nIDATx\x9cc\xf8\x0f\x00\x01\x01\x01\x00\x1b\xb6\xeeV\x00\x00\x00\x00IEND\xaeB`\x82"

func (d *desk) file(name, content string) string {
	d.t.Helper()
	path := filepath.Join(d.t.TempDir(), name)
	err := os.WriteFile(path, []byte(content), 0o600)
	if err != nil {
		d.t.Fatal(err)
	}
	return path
}

func TestMedia(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create north --name 'North campus' --tenant northwind")
	where := " --tenant northwind --org north"
	leaf, script := d.file("leaf.png", onePixel), d.file("leaf.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>")
	d.say("media upload " + leaf + where + " --dry-run")
	if n := d.count("select (select count(*) from assets) + (select count(*) from media_blobs)"); n != 0 {
		t.Errorf("the dry run left %d rows", n)
	}
	d.say(
		"media upload "+leaf+where+" --idempotency-key once",
		"media upload "+leaf+where+" --idempotency-key once",
		"media upload "+script+where,
		"media upload /nowhere/leaf.png"+where,
		"media list"+where,
		"media list --name LEAF --media-type 'image/*' -o csv"+where,
		"media list --media-type video/mp4"+where,
	)
	var listed struct{ Items []struct{ ID string } }
	err := json.Unmarshal([]byte(d.must("media list -o json"+where)), &listed)
	if err != nil || len(listed.Items) != 1 {
		t.Fatalf("got %v and error %v, want one asset", listed, err)
	}
	id := listed.Items[0].ID
	newer := d.file("newer.png", onePixel+"more")
	d.say(
		"media upload "+newer+" --asset "+id+where,
		"media upload "+newer+" --asset "+id+where,
		"media show "+id+where,
		"media show "+id+" -o json"+where,
		"media delete "+id+where,
		"media delete "+id+" --dry-run"+where,
		"media delete "+id+" --yes"+where,
		"media show "+id+where,
	)
	d.check("media.txt")
	if n := d.count("select count(*) from media_blobs"); n != 2 {
		t.Errorf("got %d files, want 2 until the sweep", n)
	}
}

func TestLocales(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.say(
		"locale list --tenant northwind",
		"locale set EN-us de ar --required ar --tenant northwind",
		"locale list --tenant northwind -o json",
		"locale list --tenant northwind -o csv",
		"locale set en english --default fr --tenant northwind",
		"locale set en --required de --tenant northwind",
		"locale set --dry-run --tenant northwind",
		"locale list --tenant northwind",
		"locale set --tenant northwind -o yaml",
	)
	d.check("locale.txt")
	if got := d.run("locale list --tenant northwind"); strings.TrimSpace(got.out.String()) != "" {
		t.Errorf("none chosen: got %q", &got.out)
	}
}
