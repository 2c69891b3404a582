package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/page"
	"assess/pkg/report/projection"
	"assess/pkg/report/skills"
)

func newSkill(s *Shell) *cobra.Command {
	g := group("skill", "Keep skills, and see what people can do and why it says so", skillRecords(s)...)
	g.AddCommand(newSkillProfile(s), newSkillEvidence(s), newSkillOverview(s), newSkillCoverage(s), newSkillSources(s), newSkillRecalculate(s))
	return g
}

func newSkillProfile(s *Shell) *cobra.Command {
	var of db.Page
	var file string
	do := func(ctx context.Context, tx *db.Tx, args []string) (skills.Profile, error) {
		user, err := findUserID(ctx, tx, args[0])
		if err != nil {
			return skills.Profile{}, err
		}
		return skills.GetProfile(ctx, tx, user, of)
	}
	cmd := newPaged(s, (*db.Store).Report, "profile EMAIL|USER", "Show what a person can do", &of, do, func(p *skills.Profile) paged[skills.Figure] { return pagedOf(&p.List) },
		tableOf(func(p skills.Profile) []skills.Figure { return p.Items }, skillFigureColumns))
	plain := cmd.RunE
	htmlFlag(cmd, &file)
	cmd.MarkFlagsMutuallyExclusive("all", "html") // a page of HTML is a page of the list
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if file == "" {
			return plain(cmd, args)
		}
		return s.writeProfile(cmd.Context(), file, func(tx *db.Tx) (skills.Explained, error) {
			user, err := findUserID(cmd.Context(), tx, args[0])
			if err != nil {
				return skills.Explained{}, err
			}
			return skills.ExplainProfile(cmd.Context(), tx, user, of)
		})
	}
	return cmd
}

// writeProfile draws a profile with the newest evidence behind each figure.
func (s *Shell) writeProfile(ctx context.Context, file string, do func(*db.Tx) (skills.Explained, error)) error {
	p, err := readBy(ctx, s, (*db.Store).Report, do)
	if err != nil {
		return err
	}
	return s.writePage(file, page.Profile(p))
}

func newSkillEvidence(s *Shell) *cobra.Command {
	var of db.Page
	return newPaged(s, (*db.Store).Report, "evidence EMAIL|USER ID", "List the item attempts behind a figure, the newest first", &of,
		func(ctx context.Context, tx *db.Tx, args []string) (skills.Evidence, error) {
			user, err := findUserID(ctx, tx, args[0])
			if err != nil {
				return skills.Evidence{}, err
			}
			skill, err := recordID("skill", args[1])
			if err != nil {
				return skills.Evidence{}, err
			}
			return skills.GetEvidence(ctx, tx, user, skill, of)
		}, func(e *skills.Evidence) paged[skills.Fact] { return pagedOf(&e.List) }, tableOf(func(e skills.Evidence) []skills.Fact { return e.Items }, factColumns))
}

func newSkillOverview(s *Shell) *cobra.Command {
	var f skills.OverviewFilter
	cmd := newPaged(s, (*db.Store).Report, "overview", "Show what the people of an org unit or a group can do", &f.Page, with(&f, skills.GetOverview),
		func(o *skills.Overview) paged[skills.Group] { return pagedOf(&o.List) },
		tableOf(func(o skills.Overview) []skills.Group { return o.Items }, overviewColumns))
	idFlag(cmd, &f.GroupID, "group", "id of a group")
	idFlag(cmd, &f.FrameworkID, "framework", "id of a framework")
	return cmd
}

