package cli

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/plural"
	"assess/pkg/kernel/wire"
	"assess/pkg/people/people"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/unlink"
)

// personJob is a command that does a job about one person, or about each of a list.
type personJob struct {
	kind, use, short string
	// question is asked before the job, with the person or their number; doing is the text of the progress.
	question, doing string
	// arguments gives the job's arguments other than its subject; nil for none.
	arguments func(context.Context, *db.Tx) (any, error)
	// after works on a job that is done, as fetching its file; nil for nothing.
	after func(context.Context, *compliance.Centre, db.Scope, compliance.Job) error
}

const personJobHelp = `

--subject takes an id or an e-mail address, --file a list of them, one a line; what one line brings
does not keep the others from being done. The job is done here, and a running assessd goes on with one
that was interrupted; so does assessctl compliance jobs resume. With --idempotency-key the same command goes on,
and what is done already is printed and not done again.

Exit codes: 0 done, 3 there is no such person, 4 a hold stands against it, 5 a conflict, 6 some of a list
could not be done, or a forget left something.`

func newPersonJob(s *Shell, p personJob) *cobra.Command {
	var subject, file string
	cmd := &cobra.Command{Use: p.use + " {--subject ID|EMAIL | --file PATH}", Short: p.short, RunE: func(cmd *cobra.Command, _ []string) error {
		people, err := subjects(subject, file)
		if err != nil {
			return err
		}
		return s.runPersonJobs(cmd, p, people, file != "")
	}}
	cmd.Flags().StringVar(&subject, "subject", "", "whom: id or e-mail address")
	cmd.Flags().StringVar(&file, "file", "", "a file with one id or e-mail address a line")
	return s.changes(cmd)
}

func subjects(subject, file string) ([]string, error) {
	if (subject == "") == (file == "") {
		return nil, Usage("say whom: --subject ID|EMAIL, or --file PATH for a list")
	}
	if subject != "" {
		return []string{subject}, nil
	}
	list, err := os.Open(file)
	if err != nil {
		return nil, Usage("%w", err)
	}
	defer list.Close() //nolint:errcheck // only read from
	var all []string
	lines := bufio.NewScanner(list)
	for lines.Scan() {
		if line := strings.TrimSpace(lines.Text()); line != "" {
			all = append(all, line)
		}
	}
	if len(all) == 0 && lines.Err() == nil {
		return nil, Usage("%s names nobody", file)
	}
	return all, lines.Err()
}

// outcome is the result of a line of a list.
type outcome struct {
	Line   int             `json:"line"`
	Job    *compliance.Job `json:"job,omitempty"`
	Code   string          `json:"code,omitempty"`
	Reason string          `json:"message,omitempty"`
}

func (s *Shell) runPersonJobs(cmd *cobra.Command, p personJob, people []string, list bool) error {
	ctx, key := cmd.Context(), s.key
	office, scope, done, err := s.office(ctx)
	if err != nil {
		return err
	}
	defer done()
	whom := people[0]
	if list {
		whom = plural.Of(len(people), "person", "people")
	}
	if !s.dryRun {
		if err := s.confirm(ctx, p.question, whom); err != nil {
			return err
		}
	}
	if !list {
		job, err := s.runPersonJob(cmd, p, office, scope, whom)
		if err != nil {
			return err
		}
		return errors.Join(PrintOne(s, job, complianceJobFields...), refusal(job), leftover(job))
	}
	outcomes, bad := make([]outcome, 0, len(people)), 0
	for i, word := range people {
		one := outcome{Line: i + 1}
		s.key = keyOf(key, word)
		job, err := s.runPersonJob(cmd, p, office, scope, word)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			one.Job, err = &job, refusal(job)
		}
		if rest := leftover(job); err == nil && rest != nil {
			one.Reason, bad = rest.Error(), bad+1
		}
		if err != nil {
			known := errorBody(err)
			one.Code, one.Reason, bad = string(known.Code), known.Message, bad+1
		}
		outcomes = append(outcomes, one)
	}
	err = PrintPage(s, outcomes, outcomes, outcomeColumns...)
	if err == nil && bad > 0 {
		return Partly("%d of %s could not be done, or left something", bad, whom)
	}
	return err
}

