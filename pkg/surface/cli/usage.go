package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/plural"
)

// reference is one line of a usage as people see it: how many of a kind, and one of them.
type reference struct {
	what  string
	total int64
	first string
}

// references are a usage as JSON and as people see it.
type references struct {
	usage any
	lines []reference
}

var referenceColumns = []Column[reference]{
	{Header: "Used by", Cell: func(r reference) string { return r.what }},
	{Header: "Number", Cell: func(r reference) string { return strconv.FormatInt(r.total, 10) }, Align: Right},
	{Header: "Newest", Cell: func(r reference) string { return r.first }},
}

func questionReferences(ctx context.Context, tx *db.Tx, id ids.ID) (references, error) {
	u, err := inventory.UsageOfQuestion(ctx, tx, id)
	return references{u, []reference{
		{"section items", u.SectionItems.Total, newest(u.SectionItems, func(i inventory.SectionItem) string {
			return fmt.Sprintf("%s, version %d (%s)", i.EvaluationTitle, i.Number, i.Via)
		})},
		{"passages", u.PassageLinks.Total, newest(u.PassageLinks, func(l inventory.PassageLink) string { return l.Title })},
		{what: "submissions", total: u.Submissions},
		{what: "active sessions", total: u.ActiveSessions},
	}}, err
}

func passageReferences(ctx context.Context, tx *db.Tx, id ids.ID) (references, error) {
	u, err := inventory.UsageOfPassage(ctx, tx, id)
	return references{u, []reference{
		{"published questions", u.QuestionPins.Total, newest(u.QuestionPins, func(p inventory.QuestionPin) string {
			return fmt.Sprintf("%s, version %d", p.QuestionID, p.Number)
		})},
		{"section items", u.SectionItems.Total, newest(u.SectionItems, func(g inventory.PassageGroup) string {
			return fmt.Sprintf("%s, version %d (%s)", g.EvaluationTitle, g.Number, g.VersionStatus)
		})},
	}}, err
}

func evaluationReferences(ctx context.Context, tx *db.Tx, id ids.ID) (references, error) {
	u, err := inventory.UsageOfEvaluation(ctx, tx, id)
	d := u.Dependencies
	return references{u, []reference{
		{what: "sessions", total: u.Sessions},
		{what: "active sessions", total: u.ActiveSessions},
		{what: "submissions", total: u.Submissions},
		{"assignments", u.Assignments, newest(d.Assignments, func(a inventory.AssignmentReference) string { return a.ID.String() })},
		{"programme requirements", d.ProgrammeRequirements.Total, newest(d.ProgrammeRequirements,
			func(r inventory.RequirementReference) string { return r.Programme + ": " + r.Name })},
		{"content pack items", d.ContentPackItems.Total, newest(d.ContentPackItems,
			func(i inventory.PackItemReference) string { return i.LibraryName })},
	}}, err
}

func newest[T any](r inventory.References[T], show func(T) string) string {
	if len(r.Items) == 0 {
		return none
	}
	return show(r.Items[0])
}

// sortedCounts writes the counts that are not zero, as "3 submissions".
func sortedCounts(counts map[string]any) []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if n, ok := counts[name].(int64); ok && n > 0 {
			lines = append(lines, plural.Of(n, strings.TrimSuffix(name, "s"), name))
		}
	}
	return lines
}
