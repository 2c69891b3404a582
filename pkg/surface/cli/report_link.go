package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/report/reportlink"
)

func newReportLink(s *Shell) *cobra.Command {
	return group("link", "Show a report to somebody without an account, through a link that can be withdrawn",
		newReportLinkCreate(s), newReportLinkList(s), newReportLinkRevoke(s))
}

const reportLinkLong = `Make a link by which somebody without an account reads one report in a browser, with its filters and
the figures of the moment. REPORT is evaluation_summary, groups, cohorts, question_health or question.

The address leads one browser to the page, and works in no other afterwards; it is shown once. The link
shows the org unit that it is made in, names nobody, and ends when it is revoked.`

func newReportLinkCreate(s *Shell) *cobra.Command {
	var in reportlink.Input
	var version, question string
	cmd := &cobra.Command{
		Use:   "create REPORT",
		Short: "Make a link to a report",
		Long:  reportLinkLong,
		RunE: func(cmd *cobra.Command, args []string) error {
			in.Report = args[0]
			made, err := s.createReportLink(cmd, args, &in, version, question)
			if err != nil {
				return err
			}
			return s.Show(made, func(screen *Screen) error {
				_, err := fmt.Fprintln(screen, made.OpenURL)
				s.Note("Link %s is valid until %s. The address works in one browser.", made.ID, made.ExpiresAt.Format(time.RFC3339))
				return err
			})
		},
	}
	timeFlag(cmd, &in.ExpiresAt, "expires", "when it ends (default: after auth.link_lifetime)")
	versionFlag(cmd, &version)
	cmd.Flags().StringVar(&question, "question", "", "of question: id of a question version, or external id of a question for its published one")
	runLabelFlag(cmd, &in.RunLabel, runHelp)
	optionalIDFlag(cmd, &in.GroupID, "group", "id of a group: only attempts by an assignment to it")
	cmd.Flags().BoolVar(&in.AllVersions, "all-versions", false, "every version of the evaluation together")
	cmd.Flags().StringArrayVar(&in.Tags, "tag", nil, "only attempts with this tag, as facet:term; repeatable")
	cmd.Flags().StringVar(&in.Sort, "sort", "", "order of question_health")
	periodFlags(cmd, &in.From, &in.To)
	return secret(s.changes(cmd))
}

func (s *Shell) createReportLink(cmd *cobra.Command, args []string, in *reportlink.Input, version, question string) (reportlink.Issued, error) {
	var none reportlink.Issued
	c, err := s.Config()
	if err != nil {
		return none, err
	}
	store, scope, err := s.scoped(cmd.Context())
	if err != nil {
		return none, err
	}
	c.Auth, err = s.auth()
	if err != nil {
		return none, err
	}
	desk := reportlink.NewDesk(access.NewAuthority(store, c.Auth), c.HTTP.BaseURL)
	return writeIn(s, cmd, store, scope, said(cmd, args), func(tx *db.Tx) (reportlink.Issued, error) {
		if version != "" {
			id, err := evaluationVersion(cmd.Context(), tx, version)
			if err != nil {
				return none, err
			}
			in.EvaluationVersionID = &id
		}
		if question != "" {
			id, err := questionVersion(cmd.Context(), tx, question)
			if err != nil {
				return none, err
			}
			in.QuestionVersionID = &id
		}
		return desk.Create(cmd.Context(), tx, *in)
	})
}

func newReportLinkList(s *Shell) *cobra.Command {
	var page db.Page
	return newList(s, "list", "List the links to reports and how often they were used, newest first", &page,
		func(ctx context.Context, tx *db.Tx, _ []string) (db.List[reportlink.Link], error) {
			return reportlink.List(ctx, tx, page)
		}, reportLinkColumns)
}

func newReportLinkRevoke(s *Shell) *cobra.Command {
	return newAct(s, "revoke ID", "End a link to a report, at once",
		byID("link", func(ctx context.Context, tx *db.Tx, id ids.ID) (db.List[reportlink.Link], error) {
			err := reportlink.Revoke(ctx, tx, id)
			if err != nil {
				return db.List[reportlink.Link]{}, err
			}
			return reportlink.List(ctx, tx, db.Page{})
		}), func(s *Shell, all db.List[reportlink.Link]) error { return printList(s, all, reportLinkColumns...) })
}

var reportLinkColumns = columns[reportlink.Link]("ID, State, Report, EvaluationVersionID = Evaluation version*, ExpiresAt, Uses, LastUsedAt = Last used (UTC), CreatedBy = Made by*")
