package cli

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/ids"
)

// periodFlags gives a command a period of time.
func periodFlags(cmd *cobra.Command, from, to *string) {
	cmd.Flags().StringVar(from, "from", "", "from this day or moment on, as 2031-03-01 or 2031-03-01T09:00:00Z")
	cmd.Flags().StringVar(to, "to", "", "until before this day or moment")
}

// period reads the flags of a period; a day begins at midnight UTC. nil is an open end.
func period(from, to string) (*time.Time, *time.Time, error) {
	start, err := optionalTime("from", from)
	if err != nil {
		return nil, nil, err
	}
	end, err := optionalTime("to", to)
	return start, end, err
}

func optionalTime(flag, word string) (*time.Time, error) {
	if word == "" {
		return nil, nil //nolint:nilnil // not given is no error
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		at, err := time.Parse(layout, word)
		if err == nil {
			at = at.UTC()
			return &at, nil
		}
	}
	return nil, Usage("--%s: %q is neither a day such as 2031-03-01 nor a moment such as 2031-03-01T09:00:00Z", flag, word)
}

func optionalID(flag, word string) (*ids.ID, error) {
	if word == "" {
		return nil, nil //nolint:nilnil // not given is no error
	}
	id, err := ids.Parse(flag, word)
	if err != nil {
		return nil, Usage("--%s: %q is no id", flag, word)
	}
	return &id, nil
}

// fields reads a flag of several words.
func fields(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}
