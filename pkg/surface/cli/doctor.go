package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"assess/config"
)

// The states of a finding, from good to bad.
const (
	StateOK      = "ok"
	StateWarning = "warning"
	StateProblem = "problem"
)

// Finding is the outcome of one check.
type Finding struct {
	Check   string `json:"check"`
	State   string `json:"state" enum:"ok,warning,problem"`
	Finding string `json:"finding"`
	Remedy  string `json:"remedy,omitempty"`
}

// Diagnosis is everything that doctor found; State is the state of the worst finding.
type Diagnosis struct {
	State    string    `json:"state" enum:"ok,warning,problem"`
	Findings []Finding `json:"findings"`
}

func (d *Diagnosis) ok(check, finding string) {
	d.Findings = append(d.Findings, Finding{Check: check, State: StateOK, Finding: finding})
}

func (d *Diagnosis) warn(check, finding, remedy string) {
	d.Findings = append(d.Findings, Finding{check, StateWarning, finding, remedy})
	if d.State == StateOK {
		d.State = StateWarning
	}
}

// problem puts the finding on one line: errors of connections have several.
func (d *Diagnosis) problem(check, finding, remedy string) {
	finding = strings.Join(strings.Fields(finding), " ")
	d.Findings = append(d.Findings, Finding{check, StateProblem, finding, remedy})
	d.State = StateProblem
}

func (d *Diagnosis) problems() int {
	n := 0
	for _, f := range d.Findings {
		if f.State == StateProblem {
			n++
		}
	}
	return n
}

const doctorLong = `Look at the settings, the database and what else both programs depend on, and say what
is wrong and how to mend it. It changes nothing, and ends with exit code 1 when there is a
problem; warnings leave it 0.`

func newDoctor(s *Shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what is wrong with settings or database, and how to mend it",
		Long:  doctorLong,
		Args:  noSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := &Diagnosis{State: StateOK}
			c, err := config.Load(s.configFile, s.flags)
			d.settings(err)
			if err == nil {
				s.examineDatabase(cmd.Context(), c, d)
				examineMail(cmd.Context(), c, d)
				examineApp(c, d)
			}
			err = s.printDiagnosis(d)
			if n := d.problems(); err == nil && n > 0 {
				return Unsound("problems found: %d", n)
			}
			return err
		},
	}
	cmd.AddCommand(newDoctorCapacity(s))
	return marked(cmd, alsoWorks, "yes")
}

// settings reports each wrong setting by itself.
func (d *Diagnosis) settings(err error) {
	var wrong *config.Error
	switch {
	case err == nil:
		d.ok("settings", "every value can be used")
	case errors.As(err, &wrong):
		for _, p := range wrong.Problems {
			d.problem("settings", p.String(), "correct "+p.Key)
		}
	default:
		d.problem("settings", err.Error(), "correct the file, or name another one with --config")
	}
}

func (s *Shell) printDiagnosis(d *Diagnosis) error {
	if s.Format != FormatTable {
		return PrintPage(s, d, d.Findings)
	}
	colours := map[string]Colour{StateOK: Good, StateWarning: Warning, StateProblem: Bad}
	width := len(StateProblem) + len(gap)
	for _, f := range d.Findings {
		state := s.Screen.Paint(colours[f.State], pad(f.State, width))
		text := s.Screen.indented(f.Check+": "+f.Finding, width)
		_, err := fmt.Fprint(s.Screen, state, s.Screen.Paint(Strong, f.Check), strings.TrimPrefix(text, f.Check))
		if err != nil {
			return err
		}
		if f.Remedy != "" {
			fmt.Fprint(s.Screen, strings.Repeat(" ", width), s.Screen.indented("Remedy: "+f.Remedy, width))
		}
	}
	return nil
}

// indented wraps a text whose first line begins at a column, and keeps the lines of a text
// that has several.
func (s *Screen) indented(text string, column int) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if s.Width > 0 {
			lines = append(lines, wrap(line, max(s.Width-column, 20))...)
			continue
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"+strings.Repeat(" ", column)) + "\n"
}
