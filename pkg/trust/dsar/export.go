package dsar

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"assess/pkg/exam/evidence"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/plural"
	"assess/pkg/kernel/wire"
	"assess/pkg/people/people"
	"assess/pkg/trust/archive"
)

// shownRows is how many records of a table the page shows; a table with more is only in the files.
const shownRows = 50

// export writes everything about one person. It reads at one snapshot, table by table, once for
// JSON, once for CSV and, where there is little of it, once for the page: so no file waits for
// another, and memory stays flat.
type export struct {
	tx      *db.Tx
	subject ids.ID
	files   *evidence.Files
	to      *archive.Writer
	sources []source
	shapes  map[string]shape

	rows    map[string]int64
	held    []shownFile
	missing []string
}

// write fills an archive and gives the part of its manifest that is about the content.
func write(ctx context.Context, tx *db.Tx, files *evidence.Files, subject ids.ID, sources []source, to *archive.Writer) (archive.Manifest, error) {
	err := prepare(ctx, tx)
	if err != nil {
		return archive.Manifest{}, err
	}
	e := &export{tx: tx, subject: subject, files: files, to: to, sources: sources, rows: map[string]int64{}}
	e.shapes, err = shapesOf(ctx, tx, sources)
	if err != nil {
		return archive.Manifest{}, err
	}
	for _, step := range []func(context.Context) error{e.writeJSON, e.writeCSV, e.writeFiles, e.writePage} {
		err := step(ctx)
		if err != nil {
			return archive.Manifest{}, err
		}
	}
	return archive.Manifest{SubjectID: subject, Counts: e.rows, Missing: e.missing}, nil
}

// settings of the transaction. The time limit of requests is not meant for it. And rows are looked up
// from the rows of this person, one after the other: where the planner knows nothing yet, or plans for
// anybody, it would otherwise join them with all rows of the tenant.
var settings = []string{"statement_timeout = 0", "plan_cache_mode = force_custom_plan", "enable_hashjoin = off", "enable_mergejoin = off", "enable_seqscan = off"}

func prepare(ctx context.Context, tx *db.Tx) error {
	for _, s := range settings {
		_, err := tx.Exec(ctx, "set local "+s)
		if err != nil {
			return fmt.Errorf("prepare the export: %w", err)
		}
	}
	return nil
}

// domains lists the domains of the sources in their order.
func (e *export) domains() []string {
	var all []string
	for _, s := range e.sources {
		if !slices.Contains(all, s.domain) {
			all = append(all, s.domain)
		}
	}
	return all
}

// of gives the sources of a domain.
func (e *export) of(domain string) []source {
	return slices.DeleteFunc(slices.Clone(e.sources), func(s source) bool { return s.domain != domain })
}

func jsonName(domain string) string { return "json/" + domain + ".json" }

func csvName(s source) string { return "csv/" + s.domain + "/" + s.table + ".csv" }

func (e *export) writeJSON(ctx context.Context) error {
	for _, domain := range e.domains() {
		to, err := e.to.Create(jsonName(domain))
		if err != nil {
			return err
		}
		file := newJSONFile(to)
		for _, s := range e.of(domain) {
			file.table(s.table)
			e.rows[s.table] = 0
			err := s.each(ctx, e.tx, e.shapes[s.table], e.subject, func(cells []json.RawMessage) error {
				e.rows[s.table]++
				file.row(s.columns, cells)
				return nil
			})
			if err != nil {
				return err
			}
		}
		err = file.end()
		if err != nil {
			return fmt.Errorf("write the JSON of the export: %w", err)
		}
	}
	return nil
}

// writeCSV writes a file for each table that has rows.
func (e *export) writeCSV(ctx context.Context) error {
	for _, s := range e.sources {
		if e.rows[s.table] == 0 {
			continue
		}
		to, err := e.to.Create(csvName(s))
		if err != nil {
			return err
		}
		file, err := newCSVFile(to, s.columns)
		if err == nil {
			err = s.each(ctx, e.tx, e.shapes[s.table], e.subject, file.row)
		}
		if err == nil {
			err = file.end()
		}
		if err != nil {
			return fmt.Errorf("write the CSV of the export: %w", err)
		}
	}
	return nil
}

