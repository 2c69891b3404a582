package datamap

import (
	"slices"
	"strings"
)

// Class says what a column holds of people.
type Class string

// The classes (decisions, section 10).
const (
	Identifier Class = "identifier"
	FreeText   Class = "free_text"
	Pseudonym  Class = "pseudonym"
	Secret     Class = "secret"
	None       Class = "none"
)

// Action is what forgetting does.
type Action string

// The actions.
const (
	Keep   Action = "keep"
	Redact Action = "redact"
	Delete Action = "delete"
)

// The domains: the domains of retention policies (decisions, section 6), and others that no
// policy is about.
const (
	Users       = "users"
	Access      = "access"
	Assignments = "assignments"
	Sessions    = "sessions"
	Telemetry   = "telemetry"
	Submissions = "submissions"
	Evidence    = "evidence"
	Exports     = "exports"
	Reports     = "reports"
	Ledger      = "ledger"
	Compliance  = "compliance"
	Content     = "content"
	Settings    = "settings"
	Readiness   = "readiness"
	Skills      = "skills"
)

// Mark replaces a text that was erased.
const Mark = "[erased]"

// Column is one column.
type Column struct {
	Name  string
	Class Class
	// Erased is the SQL expression that replaces the value to erase, in terms of the row itself;
	// empty: the column stays as it is.
	Erased string
	// Stays says why a column that may name somebody stays in a row about a person who is forgotten; empty for most.
	Stays string
	// Hidden keeps a column out of the data export: secrets, keys, and names of third persons.
	Hidden bool
}

// Table is what one table holds of people.
type Table struct {
	Name   string
	Domain string
	// Holds says in a phrase what a row is.
	Holds string
	// Subject is the SQL condition on a row (alias t) to be about a person: $1 is the tenant and $2 the
	// person. Empty: no row is about a person.
	Subject string
	// Author is such a condition for rows that are about others, or about nobody, and hold what the
	// person wrote: they are exported, and stay when the person is forgotten.
	Author string
	// Named is such a condition for rows about nobody whose text names the person: they are exported, and stay.
	Named string
	// Traces is such a condition for rows that exports leave behind themselves: no export holds them,
	// so that two exports of the same data are the same.
	Traces string
	// Row is what forgetting does with a row about the person; Redact replaces the columns with Erased.
	Row Action
	// Own is a condition on rows of a table with Redact that belong only to the person: they are deleted.
	Own string
	// Shared says that the table has no tenant, and why.
	Shared  string
	Columns []Column
}

// AboutPeople says whether rows of the table are about persons, or hold what they wrote.
func (t Table) AboutPeople() bool { return t.Subject != "" || t.Author != "" }

// InExport says whether a data export holds rows of the table. Figures repeat what sessions and submissions
// say, and an export does not list exports.
func (t Table) InExport() bool {
	return t.AboutPeople() && t.Domain != Reports && t.Domain != Exports
}

// Find gives a column of the table.
func (t Table) Find(name string) (Column, bool) {
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return Column{}, false
	}
	return t.Columns[i], true
}

// Redacted are the columns that forgetting replaces.
func (t Table) Redacted() []Column {
	return slices.DeleteFunc(slices.Clone(t.Columns), func(c Column) bool { return c.Erased == "" })
}

// Exported are the columns that a data export shows.
func (t Table) Exported() []Column {
	return slices.DeleteFunc(slices.Clone(t.Columns), func(c Column) bool { return c.Hidden })
}

// Find gives a table of the map.
func Find(name string) (Table, bool) {
	i := slices.IndexFunc(Tables, func(t Table) bool { return t.Name == name })
	if i < 0 {
		return Table{}, false
	}
	return Tables[i], true
}

// Tables is the map, in the order of the rooms.
var Tables = slices.Concat(peopleTables, contentTables, examTables, evidenceTables, reportTables, trustTables, systemTables)

// columns puts the columns of a table together.
func columns(parts ...[]Column) []Column { return slices.Concat(parts...) }

func of(class Class, names string) []Column {
	var all []Column
	for _, name := range strings.Fields(names) {
		all = append(all, Column{Name: name, Class: class, Hidden: class == Secret})
	}
	return all
}

// none are columns without personal data.
func none(names string) []Column { return of(None, names) }

// pseudonyms are ids of users, and actors.
func pseudonyms(names string) []Column { return of(Pseudonym, names) }

// secrets are never exported.
func secrets(names string) []Column { return of(Secret, names) }

// keys tell which answers are right: no export holds them.
func keys(names string) []Column {
	all := none(names)
	for i := range all {
		all[i].Hidden = true
	}
	return all
}

// identifiers name somebody and go with the row, or are not about users.
func identifiers(names string) []Column { return of(Identifier, names) }

// labels are texts that somebody chose for a run. Figures are counted by them, so they stay; imports warn where one names
// the person, and the search for residue finds it.
func labels(names string) []Column {
	all := of(FreeText, names)
	for i := range all {
		all[i].Stays = "figures are counted by it"
	}
	return all
}

// texts are free text that stays: it is about content, or goes with its row.
func texts(names string) []Column { return of(FreeText, names) }

// erased are columns of a class that forgetting replaces with an expression.
func erased(class Class, name, to string) []Column {
	return []Column{{Name: name, Class: class, Erased: to}}
}

// marked are free texts that forgetting replaces with the mark, where there is any.
func marked(names string) []Column {
	var all []Column
	for _, name := range strings.Fields(names) {
		all = append(all, Column{Name: name, Class: FreeText, Erased: "case when " + name + " <> '' then '" + Mark + "' else " + name + " end"})
	}
	return all
}
