package cli

import (
	"strconv"

	"github.com/spf13/cobra"

	"assess/pkg/exam/remediation"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

func newSubmissionScore(s *Shell) *cobra.Command {
	var comment string
	cmd := &cobra.Command{
		Use:     "score SUBMISSION-ID ITEM-ID SCORE",
		Short:   "Score an item by a person: an essay that waits, or any item anew",
		Example: "  assessctl submission score 01a1fbc1-578d-7a4f-89c6-163d741ecbbd 01a1fbc1-6a91-7b0c-9f3d-0c6f3f2b7a11 3.5 --comment 'Well argued'",
		Args:    cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := submissionID(args[0])
			if err != nil {
				return err
			}
			item, err := recordID("item", args[1])
			if err != nil {
				return err
			}
			score, err := strconv.ParseFloat(args[2], 64)
			if err != nil {
				return Usage("%q is no score", args[2])
			}
			in := remediation.MarkInput{SubmissionID: id, ItemID: item, Score: score, Comment: comment}
			keyed := struct {
				Submission, Item ids.ID
				In               remediation.MarkInput
			}{id, item, in}
			return changed(s, cmd, keyed, func(tx *db.Tx) (remediation.Marked, error) { return remediation.Mark(cmd.Context(), tx, in) }, markColumns...)
		},
	}
	cmd.Flags().StringVar(&comment, "comment", "", "for those who may read submissions")
	return s.changes(cmd)
}

func newSubmissionVersions(s *Shell) *cobra.Command {
	var page db.Page
	return pages(&cobra.Command{
		Use:   "versions ID",
		Short: "List the versions of a submission's scores, newest first",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := submissionID(args[0])
			if err != nil {
				return err
			}
			return printedList(s, cmd, func(tx *db.Tx) (db.List[remediation.Version], error) {
				return remediation.ListVersions(cmd.Context(), tx, id, page)
			}, versionOfScoresColumns...)
		},
	}, &page)
}

var markColumns = columns("SubmissionID, Item, ItemStatus, Score, OutcomeLabel = Outcome, ScoreVersion",
	Column[remediation.Marked]{Header: "Item", Cell: func(m remediation.Marked) string { return outOf(&m.ItemScore, &m.ItemMaxScore) }},
	Column[remediation.Marked]{Header: "Score", Cell: func(m remediation.Marked) string { return outOf(&m.Score, &m.MaxScore) }},
)

var versionOfScoresColumns = columns("Number = Version, Reason, Actor = By*, CreatedAt = At (UTC), Score, OutcomeLabel = Outcome",
	Column[remediation.Version]{Header: "Score", Cell: func(v remediation.Version) string { return outOf(&v.Score, &v.MaxScore) }, Align: Right},
)
