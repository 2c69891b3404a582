package dsar

import (
	"bytes"
	"crypto/md5"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/sheet"
	"assess/pkg/trust/datamap"
)

// marker fills rows with marks of one person, past constraints and triggers: what the rows refer to
// is of no matter here, and their texts are hostile to JSON, HTML and spreadsheets.
type marker struct {
	*testing.T
	super              *pgx.Conn
	tag                string
	tenant, org        ids.ID
	person, submission ids.ID
	snapshot           string
	n                  int
	// made says what each column of each table was given, as the JSON of the export shows it.
	made map[string]string
}

// mark is a text that occurs nowhere else.
func (m *marker) mark(table, column string) string {
	return "=" + m.tag + "-" + table + "-" + column + ` "Zoë" <b> '` + "\n" + `\ ,;`
}

// value gives the SQL literal for a column, and how the export shows it; "" where it shows somebody.
func (m *marker) value(t datamap.Table, c datamap.Column, kind string) (literal, shown string) {
	m.n++
	at := t.Name + "." + c.Name
	switch {
	case c.Name == "tenant_id":
		return m.tenant.String(), ""
	case c.Name == "org_unit_id":
		return m.org.String(), m.org.String()
	case c.Class == datamap.Pseudonym:
		return map[string]string{"uuid": m.person.String(), "uuid[]": "{" + m.person.String() + "}", "text[]": "{user:" + m.person.String() + "}"}[kind], ""
	case slices.Contains([]string{"submissions.id", "sessions.id", "verifications.subject_id"}, at), c.Name == "submission_id", c.Name == "session_id":
		return m.submission.String(), m.submission.String()
	case at == "submissions.snapshot_hash":
		return m.snapshot, m.snapshot
	case at == "remediations.id", c.Name == "remediation_id":
		return m.uuid("remediation"), m.uuid("remediation")
	case at == "compliance_requests.id", c.Name == "request_id" && kind == "uuid":
		return m.uuid("request"), m.uuid("request")
	case at == "compliance_jobs.id", at == "residue_findings.job_id":
		return m.uuid("job"), m.uuid("job")
	}
	if kind == "numeric" && (c.Name == "value" || c.Name == "trend") { // a share
		share := fmt.Sprintf("0.%d1", m.n)
		return share, share
	}
	text := m.mark(t.Name, c.Name)
	switch kind {
	case "text", "character varying":
		return text, text
	case "text[]":
		word := m.tag + "-" + t.Name + "-" + c.Name
		return "{" + word + "}", word
	case "jsonb":
		raw, _ := json.Marshal(map[string]string{"text": text})
		return string(raw), text
	case "uuid":
		return m.uuid(at), m.uuid(at)
	case "uuid[]":
		return "{" + m.uuid(at) + "}", m.uuid(at)
	case "timestamp with time zone":
		moment := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(m.n) * time.Hour).Format(time.RFC3339)
		return moment, strings.TrimSuffix(moment, "Z")
	case "boolean":
		return "true", "true"
	case "bytea":
		return `\x` + fmt.Sprintf("%064d", m.n), fmt.Sprintf("%064d", m.n)
	case "date":
		return "2020-01-01", "2020-01-01"
	}
	return fmt.Sprint(1000 + m.n), fmt.Sprint(1000 + m.n) // numbers of any kind
}

func (m *marker) uuid(of string) string { return ids.ID(md5.Sum([]byte(m.tag + of))).String() }

