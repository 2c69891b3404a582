package projection

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func p(v float64) *float64 { return &v }

// Each rule at its threshold and one step before, and at its least number and one below.
func TestRulesAtTheirBoundaries(t *testing.T) {
	t.Parallel()
	even := []float64{0.2, 0.2, 0.1}
	cases := map[string]map[bool]bool{}
	for _, c := range []struct {
		name   string
		f      Figures
		flag   string
		raised bool
	}{
		{"easy", Figures{Attempts: 30, Scored: 30, Facility: p(0.90)}, "TOO_EASY", true},
		{"not quite easy", Figures{Attempts: 30, Scored: 30, Facility: p(0.899)}, "TOO_EASY", false},
		{"easy, few scored", Figures{Attempts: 40, Scored: 29, Facility: p(0.95)}, "TOO_EASY", false},
		{"hard", Figures{Attempts: 30, Scored: 30, Facility: p(0.20)}, "TOO_HARD", true},
		{"not quite hard", Figures{Attempts: 30, Scored: 30, Facility: p(0.201)}, "TOO_HARD", false},
		{"hard, few scored", Figures{Attempts: 40, Scored: 29, Facility: p(0.1)}, "TOO_HARD", false},
		{"omitted", Figures{Attempts: 30, OmittedRate: p(0.10)}, "HIGH_OMIT", true},
		{"not quite omitted", Figures{Attempts: 30, OmittedRate: p(0.099)}, "HIGH_OMIT", false},
		{"omitted, few attempts", Figures{Attempts: 29, OmittedRate: p(0.5)}, "HIGH_OMIT", false},
		{"slow", Figures{Attempts: 30, Timed7d: 30, Median7dMs: p(2000), Median30dMs: p(1000)}, "TIME_SPIKE", true},
		{"not quite slow", Figures{Attempts: 30, Timed7d: 30, Median7dMs: p(1999), Median30dMs: p(1000)}, "TIME_SPIKE", false},
		{"slow, few times of late", Figures{Attempts: 300, Timed7d: 29, Median7dMs: p(9000), Median30dMs: p(1000)}, "TIME_SPIKE", false},
		{"slow against nothing", Figures{Attempts: 30, Timed7d: 30, Median7dMs: p(9000)}, "TIME_SPIKE", false},
		{"unused", Figures{Attempts: 50, Scored: 50, WrongOptions: []float64{0.3, 0.019}}, "NON_FUNCTIONING_DISTRACTOR", true},
		{"just used", Figures{Attempts: 50, Scored: 50, WrongOptions: []float64{0.3, 0.02}}, "NON_FUNCTIONING_DISTRACTOR", false},
		{"unused, few scored", Figures{Attempts: 50, Scored: 49, WrongOptions: []float64{0}}, "NON_FUNCTIONING_DISTRACTOR", false},
		{"no options", Figures{Attempts: 50, Scored: 50}, "NON_FUNCTIONING_DISTRACTOR", false},
		{"dominant", Figures{Attempts: 50, Scored: 50, Facility: p(0.5), WrongOptions: []float64{0.5}}, "DISTRACTOR_DOMINANCE", true},
		{"not quite dominant", Figures{Attempts: 50, Scored: 50, Facility: p(0.5), WrongOptions: []float64{0.499}}, "DISTRACTOR_DOMINANCE", false},
		{"dominant but easy", Figures{Attempts: 50, Scored: 50, Facility: p(0.51), WrongOptions: []float64{0.5}}, "DISTRACTOR_DOMINANCE", false},
		{"dominant, few scored", Figures{Attempts: 50, Scored: 49, Facility: p(0.1), WrongOptions: []float64{0.9}}, "DISTRACTOR_DOMINANCE", false},
		{"split", Figures{Attempts: 50, Scored: 50, Facility: p(0.6), WrongOptions: []float64{0.1, 0.25, 0.25}}, "SPLIT_DISTRACTORS", true},
		{"one strong distractor", Figures{Attempts: 50, Scored: 50, Facility: p(0.5), WrongOptions: []float64{0.4, 0.249}}, "SPLIT_DISTRACTORS", false},
		{"split but easy", Figures{Attempts: 50, Scored: 50, Facility: p(0.61), WrongOptions: []float64{0.25, 0.25}}, "SPLIT_DISTRACTORS", false},
		{"split, few scored", Figures{Attempts: 50, Scored: 49, Facility: p(0.2), WrongOptions: []float64{0.4, 0.4}}, "SPLIT_DISTRACTORS", false},
		{"easier", Figures{Attempts: 30, LastRunAttempts: 20, FacilityLastRun: p(0.7), Facility30d: p(0.5)}, "FACILITY_DRIFT_UP", true},
		{"not quite easier", Figures{Attempts: 30, LastRunAttempts: 20, FacilityLastRun: p(0.69), Facility30d: p(0.5)}, "FACILITY_DRIFT_UP", false},
		{"easier, small run", Figures{Attempts: 30, LastRunAttempts: 19, FacilityLastRun: p(0.9), Facility30d: p(0.5)}, "FACILITY_DRIFT_UP", false},
		{"harder", Figures{Attempts: 30, LastRunAttempts: 20, FacilityLastRun: p(0.3), Facility30d: p(0.5)}, "FACILITY_DRIFT_DOWN", true},
		{"not quite harder", Figures{Attempts: 30, LastRunAttempts: 20, FacilityLastRun: p(0.31), Facility30d: p(0.5)}, "FACILITY_DRIFT_DOWN", false},
		{"harder, small run", Figures{Attempts: 30, LastRunAttempts: 19, FacilityLastRun: p(0.1), Facility30d: p(0.5)}, "FACILITY_DRIFT_DOWN", false},
		{"harder, LOW confidence", Figures{Attempts: 29, LastRunAttempts: 20, FacilityLastRun: p(0.1), Facility30d: p(0.5)}, "FACILITY_DRIFT_DOWN", false},
		{"unfocused", Figures{Attempts: 50, FocusLostRate: p(0.25)}, "HIGH_FOCUS_LOST_RATE", true},
		{"not quite unfocused", Figures{Attempts: 50, FocusLostRate: p(0.249)}, "HIGH_FOCUS_LOST_RATE", false},
		{"unfocused, few attempts", Figures{Attempts: 49, FocusLostRate: p(0.9)}, "HIGH_FOCUS_LOST_RATE", false},
		{"healthy", Figures{Attempts: 500, Scored: 500, Facility: p(0.5), WrongOptions: even}, "", false},
	} {
		if cases[c.flag] == nil {
			cases[c.flag] = map[bool]bool{}
		}
		cases[c.flag][c.raised] = true
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := Judge(c.f)
			raised := slices.ContainsFunc(got.Flags, func(f Flag) bool { return f.Code == c.flag })
			if raised != c.raised {
				t.Errorf("%s raised = %v, want %v; flags %+v", c.flag, raised, c.raised, got.Flags)
			}
		})
	}
	for _, code := range FlagCodes() {
		if !cases[code][true] || !cases[code][false] {
			t.Errorf("no case raises %s, or none falls short of it", code)
		}
	}
}

