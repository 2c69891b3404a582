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
	who    []string
	judged map[string]bool
}

// knows adds a name or an address.
func (n *naming) knows(text string) {
	if bare := spelling.Bare(text); len([]rune(bare)) >= leastName {
		n.who = append(n.who, bare)
	}
}

func (n *naming) named(label string) bool {
	if label == "" {
		return false
	}
	found, known := n.judged[label]
	if !known {
		bare := spelling.Bare(label)
		for _, one := range n.who {
			found = found || strings.Contains(bare, one)
		}
		n.judged[label] = found
	}
	return found
}

// warnings says what the row may say and ought not to.
func (n *naming) warnings(row ImportRow) []errs.Field {
	if !n.named(row.RunLabel) {
		return nil
	}
	return []errs.Field{{Path: "runLabel", Code: "names_person",
		Message: "the run label holds the name or address of a person; it reaches reports, and stays when the person is forgotten"}}
}
