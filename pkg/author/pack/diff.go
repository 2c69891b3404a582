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
	LibraryID, RevisionID ids.ID
	// From is the revision to compare with; none means the one before.
	From ids.ID
	db.Page
}

// Difference is a record that one of two revisions has alone, or both have in different versions. The
// versions are those of the source.
type Difference struct {
	Kind      string  `json:"kind" enum:"evaluation,passage,question"`
	Change    string  `json:"change" enum:"added,removed,changed"`
	SourceID  ids.ID  `json:"sourceId"`
	Name      string  `json:"name" doc:"Title or external id"`
	FromID    *ids.ID `json:"fromVersionId,omitempty"`
	ToID      *ids.ID `json:"toVersionId,omitempty"`
	IsContent bool    `json:"contentChanged" doc:"What it says is another; otherwise terms, passage or number are"`
}

const diffSQL = `
	with heads as materialized (
		select revision_id, kind, source_id, (array_agg(ref order by number desc))[1]::uuid as version,
			(array_agg(content_hash order by number desc))[1] as hash, (array_agg(line order by number desc))[1] as line
		from library_entries where tenant_id = $1 and revision_id in ($2, $3) and kind in ('evaluation', 'passage', 'question')
		group by 1, 2, 3
	), differences as (
		select kind, source_id, f.version as from_id, t.version as to_id, f.hash is distinct from t.hash as is_content,
			coalesce(t.line, f.line) as line
		from (select * from heads where revision_id = $2) f full join (select * from heads where revision_id = $3) t using (kind, source_id)
		where f.version is distinct from t.version
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
		select kind, case when from_id is null then 'added' when to_id is null then 'removed' else 'changed' end, source_id,
			coalesce(line::json ->> 'title', line::json ->> 'externalId', ''), from_id, to_id, is_content
		from differences order by kind, source_id limit $4 offset $5`, tx.Tenant(), in.From, in.RevisionID, page.Limit, page.Offset())
	if err != nil {
		return none, fmt.Errorf("list differences: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Difference])
	if err != nil {
		return none, fmt.Errorf("list differences: %w", err)
	}
	return db.NewList(found, page, total), nil
}
