package inventory

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// TermFinding is something wrong with the vocabulary or its assignments. SubjectID is the
// question or evaluation that a finding is about.
type TermFinding struct {
	Kind      string  `json:"kind"`
	TermID    ids.ID  `json:"termId"`
	SubjectID *ids.ID `json:"subjectId,omitempty"`
	Message   string  `json:"message"`
}

// maxFindings bounds what each check tells.
const maxFindings = 1_000

// termChecks look for states that the operations never leave behind; $1 is the tenant. Each gives a
// term and its carrier, if any.
var termChecks = []struct{ kind, message, sql string }{
	{"cycle", "the term stands below itself", `
		with recursive above as (
			select term_id, parent_id from term_relations where tenant_id = $1
			union
			select a.term_id, r.parent_id from above a join term_relations r on r.tenant_id = $1 and r.term_id = a.parent_id
		) select term_id, null::uuid from above where term_id = parent_id`},
	{"cross_facet_parent", "the term and its parent belong to different facets", `
		select r.term_id, null::uuid from term_relations r
		join terms t on t.tenant_id = $1 and t.id = r.term_id join terms p on p.tenant_id = $1 and p.id = r.parent_id
		where r.tenant_id = $1 and t.facet_id <> p.facet_id`},
	{"merged_in_tree", "the term was merged and still stands in the tree", `
		select r.term_id, null::uuid from term_relations r join terms t on t.tenant_id = $1 and t.id in (r.term_id, r.parent_id)
		where r.tenant_id = $1 and t.merged_into is not null`},
	{"merge_chain", "the term was merged into one that was merged itself, or into another facet", `
		select t.id, null::uuid from terms t join terms s on s.tenant_id = $1 and s.id = t.merged_into
		where t.tenant_id = $1 and (s.merged_into is not null or s.facet_id <> t.facet_id)`},
	{"orphan_relation", "a relation names a term that does not exist", `
		select r.term_id, null::uuid from term_relations r where r.tenant_id = $1
			and (not exists (select from terms t where t.tenant_id = $1 and t.id = r.term_id)
			or not exists (select from terms t where t.tenant_id = $1 and t.id = r.parent_id))`},
}

// carrierChecks check the assignments of terms; NOUN is question or evaluation, $2 and $3 the
// scope.
var carrierChecks = []struct{ kind, message, sql string }{
	{"wrong_domain", "the NOUN carries a term of another domain than content", `
		select u.term_id, u.NOUN_id from NOUN_terms u
		join terms t on t.tenant_id = $1 and t.id = u.term_id join facets f on f.tenant_id = $1 and f.id = t.facet_id
		where u.tenant_id = $1 and ($2 or u.org_unit_id = $3) and f.domain <> 'content'`},
	{"index_differs", "the index of terms differs from the versions of the NOUN", `
		with stated as (
			select n.id, coalesce(t.merged_into, t.id) as term, bool_or(v.id = coalesce(n.draft_id, n.published_id)) as newest,
				bool_or(v.id is not distinct from n.published_id) as published
			from NOUNs n
			join NOUN_versions v on v.tenant_id = $1 and v.id in (n.draft_id, n.published_id)
			cross join unnest(v.term_ids) as named (id) join terms t on t.tenant_id = $1 and t.id = named.id
			where n.tenant_id = $1 and ($2 or n.org_unit_id = $3)
			group by 1, 2
		), indexed as (
			select NOUN_id as id, term_id as term, is_newest, is_published from NOUN_terms where tenant_id = $1 and ($2 or org_unit_id = $3)
		)
		select coalesce(s.term, i.term), coalesce(s.id, i.id) from stated s full join indexed i using (id, term)
		where (s.newest, s.published) is distinct from (i.is_newest, i.is_published)`},
}

// CheckTerms looks for damage in the vocabulary of the tenant and in the assignments of the
// scope; it finds nothing unless rows were changed without the operations. It reads all of them.
func CheckTerms(ctx context.Context, tx *db.Tx) ([]TermFinding, error) {
	if err := tx.Require(capability.TaxonomyRead); err != nil {
		return nil, err
	}
	all := []TermFinding{}
	for _, check := range termChecks {
		found, err := runTermCheck(ctx, tx, check.kind, check.message, check.sql, tx.Tenant())
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	for _, noun := range []string{"question", "evaluation"} {
		for _, check := range carrierChecks {
			found, err := runTermCheck(ctx, tx, check.kind, named(noun, check.message), named(noun, check.sql),
				tx.Tenant(), tx.Scope().All, tx.Scope().OrgUnit)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	return all, nil
}

func runTermCheck(ctx context.Context, tx *db.Tx, kind, message, sql string, args ...any) ([]TermFinding, error) {
	rows, err := tx.Query(ctx, fmt.Sprintf("%s limit %d", sql, maxFindings), args...)
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", kind, err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (TermFinding, error) {
		f := TermFinding{Kind: kind, Message: message}
		err := row.Scan(&f.TermID, &f.SubjectID)
		return f, err
	})
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", kind, err)
	}
	return found, nil
}
