package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"assess/pkg/author/exchange"
	"assess/pkg/author/exchange/bank"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/plural"
	"assess/pkg/kernel/scoring"
	"assess/pkg/surface/intake"
)

// conversion holds the options of a call of question convert.
type conversion struct {
	from, to      string
	scoringChange bool
}

func newQuestionConvert(s *Shell) *cobra.Command {
	var c conversion
	cmd := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Turn a question bank into another format, and say what does not come over",
		Long: "Turn a question bank of another system into another format, and say what does not come over.\nIt needs no database. IN is " + scoring.InWords(exchange.Readable()) + ", OUT " + scoring.InWords(exchange.Writable()) + ".\nIN is known by its contents, OUT by its ending (.zip, .xml, .gift, .csv).\nOf csv, import questions makes questions of the service.\n\n" +
			"A question that would be scored otherwise than its author meant is left out, unless\n--accept-scoring-changes says yes. Exit code 6 says that questions were left out.",
		RunE: func(_ *cobra.Command, args []string) error {
			report, err := c.convert(args[0], args[1])
			if err != nil {
				return err
			}
			return s.printConverted(report)
		},
	}
	flags := cmd.Flags()
	flags.Var(&choice{&c.from, exchange.Readable()}, "from", "format of IN, where it is not known by itself")
	flags.Var(&choice{&c.to, exchange.Writable()}, "to", "format of OUT, where its ending does not say it")
	flags.BoolVar(&c.scoringChange, "accept-scoring-changes", false, "take questions that will be scored otherwise too")
	return cmd
}

// convert writes a file next to the target and then renames it, so that the target is complete or does not exist.
func (c conversion) convert(in, out string) (exchange.Report, error) {
	to, err := c.written(out)
	if err != nil {
		return exchange.Report{}, err
	}
	input, err := openBank(in)
	if err != nil {
		return exchange.Report{}, err
	}
	defer input.Close() //nolint:errcheck // only read from
	from, err := exchange.Find(input)
	if c.from != "" {
		from, err = exchange.Named(c.from)
	}
	if err != nil {
		return exchange.Report{}, bankError(err)
	}
	part, err := os.CreateTemp(filepath.Dir(out), ".convert-*")
	if err != nil {
		return exchange.Report{}, Usage("cannot write %s: %w", out, errors.Unwrap(err))
	}
	defer os.Remove(part.Name()) //nolint:errcheck // it is gone once it has its name
	defer part.Close()           //nolint:errcheck // closed below, where that can fail
	report, err := exchange.Convert(input, from, part, to, c.scoringChange)
	if err == nil {
		err = part.Close()
	}
	if err == nil && report.Whole+report.Noticed > 0 {
		err = os.Rename(part.Name(), out)
	}
	return report, bankError(err)
}

// written gives the format of a file to write.
func (c conversion) written(out string) (exchange.Format, error) {
	for _, f := range exchange.Formats {
		if f.Writes() && (c.to == f.Name || c.to == "" && f.Ending == filepath.Ext(out)) {
			return f, nil
		}
	}
	return exchange.Format{}, Usage("say the format of OUT: --to %s", scoring.InWords(exchange.Writable()))
}

// bankFile is a file with its size.
type bankFile struct {
	*os.File
	size int64
}

func (f bankFile) Size() int64 { return f.size }

func openBank(path string) (bankFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return bankFile{}, Usage("%w", err)
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = Usage("%s is a folder", path)
	}
	if err != nil {
		f.Close() //nolint:errcheck // the error before tells more
		return bankFile{}, err
	}
	return bankFile{f, info.Size()}, nil
}

// bankError gives a problem of the file as one of its contents.
func bankError(err error) error {
	var p *bank.Problem
	if errors.As(err, &p) {
		return errs.New(errs.ImportInvalid, "The file cannot be read: %s.", p.Error())
	}
	return err
}

var lossColumns = columns("Item, Line, Message",
	Column[exchange.ItemNotice]{Header: "Message", Colour: func(n exchange.ItemNotice) Colour {
		if n.Class == string(bank.Presentation) || n.Class == string(bank.Feedback) {
			return Warning
		}
		return Bad
	}},
)

// printConverted fails as partly done when questions were left out.
func (s *Shell) printConverted(r exchange.Report) error {
	err := s.Show(r, func(screen *Screen) error {
		fmt.Fprintf(screen, "%s from %s to %s: %d whole, %d with losses, %d left out.\n", plural.Of(r.Items, "item"), r.From, r.To, r.Whole, r.Noticed, r.Refused)
		return drawNotices(screen, intake.Notices{Notices: r.Notices, MoreNotices: r.MoreNotices})
	})
	switch {
	case err != nil:
		return err
	case r.Items > 0 && r.Whole+r.Noticed == 0:
		return errs.New(errs.ImportInvalid, "No item can be taken, and nothing was written.")
	case r.Refused > 0:
		return Partly("%w", errs.New(errs.ImportInvalid, "Of %s, %d left out.", plural.Of(r.Items, "item"), r.Refused))
	}
	return nil
}
