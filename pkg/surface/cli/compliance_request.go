package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/wire"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/requests"
)

func newComplianceRequest(s *Shell) *cobra.Command {
	return group("request", "Record, decide and answer what people ask about their data",
		s.operations("compliance request", newCarryOut(s), newRequestNote(s), newRequestNotes(s))...)
}

var requestColumns = columns("ReceivedAt, Kind, State, SLAState = SLA, SLADueAt = Due (UTC), SubjectID, Decision*, ReasonCode*, Channel*, ID",
	Column[requests.Request]{Header: "SLA", Colour: func(r requests.Request) Colour { return badIf(r.SLAState == "breached") }})

var requestFields = append(columns[requests.Detail](`ID, Kind, Channel, State, SLAState = SLA, SLADueAt = Due (UTC), SubjectID, ReceivedAt, IdentityAskedAt, Identity, ExtendedAt,
	ExtensionReason, Decision, ReasonCode, DecidedBy, DecidedAt, NotBefore, ContestedAt, CarriedOutAt, EndedAt, RecordedBy, Notes`),
	Column[requests.Detail]{Header: "Jobs", Cell: func(d requests.Detail) string {
		return words(d.Jobs, func(j requests.Job) string { return wire.Words(j.JobType) + " " + j.Status })
	}},
	Column[requests.Detail]{Header: "Letters", Cell: func(d requests.Detail) string {
		return words(d.Letters, func(l requests.Letter) string { return wire.Words(l.Letter) + " " + l.State })
	}},
	Column[requests.Detail]{Header: "Recipients", Cell: func(d requests.Detail) string {
		return words(d.Tasks, func(t requests.Task) string { return t.Recipient + " " + wire.Words(t.State) })
	}},
	Column[requests.Detail]{Header: "Changes", Cell: func(d requests.Detail) string {
		return words(d.Changes, func(c requests.Change) string {
			return strings.TrimSpace(wire.Words(c.Change) + " " + wire.Words(db.OrZero(c.Code)))
		})
	}})

func newCarryOut(s *Shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "carry-out REQUEST",
		Short: "Do what a request asks for, once it is granted",
		Long: `Do what a request asks for, once it is granted: an export, an erasure, or a restriction of processing. The job belongs to
the request, and is done before the command returns. A rectification is done by hand, and this says that it is.

Exit codes: 0 done, 3 there is no such request, 4 a hold stands against it, 5 a conflict, 6 a forget left something.`,
		RunE: func(cmd *cobra.Command, args []string) error { return s.executeRequest(cmd, args[0]) },
	}
	return s.changes(cmd)
}

func (s *Shell) executeRequest(cmd *cobra.Command, word string) error {
	ctx := cmd.Context()
	id, err := recordID("request", word)
	if err != nil {
		return err
	}
	office, scope, done, err := s.office(ctx)
	if err != nil {
		return err
	}
	defer done()
	if !s.dryRun {
		if err := s.confirm(ctx, "Carry out the request %s?", word); err != nil {
			return err
		}
	}
	executed, err := writeIn(s, cmd, office.Store, scope, said(cmd, []string{word}), func(tx *db.Tx) (requests.Executed, error) {
		return requests.CarryOut(ctx, tx, office, id, requests.Execution{DryRun: s.dryRun})
	})
	if err != nil || executed.Job == nil || s.dryRun {
		return errors.Join(err, printExecuted(s, executed, err))
	}
	job, err := s.workOn(ctx, office, scope, executed.Job.ID, "Carrying out")
	if err != nil {
		return err
	}
	executed.Job = &job
	err = office.Store.Read(ctx, scope, func(tx *db.Tx) error {
		executed.Detail, err = requests.Get(ctx, tx, id)
		return err
	})
	return errors.Join(err, printExecuted(s, executed, err), refusal(job), leftover(job))
}

func printExecuted(s *Shell, e requests.Executed, err error) error {
	if err != nil {
		return nil
	}
	return PrintOne(s, e, executedFields...)
}

var executedFields = append(columns[requests.Executed]("ID, Kind, State, SLAState = SLA, SLADueAt = Due (UTC), SubjectID"),
	Column[requests.Executed]{Header: "Job", Cell: func(e requests.Executed) string {
		if e.Job == nil {
			return "by hand"
		}
		return wire.Words(e.Job.JobType) + " " + e.Job.Status + " " + e.Job.ID.String()
	}},
	Column[requests.Executed]{Header: "Rows", Cell: func(e requests.Executed) string { return counted(db.OrZero(e.Job).Counts) }})

func newRequestNote(s *Shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "note REQUEST TEXT",
		Short: "Keep a note for officers, sealed; it goes when the request ends",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := recordID("request", args[0])
			if err != nil {
				return err
			}
			return s.withOffice(cmd.Context(), func(office *compliance.Centre, scope db.Scope) error {
				note, err := writeIn(s, cmd, office.Store, scope, said(cmd, args), func(tx *db.Tx) (requests.Note, error) {
					return requests.AddNote(cmd.Context(), tx, office.Secret, id, requests.NoteInput{Text: args[1]})
				})
				if err != nil {
					return err
				}
				return PrintOne(s, note, noteColumns...)
			})
		},
	}
	return secret(s.changes(cmd))
}

func newRequestNotes(s *Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "notes REQUEST",
		Short: "Read the notes of a request, the oldest first",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := recordID("request", args[0])
			if err != nil {
				return err
			}
			return s.withOffice(cmd.Context(), func(office *compliance.Centre, scope db.Scope) error {
				var notes requests.NoteList
				err := office.Store.Read(cmd.Context(), scope, func(tx *db.Tx) error {
					var err error
					notes, err = requests.Notes(cmd.Context(), tx, office.Secret, id)
					return err
				})
				if err != nil {
					return err
				}
				return PrintPage(s, notes, notes.Items, noteColumns...)
			})
		},
	}
}

// withOffice opens the centre of compliance for a call.
func (s *Shell) withOffice(ctx context.Context, do func(*compliance.Centre, db.Scope) error) error {
	office, scope, done, err := s.office(ctx)
	if err != nil {
		return err
	}
	defer done()
	return do(office, scope)
}

var noteColumns = columns[requests.Note]("CreatedAt, Author, Text, ID*")
