package authoring

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/db"
	"assess/pkg/ids"
)

// pins is what publishing froze beside the content of a question or passage version.
type pins struct {
	PassageVersionID *ids.ID           `json:"passageVersionId"`
	AssetVersions    map[ids.ID]ids.ID `json:"assetVersions"`
}

// pinsOf reads the pins of versions out of one of the two tables that have them.
func pinsOf(ctx context.Context, tx *db.Tx, table string, versionIDs []ids.ID) (map[ids.ID]pins, error) {
	found := make(map[ids.ID]pins, len(versionIDs))
	if len(versionIDs) == 0 {
		return found, nil
	}
	rows, err := tx.Query(ctx, "select id, pins from "+table+" where tenant_id = $1 and id = any($2)", tx.Tenant(), versionIDs)
	if err != nil {
		return nil, fmt.Errorf("read pins: %w", err)
	}
	var id ids.ID
	var raw []byte
	_, err = pgx.ForEachRow(rows, []any{&id, &raw}, func() error {
		var p pins
		err := json.Unmarshal(raw, &p)
		found[id] = p
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read pins: %w", err)
	}
	return found, nil
}

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

func findSnapshotPassages(ctx context.Context, tx *db.Tx, versionIDs []ids.ID) (map[ids.ID]SnapshotPassage, error) {
	found := make(map[ids.ID]SnapshotPassage, len(versionIDs))
	if len(versionIDs) == 0 {
		return found, nil
	}
	rows, err := tx.Query(ctx, `
		select id, passage_id, number, title, body, content_hash from passage_versions where tenant_id = $1 and id = any($2)`,
		tx.Tenant(), versionIDs)
	if err != nil {
		return nil, fmt.Errorf("read passage versions: %w", err)
	}
	var id ids.ID
	var p SnapshotPassage
	var body []byte
	_, err = pgx.ForEachRow(rows, []any{&id, &p.PassageID, &p.Number, &p.Title, &body, &p.ContentHash}, func() error {
		one := p
		err := json.Unmarshal(body, &one.Content)
		found[id] = one
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read passage versions: %w", err)
	}
	return found, nil
}
