package cli

import (
	"context"

	"github.com/spf13/cobra"

	"assess/pkg/exam/programme"
	"assess/pkg/kernel/db"
)

func newRequirement(s *Shell) *cobra.Command {
	return group("requirement", "Create, change, list and delete programme requirements", s.operations("requirement", newRequirementList(s),
		newShow(s, "show ID", "Show one programme requirement", byID("programme requirement", programme.GetRequirement), fields(requirementColumns)),
		newRequirementCreate(s), newRequirementUpdate(s))...)
}

func newRequirementList(s *Shell) *cobra.Command {
	var filter programme.RequirementFilter
	cmd := newList(s, "list", "List programme requirements, newest change first", &filter.Page,
		with(&filter, programme.ListRequirements), requirementColumns)
	cmd.Flags().StringVar(&filter.Programme, "programme", "", "only requirements of this programme")
	cmd.Flags().StringVar(&filter.Status, "status", "", "active or retired")
	idFlag(cmd, &filter.EvaluationID, "evaluation", "only requirements that ask for the evaluation of this id")
	return cmd
}

func newRequirementCreate(s *Shell) *cobra.Command {
	var in programme.RequirementInput
	cmd := newAct(s, "create PROGRAMME NAME EVALUATION-ID", "Create a programme requirement",
		func(ctx context.Context, tx *db.Tx, args []string) (programme.Requirement, error) {
			var err error
			in.Programme, in.Name = args[0], args[1]
			in.EvaluationID, err = recordID("evaluation", args[2])
			if err != nil {
				return programme.Requirement{}, err
			}
			return programme.CreateRequirement(ctx, tx, in)
		}, fields(requirementColumns))
	cmd.Flags().StringVar(&in.ExternalID, "external-id", "", "your own id, unique in the org unit")
	return cmd
}

func newRequirementUpdate(s *Shell) *cobra.Command {
	var patch programme.RequirementPatch
	cmd := newAct(s, "update ID", "Change a programme requirement",
		change("programme requirement", &patch, programme.UpdateRequirement), fields(requirementColumns))
	newText(cmd, &patch.ExternalID, "external-id")
	newText(cmd, &patch.Programme, "programme")
	newText(cmd, &patch.Name, "name")
	newText(cmd, &patch.Status, "status")
	optionalIDFlag(cmd, &patch.EvaluationID, "evaluation", "id of the evaluation that fulfils it")
	return cmd
}

var requirementColumns = columns[programme.Requirement]("ExternalID, Programme, Name, Status, EvaluationID*, ID*")
