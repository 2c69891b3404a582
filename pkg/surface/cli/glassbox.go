package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/report/page"
	"assess/pkg/trust/glassbox"
)

func newGlassBox(s *Shell) *cobra.Command {
	return group("glass-box", "Show a submission to somebody without an account, through a link that can be withdrawn",
		newGlassBoxCreate(s), newGlassBoxList(s), newGlassBoxRevoke(s), newGlassBoxShow(s))
}

const glassBoxLong = `Make a link by which somebody without an account, such as an auditor, reads one submission.

For people there is an address: it leads one browser to a page, and works in no other afterwards. For
programs there is a token, which reads GET /glassbox/submissions/ID. Both are shown once; -o json gives
everything. Neither names nor answers are shown. Each view counts, and is an event of the ledger.`

func newGlassBoxCreate(s *Shell) *cobra.Command {
	var in glassbox.LinkInput
	cmd := &cobra.Command{
		Use:   "create ID",
		Short: "Make a link to the glass box of a submission",
		Long:  glassBoxLong,
		RunE: func(cmd *cobra.Command, args []string) error {
			err := checkIDs(cmd, args)
			if err != nil {
				return err
			}
			made, err := s.createGlassBoxLink(cmd, args, in)
			if err != nil {
				return err
			}
			return s.Show(made, func(screen *Screen) error { return s.drawIssuedLink(screen, made) })
		},
	}
	timeFlag(cmd, &in.ExpiresAt, "expires", "when it ends (default: after auth.link_lifetime)")
	shownFlags(cmd, &in.CanViewReadinessReasons, &in.IncludeEvidence)
	return secret(s.changes(cmd))
}

func shownFlags(cmd *cobra.Command, reasons *bool, evidence *string) {
	cmd.Flags().BoolVar(reasons, "reasons", false, "show the reasons of readiness")
	cmd.Flags().Var(&choice{evidence, glassbox.EvidenceTerms}, "evidence", "none, which is the default; hashes: what there is; files: the files as well")
}

func (s *Shell) createGlassBoxLink(cmd *cobra.Command, args []string, in glassbox.LinkInput) (glassbox.IssuedLink, error) {
	var none glassbox.IssuedLink
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
	desk := glassbox.NewDesk(access.NewAuthority(store, c.Auth), c)
	return writeIn(s, cmd, store, scope, said(cmd, args), func(tx *db.Tx) (glassbox.IssuedLink, error) {
		return byID("submission", func(ctx context.Context, tx *db.Tx, id ids.ID) (glassbox.IssuedLink, error) {
			in.SubmissionID = id
			return desk.Create(ctx, tx, in)
		})(cmd.Context(), tx, args)
	})
}

// drawIssuedLink writes the address as the only text on its line; everything else goes to standard error.
func (s *Shell) drawIssuedLink(screen *Screen, l glassbox.IssuedLink) error {
	_, err := fmt.Fprintln(screen, l.OpenURL)
	s.Note("Link %s is valid until %s. The address works in one browser; the token for programs is in -o json.", l.ID, l.ExpiresAt.Format(time.RFC3339))
	return err
}

func newGlassBoxList(s *Shell) *cobra.Command {
	var page db.Page
	return newList(s, "list ID", "List the links to a submission and how often they were used, newest first", &page,
		byID("submission", func(ctx context.Context, tx *db.Tx, id ids.ID) (db.List[glassbox.Link], error) {
			return glassbox.List(ctx, tx, id, page)
		}), linkColumns)
}

func newGlassBoxRevoke(s *Shell) *cobra.Command {
	return newAct(s, "revoke ID [LINK-ID]", "End a link to a submission, or all of them, at once",
		func(ctx context.Context, tx *db.Tx, args []string) (db.List[glassbox.Link], error) {
			submission, err := recordID("submission", args[0])
			if err == nil {
				err = revokeLinks(ctx, tx, submission, args[1:])
			}
			if err != nil {
				return db.List[glassbox.Link]{}, err
			}
			return glassbox.List(ctx, tx, submission, db.Page{})
		}, func(s *Shell, all db.List[glassbox.Link]) error { return printList(s, all, linkColumns...) })
}

