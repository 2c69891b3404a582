package submission

import (
	"context"
	"fmt"

	"github.com/uptrace/bun/dialect/pgdialect"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// hashedItemsSQL reads their items with the newest scores, in the order of the session.
var hashedItemsSQL = `
select i.* from unnest(?1::uuid[], ?2::int[]) as s (id, score_version)
cross join ` + NewestItems("?0") + ` i order by i.submission_id, i.position`

// StateHashes computes the state hashes of many submissions at once, and writes nothing.
// Submissions outside the scope are not in the result. The caller has checked who may see them.
func StateHashes(ctx context.Context, tx *db.Tx, of []ids.ID) (map[ids.ID]StateHash, error) {
	var rows []models.Submission
	err := tx.NewSelect().Model(&rows).Where("s.tenant_id = ? and s.id = any(?::uuid[])", tx.Tenant(), pgdialect.Array(of)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read submissions to hash: %w", err)
	}
	var found []ids.ID
	var versions []int
	for _, r := range rows {
		found, versions = append(found, r.ID), append(versions, r.ScoreVersion)
	}
	var items []models.SubmissionItem
	err = tx.NewRaw(hashedItemsSQL, tx.Tenant(), pgdialect.Array(found), pgdialect.Array(versions)).Scan(ctx, &items)
	if err != nil {
		return nil, fmt.Errorf("read submissions to hash: %w", err)
	}
	byID := map[ids.ID][]models.SubmissionItem{}
	for _, i := range items {
		byID[i.SubmissionID] = append(byID[i.SubmissionID], i)
	}
	hashes := map[ids.ID]StateHash{}
	for _, r := range rows {
		hashes[r.ID], err = hashOf(r, byID[r.ID])
		if err != nil {
			return nil, err
		}
	}
	return hashes, nil
}
