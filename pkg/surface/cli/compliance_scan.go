package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/plural"
	"assess/pkg/trust/residue"
)

type scanFlags struct{ subject, identifiers, receipt string }

func newComplianceScan(s *Shell) *cobra.Command {
	var f scanFlags
	cmd := &cobra.Command{
		Use:   "scan --subject ID|EMAIL",
		Short: "Search the database and the files for what is left of a person",
		Long: `Search every column of every table, and every file, for what names a person: name, e-mail
address and metadata, in all forms in which software writes them (docs/compliance.md lists them).
The report says where something was found, and never what.

Nobody remembers the name of somebody who has been forgotten: --identifiers reads what to look for
from a file, or with - from standard input, and not from an argument, which others could see. A
line each: "name: Ada Byron", "email: ada@example.org", "metadata: P-99123" or "external_id: x-77".

Exit code 1 says that something names the person. Words that have other meanings too, and what
another person has as well, are listed as possible and allowed, and change no exit code.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.scan(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.subject, "subject", "", "e-mail address or id of the person")
	flags.StringVar(&f.identifiers, "identifiers", "", "file of what to look for, a line each; - is standard input")
	flags.StringVar(&f.receipt, "receipt", "", "folder for receipt.json, its signature receipt.sig and the key signer.pem")
	return cmd
}

func (s *Shell) scan(ctx context.Context, f scanFlags) error {
	if f.subject == "" && f.identifiers == "" {
		return Usage("say for whom: --subject ID or e-mail address, or --identifiers FILE")
	}
	auth, err := s.auth()
	if err != nil {
		return err
	}
	in, err := s.scanInput(ctx, f)
	if err != nil {
		return err
	}
	report, err := s.search(ctx, in)
	if err != nil {
		return err
	}
	store, scope, err := s.scoped(ctx)
	if err != nil {
		return err
	}
	var receipt residue.Receipt
	var signed []byte
	err = store.Write(ctx, scope, func(tx *db.Tx) error {
		var err error
		receipt, signed, err = residue.Sign(ctx, tx, auth.KeySecret, report)
		return err
	})
	if err == nil && f.receipt != "" {
		err = writeReceipt(f.receipt, receipt, signed)
	}
	if err == nil {
		err = s.Show(receipt, func(screen *Screen) error { return drawScan(screen, report) })
	}
	if err == nil && !report.Clean() {
		return Unsound("%s the person", plural.Of(report.Residue, "place still names", "places still name"))
	}
	return err
}

// scanInput says what to look for: the identifiers in the record of the person, and in the file.
func (s *Shell) scanInput(ctx context.Context, f scanFlags) (residue.Input, error) {
	var in residue.Input
	if f.identifiers != "" {
		lines, err := s.lines(f.identifiers)
		if err != nil {
			return in, err
		}
		in.Identifiers, err = residue.Parse(lines)
		if err != nil {
			return in, err
		}
	}
	if f.subject == "" {
		return in, nil
	}
	_, err := read(ctx, s, func(tx *db.Tx) (ids.ID, error) {
		user, err := findUser(ctx, tx, f.subject)
		in.Subject = user.ID
		in.Identifiers = residue.Complete(append(in.Identifiers, residue.Of(user)...))
		return user.ID, err
	})
	if err == nil && len(in.Identifiers) == 0 {
		return in, Usage("the record of this person names nobody any more: give what to look for with --identifiers FILE")
	}
	return in, err
}

func (s *Shell) search(ctx context.Context, in residue.Input) (residue.Report, error) {
	c, err := s.Config()
	if err != nil {
		return residue.Report{}, err
	}
	store, scope, err := s.scoped(ctx)
	if err != nil {
		return residue.Report{}, err
	}
	files, err := openBlobs(ctx, c)
	if err != nil {
		return residue.Report{}, err
	}
	defer files.Close() //nolint:errcheck // only read from
	progress := s.Progress("Searching rows")
	defer progress.Done()
	in.Follow = func(at *residue.State) error {
		progress.Report(at.Report.Rows, 0)
		return nil
	}
	return residue.Scan(ctx, store, scope, files, in)
}

// writeReceipt replaces no receipt: an earlier one is proof, too.
func writeReceipt(dir string, r residue.Receipt, signed []byte) error {
	err := os.MkdirAll(dir, 0o700)
	if err != nil {
		return Usage("%w", err)
	}
	for _, file := range []struct {
		name    string
		content []byte
	}{{"receipt.json", signed}, {"receipt.sig", r.Signature}, {"signer.pem", []byte(r.PublicKey)}} {
		out, err := os.OpenFile(filepath.Join(dir, file.name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			return Usage("%s holds a receipt already: name another folder", dir)
		}
		if err != nil {
			return Usage("%w", err)
		}
		_, err = out.Write(file.content)
		if err = errors.Join(err, out.Close()); err != nil {
			return fmt.Errorf("write the receipt: %w", err)
		}
	}
	return nil
}

func drawScan(screen *Screen, r residue.Report) error {
	err := writeFields(screen, r, scanFields)
	if err == nil && len(r.Findings) > 0 {
		fmt.Fprintln(screen)
		err = Table(screen, r.Findings, scanFindingColumns...)
	}
	if err == nil && len(r.NotSearched) > 0 {
		fmt.Fprintln(screen, "\nNot searched:")
		err = Table(screen, r.NotSearched, scanGapColumns...)
	}
	return err
}

var scanFields = columns("Residue, Possible, Allowed, Tables, Columns, Rows, Files, Bytes",
	Column[residue.Report]{Header: "Residue", Colour: func(r residue.Report) Colour { return badIf(!r.Clean()) }},
	Column[residue.Report]{Header: "Tables", Cell: func(r residue.Report) string { return whole(int64(len(r.Tables))) }},
)

var scanFindingColumns = columns("Verdict, Table, Column, Row, Kind, Form, Rule",
	Column[residue.Finding]{Header: "Verdict", Colour: func(f residue.Finding) Colour { return badIf(f.Verdict == residue.Residue) }},
)

var scanGapColumns = columns[residue.Gap]("Table, Column, Row, Reason")