// leftover is the error of a forget after which the search found something, or could not search everything.
func leftover(job compliance.Job) error {
	if job.JobType == compliance.Forget && job.Partial {
		return Partly("something was left, or could not be searched: residue.json, a file of job %s, says what", job.ID)
	}
	return nil
}

// refusal is the error of a job that ended without doing its work.
func refusal(job compliance.Job) error {
	switch {
	case job.Blocked:
		return errs.New(errs.HoldActive, "%s", "A hold stands against it; nothing was changed.")
	case job.Status == "failed":
		return errors.New("the job failed: " + db.OrZero(job.ErrorCode))
	}
	return nil
}

// keyOf makes the idempotency key of one line from the key of the list, without a word about the person.
func keyOf(list, word string) string {
	if list == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(word))
	return list + "-" + hex.EncodeToString(sum[:8])
}

func (s *Shell) runPersonJob(cmd *cobra.Command, p personJob, office *compliance.Centre, scope db.Scope, word string) (compliance.Job, error) {
	ctx := cmd.Context()
	job, err := s.createJob(cmd, p, office, scope, word)
	if err != nil || s.dryRun {
		return job, err
	}
	job, err = s.workOn(ctx, office, scope, job.ID, p.doing)
	if err != nil || p.after == nil || job.Status != "completed" {
		return job, err
	}
	return job, p.after(ctx, office, scope, job)
}

// createJob looks for the person only if the key is new: somebody who was forgotten cannot be found a second time.
func (s *Shell) createJob(cmd *cobra.Command, p personJob, office *compliance.Centre, scope db.Scope, word string) (compliance.Job, error) {
	ctx, create := cmd.Context(), office.Create
	if s.dryRun {
		create = office.Preview
	}
	asked := struct {
		Said any
		Word string
	}{said(cmd, nil), word}
	return writeIn(s, cmd, office.Store, scope, asked, func(tx *db.Tx) (compliance.Job, error) {
		person, err := findUserID(ctx, tx, word)
		if err != nil {
			return compliance.Job{}, unknown("user", word, err)
		}
		in := compliance.Input{Type: p.kind, SubjectID: person}
		if p.arguments != nil {
			arguments, err := p.arguments(ctx, tx)
			if err != nil {
				return compliance.Job{}, err
			}
			in.Arguments = compliance.Arguments(arguments)
		}
		return create(ctx, tx, in)
	})
}

func unlinkArguments(ctx context.Context, tx *db.Tx, slug string) (any, error) {
	if slug == "" {
		return unlink.Arguments{}, nil
	}
	unit, err := people.FindOrgUnit(ctx, tx, slug)
	return unlink.Arguments{OrgUnitID: unit.ID}, unknown("org unit", slug, err)
}

// counted lists rows by table.
func counted(counts map[string]int64) string {
	var all []string
	for _, table := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, fmt.Sprintf("%s %d", table, counts[table]))
	}
	return strings.Join(all, ", ")
}

var outcomeColumns = []Column[outcome]{
	{Header: "Line", Cell: func(o outcome) string { return fmt.Sprint(o.Line) }},
	{Header: "Status", Cell: func(o outcome) string {
		if o.Job != nil {
			return o.Job.Status
		}
		return wire.Words(o.Code)
	}, Colour: func(o outcome) Colour { return goodIf(o.Code == "") }},
	{Header: "Job", Cell: func(o outcome) string {
		if o.Job != nil {
			return o.Job.ID.String()
		}
		return ""
	}},
	{Header: "Why", Cell: func(o outcome) string { return o.Reason }},
}
