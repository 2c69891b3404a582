package authoring

import (
	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Sorts lists the orders of lists; a hyphen means descending.
var Sorts = []string{"-updatedAt", "updatedAt", "-createdAt", "createdAt"}

var sortColumns = map[string]string{
	"": "updated_at desc", "-updatedAt": "updated_at desc", "updatedAt": "updated_at",
	"-createdAt": "created_at desc", "createdAt": "created_at",
}

// withStatus keeps one status, or else several; without any, everything that is not
// archived.
func withStatus(status string, several ...string) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		switch {
		case status != "":
			return q.Where("?TableAlias.status = ?", status)
		case len(several) > 0:
			return q.Where("?TableAlias.status in (?)", bun.List(several))
		}
		return q.Where("?TableAlias.status <> ?", models.AuthoringArchived)
	}
}

// order is the order of a list; the id makes it total.
func order(sort string) []string { return []string{sortColumns[sort], "id"} }

func checkSort(sort string) error {
	if _, ok := sortColumns[sort]; ok {
		return nil
	}
	return errs.Invalid(errs.Field{Path: "sort", Code: "out_of_range", Message: "expected -updatedAt, updatedAt, -createdAt or createdAt"})
}

// versionIDs lists the draft and the published version of a record, as far as they exist.
func versionIDs(refs ...*ids.ID) []ids.ID {
	var found []ids.ID
	for _, ref := range refs {
		if ref != nil {
			found = append(found, *ref)
		}
	}
	return found
}