func newSkillCoverage(s *Shell) *cobra.Command {
	var f skills.CoverageFilter
	cmd := newPaged(s, (*db.Store).Report, "coverage EVALUATION VERSION", "Show which skills an evaluation version covers", &f.Page,
		func(ctx context.Context, tx *db.Tx, args []string) (skills.Coverage, error) {
			var err error
			f.EvaluationID, err = findEvaluation(ctx, tx, args[0])
			if err == nil {
				f.EvaluationVersionID, err = recordID("version", args[1])
			}
			if err != nil {
				return skills.Coverage{}, err
			}
			return skills.GetCoverage(ctx, tx, f)
		}, func(c *skills.Coverage) paged[skills.Covered] { return pagedOf(&c.List) },
		tableOf(func(c skills.Coverage) []skills.Covered { return c.Items }, coverageColumns))
	idFlag(cmd, &f.FrameworkID, "framework", "with the skills of this framework that no question covers")
	return cmd
}

func newSkillSources(s *Shell) *cobra.Command {
	var of db.Page
	return newList(s, "sources ID", "List the questions that say something about a skill", &of,
		byID("skill", func(ctx context.Context, tx *db.Tx, id ids.ID) (db.List[skills.Source], error) {
			return skills.ListSources(ctx, tx, id, of)
		}), sourceColumns)
}

func newSkillRecalculate(s *Shell) *cobra.Command {
	var in projection.RecalculateInput
	var queue bool
	cmd := &cobra.Command{
		Use:   "recalculate",
		Short: "Let all figures follow the published mappings",
		Long: `Let all figures follow the published mappings. Without it they go on following the versions that the
last recalculation applied. It can be interrupted; assessd goes on with it, and so does
assessctl projection run --resume.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.ask(cmd, in, queue, func(tx *db.Tx) (projection.Job, error) { return projection.QueueRecalculation(cmd.Context(), tx, in) })
		},
	}
	cmd.Flags().BoolVar(&in.Rematch, "rematch", false, "keep the versions that are applied, and hold the questions against their rules again")
	cmd.Flags().BoolVar(&queue, "queue", false, "leave the work to assessd")
	return s.changes(cmd)
}

func weightColumn[T any](of func(T) float64) Column[T] {
	return Column[T]{Header: "Weight", Cell: func(x T) string { return strconv.FormatFloat(of(x), 'f', -1, 64) }, Align: Right}
}

var skillFigureColumns = columns("Name = Skill, Level, Value, Confidence, EvidenceCount = Evidence, SubmissionCount = Submissions, Trend, LastEvidenceAt = Newest (UTC), SkillID = ID",
	Column[skills.Figure]{Header: "Level", Cell: func(f skills.Figure) string {
		if f.Level == nil {
			return none
		}
		return f.Level.Name
	}},
	Column[skills.Figure]{Header: "Value", Cell: func(f skills.Figure) string { return percent(&f.Value) }, Align: Right},
	Column[skills.Figure]{Header: "Trend", Cell: func(f skills.Figure) string { return percent(f.Trend) }, Align: Right})

var factColumns = columns("CompletedAt = When (UTC), EvaluationTitle = Evaluation, Value, Weight, TermLabel = Term, RuleType = Rule, MappingVersionNumber = Version, SubmissionID = Submission, SubmissionItemID = Item",
	Column[skills.Fact]{Header: "Value", Cell: func(f skills.Fact) string { return percent(f.Value) }, Align: Right},
	weightColumn(func(f skills.Fact) float64 { return f.Weight }))

var overviewColumns = columns("Name = Skill, People, Mean, Withheld, SkillID = ID, OrgUnitName = Org unit, GroupName = Group*",
	Column[skills.Group]{Header: "Mean", Cell: func(g skills.Group) string { return percent(g.MeanValue) }, Align: Right},
	Column[skills.Group]{Header: "Withheld", Cell: func(g skills.Group) string { return yesNo(g.Withheld) }})

var coverageColumns = columns("Name = Skill, Code, Questions, Weight, SkillID = ID", weightColumn(func(c skills.Covered) float64 { return c.Weight }))

var sourceColumns = columns("EvaluationTitle = Evaluation, QuestionVersionID = Question, Weight, TermLabel = Term, RuleType = Rule, MappingVersionNumber = Version",
	weightColumn(func(q skills.Source) float64 { return q.Weight }))
