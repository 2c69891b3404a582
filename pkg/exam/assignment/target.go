package assignment

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/hold"
	"assess/pkg/people/people"
)

// aim is a target with its reference resolved.
type aim struct {
	Target
	// path is the target's place in the input: "targets[3]." or "".
	path string
	ref  ids.ID
}

// aims lists the targets of a call.
func (in CreateInput) aims() ([]aim, []errs.Field) {
	single := in.Type != "" || in.Ref != ""
	switch {
	case single && len(in.Targets) > 0:
		return nil, []errs.Field{{Path: "targets", Code: "ambiguous", Message: "give either target_type and target_ref or targets"}}
	case single:
		return []aim{{Target: Target{in.Type, in.Ref}}}, nil
	case len(in.Targets) == 0:
		return nil, []errs.Field{{Path: "target_type", Code: "required", Message: "say whom the assignment is for"}}
	case len(in.Targets) > maxTargets:
		return nil, []errs.Field{{Path: "targets", Code: "out_of_range", Message: fmt.Sprintf("at most %d targets at once", maxTargets)}}
	}
	all := make([]aim, len(in.Targets))
	for i, t := range in.Targets {
		all[i] = aim{Target: t, path: fmt.Sprintf("targets[%d].", i)}
	}
	return all, nil
}

func (a aim) bad(field, code, message string) errs.Field {
	return errs.Field{Path: a.path + field, Code: code, Message: message}
}

// parse reads the reference as far as that needs no database.
func (a *aim) parse() []errs.Field {
	switch a.Type {
	case models.TargetUser, models.TargetGroup:
		id, err := ids.Parse("", a.Ref)
		if err != nil {
			return []errs.Field{a.bad("target_ref", "invalid_id", "expected a UUID")}
		}
		a.ref = id
	case models.TargetEmail:
	case models.TargetPublicLink:
		if a.Ref != "" {
			return []errs.Field{a.bad("target_ref", "not_allowed", "a public link has no reference")}
		}
	default:
		return []errs.Field{a.bad("target_type", "invalid_choice", "expected user_id, email, group_id or public_link")}
	}
	return nil
}

// resolve finds users and groups, makes invited users of new addresses, and names every
// target that cannot be assigned, in a fixed number of statements.
func resolve(ctx context.Context, tx *db.Tx, org ids.ID, all []aim) ([]errs.Field, error) {
	var bad []errs.Field
	for i := range all {
		bad = append(bad, all[i].parse()...)
	}
	if len(bad) > 0 {
		return bad, nil
	}
	invalid, err := resolveEmails(ctx, tx, all)
	if err != nil || len(invalid) > 0 {
		return invalid, err
	}
	persons := refsOf(all, isPerson)
	err = people.RefuseErased(ctx, tx, persons...)
	if err != nil {
		return nil, err
	}
	users, err := assignableUsers(ctx, tx, org, persons)
	if err != nil {
		return nil, err
	}
	groups, err := groupsOf(ctx, tx, org, refsOf(all, func(t string) bool { return t == models.TargetGroup }))
	if err != nil {
		return nil, err
	}
	bad = checkAims(all, users, groups)
	if len(bad) > 0 {
		return bad, nil
	}
	return nil, refuseRestricted(all, users)
}

// refuseRestricted refuses to hand out to people whose data must not be used. Errors:
// processing_restricted; details.targets gives the places of such targets.
func refuseRestricted(all []aim, users map[ids.ID]assignable) error {
	places := []int{}
	for i, a := range all {
		if isPerson(a.Type) && users[a.ref].restricted && len(places) < maxListed {
			places = append(places, i)
		}
	}
	if len(places) == 0 {
		return nil
	}
	return errs.Of(hold.Restricted()).With("targets", places)
}

func resolveEmails(ctx context.Context, tx *db.Tx, all []aim) ([]errs.Field, error) {
	var emails []string
	var at []int
	for i, a := range all {
		if a.Type == models.TargetEmail {
			emails, at = append(emails, a.Ref), append(at, i)
		}
	}
	if len(emails) == 0 {
		return nil, nil
	}
	users, err := people.InviteAll(ctx, tx, emails)
	if errors.Is(err, errs.ValidationFailed) {
		return placed(errs.Of(err).Fields, all, at), nil
	}
	if err != nil {
		return nil, err
	}
	for n, i := range at {
		all[i].ref = users[n]
	}
	return nil, nil
}

