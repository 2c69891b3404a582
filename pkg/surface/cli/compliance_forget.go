package cli

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/plural"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/erasure"
	"assess/pkg/trust/translog"
)

func newForget(s *Shell) *cobra.Command {
	cmd := newPersonJob(s, personJob{kind: compliance.Forget, use: "forget", short: "Erase what is kept about people, but for scores and figures",
		question: "Forget %s for good?", doing: "Forgetting"})
	cmd.Long = `Erase what is kept about people: their record, what signs them in, answers in free text, evidence,
what others wrote about their submissions, stored answers, mail in the mail folder and earlier exports.
Scores, outcomes, choices and figures stay, under an id that names nobody. At the end every table and file is
searched for what names the person, and a signed receipt is kept with the job.

The tables that the job names keep what was erased on disk, as dead rows, until VACUUM FULL or pg_repack writes
them anew: the receipt has the statement.` + personJobHelp
	return cmd
}

// reappliedOrder is an order and the result of carrying it out.
type reappliedOrder struct {
	erasure.Order
	// Done is the job that did it again.
	Done *ids.ID `json:"done,omitempty"`
	Code string  `json:"code,omitempty" shape:"error code"`
}

func newReapply(s *Shell) *cobra.Command {
	var file string
	var keys []string
	cmd := &cobra.Command{
		Use:   "reapply --ledger FILE",
		Short: "Forget and unlink again whom a restored backup still knows",
		Long: `Do again, in a database that was restored from a backup, every forget and unlink that was done after the
backup was made. FILE is an export of the ledger that was kept elsewhere (assessctl ledger export). It is verified
first, with the keys of the tenant, and with --key where its key is newer than the backup. What the backup has seen,
and people whom it does not have, are left alone; so the command may run again.

Exit codes: 0 done, 1 the export is not sound, 2 it cannot be read, 6 some could not be done, or a forget left
something.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if file == "" {
				return Usage("say which export: --ledger FILE")
			}
			return s.reapply(cmd.Context(), file, keys)
		},
	}
	cmd.Flags().StringVar(&file, "ledger", "", "an export of the ledger")
	cmd.Flags().StringArrayVar(&keys, "key", nil, "verifier key that you trust, or a file of them (may be given again)")
	cmd.Flags().BoolVar(&s.dryRun, "dry-run", false, "print what is due, and change nothing")
	return cmd
}

func (s *Shell) reapply(ctx context.Context, file string, keys []string) error {
	office, scope, done, err := s.office(ctx)
	if err != nil {
		return err
	}
	defer done()
	orders, err := s.ordersOf(ctx, office, scope, file, keys)
	if err != nil {
		return err
	}
	due := 0
	for _, o := range orders {
		if o.State == erasure.Due {
			due++
		}
	}
	shown := make([]reappliedOrder, len(orders))
	for i, o := range orders {
		shown[i].Order = o
	}
	if s.dryRun {
		s.Note("Dry run: nothing was changed.")
	} else if due > 0 {
		if err := s.confirm(ctx, "Do %s again?", plural.Of(due, "job", "jobs")); err != nil {
			return err
		}
	}
	bad := 0
	for i := range shown {
		if s.dryRun || shown[i].State != erasure.Due {
			continue
		}
		if err := s.again(ctx, office, scope, &shown[i]); err != nil {
			bad++
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	err = PrintPage(s, shown, shown, reappliedColumns...)
	if err == nil && bad > 0 {
		return Partly("%d of %s could not be done, or left something", bad, plural.Of(due, "job", "jobs"))
	}
	return err
}

func (s *Shell) again(ctx context.Context, office *compliance.Centre, scope db.Scope, o *reappliedOrder) error {
	job, err := erasure.Again(ctx, office, scope, &o.Order)
	if err == nil && job.ID != ids.None {
		o.Done, err = &job.ID, refusal(job)
	}
	if err != nil {
		o.Code = string(errs.Of(err).Code)
		return err
	}
	return leftover(job)
}

// ordersOf verifies an export with the tenant's keys and the given keys, never with the file's own, and says
// which of its orders are due.
func (s *Shell) ordersOf(ctx context.Context, office *compliance.Centre, scope db.Scope, file string, keys []string) (orders []erasure.Order, err error) {
	_, trusted, err := checkedAgainst(nil, keys)
	if err != nil {
		return nil, Usage("%w", err)
	}
	err = office.Store.Read(ctx, scope, func(tx *db.Tx) error {
		own, err := translog.OwnKeys(ctx, tx)
		trusted = append(trusted, own...)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(trusted) == 0 {
		return nil, Usage("this tenant has no key yet: say with --key which one you trust")
	}
	verified, err := translog.VerifyFile(translog.FileInput{Path: file, Keys: trusted})
	if err != nil {
		return nil, Usage("%w", err)
	}
	if !verified.Sound() {
		return nil, Unsound("the export is not as it was signed by a key of this tenant or of --key: assessctl ledger verify %s says where", file)
	}
	export, err := os.Open(file)
	if err != nil {
		return nil, Usage("%w", err)
	}
	defer export.Close() //nolint:errcheck // only read from
	err = office.Store.Read(ctx, scope, func(tx *db.Tx) error {
		orders, err = erasure.Orders(ctx, tx, export)
		return err
	})
	return orders, err
}

var reappliedColumns = columns[reappliedOrder]("Seq, CompletedAt, JobType, SubjectID, State, Done, Code")
