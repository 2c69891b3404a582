package capacity

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// figure is one of bench/results.json.
type figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Note  string  `json:"note"`
}

func figures(t *testing.T, measurement string) map[string]figure {
	t.Helper()
	data, err := os.ReadFile("../../../bench/results.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]struct{ Results []figure }
	err = json.Unmarshal(data, &all)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]figure{}
	for _, f := range all[measurement].Results {
		found[f.Name] = f
	}
	return found
}

func TestTheModelHasTheCostsThatWereMeasured(t *testing.T) {
	t.Parallel()
	measured := figures(t, "cost")
	for step, c := range map[string]cost{"start": starting, "20 saves": {saving.Server * 20, saving.Database * 20, saving.WAL * 20},
		"submit": submitting, "projection": projecting} {
		wanted := fmt.Sprintf("Go %.2f, PostgreSQL %.2f; ", c.Server, c.Database)
		wal := fmt.Sprintf(" %.1f KB of WAL", c.WAL)
		if note := measured["processor time of "+step].Note; !strings.HasPrefix(note, wanted) || !strings.Contains(note, wal) {
			t.Errorf("%s: the model has %q and%q, measured was %q", step, wanted, wal, note)
		}
	}
}

// Whole attempts, one after the other, keep all processors busy, so the model says how many fit into a second. The clients took
// some of them, and the machine of the cluster has a pace of its own, which its own run without a cluster tells.
func TestTheModelAgreesWithWhatWasMeasured(t *testing.T) {
	t.Parallel()
	server, database := 0.0, 0.0
	for _, c := range []cost{starting, submitting, projecting} {
		server, database = server+c.Server, database+c.Database
	}
	server, database = server+20*saving.Server, database+20*saving.Database
	const processors = 2
	spread := figures(t, "cluster")["on a cluster: whole attempts, HTTP, projected"]
	var slowServer, slowDatabase float64
	_, of, _ := strings.Cut(spread.Note, "on one machine ")
	_, err := fmt.Sscanf(of, "%f and %f", &slowServer, &slowDatabase)
	if err != nil {
		t.Fatalf("%q: %v", spread.Note, err)
	}
	pace := (server + database) / (slowServer + slowDatabase)
	for _, m := range []struct {
		name              string
		measured, modeled float64
	}{
		{"one machine", figures(t, "cost")["whole attempts over HTTP, projected"].Value, processors * 1000 / (server + database)},
		{"a cluster", spread.Value, processors * 1000 * pace / (server*clusterServer + database*clusterDatabase)},
	} {
		if ratio := m.modeled / m.measured; ratio < 0.8 || ratio > 1.35 {
			t.Errorf("%s: %.0f attempts a second by the model, %.0f measured", m.name, m.modeled, m.measured)
		}
	}
}

// Ten thousand people took an exam on two processors without a wait (`make bench-exam`).
func TestTwoProcessorsCarryTenThousand(t *testing.T) {
	t.Parallel()
	e := Exam{People: 10_000, Questions: Questions, SaveEvery: SaveEvery, StartWithin: StartWithin, SubmitWithin: SubmitWithin}
	m := Machine{Processors: 2, Pace: 1}
	if n := m.Carries(e); n < 10_000 || n > 20_000 {
		t.Errorf("two processors carry %d people", n)
	}
	if n := (Machine{Processors: 8, Pace: 2}).Carries(e); n != 8*m.Carries(e) {
		t.Errorf("eight processors of twice the pace carry %d people", n)
	}
	need := m.Needs(e)
	most := figures(t, "exam")["10000 candidates for 10m0s: most memory of assessd"].Value
	if ratio := float64(need.Memory) / most; ratio < 0.8 || ratio > 1.35 {
		t.Errorf("assessd needs %d MB by the model, %.0f measured", need.Memory, most)
	}
	if need.Workers != 0 || need.Server < 1 || need.Database < 1 {
		t.Errorf("ten thousand people need %+v", need)
	}
}

func TestMoreThanOnePostgreSQLCarriesNeedACluster(t *testing.T) {
	t.Parallel()
	e := Exam{Questions: Questions, SaveEvery: SaveEvery, StartWithin: StartWithin, SubmitWithin: SubmitWithin}
	m := Machine{Processors: 2, Pace: 1}
	before := Need{}
	for _, e.People = range []int{0, 1, 1_000, 100_000, 1_000_000} {
		need := m.Needs(e)
		if need.Database < before.Database || need.Server < before.Server || need.Disk < before.Disk || need.Workers < before.Workers {
			t.Errorf("%d people need less than fewer do: %+v, %+v", e.People, need, before)
		}
		before = need
	}
	if before.Workers == 0 {
		t.Errorf("a million people need no cluster: %+v", before)
	}
	e.People = 0
	if need := m.Needs(e); need.Server != 0 || need.Database != 0 || need.Disk != 0 {
		t.Errorf("nobody needs %+v", need)
	}
}

// Twice the questions are twice the rows of a submit; saves come at the same pace.
func TestMoreQuestionsNeedMore(t *testing.T) {
	t.Parallel()
	e := Exam{People: 100_000, Questions: 20, SaveEvery: SaveEvery, StartWithin: StartWithin, SubmitWithin: SubmitWithin}
	few := e.busiest()
	e.Questions = 40
	many := e.busiest()
	if many.database <= few.database || many.wal <= few.wal {
		t.Errorf("40 questions keep %+v busy, 20 %+v", many, few)
	}
}
