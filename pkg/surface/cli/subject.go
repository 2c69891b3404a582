package cli

import (
	"github.com/spf13/cobra"

	"assess/pkg/exam/programme"
	"assess/pkg/kernel/db"
)

func newSubject(s *Shell) *cobra.Command {
	return group("subject", "Create, change and list subjects",
		newSubjectList(s), newSubjectShow(s), newSubjectCreate(s), newSubjectUpdate(s))
}

func newSubjectList(s *Shell) *cobra.Command {
	var filter programme.SubjectFilter
	cmd := pages(&cobra.Command{
		Use:   "list",
		Short: "List subjects, newest change first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return printedList(s, cmd, func(tx *db.Tx) (db.List[programme.Subject], error) {
				return programme.ListSubjects(cmd.Context(), tx, filter)
			}, subjectColumns...)
		},
	}, &filter.Page)
	cmd.Flags().StringVar(&filter.Kind, "kind", "", "only subjects of this kind")
	cmd.Flags().StringVar(&filter.ExternalID, "external-id", "", "only the subject of this external id")
	return cmd
}

func newSubjectShow(s *Shell) *cobra.Command {
	return show(s, "subject", programme.GetSubject, subjectColumns...)
}

func newSubjectCreate(s *Shell) *cobra.Command {
	var in programme.SubjectInput
	var meta map[string]string
	cmd := &cobra.Command{
		Use:     "create EXTERNAL-ID --name NAME",
		Short:   "Create a subject",
		Example: "  assessctl subject create site-17 --name 'Harbour site' --kind site --meta region=north",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			in.ExternalID, in.Metadata = args[0], metadata(meta)
			return changed(s, cmd, in, func(tx *db.Tx) (programme.Subject, error) {
				return programme.CreateSubject(cmd.Context(), tx, in)
			}, subjectColumns...)
		},
	}
	nameFlag(cmd, &in.Name)
	cmd.Flags().StringVar(&in.Kind, "kind", "", "a word of your own")
	cmd.Flags().StringToStringVar(&meta, "meta", nil, "attribute of your own, as key=value; repeatable")
	return s.changes(cmd)
}

func newSubjectUpdate(s *Shell) *cobra.Command {
	var meta map[string]string
	cmd := &cobra.Command{
		Use:   "update ID",
		Short: "Change a subject; --meta replaces all its attributes",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			patch := programme.SubjectPatch{ExternalID: textGiven(cmd, "external-id"), Name: textGiven(cmd, "name"), Kind: textGiven(cmd, "kind")}
			if cmd.Flags().Changed("meta") {
				all := metadata(meta)
				patch.Metadata = &all
			}
			return updateOne(s, cmd, "subject", args[0], patch, programme.UpdateSubject, subjectColumns...)
		},
	}
	cmd.Flags().StringToStringVar(&meta, "meta", nil, "attribute of your own, as key=value; repeatable")
	textFlags(cmd, "external-id", "name", "kind")
	return s.changes(cmd)
}

var subjectColumns = columns[programme.Subject]("ExternalID, Name, Kind, UpdatedAt, ID*")
