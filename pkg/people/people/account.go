package people

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// The sources of accounts: identity providers and learning platforms, which the source id names.
const (
	FromOIDC = "oidc"
	FromLTI  = "lti"
)

// MaxSubject is the length of the longest subject (OpenID Connect Core, section 2), in bytes.
const MaxSubject = 255

// Account is who a person is elsewhere.
type Account struct {
	ID         ids.ID     `json:"id"`
	UserID     ids.ID     `json:"userId"`
	Source     string     `json:"source" enum:"oidc,lti,oneroster,scim"`
	SourceID   ids.ID     `json:"sourceId" doc:"Of oidc: the identity provider; of lti: the learning platform"`
	SourceName string     `json:"sourceName" doc:"What the source is called here"`
	Subject    string     `json:"subject" doc:"What the person is called there; it never changes, as an address does"`
	LinkedBy   string     `json:"linkedBy"`
	LinkedAt   time.Time  `json:"linkedAt"`
	LastSeenAt *time.Time `json:"lastSeenAt" doc:"When the person last signed in with it"`
	// Test says that a platform has the person for trying things out.
	Test bool `json:"-"`
}

// AccountInput names an account of a person at an identity provider or a learning platform.
type AccountInput struct {
	Provider *ids.ID `json:"providerId,omitempty" noun:"idp" doc:"The identity provider"`
	Platform *ids.ID `json:"platformId,omitempty" noun:"platform" doc:"The learning platform, in place of providerId"`
	Subject  string  `json:"subject" minLength:"1" maxLength:"255" doc:"The person's sub there, exactly"`
}

const accountsSQL = `
select a.id, a.user_id, a.source, a.source_id, coalesce(p.name, l.name, ''), a.subject, a.linked_by, a.linked_at, a.last_seen_at
from user_accounts a left join identity_providers p on p.tenant_id = a.tenant_id and p.id = a.source_id
left join lti_platforms l on l.tenant_id = a.tenant_id and l.id = a.source_id
where a.tenant_id = $1 and a.user_id = $2 order by a.linked_at, a.id limit $3 offset $4`

// ListAccounts lists the accounts of a user, the oldest first. It needs users.read. Errors: not_found.
func ListAccounts(ctx context.Context, tx *db.Tx, user ids.ID, page db.Page) (db.List[Account], error) {
	err := tx.Require(capability.UsersRead)
	if err == nil {
		err = requireUser(ctx, tx, user)
	}
	if err == nil {
		page, err = page.Check()
	}
	if err != nil {
		return db.List[Account]{}, err
	}
	var total int
	err = tx.QueryRow(ctx, "select count(*) from user_accounts where tenant_id = $1 and user_id = $2", tx.Tenant(), user).Scan(&total)
	if err != nil {
		return db.List[Account]{}, fmt.Errorf("count accounts: %w", err)
	}
	rows, err := tx.Query(ctx, accountsSQL, tx.Tenant(), user, page.Limit, page.Offset())
	if err != nil {
		return db.List[Account]{}, fmt.Errorf("list accounts: %w", err)
	}
	items, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Account, error) {
		var a Account
		err := row.Scan(&a.ID, &a.UserID, &a.Source, &a.SourceID, &a.SourceName, &a.Subject, &a.LinkedBy, &a.LinkedAt, &a.LastSeenAt)
		a.LinkedAt, a.LastSeenAt = a.LinkedAt.UTC(), db.UTC(a.LastSeenAt)
		return a, err
	})
	if err != nil {
		return db.List[Account]{}, fmt.Errorf("list accounts: %w", err)
	}
	return db.NewList(items, page, total), nil
}

// LinkAccount says who a user is at an identity provider or a learning platform: anyone who comes from there as the subject is this user
// from then on. So it needs what a new address needs: users.manage, reach, and every capability that the user holds. Errors: not_found,
// subject_erased, validation_failed, forbidden, user_out_of_reach, account_taken.
func LinkAccount(ctx context.Context, tx *db.Tx, user ids.ID, in AccountInput) (Account, error) {
	err := mayIdentify(ctx, tx, user)
	if err == nil {
		err = errs.Invalid(errs.Line("subject", in.Subject, MaxSubject, true)...)
	}
	if err == nil {
		err = RefuseErased(ctx, tx, user)
	}
	if err != nil {
		return Account{}, err
	}
	a := Account{UserID: user, Subject: in.Subject}
	err = in.findSource(ctx, tx, &a)
	if err != nil {
		return Account{}, err
	}
	return AddAccount(ctx, tx, a)
}

// findSource says where the account is.
func (in AccountInput) findSource(ctx context.Context, tx *db.Tx, a *Account) error {
	var path, sql string
	switch {
	case (in.Provider == nil) == (in.Platform == nil):
		return errs.Invalid(errs.Field{Path: "providerId", Code: "required", Message: "name an identity provider or a learning platform"})
	case in.Provider != nil:
		path, a.Source, a.SourceID, sql = "providerId", FromOIDC, *in.Provider, "select name from identity_providers where tenant_id = $1 and id = $2"
	default:
		path, a.Source, a.SourceID, sql = "platformId", FromLTI, *in.Platform, "select name from lti_platforms where tenant_id = $1 and id = $2"
	}
	err := tx.QueryRow(ctx, sql, tx.Tenant(), a.SourceID).Scan(&a.SourceName)
	if errors.Is(err, pgx.ErrNoRows) {
		return errs.Invalid(errs.Field{Path: path, Code: "unknown_provider", Message: "there is no such one"})
	}
	if err != nil {
		return fmt.Errorf("find where an account is: %w", err)
	}
	return nil
}

