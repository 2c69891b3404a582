package reporting

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// documentedColumn is a row of a table of docs/question-health.md about a file of the archive.
type documentedColumn struct{ name, definition, unit, numerator, denominator, field string }

func documentedColumns(t *testing.T, file string) []documentedColumn {
	t.Helper()
	var all []documentedColumn
	for _, row := range healthTable(t, "### `"+file+"`") {
		if len(row) != 6 {
			t.Fatalf("%s: a row of %d cells: %q", file, len(row), row)
		}
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		all = append(all, documentedColumn{inTicks(row[0])[0], row[1], row[2], row[3], row[4], strings.Trim(row[5], "`")})
	}
	return all
}

// Each column of each file is described, in the order of the file: its meaning, its unit, and for a
// fraction its numerator and denominator.
func TestThePageDescribesEveryColumnOfTheArchive(t *testing.T) {
	t.Parallel()
	for _, table := range tables {
		var names []string
		for _, c := range documentedColumns(t, table.name) {
			names = append(names, c.name)
			if c.definition == "" || c.unit == "" {
				t.Errorf("%s: %s has no definition or no unit", table.name, c.name)
			}
			if (c.unit == "fraction") != (c.numerator != "" && c.denominator != "") && !strings.HasPrefix(c.definition, "mean ") {
				t.Errorf("%s: %s is a %s of %q over %q", table.name, c.name, c.unit, c.numerator, c.denominator)
			}
		}
		if diff := cmp.Diff(table.columns, names); diff != "" {
			t.Errorf("%s (-code +page):\n%s", table.name, diff)
		}
	}
}

// Columns are what the page says: each shows what its field shows, and a fraction whose parts are
// columns too is their quotient.
func TestColumnsOfTheArchiveAreWhatThePageSays(t *testing.T) {
	t.Parallel()
	c := found(t, dbtest.Clone(t))
	c.questions = append(c.questions, ids.New())
	c.addUnit(t, 120)
	// Some submissions have the question with several options once more, and get a part of it, or nothing.
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, `
			insert into submission_items (tenant_id, submission_id, id, org_unit_id, item_id, question_version_id, position, qtype, response,
				score_status, invalid_code, score_method, score, max_score, is_correct, is_omitted, correct_selected, incorrect_selected, total_correct)
			select tenant_id, submission_id, gen_random_uuid(), org_unit_id, gen_random_uuid(), question_version_id, 5, qtype,
				case when none then '{"optionIds":[]}'::jsonb else '{"optionIds":["C","A"]}' end, case when none then 'INVALID' else 'SCORED' end,
				case when none then 'too_few_selections' end, score_method, case when none then 0 else 0.35 end, 1, false, false, 1, 1, 1
			from submission_items, lateral (select time_spent_ms % 110 = 0 as none) n
			where tenant_id = $1 and qtype = 'mrq' and time_spent_ms % 50 = 0 returning true`, c.tenant)
		return err
	})
	c.project(t)
	_, files := unzip(t, c.export(t, HealthFilter{}))
	seen := map[string]bool{}
	for _, table := range tables {
		of := linesOf(files[table.name])
		for question, lines := range of {
			detail := c.asShown(t, question)
			for _, column := range documentedColumns(t, table.name) {
				name := table.name + ", " + column.name
				if column.field != "" {
					seen[name] = true
					compareColumn(t, name, column, lines, valuesAt(detail, strings.Split(column.field, ".")))
				}
				if column.unit == "fraction" {
					checkQuotient(t, name, column, lines)
				}
			}
		}
		for _, column := range documentedColumns(t, table.name) {
			if name := table.name + ", " + column.name; column.field != "" && !seen[name] {
				t.Errorf("%s: the data have no line to compare", name)
			}
		}
	}
}

// linesOf gives the lines of each question by the names of their columns.
func linesOf(rows [][]string) map[string][]map[string]string {
	all := map[string][]map[string]string{}
	for _, row := range rows[min(1, len(rows)):] {
		line := map[string]string{}
		for i, name := range rows[0] {
			line[name] = row[i]
		}
		all[row[0]] = append(all[row[0]], line)
	}
	return all
}

// asShown is the page of a question as a client reads it.
func (c *cohort) asShown(t *testing.T, question string) any {
	t.Helper()
	id, err := ids.Parse("question", question)
	if err != nil {
		t.Fatal(err)
	}
	detail := report(t, c, c.analyst(c.orgs[0]), func(tx *db.Tx) (QuestionHealthDetail, error) {
		return QuestionHealth(t.Context(), tx, id, HealthFilter{})
	})
	return asJSON(t, detail)
}

func asJSON(t *testing.T, value any) any {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var shown any
	err = json.Unmarshal(raw, &shown)
	if err != nil {
		t.Fatal(err)
	}
	return shown
}

// valuesAt gives the values at a path: name[] goes through a list, name[3] takes one of it.
func valuesAt(at any, path []string) []any {
	if len(path) == 0 {
		return []any{at}
	}
	name, index, listed := strings.Cut(strings.TrimSuffix(path[0], "]"), "[")
	in, _ := at.(map[string]any)
	next, there := in[name]
	if !there {
		return nil
	}
	if !listed {
		return valuesAt(next, path[1:])
	}
	list, _ := next.([]any)
	if index != "" {
		n, _ := strconv.Atoi(index)
		return valuesAt(list[n], path[1:])
	}
	var all []any
	for _, one := range list {
		all = append(all, valuesAt(one, path[1:])...)
	}
	return all
}

// compareColumn compares the cells of a question with the values on its page: one each, or all of
// them joined in one cell.
func compareColumn(t *testing.T, name string, c documentedColumn, lines []map[string]string, values []any) {
	t.Helper()
	var want, got []string
	for _, v := range values {
		want = append(want, strings.Join(inCells(v), "+"))
	}
	for _, line := range lines {
		got = append(got, line[c.name])
	}
	if strings.Contains(c.definition, "joined by semicolons") {
		want = []string{strings.Join(inCells(values), ";")}
	}
	if !slices.Equal(want, got) {
		t.Errorf("%s: the page of the question has %q, the file %q", name, want, got)
	}
}

// inCells gives a value, or each of a list, as files write it.
func inCells(v any) []string {
	switch v := v.(type) {
	case nil:
		return []string{""}
	case float64:
		return []string{strconv.FormatFloat(v, 'f', -1, 64)}
	case []any:
		var all []string
		for _, one := range v {
			all = append(all, inCells(one)...)
		}
		return all
	}
	return []string{fmt.Sprint(v)}
}

func checkQuotient(t *testing.T, name string, c documentedColumn, lines []map[string]string) {
	t.Helper()
	numerator, denominator := inTicks(c.numerator), inTicks(c.denominator)
	if len(numerator) == 0 || len(denominator) == 0 {
		return
	}
	for _, line := range lines {
		over, err := strconv.ParseFloat(line[denominator[0]], 64)
		if err != nil {
			t.Fatalf("%s is over %s: %v", name, denominator[0], err)
		}
		part, err := strconv.ParseFloat(line[numerator[0]], 64)
		if err != nil {
			t.Fatalf("%s is of %s: %v", name, numerator[0], err)
		}
		got, _ := strconv.ParseFloat(line[c.name], 64)
		if over == 0 && line[c.name] != "" || over != 0 && math.Abs(got-part/over) > 1e-12 {
			t.Errorf("%s is %q for %v over %v", name, line[c.name], part, over)
		}
	}
}
