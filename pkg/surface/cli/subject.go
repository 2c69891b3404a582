package cli

import (
	"github.com/spf13/cobra"

	"assess/pkg/exam/programme"
)

func newSubject(s *Shell) *cobra.Command {
	return group("subject", "Create, change, list and delete subjects", s.operations("subject", newSubjectList(s),
		newShow(s, "show ID", "Show one subject", byID("subject", programme.GetSubject), fields(subjectColumns)),
		newSubjectCreate(s), newSubjectUpdate(s))...)
}

func newSubjectList(s *Shell) *cobra.Command {
	var filter programme.SubjectFilter
	cmd := newList(s, "list", "List subjects, newest change first", &filter.Page, with(&filter, programme.ListSubjects), subjectColumns)
	cmd.Flags().StringVar(&filter.Kind, "kind", "", "only subjects of this kind")
	cmd.Flags().StringVar(&filter.ExternalID, "external-id", "", "only the subject of this external id")
	return cmd
}

func newSubjectCreate(s *Shell) *cobra.Command {
	var in programme.SubjectInput
	cmd := newAct(s, "create EXTERNAL-ID --name NAME", "Create a subject",
		with(&in, programme.CreateSubject, &in.ExternalID), fields(subjectColumns))
	nameFlag(cmd, &in.Name)
	cmd.Flags().StringVar(&in.Kind, "kind", "", "a word of your own")
	metaFlag(cmd, &in.Metadata, metaHelp)
	return cmd
}

func newSubjectUpdate(s *Shell) *cobra.Command {
	var patch programme.SubjectPatch
	var meta map[string]any
	cmd := newAct(s, "update ID", "Change a subject; --meta replaces all its attributes",
		change("subject", &patch, programme.UpdateSubject), fields(subjectColumns))
	metaFlag(cmd, &meta, metaHelp)
	whenGiven(cmd, "meta", func() { patch.Metadata = &meta }) // none is a set, too
	newText(cmd, &patch.ExternalID, "external-id")
	newText(cmd, &patch.Name, "name")
	newText(cmd, &patch.Kind, "kind")
	return cmd
}

var subjectColumns = columns[programme.Subject]("ExternalID, Name, Kind, UpdatedAt, ID*")
