package authoring

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// bankPassage is a passage that an evaluation names, with its questions in order.
type bankPassage struct {
	status    string
	published *ids.ID
	questions []ids.ID
}

func findBankPassages(ctx context.Context, tx *db.Tx, wanted []ids.ID) (map[ids.ID]bankPassage, error) {
	found := make(map[ids.ID]bankPassage, len(wanted))
	if len(wanted) == 0 {
		return found, nil
	}
	rows, err := tx.Query(ctx, `
		select p.id, p.status, p.published_id, array(select question_id from passage_questions
			where tenant_id = $1 and passage_id = p.id order by position, question_id)
		from passages p where p.tenant_id = $1 and p.id = any($2) and ($3 or p.org_unit_id = $4)`,
		tx.Tenant(), wanted, tx.Scope().All, tx.Scope().OrgUnit)
	if err != nil {
		return nil, fmt.Errorf("read passages: %w", err)
	}
	var id ids.ID
	var p bankPassage
	_, err = pgx.ForEachRow(rows, []any{&id, &p.status, &p.published, &p.questions}, func() error {
		found[id] = p
		p = bankPassage{}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read passages: %w", err)
	}
	return found, nil
}

// findPassageVersions reads published versions in the form that a snapshot quotes, by their
// ids, and the assets that they pinned.
func (b *bank) findPassageVersions(ctx context.Context, tx *db.Tx, wanted []ids.ID) error {
	rows, err := passageStore.versionsByID(ctx, tx, wanted)
	if err != nil {
		return err
	}
	for id, row := range rows {
		document, err := documentOf(row.AuthoredBody)
		if err != nil {
			return err
		}
		b.pinned[id] = SnapshotPassage{PassageID: row.PassageID, Number: row.Number, Title: row.Title, Content: document, ContentHash: row.ContentHash}
		b.pin(id, row.Pins.AssetVersions)
	}
	return nil
}
