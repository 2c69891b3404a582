package taxonomy

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
)

// FacetLabels gives the labels of facets of the content domain by their slugs, in one
// statement; unknown slugs are absent. It checks no capability itself.
func FacetLabels(ctx context.Context, tx *db.Tx, slugs []string) (map[string]string, error) {
	labels := make(map[string]string, len(slugs))
	if len(slugs) == 0 {
		return labels, nil
	}
	rows, err := tx.Query(ctx, "select slug, label from facets where tenant_id = $1 and domain = $2 and slug = any($3)",
		tx.Tenant(), models.DomainContent, slugs)
	if err != nil {
		return nil, fmt.Errorf("label facets: %w", err)
	}
	var slug, label string
	_, err = pgx.ForEachRow(rows, []any{&slug, &label}, func() error {
		labels[slug] = label
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("label facets: %w", err)
	}
	return labels, nil
}
