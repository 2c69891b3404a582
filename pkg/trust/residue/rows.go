package residue

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"assess/pkg/kernel/db"
	"assess/pkg/trust/datamap"
)

// pageRows bounds a page, which is one transaction.
const pageRows = 5000

// withheld replaces a key that itself holds an identifier.
const withheld = "[withheld]"

// page is what one transaction read. It counts only when it ended: a transaction may run twice.
type page struct {
	rows, bytes int64
	last        []string
	findings    []Finding
	shared      []match
	gaps        []Gap
}

func (s *scan) table(ctx context.Context, t table) error {
	if len(t.columns) == 0 {
		return nil
	}
	name := t.String()
	searched := s.searched(name, len(t.columns))
	for {
		var p page
		err := s.store.Read(ctx, s.scope, func(tx *db.Tx) error {
			p = page{}
			return s.page(ctx, tx, t, pageRows, &p)
		})
		if err != nil {
			return fmt.Errorf("search %s: %w", name, err)
		}
		s.take(searched, p)
		if len(t.keys) == 0 || p.rows < pageRows {
			return nil
		}
		s.state.After = p.last
		if err := s.follow(); err != nil {
			return err
		}
	}
}

// searched gives the line of a table in the report; one that was begun before goes on.
func (s *scan) searched(name string, columns int) *Searched {
	r := &s.state.Report
	at := slices.IndexFunc(r.Tables, func(t Searched) bool { return t.Table == name })
	if at < 0 {
		at = len(r.Tables)
		r.Tables = append(r.Tables, Searched{Table: name, Columns: columns})
		r.Columns += columns
	}
	return &r.Tables[at]
}

func (s *scan) take(searched *Searched, p page) {
	r := &s.state.Report
	searched.Rows += p.rows
	searched.Bytes += p.bytes
	r.Rows += p.rows
	r.Bytes += p.bytes
	for _, m := range p.shared {
		s.state.share(m)
	}
	for _, f := range p.findings {
		r.add(f)
	}
	for _, g := range p.gaps {
		r.gap(g)
	}
}

func (s *scan) page(ctx context.Context, tx *db.Tx, t table, limit int, p *page) error {
	args := []any{s.scope.Tenant, s.in.Subject}
	after := len(s.state.After) > 0
	if after {
		for _, part := range s.state.After[t.fixed():] {
			args = append(args, part)
		}
	}
	rows, err := tx.Query(ctx, t.statement(after, limit), args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		s.row(ctx, t, rows.RawValues(), p)
	}
	return rows.Err()
}

// row searches one row: whether it is about the subject, its key, and its columns.
func (s *scan) row(ctx context.Context, t table, values [][]byte, p *page) {
	about := len(values[0]) == 1 && values[0][0] != 0 && values[0][0] != 'f'
	keys, columns := values[1:1+len(t.keys)], values[1+len(t.keys):]
	p.rows++
	p.last = p.last[:0]
	for _, key := range keys {
		p.last = append(p.last, string(key))
	}
	for n, value := range columns {
		p.bytes += int64(len(value))
		s.value(ctx, t, place{name: t.columns[n], about: about}, columns, value, p)
	}
}

// place is where a value is.
type place struct {
	name  string
	about bool
}

func (s *scan) value(ctx context.Context, t table, at place, row [][]byte, value []byte, p *page) {
	seen := map[match]bool{}
	hit := func(m match) {
		if seen[m] || !t.owned && s.ofAnotherTenant(row) {
			return
		}
		seen[m] = true
		s.found(t, at, m, p)
	}
	if packed(value) {
		u := s.unpacker(ctx, hit, func(path string, reason Reason) {
			p.gaps = append(p.gaps, Gap{Table: t.String(), Column: inside(at.name, path), Row: s.rowKey(t, p.last), Reason: reason})
		})
		u.bytes("", value, 0)
		p.bytes += u.read - int64(len(value))
		return
	}
	s.matcher.search(value, around{binary: noText(value)}, hit)
}

func (s *scan) found(t table, at place, m match, p *page) {
	identifier := s.in.Identifiers[m.identifier]
	if t.String() == "users" && !at.about && isTheirOwn(identifier.Kind, at.name) {
		// It names somebody else too, and anywhere else it may mean them.
		p.shared = append(p.shared, m)
	}
	shared := s.state.ofAnother(m) || slices.ContainsFunc(p.shared, func(other match) bool {
		return other.identifier == m.identifier && (other.form != Alike || m.form == Alike)
	})
	f := Finding{Table: t.String(), Column: at.name, Row: s.rowKey(t, p.last), Kind: identifier.Kind, Form: m.form}
	f.Verdict, f.Rule = judge(identifier, shared, at.about, holdsText(t, at.name))
	p.findings = append(p.findings, f)
}

// isTheirOwn says whether a column of a user's record says something only about that user, as their name and address
// do. Metadata may name others, such as somebody's manager: there only the subject's own metadata can belong to both.
func isTheirOwn(k Kind, column string) bool {
	return column != "metadata" || k == Metadata || k == ExternalID
}

// judge gives the verdict on a finding. shared: another person has the same. about: the row is about
// the subject. text: the column may name people.
func judge(i Identifier, shared, about, text bool) (Verdict, Rule) {
	switch {
	case shared && !(about && text):
		return Allowed, AnotherPerson
	case !i.word():
		return Residue, ""
	case !text:
		return Possible, Code
	case !about:
		return Possible, WordOfOthers
	default:
		return Residue, ""
	}
}

// holdsText says whether a column may name people. A column that the map does not know may.
func holdsText(t table, column string) bool {
	entry, known := datamap.Find(t.name)
	if !known || t.schema != "public" {
		return t.schema == "public"
	}
	c, known := entry.Find(column)
	return !known || c.Class == datamap.Identifier || c.Class == datamap.FreeText || c.Class == datamap.Secret
}

// rowKey names a row by its primary key without the tenant, unless the key names the person.
func (s *scan) rowKey(t table, key []string) string {
	var parts []string
	for n, part := range key {
		if t.keys[n] != "tenant_id" {
			parts = append(parts, part)
		}
	}
	text := strings.Join(parts, "/")
	named := false
	s.fresh().search([]byte(text), around{}, func(match) { named = true })
	if named {
		return withheld
	}
	return text
}

// fresh gives a matcher with a buffer of its own, for a search within a search.
func (s *scan) fresh() *matcher {
	m := *s.matcher
	m.buffer, m.looked, m.seen = nil, nil, make([]seeing, len(m.identifiers))
	return &m
}

var tenantOfJob = regexp.MustCompile(`"tenant(?:Id)?": ?"([0-9a-f-]{36})"`)

// ofAnotherTenant says whether a row of a table without a tenant names another one.
func (s *scan) ofAnotherTenant(row [][]byte) bool {
	for _, value := range row {
		if named := tenantOfJob.FindSubmatch(value); named != nil {
			return !bytes.Equal(named[1], []byte(s.scope.Tenant.String()))
		}
	}
	return false
}
