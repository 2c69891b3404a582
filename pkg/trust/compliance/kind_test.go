package compliance_test

import (
	"testing"
	"time"

	"assess/pkg/trust/compliance"
)

// The result of a job goes out as it was kept: its times have three digits of milliseconds, also where
// the last of them is a nought.
func TestResultsHaveTimesAsAnswersDo(t *testing.T) {
	t.Parallel()
	r := compliance.Run{}
	err := r.Result(struct {
		At time.Time `json:"at"`
	}{time.Date(2026, 5, 4, 9, 0, 0, 310_000_000, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(r.Job.Result), `{"at":"2026-05-04T09:00:00.310Z"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
