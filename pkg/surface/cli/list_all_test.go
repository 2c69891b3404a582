package cli

import (
	"context"
	"encoding/json"
	"errors"

	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
)

// Every list that comes by pages can also come as a whole.
func TestEveryPagedCommandHasAll(t *testing.T) {
	t.Parallel()
	n := 0
	eachCommand(newRoot(newShell(strings.NewReader(""), nil, nil)), func(c *cobra.Command) {
		if c.Flags().Lookup("page") == nil {
			return
		}
		n++
		if c.Flags().Lookup("all") == nil {
			t.Errorf("%s has pages and no --all", c.CommandPath())
		}
	})
	if n < 40 {
		t.Errorf("%d commands have pages", n)
	}
}

func TestAllPagesAreOne(t *testing.T) {
	t.Parallel()
	for _, total := range []int{0, 1, db.MaxLimit, db.MaxLimit + 1, 3*db.MaxLimit - 1} {
		page := db.Page{Page: 7, Limit: 3}
		calls := 0
		got, err := readPages(true, &page, func() (db.List[int], error) {
			calls++
			var items []int
			for i := page.Offset(); i < min(total, page.Offset()+page.Limit); i++ {
				items = append(items, i)
			}
			return db.NewList(items, page, total), nil
		}, pagedOf[int])
		want := db.List[int]{Items: []int{}, Page: 1, Limit: max(total, 1), Total: total}
		for i := range total {
			want.Items = append(want.Items, i)
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" || calls != max(1, (total+db.MaxLimit-1)/db.MaxLimit) {
			t.Errorf("%d rows in %d calls, %v: %s", total, calls, err, diff)
		}
	}
	// Rows that go while the list is read end it.
	page := db.Page{}
	got, err := readPages(true, &page, func() (db.List[int], error) { return db.NewList([]int{1}[page.Page-1:], page, 5), nil }, pagedOf[int])
	if err != nil || len(got.Items) != 1 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestAllRowsOfAList(t *testing.T) {
	t.Parallel()
	d := registry(t, "ada", "bo", "cy")
	const list = "user list --tenant northwind --org north "
	var whole db.List[struct{ Email string }]
	err := json.Unmarshal([]byte(d.must(list+"--all -o json")), &whole)
	if err != nil || len(whole.Items) != 3 || whole.Total != 3 || whole.Page != 1 || whole.Limit != 3 {
		t.Errorf("got %+v, %v", whole, err)
	}
	if got := strings.Count(d.must(list+"--all -o csv"), "\n"); got != 4 {
		t.Errorf("%d lines", got)
	}
	for _, flag := range []string{"--page 1", "--limit 2"} {
		if got := d.run(list + "--all " + flag); got.exit != exitUsage {
			t.Errorf("%s: exit %d", flag, got.exit)
		}
	}
}

// A command that draws one page refuses to draw all of them, instead of leaving some out.
func TestAPageOfHTMLIsOnePage(t *testing.T) {
	t.Parallel()
	d := registry(t, "ada")
	for _, line := range []string{"exceptions list", "skill profile ada@example.org"} {
		got := d.run(line + " --tenant northwind --org north --all --html " + t.TempDir() + "/x.html")
		if got.exit != exitUsage || !strings.Contains(got.err.String(), "[all html]") {
			t.Errorf("%s: exit %d, %s", line, got.exit, &got.err)
		}
	}
}

func TestJQ(t *testing.T) {
	t.Parallel()
	d := registry(t, "ada", "bo")
	const list = "user list --tenant northwind --org north "
	for filter, want := range map[string]string{
		".items[].email":                           "ada@example.org\nbo@example.org\n",
		".items | map({name})":                     `[{"name":"ada Quist"},{"name":"bo Quist"}]` + "\n",
		".total, (.items|length), .nothing":        "2\n2\nnull\n",
		`.items[] | select(.email > "b") | .email`: "bo@example.org\n",
		"empty":                         "",
		".items[0].email, halt, .total": "ada@example.org\n",
		"($ENV, env) | length":          "0\n0\n",
	} {
		got := d.run(list + "--jq '" + filter + "'")
		if got.exit != exitDone || got.out.String() != want {
			t.Errorf("%s: exit %d, %q %s", filter, got.exit, &got.out, &got.err)
		}
	}
	for _, bad := range []string{"--jq '.items['", "--jq nosuch", "--jq .items -o csv", "--jq '.items + 1'", "--jq .items.email", `--jq 'error("x")'`} {
		if got := d.run(list + bad); got.exit != exitUsage || !strings.Contains(got.err.String(), "jq") {
			t.Errorf("%s: exit %d, %s", bad, got.exit, &got.err)
		}
	}
	if got := d.must("tenant list --jq .[].slug -o json"); got != "northwind\n" {
		t.Errorf("got %q", got)
	}
	// Numbers come out as they went in.
	s := newShell(nil, nil, nil)
	var out strings.Builder
	s.Screen = &Screen{Writer: &out}
	for _, n := range []string{"9007199254740993", "0.1", "1e300", "100000000000000000000"} {
		out.Reset()
		err := s.useJQ(t.Context(), ".n", false)
		if err == nil {
			err = s.json(map[string]any{"n": json.Number(n)})
		}
		if err != nil || strings.TrimSpace(out.String()) != n {
			t.Errorf("%s: got %s, %v", n, &out, err)
		}
	}
}

// A filter without an end ends with the command.
func TestJQIsInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := newShell(nil, nil, nil)
	s.Screen = &Screen{Writer: cancels{cancel}}
	err := s.useJQ(ctx, "1, last(range(infinite))", false)
	if err == nil {
		err = s.json(nil)
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// cancels ends the command with the first line that it prints.
type cancels struct{ cancel func() }

func (c cancels) Write(line []byte) (int, error) {
	c.cancel()
	return len(line), nil
}
