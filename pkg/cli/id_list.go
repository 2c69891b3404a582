package cli

import (
	"strings"

	"assess/pkg/ids"
)

// idList is a flag that takes ids, parted by commas or repeated.
type idList struct{ ids *[]ids.ID }

// Set adds ids.
func (l *idList) Set(text string) error {
	for _, word := range strings.Split(text, ",") {
		id, err := ids.Parse("id", strings.TrimSpace(word))
		if err != nil {
			return err
		}
		*l.ids = append(*l.ids, id)
	}
	return nil
}

// String gives the ids as Set takes them.
func (l *idList) String() string {
	if l.ids == nil {
		return ""
	}
	return words(*l.ids, ids.ID.String)
}

// Type names the values in the help.
func (l *idList) Type() string { return "ids" }
