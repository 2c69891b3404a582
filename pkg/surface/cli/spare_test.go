package cli

import (
	"strings"
	"testing"
)

func TestSpareColumnsGoWhereTheScreenIsNarrow(t *testing.T) {
	t.Parallel()
	columns := []Column[string]{
		{Header: "Name", Cell: func(s string) string { return s }},
		{Header: "Id", Cell: func(string) string { return "00000000-0000-7000-8000-000000000001" }, Spare: true},
	}
	for _, tt := range []struct {
		name  string
		width int
		want  bool
	}{
		{"no limit", 0, true}, {"wide", 80, true}, {"just wide enough", 48, true}, {"narrow", 47, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, c := piped(FormatTable)
			s.Screen.Width = tt.width
			err := Print(s, []string{"northern"}, columns...)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(c.out.String(), "-000000000001"); got != tt.want {
				t.Errorf("the id is there: %t, want %t\n%s", got, tt.want, &c.out)
			}
		})
	}
}

// An id that is shown is never broken, wherever its column is and whatever is next to it.
func TestAnIDIsNeverBroken(t *testing.T) {
	t.Parallel()
	const id = "00000000-0000-7000-8000-000000000001"
	s, c := piped(FormatTable)
	s.Screen.Width = 50
	err := Print(s, []string{"a long name that takes all the room there is"}, Column[string]{Header: "Name", Cell: func(s string) string { return s }},
		Column[string]{Header: "Id", Cell: func(string) string { return id }}, Column[string]{Header: "About", Cell: func(string) string { return "user " + id }})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(c.out.String(), id); n != 2 {
		t.Errorf("%d ids are whole, want 2\n%s", n, &c.out)
	}
}
