package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/people/hold"
	"assess/pkg/trust/erasure"
	"assess/pkg/trust/processing"
	"assess/pkg/trust/requests"
	"assess/pkg/trust/retention"
)

func newLetterShow(s *Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "show REQUEST LETTER",
		Short: "Read a letter about a request as it would go out now, for those who print it",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := recordID("request", args[0])
			if err != nil {
				return err
			}
			c, err := s.Config()
			if err != nil {
				return err
			}
			text, err := readBy(cmd.Context(), s, (*db.Store).Read, func(tx *db.Tx) (requests.LetterText, error) {
				return requests.ReadLetter(cmd.Context(), tx, c.HTTP.BaseURL, requests.LetterChoice{ID: id, Letter: args[1]})
			})
			if err != nil {
				return err
			}
			return s.Show(text, func(screen *Screen) error {
				_, err := fmt.Fprintf(screen, "%s\n\n%s", text.Subject, text.Text)
				return err
			})
		},
	}
}

func newRecord(s *Shell) *cobra.Command {
	return newShow(s, "record-of-processing", "Print the record of processing (GDPR, article 30); as CSV, a line a purpose", alone(processing.Get), printRecord)
}

func printRecord(s *Shell, r processing.Record) error {
	return PrintPage(s, r, r.Lines(), recordColumns...)
}

var (
	recordColumns   = columns[processing.Line]("Purpose, LegalBasis = Legal basis, Article, People = Whose data, Data, Recipients, Periods = Kept, What*")
	templateColumns = columns[requests.Template]("Letter, Word, Locale, Version, Subject, SetAt, SetBy*, Text*")

	recipientFields  = columns[requests.Recipient]("ID, Name, Role, Purpose, Gets, Contact, WebhookID = Webhook, CreatedBy, CreatedAt, EndedAt")
	recipientColumns = columns[requests.Recipient]("Name, Role, Purpose, Gets, Contact, EndedAt, ID")
	taskColumns      = columns[requests.Task]("Recipient, State, Way, Reminders, ToldAt = Told (UTC), RemindAt = Next reminder (UTC), ReasonCode*, RequestID, ID")

	holdFields       = columns[hold.Hold]("ID, SubjectID, SubmissionID, Kind, ReasonCode, Matter, ReviewAt = Review (UTC), PlacedBy, PlacedAt, LiftedBy, LiftedAt")
	manyHoldsColumns = columns[hold.ManyResult]("SubjectID, HoldID, Code")

	residueFields   = columns[erasure.Finding]("ID, JobID, Table, Column, Row, Kind, Form, Verdict, Erasable, Decision, ReasonCode, DecidedBy, DecidedAt")
	residueColumns  = columns[erasure.Finding]("Table, Column, Row, Kind, Verdict, Erasable, Decision, ReasonCode*, JobID*, ID")
	forecastColumns = columns[retention.ForecastLine]("From, To, Domain, Of, Action, Records, PolicyID*")
)
