package residue

import (
	"context"
	"slices"
	"strings"

	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Input says who to search for.
type Input struct {
	// Subject is the user; without one, rows about the person cannot be told from rows about others.
	Subject     ids.ID
	Identifiers []Identifier
	// From goes on where an earlier search for the same identifiers stopped.
	From *State
	// Follow, where it is given, is told after each page of rows and after each file. What it
	// is told holds no identifier and can be stored; an error of it ends the search.
	Follow func(*State) error
}

// State is how far a search has come.
type State struct {
	// Done are the tables that were read to their end; After is the last key of the one after them.
	Done  []string `json:"done"`
	After []string `json:"after,omitempty"`
	// File is the last file that was read.
	File string `json:"file,omitempty"`
	// Shared lists by number the identifiers that another person of the tenant has too.
	Shared []int `json:"shared,omitempty"`
	// Resembled lists the identifiers that another person has in another way of writing: the
	// subject's own way of writing is not theirs.
	Resembled []int  `json:"resembled,omitempty"`
	Report    Report `json:"report"`
}

// scan is a search at work.
type scan struct {
	in      Input
	store   *db.Store
	scope   db.Scope
	files   *blob.Store
	matcher *matcher
	state   *State
}

// Scan searches the tenant of the scope, in all its org units. files may be nil where the tenant has
// none. Capability: compliance.read or compliance.manage. Errors: forbidden; validation_failed
// without identifiers; the error of Follow.
func Scan(ctx context.Context, store *db.Store, scope db.Scope, files *blob.Store, in Input) (Report, error) {
	if len(in.Identifiers) == 0 || len(in.Identifiers) > MaxIdentifiers {
		return Report{}, errs.Invalid(errs.Field{Path: "identifiers", Code: "count", Message: "there is nothing to search for, or too much"})
	}
	scope.All = true
	s := &scan{in: in, store: store, scope: scope, files: files, matcher: newMatcher(in.Identifiers), state: in.From}
	var tables []table
	err := store.Read(ctx, scope, func(tx *db.Tx) error {
		if !tx.Can(capability.ComplianceManage) {
			if err := tx.Require(capability.ComplianceRead); err != nil {
				return err
			}
		}
		var err error
		tables, err = tablesOf(ctx, tx)
		if s.state == nil {
			s.state = begin(tx, in)
		}
		return err
	})
	if err != nil {
		return Report{}, err
	}
	err = s.tables(ctx, tables)
	if err == nil && files != nil {
		err = s.everyFile(ctx)
	}
	if err != nil {
		return Report{}, err
	}
	err = store.Read(ctx, scope, func(tx *db.Tx) error {
		now := tx.Now()
		s.state.Report.EndedAt = &now
		return nil
	})
	return s.state.Report, err
}

func begin(tx *db.Tx, in Input) *State {
	r := Report{Version: Version, TenantID: tx.Tenant(), SubjectID: ids.Ref(in.Subject), StartedAt: tx.Now(),
		Identifiers: map[Kind]int{}, Forms: Forms, Tables: []Searched{}, Findings: []Finding{}, NotSearched: []Gap{}}
	for _, i := range in.Identifiers {
		r.Identifiers[i.Kind]++
	}
	return &State{Report: r}
}

// ofAnother says whether a match may be of another person of the tenant.
func (s *State) ofAnother(m match) bool {
	return slices.Contains(s.Shared, m.identifier) || m.form == Alike && slices.Contains(s.Resembled, m.identifier)
}

func (s *State) share(m match) {
	all := &s.Shared
	if m.form == Alike {
		all = &s.Resembled
	}
	if !slices.Contains(*all, m.identifier) {
		*all = append(*all, m.identifier)
	}
}

func (s *scan) follow() error {
	if s.in.Follow == nil {
		return nil
	}
	return s.in.Follow(s.state)
}

func (s *scan) tables(ctx context.Context, tables []table) error {
	for _, t := range tables {
		name := t.String()
		if slices.Contains(s.state.Done, name) {
			continue
		}
		if err := s.table(ctx, t); err != nil {
			return err
		}
		if len(t.hidden) > 0 {
			s.state.Report.gap(Gap{Table: name, Column: strings.Join(t.hidden, ", "), Reason: Unreadable})
		}
		s.state.Done, s.state.After = append(s.state.Done, name), nil
		if err := s.follow(); err != nil {
			return err
		}
	}
	return nil
}
