package people

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// A change of a rule reads the metadata of many users, and a change of a user reads many
// rules. At the same time neither would see the other, and a membership would stay wrong.
// So there is one lock a tenant, taken before any row: changes of users share it, a
// change of a rule has it to itself.
const rulesLock = `hashtextextended('group rules ' || $1::text, 0)`

func shareRules(ctx context.Context, tx *db.Tx) error {
	_, err := tx.Exec(ctx, "select pg_advisory_xact_lock_shared("+rulesLock+")", tx.Tenant().String())
	if err != nil {
		return fmt.Errorf("wait for changes of group rules: %w", err)
	}
	return nil
}

func holdRules(ctx context.Context, tx *db.Tx) error {
	_, err := tx.Exec(ctx, "select pg_advisory_xact_lock("+rulesLock+")", tx.Tenant().String())
	if err != nil {
		return fmt.Errorf("wait for changes of users: %w", err)
	}
	return nil
}

// applyRules brings the members of dynamic groups in line with their rules after a change,
// in every org unit, since users belong to the tenant; some groups or, with nil, the groups
// of some users. It gives one event a membership that changed (specification, section 2.5).
func applyRules(ctx context.Context, tx *db.Tx, groups, users []ids.ID) ([]ledger.Event, error) {
	if len(groups)+len(users) == 0 {
		return nil, nil
	}
	var events []ledger.Event
	var group, user, orgUnit ids.ID
	var version int
	var entered bool
	err := tx.AcrossOrgUnits(ctx, func() error {
		rows, err := tx.Query(ctx, "select * from apply_group_rules($1, $2, $3)", groups, users, tx.Now())
		if err != nil {
			return err
		}
		_, err = pgx.ForEachRow(rows, []any{&group, &user, &orgUnit, &version, &entered}, func() error {
			events = append(events, membershipEvent(group, user, orgUnit, version, entered))
			return nil
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("apply group rules: %w", err)
	}
	return events, nil
}

func membershipEvent(group, user, orgUnit ids.ID, version int, entered bool) ledger.Event {
	e := userEvent("group.membership_changed", user)
	e.OrgUnit = orgUnit
	previous, now := "not_member", "member"
	if !entered {
		previous, now = now, previous
	}
	e.Payload = map[string]any{"groupId": group, "ruleVersion": version, "previous": previous, "new": now}
	return e
}

// PreviewInput is a rule to try; without one the group's own is tried.
type PreviewInput struct {
	MembershipRule *Rule `json:"membership_rule,omitempty"`
}

// RulePreview says what a rule would do to a group's members.
type RulePreview struct {
	Members int `json:"members" doc:"Members now"`
	Fitting int `json:"fitting" doc:"Members under the rule"`
	Enter   int `json:"enter"`
	Leave   int `json:"leave"`
}

// PreviewRule counts who would enter and leave a group under a rule, and changes nothing.
// It needs groups.manage. Errors: not_found, validation_failed.
func PreviewRule(ctx context.Context, tx *db.Tx, id ids.ID, in PreviewInput) (RulePreview, error) {
	err := tx.Require(capability.GroupsManage)
	if err != nil {
		return RulePreview{}, err
	}
	group, err := findGroup(ctx, tx, id, "")
	if err != nil {
		return RulePreview{}, err
	}
	rule, err := ruleToTry(group, in.MembershipRule)
	if err != nil {
		return RulePreview{}, err
	}
	var p RulePreview
	err = tx.QueryRow(ctx, `
		with fitting as (
			select m.user_id from user_org_units m join users u on u.tenant_id = m.tenant_id and u.id = m.user_id
			where m.tenant_id = $1 and m.org_unit_id = $2 and u.status = $4 and u.metadata @@ rule_path($5::jsonb)
		), members as (
			select user_id from group_members where tenant_id = $1 and group_id = $3 and org_unit_id = $2
		)
		select count(m.user_id), count(f.user_id), count(*) filter (where m.user_id is null), count(*) filter (where f.user_id is null)
		from fitting f full join members m on m.user_id = f.user_id`,
		tx.Tenant(), group.OrgUnitID, id, models.UserActive, string(rule)).Scan(&p.Members, &p.Fitting, &p.Enter, &p.Leave)
	if err != nil {
		return RulePreview{}, fmt.Errorf("preview rule: %w", err)
	}
	return p, nil
}

func ruleToTry(group models.Group, wanted *Rule) (json.RawMessage, error) {
	if wanted != nil {
		rule, bad := checkRule("membership_rule", *wanted)
		return encodeRule(rule, bad)
	}
	if !group.IsDynamic {
		return nil, errs.Invalid(errs.Field{Path: "membership_rule", Code: "required", Message: "the group has no rule of its own"})
	}
	return group.MembershipRule, nil
}
