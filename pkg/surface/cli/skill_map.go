package cli

import (
	"context"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
	"assess/pkg/report/skills"
)

func newSkillMap(s *Shell) *cobra.Command {
	g := group("skill-map", "Say which questions count for which skills", mappingRecords(s)...)
	g.AddCommand(newSkillMapPreview(s), newSkillRecalculate(s), newSkillMapResolve(s))
	return g
}

// newSkillMapPreview runs at once: the person at the terminal can wait.
func newSkillMapPreview(s *Shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "preview SET VERSION",
		Short: "Find out what publishing a mapping version and a recalculation would change",
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := recordID("mapping set", args[0])
			if err != nil {
				return err
			}
			version, err := recordID("version", args[1])
			if err != nil {
				return err
			}
			queued, err := readBy(cmd.Context(), s, (*db.Store).Write, func(tx *db.Tx) (projection.Job, error) {
				return projection.QueueSkillPreview(cmd.Context(), tx, set, version)
			})
			if err != nil {
				return err
			}
			return s.showPreview(cmd.Context(), queued.ID)
		},
	}
	return cmd
}

func (s *Shell) showPreview(ctx context.Context, id ids.ID) error {
	store, scope, err := s.scoped(ctx)
	if err != nil {
		return err
	}
	_, err = projection.RunPiece(ctx, store, scope.Tenant, id)
	if err != nil {
		return err
	}
	found, err := read(ctx, s, func(tx *db.Tx) (projection.SkillJob, error) { return projection.GetSkillJob(ctx, tx, id) })
	if err != nil {
		return err
	}
	return s.Show(found, func(screen *Screen) error { return Table(screen, found.Impact, impactColumns...) })
}

func newSkillMapResolve(s *Shell) *cobra.Command {
	var f skills.ResolveFilter
	cmd := newList(s, "resolve VERSION", "List the skills that the questions of an evaluation version count for", &f.Page,
		byID("version", func(ctx context.Context, tx *db.Tx, id ids.ID) (db.List[skills.Resolved], error) {
			f.EvaluationVersionID = id
			return skills.Resolve(ctx, tx, f)
		}), resolvedColumns)
	idFlag(cmd, &f.QuestionVersionID, "question", "id of a question version")
	idFlag(cmd, &f.MappingVersionID, "mapping", "id of a mapping version, drafts included; without it all that are published")
	return cmd
}

var impactColumns = columns[projection.SkillImpact]("Name = Skill, Code, Gains, Losses, Rises, Falls, Moves, Unchanged, QuestionsAdded = Questions added, QuestionsRemoved = Removed, QuestionsReweighed = Reweighed, SkillID = ID")

var resolvedColumns = columns("QuestionVersionID = Question, Name = Skill, Weight, TermLabel = Term, RuleType = Rule, MappingVersionNumber = Version, SkillID = ID",
	weightColumn(func(r skills.Resolved) float64 { return r.Weight }))
