package exchange

import (
	"cmp"
	"io"
	"slices"

	"assess/pkg/author/exchange/bank"
)

// maxNotices bounds how many losses a report lists.
const maxNotices = 1_000

// Report has the results for the items of a file.
type Report struct {
	From string `json:"from"`
	To   string `json:"to"`
	// Whole are items that lost nothing, Noticed are items that lost something; Refused were left out.
	Items   int `json:"items"`
	Whole   int `json:"whole"`
	Noticed int `json:"noticed"`
	Refused int `json:"refused"`
	// Notices are the first 1,000 losses and problems.
	Notices     []ItemNotice   `json:"notices" nullable:"false"`
	MoreNotices int            `json:"moreNotices"`
	Counts      map[string]int `json:"noticeCounts"`
}

// ItemNotice is a loss or a problem of an item, which is its path in the archive and its id.
type ItemNotice struct {
	Item    string `json:"item"`
	Line    int    `json:"line,omitempty"`
	Code    string `json:"code"`
	Class   string `json:"class"`
	Message string `json:"message"`
}

// Refused is the class of problems.
const Refused = "refused"

// Add counts an item with its losses. It says whether the item may be taken: if its scoring changes,
// scoringMayChange must be set.
func (r *Report) Add(it *bank.Item, scoringMayChange bool) bool {
	r.Items++
	taken := it.Usable() && (scoringMayChange || !it.Has(bank.Scoring))
	switch {
	case !taken:
		r.Refused++
	case len(it.Notices) > 0:
		r.Noticed++
	default:
		r.Whole++
	}
	r.Lost(it)
	for _, p := range it.Problems {
		r.note(it, bank.Code(p.Code), Refused, p.Message)
	}
	return taken
}

// Lost lists the losses of an item without counting it.
func (r *Report) Lost(it *bank.Item) {
	for _, n := range it.Notices {
		r.note(it, n.Code, string(n.Class), n.Message)
	}
}

func (r *Report) note(it *bank.Item, code bank.Code, class, message string) {
	if r.Counts == nil {
		r.Counts = map[string]int{}
	}
	r.Counts[string(code)]++
	if len(r.Notices) == maxNotices {
		r.MoreNotices++
		return
	}
	r.Notices = append(r.Notices, ItemNotice{Place(it), it.Line, string(code), class, message})
}

// Place names an item: by its id, and in an archive by its path too.
func Place(it *bank.Item) string {
	if it.Path != "" && it.Path != it.ID {
		return it.Path + " " + it.ID
	}
	return it.ID
}

// Convert reads a file and writes it in another format, item by item. An item that is refused is left out.
func Convert(input Input, from Format, out io.Writer, to Format, scoringMayChange bool) (Report, error) {
	r := Report{From: from.Name, To: to.Name, Notices: []ItemNotice{}, Counts: map[string]int{}}
	w := to.NewWriter(out)
	err := from.Read(input, func(it *bank.Item) error {
		if it.Usable() {
			lost := to.Losses(it)
			it.Notices, it.Problems = lost.Notices, lost.Problems
		}
		if !r.Add(it, scoringMayChange) {
			return nil
		}
		return w.Add(it)
	})
	if err == nil && from.HasTests() {
		err = r.tests(input, from, w, scoringMayChange)
	}
	return r, cmp.Or(err, w.Close())
}

// tests writes the tests of a file after its items. A format without tests loses them.
func (r *Report) tests(input Input, from Format, w Writer, scoringMayChange bool) error {
	to, can := w.(TestWriter)
	return from.ReadTests(input, func(t *bank.Test) error {
		if !can {
			t.Notices = nil
			t.Lose(bank.TestDropped)
			r.Lost(&t.Item)
			return nil
		}
		return r.AddTest(to, t, scoringMayChange)
	})
}

// AddTest writes a test and counts it as an item.
func (r *Report) AddTest(to TestWriter, t *bank.Test, scoringMayChange bool) error {
	if t.Usable() && (scoringMayChange || !t.Has(bank.Scoring)) {
		if err := to.AddTest(t); err != nil {
			return err
		}
	}
	r.Add(&t.Item, scoringMayChange)
	return nil
}

// Losses gives an item with the losses that the format causes, without writing it anywhere.
func (f Format) Losses(it *bank.Item) bank.Item {
	copied := *it
	copied.Notices, copied.Stem = slices.Clone(it.Notices), slices.Clone(it.Stem)
	_ = f.NewWriter(io.Discard).Add(&copied) // nothing is written that could fail
	return copied
}
