package intake

import (
	"context"
	"maps"
	"strings"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/spelling"
	"assess/pkg/people/people"
)

var users = kind[people.UserInput]{
	name:  "users",
	needs: []capability.Capability{capability.UsersImport},
	columns: []column{
		{name: "email", required: true},
		{name: "id"},
		{name: "name"},
		{name: "orgUnits"},
		{name: "roles"},
		{name: "metadata", raw: true},
		{name: "meta.", prefix: true},
	},
	key:   emailKey,
	plan:  planUsers,
	apply: applyUsers,
	place: placeInUser,
}

// emailKey brings the rows of one person together, so that a second one is noticed.
func emailKey(r row) string {
	if r.text("email") == "" {
		return strings.ToLower(r.text("id"))
	}
	key, _ := people.EmailKey(r.text("email"))
	return key
}

// personOf reads the column id, which names people without an address.
func personOf(r row) ids.ID {
	word := r.text("id")
	if word == "" {
		return ids.None
	}
	id, err := ids.Parse("id", word)
	switch {
	case err != nil:
		r.problem("id", "invalid_id", "it is no id")
	case r.text("email") != "":
		r.problem("id", "not_needed", "people who have an address go by it; leave the cell empty")
	}
	return id
}

// PreviewUsers shows what CommitUsers would do. It needs users.import, and users.manage
// when the file grants roles.
func PreviewUsers(ctx context.Context, tx *db.Tx, in Input) (Preview, error) {
	return users.preview(ctx, tx, in)
}

// CommitUsers creates users and completes existing ones, by e-mail address, or by id if they have none. An empty
// cell changes nothing, and an import takes nothing away; people.UpsertUsers has the rules.
// It needs what PreviewUsers needs. Errors: import_invalid.
func CommitUsers(ctx context.Context, tx *db.Tx, in Input) (Commit, error) {
	return users.commit(ctx, tx, in)
}

// CommitUsersInPieces is CommitUsers for callers that may be interrupted: nothing is written
// unless every row is valid (or SkipInvalid says otherwise), and then a thousand rows at a time,
// each in a transaction that write opens. If anything stops it, the written rows stay, the
// Commit says how many they are, and the same file again goes on from there.
func CommitUsersInPieces(ctx context.Context, read, write func(func(tx *db.Tx) error) error, in Input) (Commit, error) {
	return users.commitInPieces(ctx, read, write, in)
}

func planUsers(ctx context.Context, tx *db.Tx, _ Input, f *file) ([]record[people.UserInput], error) {
	var records []record[people.UserInput]
	var inputs []people.UserInput
	for r := range f.rows() {
		user := people.UserInput{ID: personOf(r), Email: r.text("email"), Name: r.text("name"), OrgUnits: r.list("orgUnits"),
			Roles: r.list("roles"), Metadata: metadataOf(r)}
		records = append(records, record[people.UserInput]{rows: []row{r}, value: user, metadata: user.Metadata})
		inputs = append(inputs, user)
	}
	checks, err := people.CheckUsers(ctx, tx, inputs)
	if err != nil {
		return nil, err
	}
	for i, check := range checks {
		records[i].key, records[i].email = emailKey(records[i].rows[0]), &check.EmailKey
		report(records[i], check.Problems, placeInUser)
	}
	return records, nil
}

// metadataOf reads the column metadata, a JSON object, and over it the columns of texts.
func metadataOf(r row) map[string]any {
	texts := r.family("meta.")
	if r.text("metadata") == "" {
		return texts
	}
	var found map[string]any
	if !r.json("metadata", &found) || found == nil {
		return texts
	}
	spelling.Fields(&found, func(string) bool { return false })
	maps.Copy(found, texts)
	return found
}

func applyUsers(ctx context.Context, tx *db.Tx, _ Input, records []record[people.UserInput], done *Commit) error {
	results, err := people.UpsertUsers(ctx, tx, valuesOf(records))
	for _, r := range results {
		done.count(string(r.Change))
	}
	return err
}

func placeInUser(r record[people.UserInput], f errs.Field) (row, string) {
	return r.rows[0], metadataColumn(r.rows[0], f)
}

// metadataColumn gives the column of a problem; a problem of metadata is in the column of the texts, if no JSON is given.
func metadataColumn(r row, f errs.Field) string {
	name, _, _ := strings.Cut(f.Path, "[")
	if name == "metadata" && r.text(name) == "" {
		return "meta."
	}
	return name
}
