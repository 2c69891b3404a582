package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"assess/config"
	"assess/pkg/kernel/db"
	"assess/pkg/trust/centre"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/datamap"
)

// A person's data lie in every org unit that they were in: these commands work on all of them.
func newCompliance(s *Shell) *cobra.Command {
	return everywhere(group("compliance", "Carry out what people may ask about their data, and prove it", s.operations("compliance",
		newComplianceRequest(s), group("letter", "Say what letters about requests say, and send them", s.operations("compliance letter", newLetterShow(s))...),
		group("recipient", "Keep the register of who gets data of people", s.operations("compliance recipient")...),
		group("task", "Follow what recipients are to do", s.operations("compliance task")...),
		group("hold", "Hold several people for a matter, and look at holds again", s.operations("compliance hold")...),
		group("residue", "Decide about what was found of people who were forgotten", s.operations("compliance residue")...), newRecord(s),
		newComplianceJobs(s), newComplianceLedger(s), newForget(s), newReapply(s), newRestrict(s), newHolds(s),
		newDSAR(s), newPrivacyPack(s), newUnlink(s), newSweep(s), newIncidents(s), newComplianceScan(s), newDataMap(s))...))
}

// office opens the centre of compliance for a command.
func (s *Shell) office(ctx context.Context) (*compliance.Centre, db.Scope, func(), error) {
	c, err := s.Config()
	if err != nil {
		return nil, db.Scope{}, nil, err
	}
	c.Auth, err = s.auth()
	if err != nil {
		return nil, db.Scope{}, nil, err
	}
	store, scope, err := s.scoped(ctx)
	if err != nil {
		return nil, scope, nil, err
	}
	blobs, err := openBlobs(ctx, c)
	if err != nil {
		return nil, scope, nil, err
	}
	// All writes to it have been settled before.
	return centre.New(store, blobs, c), scope, func() { _ = blobs.Close() }, nil
}

// kinds knows the jobs and works on none.
func kinds() *compliance.Centre { return centre.New(nil, nil, config.Default()) }

func newComplianceJobs(s *Shell) *cobra.Command {
	return group("jobs", "List and show jobs about the data of people", newComplianceJobList(s),
		newShow(s, "show ID", "Show one job", byID("job", kinds().GetJob), fields(complianceJobFields)),
		newComplianceResume(s), newComplianceFetch(s))
}

func newComplianceJobList(s *Shell) *cobra.Command {
	var filter compliance.JobFilter
	var subject string
	cmd := newList(s, "list", "List jobs, newest first", &filter.Page, func(ctx context.Context, tx *db.Tx, _ []string) (db.List[compliance.JobItem], error) {
		if err := ifNamed(ctx, tx, subject, findUserID, &filter.SubjectID); err != nil {
			return db.List[compliance.JobItem]{}, err
		}
		return compliance.ListJobs(ctx, tx, filter)
	}, personJobColumns(func(j compliance.JobItem) compliance.JobItem { return j }))
	cmd.Flags().Var(&choice{&filter.Type, compliance.Types}, "type", strings.Join(compliance.Types, ", "))
	cmd.Flags().Var(&choice{&filter.Status, compliance.Statuses}, "status", strings.Join(compliance.Statuses, ", "))
	cmd.Flags().Var(&choice{&filter.SLAState, compliance.SLAStates}, "sla", strings.Join(compliance.SLAStates, ", "))
	cmd.Flags().StringVar(&subject, "subject", "", "only about this person: id or e-mail address")
	return cmd
}

func newComplianceLedger(s *Shell) *cobra.Command {
	var filter compliance.LedgerFilter
	cmd := newList(s, "ledger", "List what was done about the data of people, newest first", &filter.Page,
		func(ctx context.Context, tx *db.Tx, _ []string) (db.List[compliance.LedgerEntry], error) {
			return compliance.ListLedger(ctx, tx, filter)
		}, columns[compliance.LedgerEntry]("CreatedAt, EventType, SubjectID, Domain, ArtifactHash, ID*"))
	cmd.Flags().StringVar(&filter.EventType, "event", "", "only of this type, as in forget.completed")
	idFlag(cmd, &filter.SubjectID, "subject", "only about this person: an id, also of somebody who was forgotten")
	return cmd
}

func newDataMap(s *Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "data-map",
		Short: "Print what every column holds of people, as a page in Markdown",
		Long: `Print the record of processing: what every column of the database holds of people, and what forgetting
and data exports do with it; as CSV, a line for each column. It needs no database.`,
		RunE: func(*cobra.Command, []string) error {
			if s.Format == FormatCSV {
				return writeCSV(s.Screen, datamap.Lines())
			}
			return s.Show(datamap.Tables, func(screen *Screen) error {
				_, err := screen.Write([]byte(datamap.Document()))
				return err
			})
		},
	}
}

func newUnlink(s *Shell) *cobra.Command {
	var unit string
	cmd := newPersonJob(s, personJob{kind: compliance.Unlink, use: "unlink", short: "Take people out of an org unit, or of all; their records stay",
		question: "Take %s out of the organisation?", doing: "Unlinking",
		arguments: func(ctx context.Context, tx *db.Tx) (any, error) { return unlinkArguments(ctx, tx, unit) }})
	cmd.Long = `Take people out of one org unit (--from) or of all: org units, groups, assignments and invitations
that are open go, and with all org units the roles too. Records, submissions and scores stay.
The last Tenant Admin cannot be taken out.` + personJobHelp
	cmd.Flags().StringVar(&unit, "from", "", "slug of the one org unit to take them out of")
	return cmd
}

// personJobColumns are the columns of a type that is, or contains, the item of a job.
func personJobColumns[T any](item func(T) compliance.JobItem) []Column[T] {
	return columns("CreatedAt, JobType, Status, SLAState = SLA, SubjectID, RequestedBy, ID",
		Column[T]{Header: "Status", Colour: func(v T) Colour { return badIf(item(v).Status == "failed" || item(v).Blocked) }},
		Column[T]{Header: "SLA", Colour: func(v T) Colour { return badIf(item(v).SLAState == "breached") }})
}

var complianceJobFields = append(personJobColumns(func(j compliance.Job) compliance.JobItem { return j.JobItem }),
	append(columns[compliance.Job]("StartedAt, CompletedAt, DurationMs, SLADueAt = Due (UTC), DryRun, Partial, BlockedReason, ErrorCode"),
		Column[compliance.Job]{Header: "Steps", Cell: func(j compliance.Job) string { return fmt.Sprintf("%d of %d", j.Progress.Steps, j.Progress.Of) }},
		Column[compliance.Job]{Header: "Rows", Cell: func(j compliance.Job) string { return counted(j.Counts) }},
		Column[compliance.Job]{Header: "Files", Cell: func(j compliance.Job) string {
			return words(j.ArtifactRefs, func(a compliance.ArtifactRef) string { return a.Name })
		}})...)
