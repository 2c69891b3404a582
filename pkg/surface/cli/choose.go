package cli

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/spelling"
	"assess/pkg/kernel/wire"
)

// periodFlags gives a command a period of time; nil is an open end.
func periodFlags(cmd *cobra.Command, from, to **time.Time) {
	takePeriod(cmd, func(at time.Time) { *from = &at }, func(at time.Time) { *to = &at })
}

func takePeriod(cmd *cobra.Command, from, to func(time.Time)) {
	takeTime(cmd, "from", "from this day or moment on, as 2031-03-01 or 2031-03-01T09:00:00Z", from)
	takeTime(cmd, "to", "until before this day or moment", to)
}

// openFlags gives a command the time in which something is open: a day that ends it is open to its end.
func openFlags(cmd *cobra.Command, from, to **time.Time) {
	takeTime(cmd, "valid-from", "from this day or moment on, as 2031-03-01 or 2031-03-01T09:00:00Z; days are in UTC", func(at time.Time) { *from = &at })
	takeMoment(cmd, "valid-until", "until the end of this day, or until before this moment", wire.DayEnd, func(at time.Time) { *to = &at })
}

// parsed is a flag whose word means something: an id, a moment.
type parsed struct {
	kind  string
	set   func(word string) error
	words []string
	// unordered words mean the same in any order, as attributes do.
	unordered bool
}

func (p *parsed) String() string { return strings.Join(p.words, ",") }
func (p *parsed) Type() string   { return p.kind }

func (p *parsed) Set(word string) error {
	p.words = append(p.words, word)
	if p.unordered {
		slices.Sort(p.words)
	}
	return p.set(word)
}

// timeFlag gives a command a flag that takes a moment, or a day, which begins at midnight UTC.
func timeFlag(cmd *cobra.Command, to **time.Time, flag, help string) {
	takeTime(cmd, flag, help, func(at time.Time) { *to = &at })
}

func takeTime(cmd *cobra.Command, flag, help string, take func(time.Time)) {
	takeMoment(cmd, flag, help, wire.DayBegin, take)
}

func takeMoment(cmd *cobra.Command, flag, help string, of wire.OfDay, take func(time.Time)) {
	cmd.Flags().Var(&parsed{kind: "time", set: func(word string) error {
		at, err := wire.ReadDayOrMoment(word, of, time.UTC)
		if err == nil {
			take(at)
			return nil
		}
		if errors.Is(err, wire.ErrOutOfRange) {
			return err
		}
		return errors.New("neither a day such as 2031-03-01 nor a moment such as 2031-03-01T09:00:00Z")
	}}, flag, help)
}

// idFlag gives a command a flag that takes an id; it stays none where the flag is left out.
func idFlag(cmd *cobra.Command, to *ids.ID, flag, help string) {
	takeIDs(cmd, flag, help, func(id ids.ID) { *to = id })
}

// optionalIDFlag does the same for a field that may be nil.
func optionalIDFlag(cmd *cobra.Command, to **ids.ID, flag, help string) {
	takeIDs(cmd, flag, help, func(id ids.ID) { *to = &id })
}

// idsFlag takes any number of ids, separated by commas or repeated.
func idsFlag(cmd *cobra.Command, to *[]ids.ID, flag, help string) {
	takeIDs(cmd, flag, help, func(id ids.ID) { *to = append(*to, id) })
}

func takeIDs(cmd *cobra.Command, flag, help string, take func(ids.ID)) {
	cmd.Flags().Var(&parsed{kind: "id", set: func(words string) error {
		for word := range strings.SplitSeq(words, ",") {
			id, err := ids.Parse(flag, strings.TrimSpace(word))
			if err != nil {
				return errors.New("not an id")
			}
			take(id)
		}
		return nil
	}}, flag, help)
}

// noticed is a flag that tells when it was given.
type noticed struct {
	pflag.Value
	then func()
}

// Set takes a word.
func (n *noticed) Set(word string) error {
	err := n.Value.Set(word)
	if err == nil {
		n.then()
	}
	return err
}

func whenGiven(cmd *cobra.Command, flag string, then func()) {
	f := cmd.Flags().Lookup(flag)
	f.Value = &noticed{f.Value, then}
	f.DefValue = "" // what is left out has no value
}

// optional gives a command a flag for a field that stays nil where the flag is left out; add is the
// method of its flags that makes one of that kind.
func optional[T any](cmd *cobra.Command, to **T, flag, help string, add func(name string, value T, usage string) *T) {
	var zero T
	value := add(flag, zero, help)
	whenGiven(cmd, flag, func() { *to = value })
}

// newText is such a flag for a text that replaces another.
func newText(cmd *cobra.Command, to **string, flag string) {
	optional(cmd, to, flag, "new "+flag, cmd.Flags().String)
}

// metaFlag gives a command the attributes of a record; without any they stay nil, as where none are stored.
func metaFlag(cmd *cobra.Command, to *map[string]any, help string) {
	pairsFlag(cmd, help, func(pairs map[string]string) { *to = metadata(pairs) })
}

func pairsFlag(cmd *cobra.Command, help string, take func(map[string]string)) {
	pairs := cmd.Flags().StringToString("meta", nil, help)
	whenGiven(cmd, "meta", func() { take(*pairs) })
}

// metadata leaves out an empty map, so that it is stored like one that was not given.
func metadata(pairs map[string]string) map[string]any {
	if len(pairs) == 0 {
		return nil
	}
	out := make(map[string]any, len(pairs))
	for key, value := range pairs {
		out[spelling.Name(key)] = spelling.Name(value)
	}
	return out
}

// required marks a flag that a command cannot do without.
func required(cmd *cobra.Command, flag string) {
	_ = cmd.MarkFlagRequired(flag) // the only error is a flag that does not exist
}
