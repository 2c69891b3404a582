package app_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"assess/pkg/kernel/ids"
)

// hostileBody is a body that takes little to send and could take much to read. Its answer has
// one of the statuses.
type hostileBody struct {
	path, contentType string
	body              []byte
	statuses          []int
}

// hostileBodies are the bodies that cost most before bodies were bounded: a problem for every
// element, every field, every line and every level.
func (h *house) hostileBodies() map[string]hostileBody {
	wide := func(n int, element string) string { return strings.Repeat(element+",", n-1) + element }
	fields := make([]string, 60_000)
	for i := range fields {
		fields[i] = fmt.Sprintf(`"x%d":1`, i)
	}
	unknown := "{" + strings.Join(fields, ",") + "}"
	deep := strings.Repeat(`{"items":[`, 4999) + strings.Repeat(`]}`, 4999)
	json := func(path, body string) hostileBody {
		return hostileBody{path, "application/json", []byte(body), []int{http.StatusUnprocessableEntity}}
	}
	// Some wait longer for their turn than any request may.
	imported := []int{http.StatusOK, http.StatusUnprocessableEntity, http.StatusServiceUnavailable}
	session := "/evaluations/" + h.evaluation.String() + "/sessions/" + ids.New().String()
	lines := strings.Repeat("a,b\n", 8<<20-8)
	short := []byte("email\n" + strings.Repeat("a\n", 375_000))
	all := map[string]hostileBody{
		"answers":          json(session+"/answers", `{"answers":[`+wide(340_000, `{}`)+`]}`),
		"options":          json("/questions", `{"qtype":"mcq","options":[`+wide(340_000, `{}`)+`]}`),
		"members":          json("/groups/"+ids.New().String()+"/members", `{"userIds":[`+wide(250_000, `"x"`)+`]}`),
		"unknown fields":   json("/questions", unknown),
		"values":           json("/questions", `{"qtype":"mcq","stem":[`+wide(500_000, `0`)+`]}`),
		"nested content":   json("/questions", `{"qtype":"mcq","stem":`+deep+`}`),
		"login":            {"/auth/login", "application/json", []byte(unknown), []int{http.StatusRequestEntityTooLarge, http.StatusTooManyRequests}},
		"short lines":      {"/users/import/preview", "text/csv", short, imported},
		"import as JSON":   {"/users/import/preview", "application/json", []byte(`{"csv":"email\n` + strings.Repeat(`a\n`, 10<<20) + `","nosuch":[` + wide(100_000, `{}`) + `]}`), imported},
		"import to commit": {"/users/import/commit", "text/csv", []byte("email\n" + lines), imported},
	}
	return all
}

// allowedGrowth is how much hostile bodies may add to the resident memory of an idle assessd.
const allowedGrowth = 300 << 20

// TestHostileBodiesTakeLittleMemory sends twelve bodies of each kind at once and compares the
// highest resident memory that assessd ever had with the memory of the idle one.
func TestHostileBodiesTakeLittleMemory(t *testing.T) {
	h := newHouse(t)
	d := h.start(t)
	idle := d.memory(t, "VmRSS")
	for kind, b := range h.hostileBodies() {
		var all sync.WaitGroup
		for range 12 {
			all.Go(func() { h.attack(t, kind, b) })
		}
		all.Wait()
		peak := d.memory(t, "VmHWM")
		t.Logf("%s: %d MiB over %d MiB", kind, (peak-idle)>>20, idle>>20)
		if peak-idle > allowedGrowth {
			t.Fatalf("%s: resident memory grew by %d MiB to %d MiB", kind, (peak-idle)>>20, peak>>20)
		}
	}
}

func (h *house) attack(t *testing.T, kind string, b hostileBody) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+h.address+"/api/v1"+b.path, bytes.NewReader(b.body))
	if err != nil {
		t.Error(err)
		return
	}
	req.Header.Set("Authorization", "Bearer "+h.token)
	req.Header.Set("Content-Type", b.contentType)
	req.Header.Set("Idempotency-Key", ids.New().String())
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Errorf("%s: %v", kind, err)
		return
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		t.Errorf("%s: %v", kind, err)
	}
	for _, status := range b.statuses {
		if res.StatusCode == status && len(answer) < 500_000 {
			return
		}
	}
	t.Errorf("%s: got %d and %d bytes, want %v: %.300s", kind, res.StatusCode, len(answer), b.statuses, answer)
}

// memory reads a figure of the running assessd in bytes.
func (d *daemon) memory(t *testing.T, figure string) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", d.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		if name != figure {
			continue
		}
		kilobytes, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
		if err != nil {
			t.Fatal(err)
		}
		return kilobytes << 10
	}
	t.Fatalf("there is no %s", figure)
	return 0
}
