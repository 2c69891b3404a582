package intake

import (
	"encoding/csv"
	"strings"
	"testing"
)

// A number is read as everybody reads it, or not at all.
func TestNumbersAreNeverGuessed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		cell, decimal, code string
		want                float64
	}{
		{"1.5", "", "", 1.5}, {"1,5", "", "", 1.5}, {"1,25", "", "", 1.25}, {"1,0000", "", "", 1}, {"0.125", "", "", 0.125}, {"-12.345", "", "", -12.345},
		{"1e3", "", "", 1000}, {".5", "", "", 0.5}, {",5", "", "", 0.5}, {"5.", "", "", 5}, {"−1,5", "", "", -1.5}, {"１２", "", "", 12}, {"1000", "", "", 1000},
		{"1,000", "", "ambiguous_number", 0}, {"12,345", "", "ambiguous_number", 0}, {"-1,000", "", "ambiguous_number", 0}, {"0,125", "", "ambiguous_number", 0},
		{"1,000", "comma", "", 1}, {"12,345", "comma", "", 12.345}, {"1,5", "comma", "", 1.5}, {"3", "comma", "", 3},
		{"1.000", "comma", "invalid_number", 0}, {"1,000", "point", "invalid_number", 0}, {"1.000", "point", "", 1},
		{"1_000", "", "invalid_number", 0}, {"1_000", "point", "invalid_number", 0}, {"0x10", "", "invalid_number", 0}, {"0x1p-2", "", "invalid_number", 0},
		{"1,000,000", "", "invalid_number", 0}, {"1.000,5", "", "invalid_number", 0}, {"1 000", "", "invalid_number", 0}, {"1'000", "", "invalid_number", 0},
		{"inf", "", "invalid_number", 0}, {"NaN", "", "invalid_number", 0}, {"1e999", "", "invalid_number", 0}, {".", "", "invalid_number", 0},
	} {
		var data strings.Builder
		w := csv.NewWriter(&data)
		_ = w.WriteAll([][]string{{"id"}, {tt.cell}})
		f := open(Input{Data: []byte(data.String()), Decimal: tt.decimal}, []column{{name: "id"}})
		for r := range f.scan() {
			x := r.number("id")
			code := ""
			if len(f.errors) > 0 {
				code = f.errors[0].Code
			}
			if code != tt.code || code == "" && (x == nil || *x != tt.want || len(f.numbers[2]) != 1 || f.numbers[2][0].Value != tt.want) {
				t.Errorf("%s with decimal=%s: got %v, %q, echo %v", tt.cell, tt.decimal, x, code, f.numbers)
			}
		}
	}
}
