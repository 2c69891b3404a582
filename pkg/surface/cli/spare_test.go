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
