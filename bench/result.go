package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"text/tabwriter"
)

// result is one figure. A ratio compares it with Beside, the figure of the other contender; AtLeast
// and AtMost are goals for the ratio, or for the value where there is none.
type result struct {
	Name    string  `json:"name"`
	Unit    string  `json:"unit"`
	Value   float64 `json:"value"`
	Beside  float64 `json:"beside,omitempty"`
	Ratio   float64 `json:"ratio,omitempty"`
	AtLeast float64 `json:"atLeast,omitempty"`
	AtMost  float64 `json:"atMost,omitempty"`
	Met     *bool   `json:"met,omitempty"`
	Note    string  `json:"note,omitempty"`
}

// compared puts rates next to rates by hand from the same rounds.
func compared(name, unit string, of, to []float64, atLeast float64) result {
	return result{Name: name, Unit: unit, Value: median(of), Beside: median(to), Ratio: ratio(of, to), AtLeast: atLeast}
}

func (r *result) judge() {
	figure := r.Value
	if r.Ratio != 0 {
		figure = r.Ratio
	}
	met := (r.AtLeast == 0 || figure >= r.AtLeast) && (r.AtMost == 0 || figure <= r.AtMost)
	if r.AtLeast != 0 || r.AtMost != 0 {
		r.Met = &met
	}
}

// report is what one measurement found, and where.
type report struct {
	Machine machine  `json:"machine"`
	Clients int      `json:"clients"`
	Results []result `json:"results"`
}

// publish prints the results and puts them into the file, which holds the newest report of each
// measurement.
func publish(to io.Writer, path string, measured map[string]report) error {
	all := map[string]report{}
	before, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(before, &all)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(measured)) {
		r := measured[name]
		for i := range r.Results {
			r.Results[i].judge()
		}
		all[name] = r
		err := r.print(to)
		if err != nil {
			return err
		}
	}
	encoded, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(encoded, '\n'), 0o644)
}

func (r report) print(to io.Writer) error {
	fmt.Fprintf(to, "%s, %s, %d clients\n\n", r.Machine.Date, r.Machine, r.Clients)
	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "ours\tbeside\tunit\tratio\tgoal\t\t  \t")
	for _, one := range r.Results {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t  %s\t\n", number(one.Value), number(one.Beside), one.Unit, number(one.Ratio),
			one.goal(), one.verdict(), one.Name)
	}
	err := t.Flush()
	if err != nil {
		return err
	}
	for _, one := range r.Results {
		if one.Note != "" {
			fmt.Fprintf(to, "\n%s: %s", one.Name, one.Note)
		}
	}
	_, err = fmt.Fprintln(to)
	return err
}

func (r result) goal() string {
	switch {
	case r.AtLeast != 0:
		return fmt.Sprintf(">= %.2f", r.AtLeast)
	case r.AtMost != 0:
		return "<= " + number(r.AtMost)
	}
	return ""
}

func (r result) verdict() string {
	switch {
	case r.Met == nil:
		return ""
	case *r.Met:
		return "met"
	}
	return "MISSED"
}

func number(f float64) string {
	switch {
	case f == 0:
		return ""
	case f < 100:
		return fmt.Sprintf("%.2f", f)
	}
	return fmt.Sprintf("%.0f", f)
}
