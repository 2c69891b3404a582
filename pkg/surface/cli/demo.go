package cli

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/plural"
	"assess/pkg/surface/demo"
	"assess/pkg/surface/replay"
)

const demoLong = `Send a data set through the HTTP interface of a running assessd, as real people would:
users, questions and the evaluation are imported, then each person starts a session, saves
answers and submits. At the end the summary and the health of the questions are printed.

In the sample one question is keyed wrong. The reports show it first, a remediation mends it, and the
reports follow.

DIR holds items.csv, responses.csv and, where there are any, persons.csv, times.csv and
questions.csv. Without DIR the shipped sample is taken. The tenant is made when it does
not exist. It can be interrupted and run again: it goes on where it stopped.`

// demoOptions say what to replay.
type demoOptions struct {
	url, run string
	html     string
	passMark float64
	groupBy  string
	mistake  mistake
	persons  int
	parallel int
}

func newDemo(s *Shell) *cobra.Command {
	var o demoOptions
	cmd := &cobra.Command{
		Use:   "replay [DIR]",
		Short: "Send a data set through the HTTP interface and print the reports",
		Long:  demoLong,
		RunE: func(cmd *cobra.Command, args []string) error {
			dataset, name, err := openDataset(args)
			if err == nil && len(args) == 0 {
				o.groupBy = dataset.GroupColumns[0]
				dataset, o.mistake, err = withMistake(dataset)
			}
			if err != nil {
				return err
			}
			return s.replay(cmd.Context(), o, dataset, name)
		},
	}
	cmd.Flags().StringVar(&o.url, "url", "", "where assessd listens (default: http.base_url of the settings)")
	cmd.Flags().StringVar(&o.html, "html", "", "write the reports as a page with charts into this file, too")
	cmd.Flags().StringVar(&o.run, "run-label", "demo", "label of the run")
	cmd.Flags().Float64Var(&o.passMark, "pass-mark", 60, "pass mark in percent")
	cmd.Flags().IntVar(&o.persons, "persons", 0, "take the first so many persons (default: all)")
	cmd.Flags().IntVar(&o.parallel, "parallel", 8, "sessions at once")
	return group("demo", "Show the service at work on real or sample data", cmd)
}

func openDataset(args []string) (demo.Dataset, string, error) {
	if len(args) == 0 {
		return demo.Sample(), "sample", nil
	}
	dataset, err := demo.Open(args[0])
	if err != nil {
		return demo.Dataset{}, "", Usage("%v", err)
	}
	path, err := filepath.Abs(args[0])
	return dataset, filepath.Base(path), err
}

func (s *Shell) replay(ctx context.Context, o demoOptions, dataset demo.Dataset, name string) error {
	host, err := s.hostDemo(ctx)
	if err != nil {
		return err
	}
	token, err := host.token(ctx)
	if err != nil {
		return err
	}
	c, err := s.Config()
	if err != nil {
		return err
	}
	o.url = cmp.Or(o.url, c.HTTP.BaseURL)
	if c.Database.Embedded {
		s.Note("The database is in %s, files are in %s.", c.Database.EmbeddedDir, strings.TrimPrefix(c.Blob.URL, "file://"))
	}
	progress := s.Progress("candidates")
	result, err := replay.Run(ctx, replay.Options{BaseURL: o.url, Token: token, StepUpProof: host.proof,
		CandidateToken: host.candidateToken, Begun: host.rewind, Dataset: dataset,
		ExternalID: name, Title: "Demonstration: " + name, PassMarkPercent: o.passMark, RunLabel: o.run, GroupBy: o.groupBy,
		Persons: o.persons, Parallel: o.parallel,
		Progress: func(done, total int) { progress.Report(int64(done), int64(total)) }})
	progress.Done()
	if err != nil {
		return err
	}
	if result.Resumed > 0 {
		s.Note("%s had submitted before.", plural.Of(result.Resumed, "person", "people"))
	}
	if result.Submissions > 0 {
		s.Note("%s submitted %s through HTTP in %.1f s (%.0f submissions a second).",
			plural.Of(result.Submissions, "person", "people"), plural.Of(result.Answers, "answer"), float64(result.ElapsedMs)/1000, result.SubmissionsPerSecond)
	}
	err = host.settle(ctx)
	if err != nil {
		return err
	}
	return s.showDemo(ctx, host, result, o)
}
