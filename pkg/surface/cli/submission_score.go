package cli

import (
	"context"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"assess/pkg/exam/remediation"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

func newSubmissionScore(s *Shell) *cobra.Command {
	var in remediation.MarkInput
	cmd := newAct(s, "score SUBMISSION-ID ITEM-ID SCORE", "Score an item by a person: an essay that waits, or any item anew",
		func(ctx context.Context, tx *db.Tx, args []string) (remediation.Marked, error) {
			var failed [3]error
			in.SubmissionID, failed[0] = recordID("submission", args[0])
			in.ItemID, failed[1] = recordID("item", args[1])
			in.Score, failed[2] = strconv.ParseFloat(args[2], 64)
			if failed[2] != nil {
				failed[2] = Usage("%q is no score", args[2])
			}
			if err := errors.Join(failed[:]...); err != nil {
				return remediation.Marked{}, err
			}
			return remediation.Mark(ctx, tx, in)
		}, fields(markColumns))
	cmd.Flags().StringVar(&in.Comment, "comment", "", "for those who may read submissions")
	return cmd
}

func newSubmissionVersions(s *Shell) *cobra.Command {
	var page db.Page
	return newList(s, "versions ID", "List the versions of a submission's scores, newest first", &page,
		byID("submission", func(ctx context.Context, tx *db.Tx, id ids.ID) (db.List[remediation.Version], error) {
			return remediation.ListVersions(ctx, tx, id, page)
		}), versionOfScoresColumns)
}

var markColumns = columns("SubmissionID, Item, ItemStatus, Score, OutcomeLabel = Outcome, ScoreVersion",
	Column[remediation.Marked]{Header: "Item", Cell: func(m remediation.Marked) string { return outOf(&m.ItemScore, &m.ItemMaxScore) }},
	Column[remediation.Marked]{Header: "Score", Cell: func(m remediation.Marked) string { return outOf(&m.Score, &m.MaxScore) }},
)

var versionOfScoresColumns = columns("Number = Version, Reason, Actor = By*, CreatedAt = At (UTC), Score, OutcomeLabel = Outcome",
	Column[remediation.Version]{Header: "Score", Cell: func(v remediation.Version) string { return outOf(&v.Score, &v.MaxScore) }, Align: Right},
)