// fill writes a row of a table that is about the person; byThem makes one that the person wrote about
// somebody else.
func (m *marker) fill(t datamap.Table, byThem bool) {
	m.Helper()
	var names, values []string
	for column, kind := range sample.Columns(m, m.super, t.Name) {
		c, known := t.Find(column)
		if !known {
			c = datamap.Column{Name: column}
		}
		literal, shown := m.value(t, c, kind)
		if c.Class == datamap.Pseudonym && kind == "text" {
			literal = "user:" + m.person.String()
			if column == "target_ref" {
				literal = m.person.String()
			}
		}
		if byThem && (literal == m.submission.String() || kind == "uuid" && literal == m.person.String()) {
			literal, shown = ids.New().String(), ""
		}
		if byThem && shown == m.uuid("remediation") {
			literal, shown = ids.New().String(), ""
		}
		value := quoted(literal) + "::" + kind
		if t.Name == "remediations" && column == "evaluation_version_id" {
			value, shown = "null", ""
		}
		names, values = append(names, column), append(values, value)
		if shown != "" {
			m.made[t.Name+"."+column] = shown
		}
	}
	_, err := m.super.Exec(m.Context(), "insert into "+t.Name+" ("+strings.Join(names, ", ")+") values ("+strings.Join(values, ", ")+")")
	if err != nil {
		m.Fatalf("%s: %v", t.Name, err)
	}
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// marker begins at a number of its own, so that no two give the same.
func (r *room) marker(super *pgx.Conn, tag string, i int) *marker {
	return &marker{T: r.T, super: super, tag: tag, tenant: r.operator.Tenant, org: r.operator.OrgUnit, person: ids.New(), submission: ids.New(),
		n: 1000*int(tag[0]) + 1000*i, made: map[string]string{}}
}

// marked fills every table of the data map that has rows about persons with marks of a person.
func (r *room) marked(super *pgx.Conn, tag string) *marker {
	r.Helper()
	m := r.marker(super, tag, 1)
	sample.Write(r.T, r.store, r.operator, func(tx *db.Tx) error {
		snapshot := sample.Published(r.T, tx, authoring.Settings{})
		return tx.QueryRow(r.Context(), "select snapshot_hash from evaluation_versions where tenant_id = $1 and id = $2", tx.Tenant(), snapshot.EvaluationVersionID).
			Scan(&m.snapshot)
	})
	for _, s := range sources {
		if t, _ := datamap.Find(s.table); t.Subject != "" {
			m.fill(t, false)
		}
	}
	return m
}

// cells reads the JSON files of an export: all values of each column of each table.
func cells(t *testing.T, files map[string][]byte) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for name, content := range files {
		if !strings.HasPrefix(name, "json/") {
			continue
		}
		var tables map[string][]map[string]any
		decoder := json.NewDecoder(bytes.NewReader(content))
		decoder.UseNumber()
		err := decoder.Decode(&tables)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for table, rows := range tables {
			for _, row := range rows {
				for column, value := range row {
					all[table+"."+column] = append(all[table+"."+column], fmt.Sprint(value))
				}
			}
		}
	}
	return all
}

// Everything that is held about a person is in the export, column by column as the data map says, and
// nothing of anybody else. A table or column that is added to the map is marked by itself; one whose
// mark is missing fails.
func TestAnExportHoldsAllMarksOfItsPersonAndNoneOfAnother(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	super := dbtest.Heap(t, r.urls)
	sample.DropChecks(t, super)
	ada, bob := r.marked(super, "ada"), r.marked(super, "bob")
	var to bytes.Buffer
	r.write(ada.person, &to)
	files := unpacked(t, to.Bytes())
	found := cells(t, files)
	var unit string
	err := super.QueryRow(t.Context(), "select name from org_units where tenant_id = $1 and id = $2", ada.tenant, ada.org).Scan(&unit)
	if err != nil || unit == "" {
		t.Fatal(unit, err)
	}
	for _, s := range sources {
		table, _ := datamap.Find(s.table)
		if slices.Contains(s.columns, unitName) && table.Subject != "" && !slices.Contains(found[camel(s.table)+".orgUnit"], unit) {
			t.Errorf("%s: the org unit %q is not among %q", s.table, unit, found[camel(s.table)+".orgUnit"])
		}
		for _, c := range s.columns {
			at := camel(s.table) + "." + camel(c.name)
			want := ada.made[s.table+"."+c.name]
			if table.Subject == "" {
				continue // the next test's
			}
			if !slices.ContainsFunc(found[at], func(got string) bool { return strings.Contains(got, want) }) {
				t.Errorf("%s.%s: %q is not among %q", s.table, c.name, want, found[at])
			}
		}
		for _, c := range table.Columns {
			if c.Hidden && len(found[camel(s.table)+"."+camel(c.Name)]) > 0 {
				t.Errorf("%s.%s is in the export", s.table, c.Name)
			}
		}
		r.tamed(files[csvName(s)])
	}
	for name, content := range files {
		for _, other := range []string{"bob-", bob.person.String(), bob.submission.String(), bob.uuid("evidence.id")} {
			if bytes.Contains(content, []byte(other)) {
				t.Errorf("%s holds %q of another person", name, other)
			}
		}
	}
	for _, said := range []string{"=ada-users-name", "ada-submission_decisions-comment"} {
		if !bytes.Contains(pagesOf(files), []byte(said)) {
			t.Errorf("no page shows %s", said)
		}
	}
}