// writeFiles copies the files of evidence. One that is missing or has changed is named and left out:
// it must not keep the rest from its person.
func (e *export) writeFiles(ctx context.Context) error {
	held, err := evidence.HeldOn(ctx, e.tx, e.subject)
	if err != nil {
		return err
	}
	for _, of := range held {
		shown := shownFile{Name: "files/" + of.FileName(), SHA256: of.SHA256,
			Words: fmt.Sprintf("%s of %s, %s", sentence(of.Kind), day(of.CreatedAt), plural.Of(of.SizeBytes, "byte"))}
		err := e.copyFile(ctx, of, shown.Name)
		if errors.Is(err, errs.FileDamaged) {
			shown.Missing, err = true, nil
			e.missing = append(e.missing, shown.Name)
		}
		if err != nil {
			return err
		}
		e.held = append(e.held, shown)
	}
	return nil
}

func (e *export) copyFile(ctx context.Context, of evidence.Evidence, name string) error {
	content, err := e.files.Open(ctx, e.tx.Tenant(), of, true)
	if err != nil {
		return err
	}
	defer content.Close() //nolint:errcheck // only read from
	to, err := e.to.CreateStored(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, content)
	if err != nil {
		return fmt.Errorf("copy a file into the export: %w", err)
	}
	return nil
}

func (e *export) writePage(ctx context.Context) error {
	person, err := people.GetUser(ctx, e.tx, e.subject)
	if err != nil {
		return err
	}
	p := newPage(e.to.Create)
	err = submission.TakenBy(ctx, e.tx, e.subject, p.attempt)
	if err == nil {
		err = e.writeTables(ctx, p)
	}
	if err == nil {
		err = p.files(e.held)
	}
	if err != nil {
		return err
	}
	return p.write(person, e.shownDomains(), e.to.Create)
}

// writeTables shows the tables with few rows, except the ones that the page has covered above.
func (e *export) writeTables(ctx context.Context, p *page) error {
	for _, s := range e.sources {
		if e.rows[s.table] == 0 || e.rows[s.table] > shownRows || toldAbove[s.table] {
			continue
		}
		shown := shownTable{Title: title(s.table), Holds: s.holds}
		kinds := e.shapes[s.table].types
		isID := func(i int) bool { return strings.HasPrefix(kinds[s.columns[i].name], "uuid") }
		for i, c := range s.columns {
			if !isID(i) {
				shown.Heads = append(shown.Heads, title(c.name))
			}
		}
		if len(shown.Heads) == 0 {
			continue // a table with nothing but ids is only in the files
		}
		err := p.table(shown)
		if err == nil {
			err = s.each(ctx, e.tx, e.shapes[s.table], e.subject, func(cells []json.RawMessage) error {
				var row []string
				for i, c := range cells {
					if !isID(i) {
						row = append(row, cut(shownCell(c, kinds[s.columns[i].name]), 2000))
					}
				}
				return p.row(shown, row)
			})
		}
		if err != nil {
			return err
		}
		p.records.end()
	}
	return nil
}

// shownCell writes a value for the page, times as people say them.
func shownCell(raw json.RawMessage, kind string) string {
	said := text(raw)
	at, err := time.Parse(wire.Layout, said)
	if kind == timestamp && err == nil {
		return moment(at)
	}
	var parts map[string]json.RawMessage
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &parts) != nil {
		return said
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		value := text(parts[name])
		if _, err := ids.Parse("", value); err != nil && value != "" { // ids are in the files
			all = append(all, name+": "+value)
		}
	}
	return strings.Join(all, "; ")
}

func (e *export) shownDomains() []shownDomain {
	var all []shownDomain
	for _, domain := range e.domains() {
		shown := shownDomain{Title: title(domain), About: abouts[domain], JSON: jsonName(domain)}
		for _, s := range e.of(domain) {
			rows := e.rows[s.table]
			shown.Rows += rows
			if rows > 0 {
				shown.Tables = append(shown.Tables, shownSheet{Title: title(s.table), CSV: csvName(s), Rows: rows})
			}
		}
		all = append(all, shown)
	}
	return all
}
