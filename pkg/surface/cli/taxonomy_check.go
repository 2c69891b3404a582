package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"assess/pkg/author/authoring"
	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/db"
)

func newTaxonomyCheck(s *Shell) *cobra.Command {
	cmd := newRead(s, (*db.Store).Report, "check", "Look for damage in the trees, the merges and the assignments of terms", alone(inventory.CheckTerms),
		func(s *Shell, found []inventory.TermFinding) error {
			err := Print(s, found, columns[inventory.TermFinding]("Kind = Finding, TermID, SubjectID = Carried by, Message = What")...)
			if err == nil && len(found) > 0 {
				err = Unsound("findings: %d", len(found))
			}
			return err
		})
	cmd.Long = `Look for cycles, parents of another facet, relations and merges that lead nowhere, assigned
terms of another domain, and indexes that differ from the versions. Exit code 1 says that
something was found.`
	return cmd
}

var mergeColumns = columns(`Merged, Questions = Drafts of questions, Evaluations = Drafts of evaluations, Draws,
	Views = Saved views, Children = Terms moved, Indexed = Found by the survivor`,
	Column[inventory.TermMerge]{Header: "Merged", Cell: func(m inventory.TermMerge) string { return m.Term.Facet + ":" + m.Term.Slug }},
)

var termUseColumns = columns[inventory.TermUse]("Kind, ExternalID, Title, Status, Newest = Newest version, Published = Published version, ID*")

func drawAssignedTerms(screen *Screen, a authoring.AssignedTerms) error {
	versions := []authoring.VersionTerms{a.Newest}
	if a.Published != nil && a.Published.VersionID != a.Newest.VersionID {
		versions = append(versions, *a.Published)
	}
	for _, v := range versions {
		fmt.Fprintf(screen, "Version %d, %s\n", v.Number, v.Status)
		err := Table(screen, v.Terms, assignedTermColumns...)
		if err != nil {
			return err
		}
	}
	return nil
}

var assignedTermColumns = columns("Term, Label, Retired, ID*",
	Column[authoring.AssignedTerm]{Header: "Term", Cell: func(t authoring.AssignedTerm) string { return t.Facet + ":" + t.Slug }},
)
