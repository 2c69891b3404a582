package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"assess/pkg/author/skill"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/surface/op"
)

// skillRecords are the commands that read and change the definitions of skills.
func skillRecords(s *Shell) []*cobra.Command {
	var page db.Page
	return []*cobra.Command{
		newSkillList(s), newSkillTree(s),
		newShow(s, "show ID", "Show a skill with its draft", byID("skill", skill.Get), fields(skillDetailColumns)),
		newList(s, "versions ID", "List the versions of a skill, newest first", &page,
			byID("skill", func(ctx context.Context, tx *db.Tx, id ids.ID) (db.List[skill.Version], error) {
				return skill.ListVersions(ctx, tx, id, page)
			}), skillVersionColumns),
		newSkillCreate(s), newSkillUpdate(s),
		newAct(s, "publish ID", "Publish the draft of a skill; it never changes again", byID("skill", skill.Publish), fields(skillDetailColumns)),
		newFramework(s), newSkillImport(s), newSkillExport(s),
	}
}

func newSkillList(s *Shell) *cobra.Command {
	var f skill.Filter
	var term string
	var retired, active bool
	cmd := newList(s, "list", "List skills", &f.Page, func(ctx context.Context, tx *db.Tx, _ []string) (db.List[skill.Skill], error) {
		if retired != active {
			f.Retired = &retired
		}
		if term != "" {
			id, err := op.FindTerm(ctx, tx, term)
			if err != nil {
				return db.List[skill.Skill]{}, err
			}
			f.TermID = &id
		}
		return skill.List(ctx, tx, f)
	}, skillColumns)
	optionalIDFlag(cmd, &f.FrameworkID, "framework", "id of a framework")
	optionalIDFlag(cmd, &f.ParentID, "below", "skills directly below the one of this id")
	cmd.Flags().BoolVar(&f.Top, "top", false, "skills at the top of their frameworks, or in none")
	cmd.Flags().StringVar(&f.Prefix, "prefix", "", "how the code begins")
	cmd.Flags().StringVar(&term, "term", "", "skills with this competency tag, as skills/facet:slug or an id")
	cmd.Flags().BoolVar(&retired, "retired", false, "retired skills alone")
	cmd.Flags().BoolVar(&active, "active", false, "active skills alone")
	return cmd
}

// treeSkill is a skill at its place in a tree.
type treeSkill struct {
	ID     ids.ID `json:"id"`
	Code   string `json:"code"`
	Name   string `json:"name"`
	Number int    `json:"number"`
	Draft  bool   `json:"draft"`
	// Depth counts the skills above it.
	Depth    int     `json:"depth"`
	ParentID *ids.ID `json:"parentId,omitempty"`
	Retired  bool    `json:"retired"`
}

func newSkillTree(s *Shell) *cobra.Command {
	return newShow(s, "tree FRAMEWORK-ID", "Draw the tree of a framework", byID("framework", readSkillTree),
		func(s *Shell, tree []treeSkill) error {
			if s.Format == FormatCSV {
				return writeCSV(s.Screen, tree)
			}
			return s.Show(tree, func(screen *Screen) error { return drawSkillTree(screen, tree) })
		})
}

func readSkillTree(ctx context.Context, tx *db.Tx, framework ids.ID) ([]treeSkill, error) {
	_, err := skill.GetFramework(ctx, tx, framework)
	if err != nil {
		return nil, err
	}
	all, err := skill.ExportedSkills(ctx, tx, framework)
	if err != nil {
		return nil, err
	}
	below := map[ids.ID][]skill.ExportedSkill{}
	for _, one := range all {
		above := db.OrZero(one.ParentID)
		below[above] = append(below[above], one)
	}
	return branchOf(below, ids.None, 0, []treeSkill{}), nil
}

func branchOf(below map[ids.ID][]skill.ExportedSkill, above ids.ID, depth int, tree []treeSkill) []treeSkill {
	for _, one := range below[above] {
		tree = append(tree, treeSkill{one.ID, one.Code, one.Name, one.Number, one.Draft, depth, one.ParentID, one.Retired})
		tree = branchOf(below, one.ID, depth+1, tree)
	}
	return tree
}

func drawSkillTree(screen *Screen, tree []treeSkill) error {
	last := make([]bool, skill.MaxDepth+1)
	for i, one := range tree {
		last[one.Depth] = true
		for _, next := range tree[i+1:] {
			if next.Depth <= one.Depth {
				last[one.Depth] = next.Depth < one.Depth
				break
			}
		}
		line := clean(one.Name)
		if one.Code != "" {
			line = clean(one.Code) + "  " + line
		}
		switch {
		case one.Retired:
			line = screen.Paint(Faint, line+"  [retired]")
		case one.Draft:
			line += "  [draft]"
		}
		_, err := fmt.Fprintln(screen, branches(screen, last[:one.Depth+1])+line)
		if err != nil {
			return err
		}
	}
	return nil
}

var skillColumns = columns("Code, Name, Number = Version, Status, ID",
	Column[skill.Skill]{Header: "Status", Cell: skillStatus, Colour: func(k skill.Skill) Colour { return goodIf(k.RetiredAt == nil && k.VersionID != nil) }})

func skillStatus(k skill.Skill) string {
	switch {
	case k.RetiredAt != nil:
		return "retired"
	case k.VersionID == nil:
		return "draft"
	case k.HasDraft:
		return "published, with a draft"
	}
	return "published"
}

var skillDetailColumns = columns("Code, Name, Description, Levels, Number = Version, Status, Draft, FrameworkID, ParentID, Position, Identifier, ID",
	Column[skill.Detail]{Header: "Levels", Cell: func(k skill.Detail) string { return levelWords(k.Levels) }},
	Column[skill.Detail]{Header: "Status", Cell: func(k skill.Detail) string { return skillStatus(k.Skill) }},
	Column[skill.Detail]{Header: "Draft", Cell: func(k skill.Detail) string {
		if k.Draft == nil {
			return none
		}
		return k.Draft.Name
	}})

var skillVersionColumns = columns("Number = Version, Status, Name, Levels, PublishedAt, ID*",
	Column[skill.Version]{Header: "Levels", Cell: func(v skill.Version) string { return levelWords(v.Levels) }})

func levelWords(levels []skill.Level) string {
	if len(levels) == 0 {
		return none
	}
	return words(levels, func(l skill.Level) string { return l.Name + " from " + strconv.FormatFloat(l.Threshold, 'g', -1, 64) })
}