// placed turns "[2].email" of the addresses into paths of the targets.
func placed(fields []errs.Field, all []aim, at []int) []errs.Field {
	var bad []errs.Field
	for _, f := range fields {
		var n int
		_, err := fmt.Sscanf(f.Path, "[%d]", &n)
		if err == nil && n < len(at) {
			bad = append(bad, all[at[n]].bad("target_ref", f.Code, f.Message))
		}
	}
	return bad
}

func anyTarget(string) bool { return true }

func refsOf(all []aim, wanted func(string) bool) []ids.ID {
	var refs []ids.ID
	for _, a := range all {
		if wanted(a.Type) {
			refs = append(refs, a.ref)
		}
	}
	return refs
}

// assignable says what may be assigned to a user: byID for members of the org unit who are
// active; byEmail also for people an invitation can admit. Nobody who is more than a candidate is one of them: roles
// hold in every org unit, and a mail must not carry them into another. restricted says that the person's data must
// not be used (package hold), erased that they are being erased or were.
type assignable struct{ byID, byEmail, restricted, erased bool }

func assignableUsers(ctx context.Context, tx *db.Tx, org ids.ID, users []ids.ID) (map[ids.ID]assignable, error) {
	if len(users) == 0 {
		return nil, nil
	}
	rows, err := tx.Query(ctx, `
		select u.id, u.status = 'active' and m.user_id is not null, u.status <> 'deactivated' and (m.user_id is not null or not exists (
			select from user_roles g join roles r on r.tenant_id = g.tenant_id and r.id = g.role_id
			where g.tenant_id = $1 and g.user_id = u.id and r.system_key is distinct from 'candidate')), u.restricted, `+people.IsErased+`
		from users u left join user_org_units m on m.tenant_id = u.tenant_id and m.user_id = u.id and m.org_unit_id = $3
		where u.tenant_id = $1 and u.id = any($2)`, tx.Tenant(), users, org)
	if err != nil {
		return nil, fmt.Errorf("look up users: %w", err)
	}
	found := make(map[ids.ID]assignable, len(users))
	var id ids.ID
	var may assignable
	_, err = pgx.ForEachRow(rows, []any{&id, &may.byID, &may.byEmail, &may.restricted, &may.erased}, func() error {
		found[id] = may
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look up users: %w", err)
	}
	return found, nil
}

// groupsOf locks the groups, so that none is deleted while something is being assigned to it.
func groupsOf(ctx context.Context, tx *db.Tx, org ids.ID, groups []ids.ID) (map[ids.ID]bool, error) {
	if len(groups) == 0 {
		return nil, nil
	}
	rows, err := tx.Query(ctx, "select id from groups where tenant_id = $1 and org_unit_id = $2 and id = any($3) order by id for key share", tx.Tenant(), org, groups)
	if err != nil {
		return nil, fmt.Errorf("look up groups: %w", err)
	}
	found := map[ids.ID]bool{}
	var id ids.ID
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error {
		found[id] = true
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look up groups: %w", err)
	}
	return found, nil
}

func checkAims(all []aim, users map[ids.ID]assignable, groups map[ids.ID]bool) []errs.Field {
	var bad []errs.Field
	seen := make(map[Target]bool, len(all))
	for _, a := range all {
		switch {
		case a.Type == models.TargetUser && !users[a.ref].byID:
			bad = append(bad, a.bad("target_ref", "unknown_user", "there is no such active user in the org unit"))
		case a.Type == models.TargetEmail && !users[a.ref].byEmail:
			bad = append(bad, a.bad("target_ref", "not_invitable", "the user is deactivated, or has roles and belongs to another org unit"))
		case a.Type == models.TargetGroup && !groups[a.ref]:
			bad = append(bad, a.bad("target_ref", "unknown_group", "there is no such group in the org unit"))
		}
		same := Target{a.Type, a.ref.String()}
		if seen[same] && a.Type != models.TargetPublicLink {
			bad = append(bad, a.bad("target_ref", "duplicate_target", "the target occurs twice"))
		}
		seen[same] = true
	}
	return bad
}
