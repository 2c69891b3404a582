package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/author/skill"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/surface/op"
)

// skillFlags are the flags shared by making and changing a skill.
type skillFlags struct {
	levels, terms []string
}

func (f *skillFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.levels, "level", nil, "a level as NAME:THRESHOLD, from the lowest up; repeatable")
	cmd.Flags().StringSliceVar(&f.terms, "term", nil, "all its competency tags, as skills/facet:slug or ids")
}

func (f *skillFlags) read(ctx context.Context, tx *db.Tx) ([]skill.Level, []ids.ID, error) {
	levels, terms := []skill.Level{}, []ids.ID{}
	for _, word := range f.levels {
		at := strings.LastIndexByte(word, ':')
		threshold, err := strconv.ParseFloat(word[at+1:], 64)
		if at < 0 || err != nil {
			return nil, nil, Usage("%q is no level: say one such as able:0.7", word)
		}
		levels = append(levels, skill.Level{Name: word[:at], Threshold: threshold})
	}
	for _, word := range f.terms {
		id, err := op.FindTerm(ctx, tx, word)
		if err != nil {
			return nil, nil, err
		}
		terms = append(terms, id)
	}
	return levels, terms, nil
}

func newSkillCreate(s *Shell) *cobra.Command {
	var in skill.Input
	var f skillFlags
	cmd := newAct(s, "create NAME", "Create a skill, as a draft", func(ctx context.Context, tx *db.Tx, args []string) (skill.Detail, error) {
		var err error
		in.Name = args[0]
		in.Levels, in.TermIDs, err = f.read(ctx, tx)
		if err != nil {
			return skill.Detail{}, err
		}
		return skill.Create(ctx, tx, in)
	}, fields(skillDetailColumns))
	cmd.Flags().StringVar(&in.Description, "description", "", "what it means")
	cmd.Flags().StringVar(&in.Code, "code", "", "what people call it in its framework")
	cmd.Flags().IntVar(&in.Position, "position", 0, "its place in the framework, from 0")
	optionalIDFlag(cmd, &in.FrameworkID, "framework", "id of its framework")
	optionalIDFlag(cmd, &in.ParentID, "below", "id of the skill above it")
	f.add(cmd)
	return cmd
}

func newSkillUpdate(s *Shell) *cobra.Command {
	var p skill.Patch
	var f skillFlags
	cmd := newAct(s, "update ID", "Change the draft of a skill, where it stands and its tags, or retire it",
		byID("skill", func(ctx context.Context, tx *db.Tx, id ids.ID) (skill.Detail, error) {
			levels, terms, err := f.read(ctx, tx)
			if err != nil {
				return skill.Detail{}, err
			}
			if p.Levels != nil {
				p.Levels = &levels
			}
			if p.TermIDs != nil {
				p.TermIDs = &terms
			}
			return skill.Update(ctx, tx, id, p)
		}), fields(skillDetailColumns))
	newText(cmd, &p.Name, "name")
	newText(cmd, &p.Description, "description")
	newText(cmd, &p.Code, "code")
	optional(cmd, &p.Position, "position", "its place in the framework, from 0", cmd.Flags().Int)
	optionalIDFlag(cmd, &p.ParentID, "below", "id of the skill above it")
	cmd.Flags().BoolVar(&p.Top, "top", false, "move it to the top of its framework")
	optional(cmd, &p.Retired, "retired", "take it out of use; --retired=false takes it into use again", cmd.Flags().Bool)
	f.add(cmd)
	whenGiven(cmd, "level", func() { p.Levels = &[]skill.Level{} })
	whenGiven(cmd, "term", func() { p.TermIDs = &[]ids.ID{} })
	var none bool
	cmd.Flags().BoolVar(&none, "no-levels", false, "take all its levels away")
	whenGiven(cmd, "no-levels", func() { p.Levels = &[]skill.Level{} })
	return cmd
}

func newFramework(s *Shell) *cobra.Command {
	var page db.Page
	var in skill.FrameworkInput
	create := newAct(s, "create TITLE", "Create a framework", with(&in, skill.CreateFramework, &in.Title), fields(frameworkColumns))
	create.Flags().StringVar(&in.Description, "description", "", "what it is for")
	var p skill.FrameworkPatch
	update := newAct(s, "update ID", "Change a framework, or retire it", change("framework", &p, skill.UpdateFramework), fields(frameworkColumns))
	newText(update, &p.Title, "title")
	newText(update, &p.Description, "description")
	optional(update, &p.Retired, "retired", "take no new skills into it; --retired=false takes it into use again", update.Flags().Bool)
	return group("framework", "Keep the frameworks that skills stand in",
		newList(s, "list", "List frameworks, newest first", &page, with(&page, skill.ListFrameworks), frameworkColumns),
		newShow(s, "show ID", "Show a framework", byID("framework", skill.GetFramework), fields(frameworkColumns)), create, update)
}

var frameworkColumns = columns[skill.Framework]("Title, SkillsN = Skills, RetiredAt, ID")
