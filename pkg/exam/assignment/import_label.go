package assignment

import (
	"strings"

	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/spelling"
)

// leastName is the length of the shortest name that a run label is searched for.
const leastName = 4

// naming finds run labels that name a person of the import. A label reaches reports and files, and stays when the
// person is forgotten.
type naming struct {
	names []string
	// blank takes the names out of a text: one pass over it, however many there are.
	blank *strings.Replacer
}

// knows adds a name or an address.
func (n *naming) knows(text string) {
	if bare := spelling.Bare(text); len([]rune(bare)) >= leastName {
		n.names = append(n.names, bare, "")
	}
}

// ready ends the list of names.
func (n *naming) ready() { n.blank = strings.NewReplacer(n.names...) }

func (n naming) named(label string) bool {
	bare := spelling.Bare(label)
	return n.blank.Replace(bare) != bare
}

// warnings says what the row may say and ought not to.
func (n naming) warnings(row ImportRow) []errs.Field {
	if !n.named(row.RunLabel) {
		return nil
	}
	return []errs.Field{{Path: "run_label", Code: "names_person",
		Message: "the run label holds the name or address of a person; it reaches reports, and stays when the person is forgotten"}}
}
