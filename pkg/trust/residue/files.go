package residue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"assess/pkg/kernel/errs"
)

// filesTable is the name of the blob store in a report.
const filesTable = "files"

// everyFile searches the files that the store keeps for the tenant, in the order of their names.
func (s *scan) everyFile(ctx context.Context) error {
	err := s.files.Each(ctx, s.scope.Tenant, s.state.File, func(name string) error {
		if err := s.file(ctx, name); err != nil {
			return fmt.Errorf("search the file %s: %w", name, err)
		}
		s.state.File = name
		s.state.Report.Files++
		return s.follow()
	})
	return err
}

func (s *scan) file(ctx context.Context, name string) error {
	r := &s.state.Report
	_, short, _ := strings.Cut(name, "/")
	content, err := s.files.OpenName(ctx, name)
	if errors.Is(err, errs.FileDamaged) {
		return nil // it was deleted since it was listed
	}
	if err != nil {
		return err
	}
	defer content.Close() //nolint:errcheck // only read from
	seen := map[match]bool{}
	hit := func(m match) {
		if !seen[m] {
			seen[m] = true
			r.add(s.inFile(short, m))
		}
	}
	u := s.unpacker(ctx, hit, func(path string, reason Reason) {
		r.gap(Gap{Table: filesTable, Column: inside("content", path), Row: short, Reason: reason})
	})
	err = u.stream("", content, 0)
	r.Bytes += u.read
	return err
}

// inFile judges a finding in a file. The store does not know whose file it is: a word in it is
// possible, as in any text of others.
func (s *scan) inFile(name string, m match) Finding {
	identifier := s.in.Identifiers[m.identifier]
	f := Finding{Table: filesTable, Column: "content", Row: name, Kind: identifier.Kind, Form: m.form}
	f.Verdict, f.Rule = judge(identifier, s.state.ofAnother(m), false, true)
	return f
}

func number(n int) string { return strconv.Itoa(n + 1) }

// safe leaves only what an extension is made of.
func safe(name string) string {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 || len(name)-dot > 6 {
		return ""
	}
	return name[dot:]
}
