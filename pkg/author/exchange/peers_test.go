package exchange_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/exchange"
	"assess/pkg/author/exchange/bank"
)

// peer is a question as another project's reader gives it.
type peer struct {
	Type, ID string
	Options  int
}

// Another reader of GIFT finds the same questions in our file.
func TestAnotherReaderReadsOurGIFT(t *testing.T) {
	t.Parallel()
	folder := peers(t)
	gift, err := exchange.Named("gift")
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]string{"mcq": "MC", "mrq": "MC", "mrq partial": "MC", "odd ids": "MC", "rich": "MC", "true false": "TF", "short text": "Short",
		"numeric": "Numerical", "essay": "Essay", "match": "Matching", "grid": "Matching", "gap typed": "Short", "gap chosen": "MC", "gap number": "Numerical"}
	var items []*bank.Item
	var want []peer
	for _, name := range slices.Sorted(maps.Keys(types)) {
		it := samples()[name]
		it.ID, it.Tags = "id of "+name, nil // it ends a tag at a bracket, escaped or not
		of := peer{Type: types[name], ID: it.ID}
		switch {
		case len(it.Gaps) > 0:
			of.Options = max(len(it.Gaps[0].Options), len(it.Gaps[0].Accepted), 1)
		case of.Type == "MC", of.Type == "Matching":
			of.Options = max(len(it.Options), len(it.Prompts))
		case of.Type == "Short":
			of.Options = len(it.Accepted)
		case of.Type == "Numerical":
			of.Options = 1
		}
		items, want = append(items, &it), append(want, of)
	}
	file := filepath.Join(t.TempDir(), "bank.gift")
	if err := os.WriteFile(file, write(t, gift, items...), 0o600); err != nil {
		t.Fatal(err)
	}
	said, err := exec.CommandContext(t.Context(), "node", filepath.Join(folder, "gift.js"), file).Output()
	if err != nil {
		t.Fatalf("the reader refuses the file: %v", err)
	}
	var got []peer
	if err := json.Unmarshal(said, &got); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read as (-want +got)\n%s", diff)
	}
}

// peers installs the readers where they stay for the next run.
func peers(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("the readers need npm, which is not here: CI=true scripts/setup installs it")
	}
	folder := filepath.Join("..", "..", "..", ".npm", "peers")
	if err := os.MkdirAll(folder, 0o750); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"package.json", "package-lock.json", "gift.js"} {
		text, err := os.ReadFile(filepath.Join("testdata", "peers", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	install := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = folder
	if said, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return folder
}