// A rule measures nothing until the figures it needs are read, and needs nothing that it can do
// without: lists rely on both.
func TestRulesSayWhatTheyNeed(t *testing.T) {
	t.Parallel()
	known := Figures{Facility: p(0.5), FacilityLastRun: p(0.5), Facility30d: p(0.5), FocusLostRate: p(0), OmittedRate: p(0),
		Median7dMs: p(1), Median30dMs: p(1), WrongOptions: []float64{0.2, 0.3}}
	for _, r := range rules {
		for needs, without := range map[reading]func(*Figures){
			options: func(f *Figures) { f.WrongOptions = nil },
			windows: func(f *Figures) { f.Median7dMs, f.Median30dMs = nil, nil },
		} {
			f := known
			without(&f)
			if needed := r.measure(f) == nil; needed != (r.needs&needs != 0) || r.measure(known) == nil {
				t.Errorf("%s: needs %d: %t, and says it needs %d", r.code, needs, needed, r.needs)
			}
		}
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name               string
		f                  Figures
		status, confidence string
		reasons            []string
	}{
		{"nothing", Figures{}, InsufficientData, Low, []string{}},
		{"one too few", Figures{Attempts: 29, Scored: 29, Facility: p(0)}, InsufficientData, Low, []string{}},
		{"enough", Figures{Attempts: 30, Scored: 30, Facility: p(0.5)}, Healthy, Med, []string{}},
		{"nearly many", Figures{Attempts: 99, Scored: 99, Facility: p(0.5)}, Healthy, Med, []string{}},
		{"many", Figures{Attempts: 100, Scored: 100, Facility: p(0.5)}, Healthy, High, []string{}},
		{"minor", Figures{Attempts: 100, Scored: 100, Facility: p(0.95)}, Watch, High, []string{"TOO_EASY"}},
		{"major ones first, then by excess, three at most",
			Figures{Attempts: 100, Scored: 100, Facility: p(0.19), OmittedRate: p(0.3), FocusLostRate: p(0.3), WrongOptions: []float64{0.55, 0}},
			NeedsAttention, High, []string{"HIGH_OMIT", "HIGH_FOCUS_LOST_RATE", "DISTRACTOR_DOMINANCE"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := Judge(c.f)
			if got.Status != c.status || got.Confidence != c.confidence {
				t.Errorf("got %s %s, want %s %s", got.Status, got.Confidence, c.status, c.confidence)
			}
			if diff := cmp.Diff(c.reasons, got.TopReasons); diff != "" {
				t.Errorf("top reasons (-want +got):\n%s", diff)
			}
		})
	}
}

// concernsFile holds the rules of the evaluation summary; one of them has the name of a flag.
const (
	concernsFile = "pkg/report/reporting/summary_attention.go"
	concern      = "HIGH_FOCUS_LOST_RATE"
	wordsFile    = "pkg/kernel/wire/words.go" // what people read for it
)

// To add a flag, add a row to the table of rules and a row to the page about them; no other code
// and no schema knows a flag by its name.
func TestRulesAloneNameFlags(t *testing.T) {
	t.Parallel()
	const root = "../../.."
	looked := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(filepath.ToSlash(path), root+"/")
		if entry.IsDir() {
			if strings.HasPrefix(entry.Name(), ".") && path != root || entry.Name() == "testdata" {
				return filepath.SkipDir
			}
			return nil
		}
		code := (strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")) || strings.HasSuffix(name, ".sql")
		if !code || name == "pkg/report/projection/rules.go" || name == concernsFile {
			return nil
		}
		looked++
		text, err := os.ReadFile(path)
		for _, flag := range FlagCodes() {
			if name == wordsFile && flag == concern {
				continue
			}
			if strings.Contains(string(text), flag) && !strings.Contains(string(text), `example:"`+flag+`"`) {
				t.Errorf("%s names %s", name, flag)
			}
		}
		return err
	})
	if err != nil || looked < 100 {
		t.Fatalf("looked at %d files: %v", looked, err)
	}
}
