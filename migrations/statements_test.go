package migrations

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStatementsEndWhereTheirSemicolonIs(t *testing.T) {
	t.Parallel()
	want := []string{
		"-- first; of all\nselect 1;",
		"\nselect 'a; b', ';' as \"c;d\" /* e; */;",
		"\ndo $$ begin perform $1; end $$;",
		"\ncreate function f() returns int language plpgsql as $body$ begin return $$;$$; end $body$;",
		"\ncreate function g() returns int language sql begin atomic\n    select 1;\n    select case when true then 2 end;\nend;",
		"\nselect 'it''s; so';",
	}
	if diff := cmp.Diff(want, statements(strings.Join(want, "")+"\n-- the end; or so\n")); diff != "" {
		t.Error(diff)
	}
}

// Nothing of a file is lost except the text after its last statement.
func TestEveryFileIsTheSumOfItsStatements(t *testing.T) {
	t.Parallel()
	for _, m := range All() {
		all := statements(m.SQL)
		left, ok := strings.CutPrefix(m.SQL, strings.Join(all, ""))
		if !ok || strings.TrimSpace(left) != "" {
			t.Errorf("%s: left behind its %d statements: %q", m.File(), len(all), left)
		}
		if slices.ContainsFunc(all, func(s string) bool { return strings.TrimSpace(s) == ";" }) {
			t.Errorf("%s has an empty statement", m.File())
		}
	}
}
