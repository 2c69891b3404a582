package scoring

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// fileTolerance: the oracle files are rounded to six decimals.
const fileTolerance = 5e-7 + 1e-9

// TestPartialCreditOfRealAnswers scores a real test, 2,392 persons by 100 questions with
// several right options, and compares with figures that were computed elsewhere.
func TestPartialCreditOfRealAnswers(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(dataFolder(), "medical_mrq")
	_, err := os.Stat(folder)
	if err != nil && os.Getenv("CI") != "" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skipf("no real data: %v; ASSESS_TESTDATA names its folder", err)
	}
	keys := readKeys(t, folder)
	tallies := tallyAnswers(t, folder, keys)
	partialOracle := readTable(t, folder, "partial_credit_oracle.csv")
	oracle := readTable(t, folder, "oracle.csv")
	for i, row := range partialOracle {
		id := row["item_id"]
		got := tallies[id]
		near(t, id, "mean, omitted excluded", got.credit/got.scored, row["mean_net_credit_floor0_omit_excluded"])
		near(t, id, "mean, omitted as 0", got.credit/got.attempts, row["mean_net_credit_floor0_omit_zero"])
		near(t, id, "facility", got.correct/got.scored, oracle[i]["facility_omit_excluded"])
		near(t, id, "scored", got.scored, row["scored"])
	}
}

// tally sums up the answers to one question; credit is the sum of partial scores,
// correct counts full credit by all or nothing.
type tally struct{ attempts, scored, credit, correct float64 }

func tallyAnswers(t *testing.T, folder string, keys map[string]Key) map[string]tally {
	tallies := map[string]tally{}
	for _, row := range readTable(t, folder, "responses.csv") {
		for id, key := range keys {
			r := options(letters(row[id])...)
			sum := tallies[id]
			sum.attempts++
			item := Score(key, Config{}, r)
			if item.Status == Scored {
				sum.scored++
			}
			sum.credit += item.Score
			key.Method = AllOrNothing
			if Score(key, Config{}, r).IsCorrect {
				sum.correct++
			}
			tallies[id] = sum
		}
	}
	return tallies
}

func near(t *testing.T, item, what string, got float64, want string) {
	t.Helper()
	w, err := strconv.ParseFloat(want, 64)
	if err != nil || math.Abs(got-w) > fileTolerance {
		t.Errorf("%s: %s: got %v, want %s", item, what, got, want)
	}
}

func dataFolder() string {
	folder := os.Getenv("ASSESS_TESTDATA")
	if folder != "" {
		return folder
	}
	return filepath.Join("..", "..", "..", "..", "shared", "data")
}

func letters(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "")
}

func readKeys(t *testing.T, folder string) map[string]Key {
	keys := map[string]Key{}
	for _, row := range readTable(t, folder, "items.csv") {
		n, err := strconv.Atoi(row["n_options"])
		if err != nil {
			t.Fatal(err)
		}
		keys[row["item_id"]] = Key{QType: MRQ, Method: Partial, Options: optionKeys(n, row["key"])}
	}
	return keys
}

// readTable reads a CSV file with a header into one map a row.
func readTable(t *testing.T, folder, name string) []map[string]string {
	file, err := os.Open(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := make(map[string]string, len(line))
		for i, value := range line {
			row[lines[0][i]] = value
		}
		rows = append(rows, row)
	}
	return rows
}
