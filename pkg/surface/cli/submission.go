package cli

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/author/authoring"
	"assess/pkg/exam/review"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/wire"
	"assess/pkg/trust/standing"
)

func newSubmission(s *Shell) *cobra.Command {
	return group("submission", "List submissions, read them, decide about them, void and hash them",
		s.operations("submission", newSubmissionList(s), newSubmissionShow(s), newSubmissionExport(s), newGlassBox(s))...)
}

func newSubmissionShow(s *Shell) *cobra.Command {
	var in submission.GetInput
	cmd := newShow(s, "show ID", "Show a submission with its items",
		byID("submission", func(ctx context.Context, tx *db.Tx, id ids.ID) (standing.Submission, error) {
			in.ID = id
			return standing.Get(ctx, tx, in)
		}), drawn(drawSubmission))
	cmd.Flags().StringVar(&in.Lang, "lang", "", "language of the content (default: all)")
	cmd.Flags().Var(&choice{&in.View, []string{submission.ViewCandidate}}, "view", "candidate: what feedback_mode lets the person know")
	return cmd
}

func drawSubmission(screen *Screen, r standing.Submission) error {
	err := writeFields(screen, r, submissionFields)
	if err != nil {
		return err
	}
	if r.KoeStatus != nil {
		screen.heading("Readiness")
		err = Table(screen, entries(*r.KoeStatus), entryColumns...)
		if err != nil {
			return err
		}
	}
	screen.heading("Items")
	return Table(screen, r.Items, submissionItemColumns(r.VersionSnapshot)...)
}

// asked is the text of the question of an item; its id if the snapshot is not shown.
func asked(snapshot *authoring.ShownSnapshot, i submission.ItemDetail) string {
	if snapshot != nil {
		stem := snapshot.Questions[i.QuestionVersionID.String()].Stem
		if text := strings.Join(strings.Fields(stem.PlainText()), " "); text != "" {
			return shorten(text)
		}
	}
	return i.ItemID.String()
}

// shorten cuts a text to the room in a line of a table.
func shorten(text string) string {
	const most = 60
	if letters := []rune(text); len(letters) > most {
		return strings.TrimSpace(string(letters[:most-1])) + "…"
	}
	return text
}

func outOf(score, most *float64) string {
	if score == nil || most == nil {
		return none
	}
	return fmt.Sprintf("%s of %s", wire.Points(*score), wire.Points(*most))
}

// verified says how many protected actions were verified, and how the newest was.
func verified(r standing.Submission) string {
	if len(r.Verifications) == 0 {
		return none
	}
	newest := r.Verifications[0]
	by := newest.Kind
	if newest.Method != "" {
		by = newest.Method
	}
	return fmt.Sprintf("%d, the newest for %s by %s (%s)", r.VerificationsTotal, wire.Words(newest.AppliesTo), newest.VerifiedBy, wire.Words(by))
}

func points(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

var submissionFields = columns(`ID, Person, EvaluationTitle = Evaluation, UserID, EvaluationVersionID = Version, Status, Approval, CompletedAt, Score, Outcome, Verified,
	Ready, Defensible, RetainUntil = Retained until (UTC)`,
	Column[standing.Submission]{Header: "Person", Cell: func(r standing.Submission) string { return cmp.Or(r.UserName, r.UserID.String()) }},
	Column[standing.Submission]{Header: "Approval", Cell: func(r standing.Submission) string { return orDash(wire.Words(r.ApprovalStatus)) }},
	Column[standing.Submission]{Header: "Score", Cell: func(r standing.Submission) string { return outOf(r.Score, r.MaxScore) }},
	Column[standing.Submission]{Header: "Outcome", Cell: func(r standing.Submission) string { return orDash(r.OutcomeLabel) }},
	Column[standing.Submission]{Header: "Verified", Cell: verified},
	Column[standing.Submission]{Header: "Ready", Cell: func(r standing.Submission) string { return ready(r.ProofReadiness) }},
	Column[standing.Submission]{Header: "Defensible", Cell: func(r standing.Submission) string { return defensible(r.ProofReadiness) }},
)

var hashColumns = columns("SubmissionID, StateHash, Schemes, ScoreVersion",
	Column[submission.StateHash]{Header: "Schemes", Cell: func(h submission.StateHash) string {
		return h.StateScheme + ", " + h.CanonicalScheme + ", " + h.HashScheme
	}},
)

func submissionItemColumns(snapshot *authoring.ShownSnapshot) []Column[submission.ItemDetail] {
	return columns("Question, QType = Type, Answered, Status, Score, ItemID*",
		Column[submission.ItemDetail]{Header: "Question", Cell: func(i submission.ItemDetail) string { return asked(snapshot, i) }},
		Column[submission.ItemDetail]{Header: "Answered", Cell: func(i submission.ItemDetail) string { return yesNo(!i.IsOmitted) }},
		Column[submission.ItemDetail]{Header: "Status", Cell: func(i submission.ItemDetail) string { return orDash(itemStatus(i)) }},
		Column[submission.ItemDetail]{Header: "Score", Cell: func(i submission.ItemDetail) string { return outOf(i.Score, i.MaxScore) }, Align: Right},
	)
}

// itemStatus says how an item was scored; one without an answer was left out.
func itemStatus(i submission.ItemDetail) string {
	if i.IsOmitted {
		return "left out"
	}
	return wire.Words(i.ScoreStatus)
}

var resultColumns = columns[review.Result]("SubmissionID, Status, ApprovalStatus = Approval, DecidedBy")

var decisionColumns = columns[review.Decision]("Decision, Comment, DecidedBy, DecidedAt, ID*")
