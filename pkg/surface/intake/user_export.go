package intake

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

var exportedUsers = exported[people.User]{
	columns: []string{"email", "id", "name", "orgUnits", "roles", "metadata"},
	page: func(ctx context.Context, tx *db.Tx, _ authoring.ExportFilter, after ids.ID, limit int) ([]people.User, error) {
		return people.ExportUsers(ctx, tx, after, limit)
	},
	id:   func(u people.User) ids.ID { return u.ID },
	rows: userRows,
}

// ExportUsers writes the active users of the org units that the caller reaches as a file that CommitUsers
// takes: importing it again changes nothing. It needs users.read, and gives the number of users. The
// caller has called people.TakeUsers before.
func ExportUsers(ctx context.Context, tx *db.Tx, in Export, to io.Writer) (int, error) {
	return exportedUsers.write(ctx, tx, in, to)
}

func userRows(_ context.Context, _ *db.Tx, _ authoring.ExportFilter, page []people.User) ([]cells, error) {
	rows := make([]cells, len(page))
	for i, u := range page {
		rows[i] = cells{"email": u.Email, "name": u.Name, "orgUnits": slugsCell(u.OrgUnits), "roles": rolesCell(u.Roles)}
		if u.Email == "" {
			rows[i]["id"] = u.ID.String()
		}
		var err error
		rows[i]["metadata"], err = metadataCell(u.Metadata)
		if err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// metadataCell is empty where there is nothing to say.
func metadataCell(metadata map[string]any) (string, error) {
	if len(metadata) == 0 {
		return "", nil
	}
	text, err := jsonCell(metadata)
	if err != nil {
		return "", fmt.Errorf("write metadata: %w", err)
	}
	return text, nil
}

func slugsCell(all []people.OrgUnitRef) string {
	names := make([]string, len(all))
	for i, o := range all {
		names[i] = o.Slug
	}
	return strings.Join(names, ";")
}

func isKey(name string) bool {
	return slices.ContainsFunc(capability.SystemRoles, func(r capability.SystemRole) bool { return strings.EqualFold(r.Key, name) })
}

// rolesCell names the tenant's own roles by their ids where their names could not be told apart in a list.
func rolesCell(all []people.RoleRef) string {
	names := make([]string, len(all))
	for i, r := range all {
		switch {
		case r.SystemKey != "":
			names[i] = r.SystemKey
		case strings.Contains(r.Name, ";") || isKey(r.Name):
			names[i] = r.ID.String()
		default:
			names[i] = r.Name
		}
	}
	return strings.Join(names, ";")
}
