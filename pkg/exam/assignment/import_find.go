package assignment

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

// named holds records by their names and by their ids.
type named map[string]ids.ID

func (n named) find(ref string) (ids.ID, bool) {
	id, there := n[ref]
	if there {
		return id, true
	}
	id, err := ids.Parse("", ref)
	if err != nil {
		return ids.None, false
	}
	id, there = n[id.String()]
	return id, there
}

// importable has everything that the rows of an import refer to.
type importable struct {
	evaluations named
	// refused says why an evaluation takes no assignments: archived or not_published.
	refused     map[ids.ID]string
	groups      named
	subjects    named
	engagements named
	users       named
	may         map[ids.ID]assignable
	labels      naming
}

// wanted collects the references of one kind: words, and ids among them.
type wanted struct {
	words []string
	ids   []ids.ID
}

func (w *wanted) add(ref string) {
	if ref == "" {
		return
	}
	w.words = append(w.words, ref)
	id, err := ids.Parse("", ref)
	if err == nil {
		w.ids = append(w.ids, id)
	}
}

// loadImport reads what rows refer to, in six statements. With hold, the evaluations stay as
// they are and the groups exist until the transaction ends.
func loadImport(ctx context.Context, tx *db.Tx, org ids.ID, rows []ImportRow, hold bool) (importable, error) {
	var known importable
	var evaluations, groups, subjects, engagements, users wanted
	for _, r := range rows {
		evaluations.add(r.Evaluation)
		subjects.add(r.Subject)
		engagements.add(r.Engagement)
		switch r.Type {
		case models.TargetGroup:
			groups.add(r.Ref)
		case models.TargetUser, models.TargetEmail:
			users.add(userKey(r.Target))
			known.labels.knows(r.Ref)
		}
	}
	groupsSQL := findGroupsSQL
	if hold {
		groupsSQL = holdGroupsSQL
	}
	err := known.loadEvaluations(ctx, tx, org, evaluations, hold)
	if err != nil {
		return known, err
	}
	for _, kind := range []struct {
		into *named
		sql  string
		refs wanted
	}{{&known.groups, groupsSQL, groups}, {&known.subjects, subjectsSQL, subjects}, {&known.engagements, engagementsSQL, engagements}} {
		*kind.into, err = loadNamed(ctx, tx, org, kind.sql, kind.refs)
		if err != nil {
			return known, err
		}
	}
	err = known.loadUsers(ctx, tx, org, users)
	known.labels.ready()
	return known, err
}

// userKey is the id or the canonical address of a person; empty for anything else.
func userKey(t Target) string {
	if t.Type == models.TargetUser {
		id, err := ids.Parse("", t.Ref)
		if err == nil {
			return id.String()
		}
	}
	key, _ := people.EmailKey(t.Ref)
	return key
}

// evaluationsSQL takes a lock clause after it.
const evaluationsSQL = `select id, external_id, status = 'archived', published_id is null from evaluations
	where tenant_id = $1 and org_unit_id = $2 and (external_id = any($3) or id = any($4)) order by id`

func (k *importable) loadEvaluations(ctx context.Context, tx *db.Tx, org ids.ID, refs wanted, hold bool) error {
	sql := evaluationsSQL
	if hold {
		sql += " for share"
	}
	rows, err := tx.Query(ctx, sql, tx.Tenant(), org, refs.words, refs.ids)
	if err != nil {
		return fmt.Errorf("look up evaluations: %w", err)
	}
	k.evaluations, k.refused = named{}, map[ids.ID]string{}
	var id ids.ID
	var externalID *string
	var archived, unpublished bool
	_, err = pgx.ForEachRow(rows, []any{&id, &externalID, &archived, &unpublished}, func() error {
		k.evaluations.put(id, externalID)
		switch {
		case archived:
			k.refused[id] = "archived"
		case unpublished:
			k.refused[id] = "not_published"
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look up evaluations: %w", err)
	}
	return nil
}

// put makes a record known. A name goes before an id of the same spelling.
func (n named) put(id ids.ID, name *string) {
	if name != nil {
		n[*name] = id
	}
	if _, there := n[id.String()]; !there {
		n[id.String()] = id
	}
}

const (
	// Groups keep the spelling of the request in their names: only the database folds their case.
	groupsByNameSQL = `select g.id, w.name from (select name, lower(name) as key from unnest($3::text[]) n (name) offset 0) w
		join groups g on g.tenant_id = $1 and g.org_unit_id = $2 and g.name_key = w.key`
	groupsByIDSQL = `select g.id, null from groups g where g.tenant_id = $1 and g.org_unit_id = $2 and g.id = any($4)`
	findGroupsSQL = groupsByNameSQL + " union all " + groupsByIDSQL
	// A part of a union must not lock rows; a query inside of one may.
	holdGroupsSQL = "select * from (" + groupsByNameSQL + " for key share of g) n union all select * from (" + groupsByIDSQL + " for key share of g) i"
	subjectsSQL   = `select id, external_id from subjects
		where tenant_id = $1 and org_unit_id = $2 and (external_id = any($3) or id = any($4))`
	engagementsSQL = `select id, external_id from engagements
		where tenant_id = $1 and org_unit_id = $2 and (external_id = any($3) or id = any($4))`
)

func loadNamed(ctx context.Context, tx *db.Tx, org ids.ID, sql string, refs wanted) (named, error) {
	found := named{}
	if len(refs.words) == 0 {
		return found, nil
	}
	rows, err := tx.Query(ctx, sql, tx.Tenant(), org, refs.words, refs.ids)
	if err != nil {
		return nil, fmt.Errorf("look up references: %w", err)
	}
	var id ids.ID
	var name *string
	_, err = pgx.ForEachRow(rows, []any{&id, &name}, func() error {
		found.put(id, name)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look up references: %w", err)
	}
	return found, nil
}

func (k *importable) loadUsers(ctx context.Context, tx *db.Tx, org ids.ID, refs wanted) error {
	k.users = named{}
	if len(refs.words) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, "select id, email_key, coalesce(email, ''), name from users where tenant_id = $1 and (email_key = any($2) or id = any($3))",
		tx.Tenant(), refs.words, refs.ids)
	if err != nil {
		return fmt.Errorf("look up users: %w", err)
	}
	var id ids.ID
	var key *string
	var email, name string
	var all []ids.ID
	_, err = pgx.ForEachRow(rows, []any{&id, &key, &email, &name}, func() error {
		k.users.put(id, key)
		// A person named by id in the file stays unknown to callers who may not read users.
		if tx.Can(capability.UsersRead) {
			k.labels.knows(email)
			k.labels.knows(name)
		}
		all = append(all, id)
		return nil
	})
	if err != nil {
		return fmt.Errorf("look up users: %w", err)
	}
	k.may, err = assignableUsers(ctx, tx, org, all)
	return err
}
