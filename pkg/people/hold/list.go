package hold

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

const (
	standing = "standing"
	lifted   = "lifted"
)

// States are the states that lists of holds filter by.
var States = []string{standing, lifted}

// Filter chooses holds; the zero value chooses all.
type Filter struct {
	SubjectID    *ids.ID
	SubmissionID *ids.ID
	Kind         string
	ReasonCode   string
	Matter       string
	// Review keeps the holds in force that somebody should look at by now, the oldest date first.
	Review bool
	State  string
	db.Page
}

// List gives the holds of people in the caller's scope, the newest first. Capability: compliance.read.
// Errors: validation_failed.
func List(ctx context.Context, tx *db.Tx, f Filter) (db.List[Hold], error) {
	var none db.List[Hold]
	if err := tx.Require(capability.ComplianceRead); err != nil {
		return none, err
	}
	page, err := f.check()
	if err != nil {
		return none, err
	}
	var rows []models.Hold
	order := []string{"h.placed_at desc", "h.id desc"}
	if f.Review {
		order = []string{"h.review_at", "h.id"}
	}
	total, err := db.ReadPage(ctx, tx.NewSelect().Model(&rows).Apply(f.chosen(tx)), page, &rows, order...)
	if err != nil {
		return none, fmt.Errorf("list holds: %w", err)
	}
	found := make([]Hold, 0, len(rows))
	for _, row := range rows {
		found = append(found, holdOf(row))
	}
	return db.NewList(found, page, total), nil
}

// chosen keeps to the filter and the scope.
func (f Filter) chosen(tx *db.Tx) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		q = q.Where("h.tenant_id = ?", tx.Tenant())
		for column, id := range map[string]*ids.ID{"subject_id": f.SubjectID, "submission_id": f.SubmissionID} {
			if id != nil {
				q = q.Where("h.? = ?", bun.Ident(column), *id)
			}
		}
		for _, column := range [][2]string{{"kind", f.Kind}, {"reason_code", f.ReasonCode}, {"matter", f.Matter}} {
			if column[1] != "" {
				q = q.Where("h.? = ?", bun.Ident(column[0]), column[1])
			}
		}
		if f.Review {
			q = q.Where("h.lifted_at is null and h.review_at <= ?", tx.Now())
		}
		switch f.State {
		case standing:
			q = q.Where("h.lifted_at is null")
		case lifted:
			q = q.Where("h.lifted_at is not null")
		}
		if !tx.Scope().All {
			q = q.Where("exists (select from user_org_units m where m.tenant_id = ? and m.user_id = h.subject_id and m.org_unit_id = ?)",
				tx.Tenant(), tx.Scope().OrgUnit)
		}
		return q
	}
}

func holdOf(row models.Hold) Hold {
	return Hold{ID: row.ID, SubjectID: row.SubjectID, SubmissionID: row.SubmissionID, Kind: row.Kind, ReasonCode: row.ReasonCode,
		Matter: row.Matter, ReviewAt: db.UTC(row.ReviewAt),
		PlacedBy: row.PlacedBy, PlacedAt: row.PlacedAt.UTC(), LiftedBy: row.LiftedBy, LiftedAt: db.UTC(row.LiftedAt)}
}
