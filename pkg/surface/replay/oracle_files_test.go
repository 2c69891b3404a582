package replay_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assess/pkg/surface/demo"
)

// oracle reads figures that were computed elsewhere. Its files belong to the real data
// sets; a missing one yields nothing.
type oracle struct {
	t   *testing.T
	dir string
}

// openExam opens a real data set. Without it the test is skipped on a developer's machine
// and fails where CI is set.
func openExam(t *testing.T, folder string) (demo.Dataset, oracle) {
	t.Helper()
	root := os.Getenv("ASSESS_TESTDATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "shared", "data")
	}
	dir := filepath.Join(root, folder)
	data, err := demo.Open(dir)
	if errors.Is(err, fs.ErrNotExist) && os.Getenv("CI") == "" {
		t.Skipf("no data set at %s; ASSESS_TESTDATA names the folder of the data sets", dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data, oracle{t, dir}
}

func (o oracle) items() map[string]figures {
	all := map[string]figures{}
	for _, r := range o.rows("oracle.csv") {
		all[r["item_id"]] = figures{
			Attempts: o.count(r["attempts"]), Scored: o.count(r["scored"]), Omitted: o.count(r["omitted"]), Correct: o.count(r["correct"]),
			Facility: o.number(r["facility_omit_excluded"]), OmitRate: o.number(r["omit_rate"]),
			Options: map[string]int{}, Shares: map[string]float64{},
			Median: milliseconds(o.number(r["time_median_ms_answered"])), P90: milliseconds(o.number(r["time_p90_ms_answered"])),
		}
	}
	for _, r := range o.rows("options_oracle.csv") {
		all[r["item_id"]].Options[r["option"]] = o.count(r["n"])
		all[r["item_id"]].Shares[r["option"]] = o.number(r["prop_scored"])
	}
	for _, r := range o.rows("partial_credit_oracle.csv") {
		f := all[r["item_id"]]
		f.MeanScore, f.Sets = o.number(r["mean_net_credit_floor0_omit_excluded"]), map[string]int{}
		all[r["item_id"]] = f
	}
	for _, r := range o.rows("answer_sets_oracle.csv") {
		all[r["item_id"]].Sets[r["answer_set"]] = o.count(r["n"])
	}
	return all
}

func (o oracle) scores() map[string]float64 {
	scores := map[string]float64{}
	for _, r := range o.rows("scores_oracle.csv") {
		scores[r["person_id"]] = o.number(r["correct"])
	}
	return scores
}

func (o oracle) passes(passMarkPercent float64) int {
	metric := fmt.Sprintf("pass%v_omit_wrong", passMarkPercent)
	for _, r := range o.rows("summary_oracle.csv") {
		if r["metric"] == metric {
			return o.count(r["value"])
		}
	}
	o.t.Fatalf("summary_oracle.csv has no %s", metric)
	return 0
}

// rows reads a CSV file into a map a row, by the names of its header.
func (o oracle) rows(name string) []map[string]string {
	file, err := os.Open(filepath.Join(o.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		o.t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		o.t.Fatal(err)
	}
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, cell := range line {
			row[lines[0][i]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

// number reads a cell; an absent column, such as a time that was not measured, is 0.
func (o oracle) number(cell string) float64 {
	if cell == "" {
		return 0
	}
	n, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		o.t.Fatal(err)
	}
	return n
}

func (o oracle) count(cell string) int { return int(o.number(cell)) }

// equal compares to the precision of the files: six decimals, and 1 ms for times. Counts
// are exact.
func equal(t *testing.T, what string, want, got any) {
	t.Helper()
	diff := cmp.Diff(want, got,
		cmpopts.EquateApprox(0, 5e-7+1e-9),
		cmp.Comparer(func(a, b milliseconds) bool { return math.Abs(float64(a-b)) <= 1 }))
	if diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
