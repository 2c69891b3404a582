package glassbox

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// What to show for somebody who has no system role that counts here. The names that a tenant gives
// its own roles are text that may name anybody, so they are custom.
const (
	candidate = "candidate"
	custom    = "custom"
	former    = "former"
)

// acting are the capabilities by which people act on submissions; roles without any of them do not
// say in what capacity somebody did.
var acting = []capability.Capability{capability.SubmissionsReview, capability.SubmissionsVoid, capability.RemediationsManage,
	capability.EvidenceManage, capability.SessionsProctor}

// roles knows in what roles people acted: the roles that they have now.
type roles struct {
	candidate string
	byUser    map[string][]string
}

// of gives the roles of an actor: of a user the keys of roles that act on submissions; candidate for
// the person whose submission it is; former for one who has no such role any more. Operators and
// jobs are what they are, without their name.
func (r roles) of(actor string) []string {
	kind, id, _ := strings.Cut(actor, ":")
	switch {
	case actor == r.candidate:
		return []string{candidate}
	case kind != string(db.UserActor):
		return []string{kind}
	case len(r.byUser[id]) == 0:
		return []string{former}
	}
	return r.byUser[id]
}

const rolesSQL = `
select u.user_id::text, coalesce(r.system_key, $3) from unnest($2::uuid[]) wanted (id)
cross join lateral (select user_id, role_id from user_roles u where u.tenant_id = $1 and u.user_id = wanted.id offset 0) u
cross join lateral (select id, system_key from roles r where r.tenant_id = $1 and r.id = u.role_id offset 0) r
where exists (select from role_capabilities c where c.tenant_id = $1 and c.role_id = r.id and c.capability = any($4))`

// rolesOf reads the roles of everybody who acted.
func rolesOf(ctx context.Context, tx *db.Tx, r records) (roles, error) {
	found := roles{candidate: db.Actor{Kind: db.UserActor, ID: r.submission.UserID}.String(), byUser: map[string][]string{}}
	rows, err := tx.Query(ctx, rolesSQL, tx.Tenant(), r.users(), custom, acting)
	if err != nil {
		return found, fmt.Errorf("read the roles of those who acted: %w", err)
	}
	var user, role string
	_, err = pgx.ForEachRow(rows, []any{&user, &role}, func() error {
		found.byUser[user] = append(found.byUser[user], role)
		return nil
	})
	if err != nil {
		return found, fmt.Errorf("read the roles of those who acted: %w", err)
	}
	for user, all := range found.byUser {
		slices.Sort(all)
		found.byUser[user] = slices.Compact(all)
	}
	return found, nil
}

// users lists everybody who acted, each once.
func (r records) users() []ids.ID {
	var actors []string
	for _, v := range r.versions.Items {
		actors = append(actors, v.Actor)
	}
	for _, d := range r.decisions.Items {
		actors = append(actors, d.DecidedBy)
	}
	for _, f := range r.findings.Items {
		actors = append(actors, f.DetectedBy)
	}
	for _, c := range slices.Concat(r.claims.Items, r.disputes.Items) {
		actors = append(actors, c.RaisedBy, c.DecidedBy)
	}
	slices.Sort(actors)
	users := []ids.ID{}
	for _, a := range slices.Compact(actors) {
		text, isUser := strings.CutPrefix(a, string(db.UserActor)+":")
		id, err := ids.Parse("", text)
		if isUser && err == nil {
			users = append(users, id)
		}
	}
	return users
}
