package authoring

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Change says what an upsert did.
type Change string

// The changes.
const (
	Created   Change = "created"
	Changed   Change = "changed"
	Unchanged Change = "unchanged"
)

// Upserted is one result of an upsert, in the place of its input.
type Upserted struct {
	ID     ids.ID `json:"id"`
	Change Change `json:"change" enum:"created,changed,unchanged"`
}

// oneUpsertAtATime makes upserts of one kind in one org unit wait for each other: two
// upserts at once with the same new external ids then find them, instead of failing.
func oneUpsertAtATime(ctx context.Context, tx *db.Tx, kind string, org ids.ID) error {
	_, err := tx.Exec(ctx, "select pg_advisory_xact_lock(hashtextextended(concat_ws(' ', 'upsert', $1::text, $2::text, $3::text), 0))",
		kind, tx.Tenant().String(), org.String())
	if err != nil {
		return fmt.Errorf("wait for other upserts: %w", err)
	}
	return nil
}

// checkExternalIDs checks that each input of an upsert has its own external id, since the
// upsert finds its records by them.
func checkExternalIDs(kind string, externalIDs []string) problems {
	var p problems
	seen := make(map[string]bool, len(externalIDs))
	for i, id := range externalIDs {
		path := element("", kind, i) + ".externalId"
		p.addIf(id == "", path, "required", "an external id is required")
		p.addIf(id != "" && seen[id], path, "duplicate_external_id", "the external id comes twice")
		seen[id] = true
	}
	return p
}

// searchable leaves out texts that cannot be a stored external id and that
// the database would refuse.
func searchable(externalIDs []string) []string {
	good := []string{""}
	for _, id := range externalIDs {
		if utf8.ValidString(id) && !strings.ContainsRune(id, 0) {
			good = append(good, id)
		}
	}
	return good
}

// searchableIDs gives the external ids that are ids: exports write the id of a record that
// has no external id, and an import finds the record by it.
func searchableIDs(externalIDs []string) []ids.ID {
	found := []ids.ID{ids.None}
	for _, one := range externalIDs {
		id, err := ids.Parse("", one)
		if err == nil && id.String() == one {
			found = append(found, id)
		}
	}
	return found
}

// keyOf gives the external id by which an input names a record.
func keyOf(id ids.ID, externalID *string) string {
	if externalID == nil {
		return id.String()
	}
	return *externalID
}
