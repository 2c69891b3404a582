package erasure

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
	"assess/pkg/people/people"
	"assess/pkg/trust/datamap"
)

// about counts the rows of each table about a person, where forgetting changes them.
func (h *tenant) about(p *person) map[string]int {
	h.Helper()
	found := map[string]int{}
	for _, table := range datamap.Tables {
		if table.Subject == "" || table.Row == datamap.Keep {
			continue
		}
		var n int
		err := h.super.QueryRow(h.Context(), "select count(*) from "+table.Name+" t where "+table.Subject, h.operator.Tenant, p.ID).Scan(&n)
		if err != nil {
			h.Fatal(err)
		}
		found[table.Name] = n
	}
	return found
}

// erase does what a job does with the database.
func (h *tenant) erase(p *person) map[string]int64 {
	h.Helper()
	var counts map[string]int64
	h.write(h.job(), func(tx *db.Tx) error {
		_, err := session.EndOf(h.Context(), tx, p.ID)
		if err == nil {
			err = people.Retire(h.Context(), tx, p.ID)
		}
		if err == nil {
			counts, err = eraseRows(h.Context(), tx, p.ID)
		}
		if err == nil {
			_, err = db.EraseAnswers(h.Context(), tx, []string{p.word, p.ID.String()})
		}
		return err
	})
	return counts
}

func TestNoMarkOfAPersonStays(t *testing.T) {
	t.Parallel()
	h := newTenant(t)
	ada, grace := h.newPerson("Ada"), h.newPerson("Grace")
	for table, n := range h.about(ada) {
		if n == 0 {
			t.Errorf("the person has no row of %s, so that nothing shows that it is erased", table)
		}
	}
	before := h.marks(grace.word)
	if diff := cmp.Diff(before, h.marks(ada.word)); diff != "" || len(before) < 12 {
		t.Errorf("two people leave other marks: %v, %s", before, diff)
	}
	if counts := h.erase(ada); len(counts) < 12 {
		t.Errorf("rows were erased in %v", counts)
	}
	if left := h.marks(ada.word); len(left) > 0 {
		t.Errorf("marks stay in %v", left)
	}
	if diff := cmp.Diff(before, h.marks(grace.word)); diff != "" {
		t.Errorf("somebody else lost marks: %s", diff)
	}
	if counts := h.erase(ada); len(counts) > 0 {
		t.Errorf("again: rows were erased in %v", counts)
	}
}

// A text that was written once changes to the mark of erased texts, and to nothing else.
func TestTextsThatWereWrittenOnceAreErasedAlone(t *testing.T) {
	t.Parallel()
	h := newTenant(t)
	ada := h.newPerson("Ada")
	for _, c := range []struct {
		table, column, to string
		allowed           bool
	}{
		{"session_actions", "reason", "'[erased]'", true}, {"session_actions", "reason", "'better'", false}, {"session_actions", "actor", "'x'", false},
		{"submission_decisions", "comment", "'[erased]'", true}, {"submission_decisions", "comment", "''", false}, {"submission_decisions", "decision", "'approve'", false},
		{"item_marks", "comment", "'[erased]'", true}, {"item_marks", "comment", "'x'", false}, {"item_marks", "score", "2", false},
		{"findings", "detail", "'[erased]'", true}, {"findings", "detail", "'x'", false}, {"findings", "severity", "'info'", false},
		{"verifications", "fields", `'{"place": "[erased]"}'`, true}, {"verifications", "fields", "'{}'", false},
		{"verifications", "fields", `'{"place": "home"}'`, false}, {"verifications", "method", "'magic_link'", false},
		{"submission_items", "response", `case when response ? 'text' then jsonb_set(response, '{text}', '"[erased]"') else response end`, true},
		{"submission_items", "response", `jsonb_set(response, '{text}', '"better"')`, false},
		{"submission_items", "response", "null", false}, {"submission_items", "score", "0", false},
	} {
		table, _ := datamap.Find(c.table)
		err := h.store.DryRun(t.Context(), h.operator, func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), "update "+c.table+" t set "+c.column+" = "+c.to+" where "+table.Subject, tx.Tenant(), ada.ID)
			return err
		})
		if (err == nil) != c.allowed {
			t.Errorf("%s.%s = %s: %v", c.table, c.column, c.to, err)
		}
	}
}
