package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTaxonomy(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	file := filepath.Join(t.TempDir(), "terms.csv")
	err := os.WriteFile(file, []byte("facet,domain,slug,label,parent,retired\n"+
		"topic,,cells,Cells,biology,\ntopic,,biology,Biology,,\ntopic,,genes,Genes,biology,no\ntopic,,cels,Cels,biology,yes\nskill,skills,reading,Reading,,\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if got := d.must("taxonomy import commit " + file + " --tenant northwind"); !strings.Contains(got, "5 created") {
		t.Errorf("import: got %q", got)
	}
	d.say(
		"taxonomy facets --tenant northwind",
		"taxonomy create topic Photosynthesis --parent-id topic:biology --tenant northwind",
		"taxonomy create topic Chloroplasts --slug plasts --parent-id topic:photosynthesis --tenant northwind",
		"taxonomy tree --tenant northwind",
		"taxonomy tree skills/skill --tenant northwind",
		"taxonomy list --search ce --tenant northwind",
		"taxonomy update topic:biology --parent-id topic:plasts --tenant northwind",
		"taxonomy update topic:plasts --clear parent-id --tenant northwind",
		"taxonomy update topic:plasts --clear label --tenant northwind",
		"taxonomy show topic:plasts --tenant northwind",
		"taxonomy ancestors topic:cells --tenant northwind",
		"taxonomy children topic:biology --all --tenant northwind",
		"taxonomy uses topic:cells --tenant northwind",
		"taxonomy create-facet Region --slug region --tenant northwind",
		"taxonomy update-facet region --label Area --tenant northwind",
		"taxonomy facet region --tenant northwind",
		"taxonomy retire topic:plasts --tenant northwind",
		"taxonomy restore topic:plasts --tenant northwind",
		"taxonomy restore topic:nothing --tenant northwind",
		"taxonomy merge topic:biology topic:cells --tenant northwind",
		"taxonomy merge topic:biology topic:cells --dry-run --tenant northwind",
		"taxonomy merge topic:biology topic:cells --yes --tenant northwind",
		"taxonomy restore topic:biology --tenant northwind",
		"taxonomy tree topic --tenant northwind",
		"taxonomy check --tenant northwind",
		"taxonomy export --tenant northwind",
	)
	d.check("taxonomy.txt")
	exported := d.must("taxonomy export --tenant northwind")
	if err := os.WriteFile(file, []byte(exported), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := d.must("taxonomy import commit " + file + " --tenant northwind"); !strings.Contains(got, "0 created, 0 changed, 7 unchanged") {
		t.Errorf("what was exported, imported again: got %q", got)
	}
	d.must("tenant create southwind --name 'Southwind'")
	d.must("taxonomy import commit " + file + " --tenant southwind")
	if got := d.must("taxonomy export --tenant southwind"); got != exported {
		t.Errorf("imported elsewhere and exported: got\n%swant\n%s", got, exported)
	}
}

func TestTaxonomyCheckFindsDamage(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	file := filepath.Join(t.TempDir(), "terms.csv")
	for text, want := range map[string]string{
		"facet,slug,parent\ntopic,a,nowhere\n":                   "line 2, column parent",
		"facet,slug,parent\ntopic,a,b\ntopic,b,a\n":              "a tree has no circles",
		"facet,slug\ntopic,a\nTopic,A\n":                         "another line names this term",
		"facet,slug,domain,retired\ntopic,a,art,no\n,!,,maybe\n": "expected yes or no",
	} {
		err := os.WriteFile(file, []byte(text), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		got := d.run("taxonomy import commit " + file + " --tenant northwind -o json")
		if got.exit != exitFailed || !strings.Contains(got.err.String(), want) {
			t.Errorf("%q: exit %d, %s; want %q", text, got.exit, &got.err, want)
		}
	}
	err := os.WriteFile(file, []byte("facet,slug,parent\ntopic,a,\ntopic,b,a\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	d.must("taxonomy import commit " + file + " --tenant northwind")
	d.must("taxonomy check --tenant northwind")
	d.count(`insert into term_relations (tenant_id, term_id, parent_id, created_at)
		select a.tenant_id, a.id, b.id, now() from terms a join terms b on b.tenant_id = a.tenant_id and b.slug = 'b' where a.slug = 'a' returning 1`)
	got := d.run("taxonomy check --tenant northwind -o csv")
	if got.exit != exitFailed || !strings.Contains(got.out.String(), "cycle") {
		t.Errorf("exit %d, got %q", got.exit, &got.out)
	}
}