func revokeLinks(ctx context.Context, tx *db.Tx, submission ids.ID, named []string) error {
	if len(named) == 0 {
		return glassbox.RevokeAll(ctx, tx, submission)
	}
	link, err := recordID("link", named[0])
	if err != nil {
		return err
	}
	return glassbox.Revoke(ctx, tx, submission, link)
}

func newGlassBoxShow(s *Shell) *cobra.Command {
	var terms glassbox.Terms
	var file string
	show := func(s *Shell, b glassbox.Box) error {
		return s.showReport(file, b, func() page.Page { return page.GlassBox(b, "") }, func(screen *Screen) error { return drawBox(screen, b) })
	}
	cmd := newShow(s, "show ID", "Show what a link would show, without making one",
		byID("submission", func(ctx context.Context, tx *db.Tx, id ids.ID) (glassbox.Box, error) {
			return glassbox.Preview(ctx, tx, id, terms)
		}), show)
	shownFlags(cmd, &terms.CanViewReadinessReasons, &terms.IncludeEvidence)
	htmlFlag(cmd, &file)
	return cmd
}

func drawBox(screen *Screen, b glassbox.Box) error {
	err := writeFields(screen, b, boxFields)
	if err != nil {
		return err
	}
	screen.heading("Readiness")
	return Table(screen, []boxEntry{{"knowledge", b.KoeStatus.Knowledge}, {"observation", b.KoeStatus.Observation}, {"evidence", b.KoeStatus.Evidence}}, boxEntryColumns...)
}

type boxEntry struct {
	Name string
	glassbox.Entry
}

var boxEntryColumns = columns("Name = Entry, State, Reasons", Column[boxEntry]{Header: "Reasons", Cell: func(e boxEntry) string {
	if e.Reasons == nil {
		return "not shown"
	}
	return reasonsInWords(*e.Reasons)
}})

var boxFields = columns(`Title = Exam, Organisation, SubmissionID, EvaluationVersionID, Status, ApprovalStatus = Approval, CompletedAt, Outcome, Score, ScoreVersion, Ready, Defensible,
	SnapshotHash, StateHash, InLog = In the log, Decisions, Evidence, Findings, Cases = Claims and disputes`,
	Column[glassbox.Box]{Header: "Outcome", Cell: func(b glassbox.Box) string { return b.OutcomeCode }},
	Column[glassbox.Box]{Header: "Score", Cell: func(b glassbox.Box) string { return outOf(&b.Score, &b.MaxScore) }},
	Column[glassbox.Box]{Header: "Ready", Cell: func(b glassbox.Box) string { return yesNo(b.ProofReadiness.ReadyNow) }},
	Column[glassbox.Box]{Header: "Defensible", Cell: func(b glassbox.Box) string { return yesNo(b.ProofReadiness.DefensibleAtExecution) }},
	Column[glassbox.Box]{Header: "In the log", Cell: func(b glassbox.Box) string { return yesNo(b.Ledger.Current) }},
	Column[glassbox.Box]{Header: "Decisions", Cell: func(b glassbox.Box) string { return fmt.Sprint(b.Decisions.Total) }},
	Column[glassbox.Box]{Header: "Evidence", Cell: func(b glassbox.Box) string {
		if b.Evidence == nil {
			return "not shown"
		}
		return fmt.Sprint(b.Evidence.Total)
	}},
	Column[glassbox.Box]{Header: "Findings", Cell: func(b glassbox.Box) string { return fmt.Sprint(b.Findings.Total) }},
	Column[glassbox.Box]{Header: "Claims and disputes", Cell: func(b glassbox.Box) string { return fmt.Sprint(b.Claims.Total + b.Disputes.Total) }},
)

var linkColumns = columns("ID, State, ExpiresAt, Reasons, IncludeEvidence = Evidence, Uses, LastUsedAt = Last used (UTC), CreatedBy = Made by*",
	Column[glassbox.Link]{Header: "Reasons", Cell: func(l glassbox.Link) string { return yesNo(l.CanViewReadinessReasons) }})
