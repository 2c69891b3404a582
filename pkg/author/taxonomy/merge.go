package taxonomy

import (
	"context"
	"fmt"
	"maps"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Merger is a merge under way: both terms are locked and may be merged.
type Merger struct {
	from, into termRow
	// replaces says that the survivor is below the term that it replaces.
	replaces bool
}

// BeginMerge locks two terms of one facet; the second is to replace the first one: nobody
// assigns, moves or retires them until the transaction ends. Errors: not_found,
// term_merged, validation_failed (intoId: unknown_term, same_term, wrong_facet,
// retired_term, too_deep).
func BeginMerge(ctx context.Context, tx *db.Tx, from, into ids.ID) (Merger, error) {
	if err := mayChangeSome(tx); err != nil {
		return Merger{}, err
	}
	var m Merger
	var err error
	m.from, err = takeUpTerm(ctx, tx, from)
	if err != nil {
		return Merger{}, err
	}
	_, err = tx.Exec(ctx, "select from terms where tenant_id = $1 and id = any($2) order by id for update", tx.Tenant(), []ids.ID{from, into})
	if err != nil {
		return Merger{}, fmt.Errorf("lock terms: %w", err)
	}
	var rows []termRow
	err = selectTerms(tx, &rows).Where("t.id = ?", into).Scan(ctx)
	if err != nil {
		return Merger{}, fmt.Errorf("find the survivor: %w", err)
	}
	code, message := m.refusal(rows)
	if code == "" {
		m.into = rows[0]
		code, message, err = m.look(ctx, tx)
	}
	if err == nil && code != "" {
		err = errs.Invalid(errs.Field{Path: "intoId", Code: code, Message: message})
	}
	return m, err
}

func (m Merger) refusal(into []termRow) (code, message string) {
	switch {
	case len(into) == 0:
		return "unknown_term", "there is no such term"
	case into[0].ID == m.from.ID:
		return "same_term", "a term cannot be merged into itself"
	case into[0].FacetID != m.from.FacetID:
		return "wrong_facet", "both terms belong to one facet"
	case into[0].RetiredAt != nil:
		return "retired_term", "the term is retired"
	}
	return "", ""
}

// look finds the relation of the two in the tree.
func (m *Merger) look(ctx context.Context, tx *db.Tx) (string, string, error) {
	s, err := shapeOf(ctx, tx, m.from.ID, m.into.ID)
	if err != nil {
		return "", "", err
	}
	m.replaces = s.cycle
	if !m.replaces && s.above+s.below-1 > MaxDepth {
		return "too_deep", fmt.Sprintf("the tree would have more than %d levels", MaxDepth), nil
	}
	return "", "", nil
}

// Finish retires the term for good in favour of the survivor and moves the terms below it.
// A survivor from below takes its place. Terms that were merged into the term earlier mean
// the new survivor from now on. It gives the merged term and the number of terms that moved
// up or over; facts are added to the ledger event.
func (m Merger) Finish(ctx context.Context, tx *db.Tx, facts map[string]any) (Term, int, error) {
	if m.replaces {
		err := place(ctx, tx, m.into.ID, m.from.ParentID)
		if err != nil {
			return Term{}, 0, err
		}
	}
	moved, err := tx.Exec(ctx, `
		with moved as (
			update term_relations set parent_id = $3, created_at = $4 where tenant_id = $1 and parent_id = $2 returning term_id
		)
		update terms t set updated_at = greatest($4, just_after(t.updated_at))
		from moved m where t.tenant_id = $1 and t.id = m.term_id`, tx.Tenant(), m.from.ID, m.into.ID, tx.Now())
	if err != nil {
		return Term{}, 0, fmt.Errorf("move the terms below: %w", err)
	}
	_, err = tx.Exec(ctx, "update terms set merged_into = $3 where tenant_id = $1 and merged_into = $2", tx.Tenant(), m.from.ID, m.into.ID)
	if err != nil {
		return Term{}, 0, fmt.Errorf("follow earlier merges: %w", err)
	}
	now := tx.Now()
	if m.from.RetiredAt == nil {
		m.from.RetiredAt = &now
	}
	m.from.MergedInto = &m.into.ID
	event := placed(m.from.event("merged"), nil)
	maps.Copy(event.Payload, facts)
	event.Payload["into"], event.Payload["children"] = m.into.ID, moved
	term, err := m.from.save(ctx, tx, Below(ids.None), event)
	return term, int(moved), err
}
