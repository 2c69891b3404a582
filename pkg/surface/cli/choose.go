package cli

import (
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/ids"
)

// periodFlags gives a command a period of time; nil is an open end.
func periodFlags(cmd *cobra.Command, from, to **time.Time) {
	timeFlag(cmd, from, "from", "from this day or moment on, as 2031-03-01 or 2031-03-01T09:00:00Z")
	timeFlag(cmd, to, "to", "until before this day or moment")
}

// parsed is a flag whose word means something: an id, a moment.
type parsed struct {
	kind string
	set  func(word string) error
	word string
}

func (p *parsed) String() string { return p.word }
func (p *parsed) Type() string   { return p.kind }

func (p *parsed) Set(word string) error {
	p.word = word
	return p.set(word)
}

// timeFlag gives a command a flag that takes a moment, or a day, which begins at midnight UTC.
func timeFlag(cmd *cobra.Command, to **time.Time, flag, help string) {
	takeTime(cmd, flag, help, func(at time.Time) { *to = &at })
}

func takeTime(cmd *cobra.Command, flag, help string, take func(time.Time)) {
	cmd.Flags().Var(&parsed{kind: "time", set: func(word string) error {
		for _, layout := range []string{time.DateOnly, time.RFC3339} {
			at, err := time.Parse(layout, word)
			if err == nil {
				take(at.UTC())
				return nil
			}
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

// required marks a flag that a command cannot do without.
func required(cmd *cobra.Command, flag string) {
	_ = cmd.MarkFlagRequired(flag) // the only error is a flag that does not exist
}
