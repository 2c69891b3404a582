package people

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// CreateGroup makes a group in the caller's org unit; a dynamic one gets its members at
// once. It needs groups.manage. Errors: validation_failed, duplicate_name.
func CreateGroup(ctx context.Context, tx *db.Tx, in GroupInput) (GroupDetail, error) {
	err := tx.Require(capability.GroupsManage)
	if err != nil {
		return GroupDetail{}, err
	}
	orgUnit, err := tx.HomeOrgUnit()
	if err != nil {
		return GroupDetail{}, err
	}
	row := models.Group{TenantID: tx.Tenant(), ID: ids.New(), OrgUnitID: orgUnit, CreatedAt: tx.Now()}
	patch := GroupPatch{Name: &in.Name, Description: &in.Description, IsDynamic: in.IsDynamic,
		MembershipRule: in.MembershipRule, AllowedDomains: &in.AllowedDomains}
	row, err = patch.apply(tx, row)
	if err != nil {
		return GroupDetail{}, err
	}
	err = holdRulesOf(ctx, tx, row.IsDynamic)
	if err != nil {
		return GroupDetail{}, err
	}
	_, err = tx.NewInsert().Model(&row).Exec(ctx)
	if err != nil {
		return GroupDetail{}, fmt.Errorf("create group: %w", err)
	}
	return settleGroup(ctx, tx, "group.created", row, row.IsDynamic)
}

// UpdateGroup changes a group; a new rule holds at once. A patch that changes nothing leaves no
// trace. It needs groups.manage. Errors: not_found, stale_update, validation_failed, duplicate_name.
func UpdateGroup(ctx context.Context, tx *db.Tx, id ids.ID, patch GroupPatch) (GroupDetail, error) {
	err := tx.Require(capability.GroupsManage)
	if err != nil {
		return GroupDetail{}, err
	}
	err = holdRulesOf(ctx, tx, patch.MembershipRule != nil)
	if err != nil {
		return GroupDetail{}, err
	}
	old, err := findGroup(ctx, tx, id, "no key update")
	if err != nil {
		return GroupDetail{}, err
	}
	err = db.Fresh(patch.UpdatedAt, old.UpdatedAt)
	if err != nil {
		return GroupDetail{}, err
	}
	row, err := patch.apply(tx, old)
	if err != nil {
		return GroupDetail{}, err
	}
	if sameGroup(row, old) {
		return completeGroup(ctx, tx, old)
	}
	_, err = tx.NewUpdate().Model(&row).WherePK().Exec(ctx)
	if err != nil {
		return GroupDetail{}, fmt.Errorf("update group: %w", err)
	}
	return settleGroup(ctx, tx, "group.updated", row, row.IsDynamic && row.RuleVersion != old.RuleVersion)
}

// sameGroup says that nothing differs but the time of the change. A rule that is given anew is
// a new version, even with the same conditions.
func sameGroup(row, old models.Group) bool {
	return row.Name == old.Name && row.Description == old.Description && slices.Equal(row.AllowedDomains, old.AllowedDomains) &&
		row.IsDynamic == old.IsDynamic && row.RuleVersion == old.RuleVersion
}

func holdRulesOf(ctx context.Context, tx *db.Tx, changes bool) error {
	if !changes {
		return nil
	}
	return holdRules(ctx, tx)
}

// settleGroup brings in the members of a new rule and records what happened.
func settleGroup(ctx context.Context, tx *db.Tx, what string, row models.Group, newRule bool) (GroupDetail, error) {
	events := []ledger.Event{groupEvent(what, row, map[string]any{"ruleVersion": row.RuleVersion})}
	if newRule {
		changed, err := applyRules(ctx, tx, []ids.ID{row.ID}, nil)
		if err != nil {
			return GroupDetail{}, err
		}
		events = append(events, changed...)
	}
	err := ledger.Append(ctx, tx, events...)
	if err != nil {
		return GroupDetail{}, err
	}
	return completeGroup(ctx, tx, row)
}

// apply gives the row as the patch wants it, or every reason why it must not become so.
func (p GroupPatch) apply(tx *db.Tx, row models.Group) (models.Group, error) {
	row.UpdatedAt = tx.ChangedAt(row.UpdatedAt)
	if p.Name != nil {
		row.Name = strings.TrimSpace(*p.Name)
	}
	if p.Description != nil {
		row.Description = *p.Description
	}
	if p.AllowedDomains != nil {
		row.AllowedDomains = *p.AllowedDomains
	}
	canonical, bad := checkGroup(row.Name, row.Description, row.AllowedDomains)
	row.AllowedDomains = canonical
	return p.applyRule(row, bad)
}

func (p GroupPatch) applyRule(row models.Group, bad []errs.Field) (models.Group, error) {
	dynamic := row.IsDynamic || p.MembershipRule != nil
	if p.IsDynamic != nil {
		dynamic = *p.IsDynamic
	}
	switch {
	case dynamic && !row.IsDynamic && p.MembershipRule == nil:
		bad = append(bad, errs.Field{Path: "membership_rule", Code: "required", Message: "a dynamic group needs a rule"})
	case !dynamic && p.MembershipRule != nil:
		bad = append(bad, errs.Field{Path: "membership_rule", Code: "not_allowed", Message: "a group that is not dynamic has no rule"})
	}
	if p.MembershipRule == nil || !dynamic {
		row.IsDynamic = dynamic
		if !dynamic {
			row.MembershipRule = nil
		}
		return row, errs.Invalid(bad...)
	}
	rule, worse := checkRule("membership_rule", *p.MembershipRule)
	text, err := encodeRule(rule, append(bad, worse...))
	row.IsDynamic, row.MembershipRule, row.JoinToken = true, text, nil
	row.RuleVersion++
	return row, err
}

func encodeRule(rule Rule, bad []errs.Field) (json.RawMessage, error) {
	err := errs.Invalid(bad...)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(rule)
	if err != nil {
		return nil, fmt.Errorf("encode membership rule: %w", err)
	}
	return text, nil
}

// DeleteGroup removes a group and the memberships in it. It needs groups.manage. Errors:
// not_found, group_in_use when something is assigned to it or a schedule assigns to it. A
// transaction that assigns something locks the group, so the finding stays true.
func DeleteGroup(ctx context.Context, tx *db.Tx, id ids.ID) error {
	err := tx.Require(capability.GroupsManage)
	if err != nil {
		return err
	}
	row, err := findGroup(ctx, tx, id, "update")
	if err != nil {
		return err
	}
	var used bool
	err = tx.QueryRow(ctx, `select exists (select from assignments
		where tenant_id = $1 and org_unit_id = $2 and target_type = 'group_id' and target_ref = $3)
		or exists (select from assignment_schedules
		where tenant_id = $1 and org_unit_id = $2 and target_type = 'group_id' and $4 = any(target_refs))`,
		tx.Tenant(), row.OrgUnitID, id.String(), id).Scan(&used)
	if err != nil {
		return fmt.Errorf("find assignments of group: %w", err)
	}
	if used {
		return errs.New(errs.GroupInUse, "Something is assigned to the group, or a schedule assigns to it; it stays.")
	}
	_, err = tx.Exec(ctx, "delete from groups where tenant_id = $1 and id = $2", tx.Tenant(), id)
	if err != nil {
		return fmt.Errorf("delete group: %w", err)
	}
	return ledger.Append(ctx, tx, groupEvent("group.deleted", row, nil))
}

func groupEvent(what string, row models.Group, payload map[string]any) ledger.Event {
	return ledger.Event{Type: what, SubjectType: "group", SubjectID: row.ID, OrgUnit: row.OrgUnitID, Payload: payload}
}