// pagesOf joins the pages of an export.
func pagesOf(files map[string][]byte) []byte {
	var all []byte
	for name, content := range files {
		if strings.HasSuffix(name, ".html") {
			all = append(all, content...)
		}
	}
	return all
}

// tamed says that no cell of a CSV file is a formula, and that each row has all columns.
func (r *room) tamed(content []byte) {
	r.Helper()
	if content == nil {
		return
	}
	rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(content, []byte(sheet.ByteOrderMark)))).ReadAll()
	if err != nil {
		r.Fatal(err)
	}
	for _, row := range rows {
		for _, cell := range row {
			if strings.HasPrefix(cell, "=") {
				r.Errorf("%q is a formula", cell)
			}
		}
	}
}

// What a person wrote about others, or about nobody, is in their export; the person it was about is not.
func TestAnExportHoldsWhatThePersonWrote(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	super := dbtest.Heap(t, r.urls)
	sample.DropChecks(t, super)
	zoe := r.marked(super, "zoe") // no id has her name in it
	author := r.marker(super, "eve", 1)
	users, _ := datamap.Find("users")
	author.fill(users, false)
	for _, table := range datamap.Tables {
		if table.Author != "" {
			author.fill(table, true)
		}
	}
	var to bytes.Buffer
	r.write(author.person, &to)
	files := unpacked(t, to.Bytes())
	found := cells(t, files)
	for _, s := range sources {
		table, _ := datamap.Find(s.table)
		if table.Author == "" {
			continue
		}
		for _, c := range table.Exported() {
			want := author.made[s.table+"."+c.Name]
			if c.Class == datamap.FreeText && !slices.ContainsFunc(found[camel(s.table)+"."+camel(c.Name)], func(got string) bool { return strings.Contains(got, want) }) {
				t.Errorf("%s.%s: %q is missing", s.table, c.Name, want)
			}
		}
	}
	for name, content := range files {
		if bytes.Contains(content, []byte("zoe-")) || bytes.Contains(content, []byte(zoe.person.String())) {
			t.Errorf("%s holds something of somebody else", name)
		}
	}
}

// A reason about nobody that names the person is in their export, however it is written, and in nobody else's.
func TestAnExportHoldsReasonsThatNameThePerson(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	super := dbtest.Heap(t, r.urls)
	sample.DropChecks(t, super)
	ada, bob := r.marked(super, "ada"), r.marked(super, "bob")
	done, err := super.Exec(t.Context(), `
		update remediations r set evaluation_version_id = gen_random_uuid(), created_by = 'operator:x', started_by = 'operator:x',
			reason = 'It was ' || upper(u.name) || ' who told us.'
		from users u where r.tenant_id = $1 and u.tenant_id = $1 and u.id = $2 and r.id = $3`, ada.tenant, ada.person, ada.uuid("remediation"))
	if err != nil || done.RowsAffected() != 1 {
		t.Fatal(done, err)
	}
	for _, m := range []*marker{ada, bob} {
		var to bytes.Buffer
		r.write(m.person, &to)
		found := cells(t, unpacked(t, to.Bytes()))
		holds := slices.ContainsFunc(found["remediations.reason"], func(got string) bool { return strings.Contains(got, "who told us") })
		if holds != (m == ada) {
			t.Errorf("the export of %s: %q", m.tag, found["remediations.reason"])
		}
	}
}
