package cli

import (
	"github.com/spf13/cobra"

	"assess/pkg/exam/programme"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

func newRequirement(s *Shell) *cobra.Command {
	return group("requirement", "Create, change and list programme requirements",
		newRequirementList(s), newRequirementShow(s), newRequirementCreate(s), newRequirementUpdate(s))
}

func newRequirementList(s *Shell) *cobra.Command {
	var filter programme.RequirementFilter
	cmd := pages(&cobra.Command{
		Use:   "list",
		Short: "List programme requirements, newest change first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return printedList(s, cmd, func(tx *db.Tx) (db.List[programme.Requirement], error) {
				return programme.ListRequirements(cmd.Context(), tx, filter)
			}, requirementColumns...)
		},
	}, &filter.Page)
	cmd.Flags().StringVar(&filter.Programme, "programme", "", "only requirements of this programme")
	cmd.Flags().StringVar(&filter.Status, "status", "", "active or retired")
	idFlag(cmd, &filter.EvaluationID, "evaluation", "only requirements that ask for the evaluation of this id")
	return cmd
}

func newRequirementShow(s *Shell) *cobra.Command {
	return show(s, "programme requirement", programme.GetRequirement, requirementColumns...)
}

func newRequirementCreate(s *Shell) *cobra.Command {
	var in programme.RequirementInput
	cmd := &cobra.Command{
		Use:     "create PROGRAMME NAME EVALUATION-ID",
		Short:   "Create a programme requirement",
		Example: "  assessctl requirement create 'Welding certificate' Theory 01a1fbc1-578d-7a4f-89c6-163d741ecbbd",
		Args:    cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			evaluation, err := ids.Parse("evaluation", args[2])
			if err != nil {
				return Usage("%q is no id of an evaluation", args[2])
			}
			in.Programme, in.Name, in.EvaluationID = args[0], args[1], evaluation
			return changed(s, cmd, in, func(tx *db.Tx) (programme.Requirement, error) {
				return programme.CreateRequirement(cmd.Context(), tx, in)
			}, requirementColumns...)
		},
	}
	cmd.Flags().StringVar(&in.ExternalID, "external-id", "", "your own id, unique in the org unit")
	return s.changes(cmd)
}

func newRequirementUpdate(s *Shell) *cobra.Command {
	var evaluation *ids.ID
	cmd := &cobra.Command{
		Use:   "update ID",
		Short: "Change a programme requirement",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			patch := programme.RequirementPatch{ExternalID: textGiven(cmd, "external-id"), Programme: textGiven(cmd, "programme"),
				Name: textGiven(cmd, "name"), Status: textGiven(cmd, "status"), EvaluationID: evaluation}
			return updateOne(s, cmd, "programme requirement", args[0], patch, programme.UpdateRequirement, requirementColumns...)
		},
	}
	textFlags(cmd, "external-id", "programme", "name", "status")
	optionalIDFlag(cmd, &evaluation, "evaluation", "id of the evaluation that fulfils it")
	return s.changes(cmd)
}

var requirementColumns = columns[programme.Requirement]("ExternalID, Programme, Name, Status, EvaluationID*, ID*")
