package wire

import "testing"

func TestDurationsAreSaidAsPeopleSayThem(t *testing.T) {
	t.Parallel()
	for ms, want := range map[int64]string{0: "0.0 s", 12_449: "12.4 s", 59_949: "59.9 s", 59_950: "1 min 0 s", 60_499: "1 min 0 s",
		1_587_700: "26 min 28 s", 3_599_499: "59 min 59 s", 3_599_500: "1 h 0 min", 3_900_000: "1 h 5 min", 90_000_000: "25 h 0 min"} {
		if got := Duration(ms); got != want {
			t.Errorf("%d ms: got %q, want %q", ms, got, want)
		}
	}
}