// AddAccount writes down who a user is elsewhere. The caller has checked that it is so. Errors: account_taken.
func AddAccount(ctx context.Context, tx *db.Tx, a Account) (Account, error) {
	a.ID, a.LinkedAt, a.LinkedBy = ids.New(), tx.Now().UTC(), tx.Actor().String()
	_, err := tx.Exec(ctx, `
		insert into user_accounts (tenant_id, id, user_id, source, source_id, subject, linked_by, linked_at, last_seen_at, test)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		tx.Tenant(), a.ID, a.UserID, a.Source, a.SourceID, a.Subject, a.LinkedBy, a.LinkedAt, a.LastSeenAt, a.Test)
	if err != nil {
		return Account{}, fmt.Errorf("add account: %w", err)
	}
	return a, ledger.Append(ctx, tx, accountEvent("user.account_linked", a))
}

// UnlinkAccount ends that a user signs in with an account, and ends their tokens. It needs what LinkAccount needs. Errors:
// not_found, forbidden, user_out_of_reach.
func UnlinkAccount(ctx context.Context, tx *db.Tx, user, account ids.ID) error {
	err := mayIdentify(ctx, tx, user)
	if err != nil {
		return err
	}
	a := Account{ID: account, UserID: user}
	err = tx.QueryRow(ctx, "delete from user_accounts where tenant_id = $1 and id = $2 and user_id = $3 returning source, source_id", tx.Tenant(), account, user).
		Scan(&a.Source, &a.SourceID)
	if errors.Is(err, pgx.ErrNoRows) {
		return errs.New(errs.NotFound, "The user has no such account.")
	}
	if err != nil {
		return fmt.Errorf("delete account: %w", err)
	}
	err = EndTokens(ctx, tx, user)
	if err != nil {
		return err
	}
	return ledger.Append(ctx, tx, accountEvent("user.account_unlinked", a))
}

// EndTokens signs a user out everywhere.
func EndTokens(ctx context.Context, tx *db.Tx, user ids.ID) error {
	err := tx.AnnounceAccess(ctx)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "update users set token_generation = token_generation + 1 where tenant_id = $1 and id = $2", tx.Tenant(), user)
	if err != nil {
		return fmt.Errorf("end tokens: %w", err)
	}
	return nil
}

// mayIdentify checks the right to change who a user is.
func mayIdentify(ctx context.Context, tx *db.Tx, id ids.ID) error {
	err := tx.Require(capability.UsersManage)
	if err != nil {
		return err
	}
	user, err := findUser(ctx, tx, "id = ?", id)
	if err != nil {
		return err
	}
	err = RequireReach(ctx, tx, id)
	if err != nil {
		return err
	}
	return requireMight(ctx, tx, user)
}

func accountEvent(what string, a Account) ledger.Event {
	e := userEvent(what, a.UserID)
	e.Payload = map[string]any{"accountId": a.ID, "source": a.Source, "sourceId": a.SourceID}
	return e
}

// CheckGrants says why the caller may not have an org unit joined and roles held in their name: nobody gives away more
// than they have, and people who administer a tenant or its bills are made by hand.
func CheckGrants(ctx context.Context, tx *db.Tx, orgUnit ids.ID, roles []ids.ID) ([]errs.Field, error) {
	known, err := loadDirectory(ctx, tx)
	if err != nil {
		return nil, err
	}
	_, bad := known.findOrgUnits([]string{orgUnit.String()})
	for i := range bad {
		bad[i].Path = "orgUnitId"
	}
	return append(bad, known.checkRoles(tx, roles)...), nil
}

// CheckRoles is CheckGrants for roles only.
func CheckRoles(ctx context.Context, tx *db.Tx, roles []ids.ID) ([]errs.Field, error) {
	known, err := loadDirectory(ctx, tx)
	if err != nil {
		return nil, err
	}
	return known.checkRoles(tx, roles), nil
}

func (d directory) checkRoles(tx *db.Tx, roles []ids.ID) []errs.Field {
	_, bad := d.findRoles(tx, mapSlice(roles, ids.ID.String), nil)
	for i := range bad {
		bad[i].Path = "roleIds" + bad[i].Path[len("roles"):]
	}
	if tx.Actor().Kind != db.UserActor {
		return bad
	}
	for i, role := range roles {
		for _, key := range []string{capability.TenantAdmin, capability.BillingAdmin} {
			if d.roles[key].id == role {
				bad = append(bad, errs.Field{Path: fmt.Sprintf("roleIds[%d]", i), Code: "role_protected", Message: "only assessctl may set this role here"})
			}
		}
	}
	return bad
}

// enterSQL makes a user a member of groups ($4) for a source ($3).
const enterSQL = `
insert into group_members (tenant_id, group_id, user_id, org_unit_id, added_at, provider_id)
select $1, g.id, $2, g.org_unit_id, $5, $3 from groups g
join user_org_units m on m.tenant_id = $1 and m.user_id = $2 and m.org_unit_id = g.org_unit_id
where g.tenant_id = $1 and g.id = any($4) and not g.is_dynamic order by g.id
on conflict do nothing returning user_id, group_id, org_unit_id, added_at`

// SyncClaimedGroups brings the memberships that a provider's claims made in line with the current claims. Groups that a
// rule makes, and groups of org units that the user is not in, take nobody this way.
func SyncClaimedGroups(ctx context.Context, tx *db.Tx, user, provider ids.ID, claimed []ids.ID) error {
	err := changeMembers(ctx, tx, "group.member_added", enterSQL, tx.Tenant(), user, provider, claimed, tx.Now())
	if err != nil {
		return err
	}
	return changeMembers(ctx, tx, "group.member_removed", `
		delete from group_members where tenant_id = $1 and user_id = $2 and provider_id = $3 and not group_id = any($4)
		returning user_id, group_id, org_unit_id, added_at`, tx.Tenant(), user, provider, claimed)
}
