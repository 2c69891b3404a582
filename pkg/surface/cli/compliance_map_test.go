package cli

import (
	"encoding/csv"
	"strings"
	"testing"

	"assess/pkg/kernel/sheet"
	"assess/pkg/trust/datamap"
)

// As CSV the data map has a line for each column of each table.
func TestTheDataMapAsCSVHasEveryColumn(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(d.must("compliance data-map -o csv"), sheet.ByteOrderMark))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rows[0], " "); got != "table domain holds column class whenForgotten exported purpose legalBasis" {
		t.Errorf("the header is %s", got)
	}
	said := map[string][]string{}
	for _, row := range rows[1:] {
		said[row[0]+"."+row[3]] = row
	}
	for _, table := range datamap.Tables {
		for _, c := range table.Columns {
			if row := said[table.Name+"."+c.Name]; row == nil || row[4] != string(c.Class) {
				t.Errorf("%s.%s: %v", table.Name, c.Name, row)
			}
		}
	}
	for column, want := range map[string]string{"users.name": "redact subject", "magic_links.user_id": "delete subject", "sessions.run_label": "keep subject", "roles.name": " "} {
		if got := said[column][5] + " " + said[column][6]; got != want {
			t.Errorf("%s: %s, want %s", column, got, want)
		}
	}
}
