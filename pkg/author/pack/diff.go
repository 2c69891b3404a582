package pack

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// DiffInput compares a revision with an older one of the same library.
type DiffInput struct {
	RevisionInput
	From ids.ID `query:"from" noun:"revision" doc:"The revision to compare with; absent: the one before"`
	db.Page
}

// Difference is a thing that one of two revisions has and the other lacks, or that differs between them. The versions are the
// versions of the source.
type Difference struct {
	Kind      string  `json:"kind" enum:"asset,evaluation,item,passage,question,term"`
	Change    string  `json:"change" enum:"added,removed,changed"`
	SourceID  *ids.ID `json:"sourceId,omitempty" doc:"The record of the source; of an item its evaluation"`
	Name      string  `json:"name" doc:"Title or external id, facet:slug of a term, name of a file"`
	FromID    *ids.ID `json:"fromVersionId,omitempty"`
	ToID      *ids.ID `json:"toVersionId,omitempty"`
	IsContent bool    `json:"contentChanged" doc:"What it says is another; otherwise its number, external id, terms, passage or place are"`
}

// Lines are compared whole. A new file or item comes with new content, so files and items count only if both revisions have them: a
// file under another name, an item with other metadata or in another place among the common ones.
const diffSQL = `
	with heads as materialized (
		select revision_id, kind, case kind when 'item' then line::json ->> 'sourceEvaluationId' else coalesce(source_id::text, ref) end as of,
			(array_agg(ref order by number desc))[1] as version,
			(array_agg(content_hash order by number desc))[1] as hash, (array_agg(line order by number desc))[1] as line
		from library_entries where tenant_id = $1 and revision_id in ($2, $3)
		group by 1, 2, 3
	), pairs as (
		select kind, of, f.version as from_version, t.version as to_version, f.hash is distinct from t.hash as is_content, f.line as old, t.line as new
		from (select * from heads where revision_id = $2) f full join (select * from heads where revision_id = $3) t using (kind, of)
	), items as (
		select of, rank() over (order by (old::json ->> 'pos')::int) <> rank() over (order by (new::json ->> 'pos')::int)
			or old::jsonb -> 'metadata' <> new::jsonb -> 'metadata' as differs
		from pairs where kind = 'item' and old is not null and new is not null
	), differences as (
		select p.*, p.kind not in ('asset', 'item', 'term') as is_record
		from pairs p left join items i on p.kind = 'item' and i.of = p.of
		where case when p.kind = 'item' then coalesce(i.differs, false) when p.kind = 'asset' then p.old <> p.new else p.old is distinct from p.new end
	)`

// Diff lists what differs between two revisions. Capability: evaluations.read. Errors: not_found.
func Diff(ctx context.Context, tx *db.Tx, in DiffInput) (db.List[Difference], error) {
	none := db.List[Difference]{}
	if err := tx.Require(capability.EvaluationsRead); err != nil {
		return none, err
	}
	page, err := in.Check()
	if err != nil {
		return none, err
	}
	to, err := revisionOf(ctx, tx, in.LibraryID, in.RevisionID)
	if err != nil {
		return none, err
	}
	if in.From != ids.None {
		_, err = revisionOf(ctx, tx, in.LibraryID, in.From)
	} else {
		err = tx.QueryRow(ctx, `select coalesce((select id from library_revisions where tenant_id = $1 and library_id = $2 and number < $3
			order by number desc limit 1), $4)`, tx.Tenant(), in.LibraryID, to.RevisionNumber, ids.None).Scan(&in.From)
	}
	if err != nil {
		return none, err
	}
	var total int
	err = tx.QueryRow(ctx, diffSQL+" select count(*) from differences", tx.Tenant(), in.From, in.RevisionID).Scan(&total)
	if err != nil {
		return none, fmt.Errorf("count differences: %w", err)
	}
	rows, err := tx.Query(ctx, diffSQL+`
		select kind, case when old is null then 'added' when new is null then 'removed' else 'changed' end,
			case when is_record or kind = 'item' then of::uuid end, case when kind = 'term' then of
				when kind = 'item' then coalesce((select h.line::json ->> 'title' from heads h where h.revision_id = $3 and h.kind = 'evaluation' and h.of = d.of), '')
				else coalesce(coalesce(new, old)::json ->> 'title', coalesce(new, old)::json ->> 'name', coalesce(new, old)::json ->> 'externalId', '') end,
			case when is_record then from_version::uuid end, case when is_record then to_version::uuid end, is_record and is_content
		from differences d order by kind, of limit $4 offset $5`, tx.Tenant(), in.From, in.RevisionID, page.Limit, page.Offset())
	if err != nil {
		return none, fmt.Errorf("list differences: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Difference])
	if err != nil {
		return none, fmt.Errorf("list differences: %w", err)
	}
	return db.NewList(found, page, total), nil
}
