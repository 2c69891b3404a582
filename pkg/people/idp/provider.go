package idp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/people/access"
	"assess/pkg/people/people"
)

// Input describes a new identity provider.
type Input struct {
	Slug         string                `json:"slug" minLength:"1" maxLength:"63" example:"campus" doc:"Lower-case letters, digits and hyphens; unique in the tenant"`
	Name         string                `json:"name" minLength:"1" maxLength:"200" example:"North College" doc:"What the button says"`
	Issuer       string                `json:"issuer" minLength:"1" maxLength:"500" example:"https://login.example.org/realms/campus" doc:"As its configuration says, exactly; with Entra the one of your tenant, not common"`
	ClientID     string                `json:"clientId" minLength:"1" maxLength:"300" example:"assess"`
	Scopes       []string              `json:"scopes,omitempty" maxItems:"20" maxLength:"100" doc:"Default: openid, email, profile"`
	EmailClaim   string                `json:"emailClaim,omitempty" maxLength:"100" doc:"The claim of the address; default: email"`
	NameClaim    string                `json:"nameClaim,omitempty" maxLength:"100" doc:"The claim of the name; default: name"`
	GroupsClaim  string                `json:"groupsClaim,omitempty" maxLength:"100" doc:"The claim of groups; default: groups"`
	EmailTrust   string                `json:"emailTrust,omitempty" enum:"verified,never" doc:"verified: an address counts where email_verified is true and its domain is one of domains. never (the default): no address is believed"`
	Domains      []string              `json:"domains,omitempty" maxItems:"100" maxLength:"253" doc:"Domains for whose addresses the provider vouches; of Google also those of hd"`
	Provisioning string                `json:"provisioning,omitempty" enum:"off,invited,jit" doc:"off (the default): only people who are here; invited: also who was invited by address; jit: whoever the provider knows becomes a user"`
	OrgUnitID    ids.ID                `json:"orgUnitId" noun:"org-unit" doc:"Where people belong who come the first time"`
	RoleIDs      []ids.ID              `json:"roleIds,omitempty" noun:"role" maxItems:"20" doc:"Roles of people who come the first time; only what the caller holds. Default: Candidate"`
	Groups       []models.ClaimedGroup `json:"groups,omitempty" maxItems:"200" doc:"Which values of the claim of groups mean which groups. At each sign-in people enter and leave these; members who were added by hand stay"`
	StepUpACR    []string              `json:"stepUpAcr,omitempty" maxItems:"20" maxLength:"200" doc:"A sign-in with one of these acr is good for a step-up; asked for as acr_values. With neither these nor stepUpAmr nobody steps up there"`
	StepUpAMR    []string              `json:"stepUpAmr,omitempty" maxItems:"20" maxLength:"200" doc:"A sign-in with one of these amr is good for a step-up, for providers that give no acr"`
	StepUpMaxAge int                   `json:"stepUpMaxAge,omitempty" minimum:"0" maximum:"3600" doc:"How old a sign-in may be that is good for a step-up, in seconds; default: 300"`
}

// Patch changes what it names and leaves the rest.
type Patch struct {
	Name         *string                `json:"name,omitempty" minLength:"1" maxLength:"200"`
	Issuer       *string                `json:"issuer,omitempty" minLength:"1" maxLength:"500" doc:"Only while nobody has an account of the provider: another issuer knows other people"`
	ClientID     *string                `json:"clientId,omitempty" minLength:"1" maxLength:"300"`
	Scopes       *[]string              `json:"scopes,omitempty" maxItems:"20" maxLength:"100"`
	EmailClaim   *string                `json:"emailClaim,omitempty" maxLength:"100"`
	NameClaim    *string                `json:"nameClaim,omitempty" maxLength:"100"`
	GroupsClaim  *string                `json:"groupsClaim,omitempty" maxLength:"100"`
	EmailTrust   *string                `json:"emailTrust,omitempty" enum:"verified,never"`
	Domains      *[]string              `json:"domains,omitempty" maxItems:"100" maxLength:"253"`
	Provisioning *string                `json:"provisioning,omitempty" enum:"off,invited,jit"`
	OrgUnitID    *ids.ID                `json:"orgUnitId,omitempty" noun:"org-unit"`
	RoleIDs      *[]ids.ID              `json:"roleIds,omitempty" noun:"role" maxItems:"20"`
	Groups       *[]models.ClaimedGroup `json:"groups,omitempty" maxItems:"200"`
	StepUpACR    *[]string              `json:"stepUpAcr,omitempty" maxItems:"20" maxLength:"200"`
	StepUpAMR    *[]string              `json:"stepUpAmr,omitempty" maxItems:"20" maxLength:"200"`
	StepUpMaxAge *int                   `json:"stepUpMaxAge,omitempty" minimum:"0" maximum:"3600" doc:"In seconds; 0: 300"`
	Status       *string                `json:"status,omitempty" enum:"active,disabled" doc:"disabled: nobody signs in with it; who is signed in stays so"`
	UpdatedAt    *time.Time             `json:"updatedAt,omitempty" doc:"The updatedAt that was read; stale_update when the provider has changed since"`
}

// Provider is an identity provider of a tenant.
type Provider struct {
	ID           ids.ID                `json:"id"`
	Slug         string                `json:"slug"`
	Name         string                `json:"name"`
	Status       string                `json:"status" enum:"active,disabled"`
	Issuer       string                `json:"issuer"`
	ClientID     string                `json:"clientId"`
	ClientAuth   string                `json:"clientAuth" enum:"none,client_secret,private_key_jwt" doc:"How the client shows who it is"`
	Scopes       []string              `json:"scopes" nullable:"false"`
	EmailClaim   string                `json:"emailClaim"`
	NameClaim    string                `json:"nameClaim"`
	GroupsClaim  string                `json:"groupsClaim"`
	EmailTrust   string                `json:"emailTrust" enum:"verified,never"`
	Domains      []string              `json:"domains" nullable:"false"`
	Provisioning string                `json:"provisioning" enum:"off,invited,jit"`
	OrgUnitID    ids.ID                `json:"orgUnitId"`
	RoleIDs      []ids.ID              `json:"roleIds" nullable:"false"`
	Groups       []models.ClaimedGroup `json:"groups" nullable:"false"`
	StepUpACR    []string              `json:"stepUpAcr" nullable:"false"`
	StepUpAMR    []string              `json:"stepUpAmr" nullable:"false"`
	StepUpMaxAge int                   `json:"stepUpMaxAge"`
	CreatedAt    time.Time             `json:"createdAt"`
	UpdatedAt    time.Time             `json:"updatedAt"`
}

func newProvider(row models.IdentityProvider) Provider {
	return Provider{ID: row.ID, Slug: row.Slug, Name: row.Name, Status: row.Status, Issuer: row.Issuer, ClientID: row.ClientID,
		ClientAuth: clientAuth(row), Scopes: orEmpty(row.Scopes), EmailClaim: row.Claims.Email, NameClaim: row.Claims.Name, GroupsClaim: row.Claims.Groups,
		EmailTrust: row.EmailTrust, Domains: orEmpty(row.Domains),
		Provisioning: row.Provisioning, OrgUnitID: row.OrgUnitID, RoleIDs: orEmpty(row.RoleIDs), Groups: orEmpty(row.Groups),
		StepUpACR: orEmpty(row.StepUp.ACR), StepUpAMR: orEmpty(row.StepUp.AMR), StepUpMaxAge: cmp.Or(row.StepUp.MaxAge, defaultMaxAge),
		CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC()}
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// List lists the identity providers of the tenant by their slugs. It needs integrations.read or integrations.manage.
func List(ctx context.Context, tx *db.Tx, page db.Page) (db.List[Provider], error) {
	err := mayRead(tx)
	if err == nil {
		page, err = page.Check()
	}
	if err != nil {
		return db.List[Provider]{}, err
	}
	var rows []models.IdentityProvider
	total, err := db.ReadPage(ctx, tx.NewSelect().Model(&rows).Where("tenant_id = ?", tx.Tenant()), page, &rows, "slug")
	if err != nil {
		return db.List[Provider]{}, fmt.Errorf("list identity providers: %w", err)
	}
	items := make([]Provider, len(rows))
	for i, row := range rows {
		items[i] = newProvider(row)
	}
	return db.NewList(items, page, total), nil
}

// Get reads an identity provider. It needs integrations.read or integrations.manage. Errors: not_found.
func Get(ctx context.Context, tx *db.Tx, id ids.ID) (Provider, error) {
	err := mayRead(tx)
	if err != nil {
		return Provider{}, err
	}
	row, err := find(ctx, tx, "id = ?", id)
	if err != nil {
		return Provider{}, err
	}
	return newProvider(row), nil
}

// BySlug finds an identity provider by its slug. It needs integrations.read or integrations.manage. Errors: not_found.
func BySlug(ctx context.Context, tx *db.Tx, slug string) (Provider, error) {
	err := mayRead(tx)
	if err != nil {
		return Provider{}, err
	}
	row, err := find(ctx, tx, "slug = ?", strings.ToLower(slug))
	if err != nil {
		return Provider{}, err
	}
	return newProvider(row), nil
}

func mayRead(tx *db.Tx) error {
	if tx.Can(capability.IntegrationsManage) {
		return nil
	}
	return tx.Require(capability.IntegrationsRead)
}

func find(ctx context.Context, tx *db.Tx, condition string, value any) (models.IdentityProvider, error) {
	var rows []models.IdentityProvider
	err := tx.NewSelect().Model(&rows).Where("tenant_id = ?", tx.Tenant()).Where(condition, value).Scan(ctx)
	if err != nil {
		return models.IdentityProvider{}, fmt.Errorf("find identity provider: %w", err)
	}
	if len(rows) == 0 {
		return models.IdentityProvider{}, errs.New(errs.NotFound, "There is no such identity provider.")
	}
	return rows[0], nil
}

// Create adds an identity provider. Its secret, where it has one, follows by SetSecret. It needs integrations.manage, and gives
// nobody what the caller does not hold: people who come by it get an org unit in the caller's reach and roles of capabilities
// that the caller has; Tenant Admin and Billing Admin only operators set. Errors: validation_failed, duplicate_slug.
func Create(ctx context.Context, tx *db.Tx, input Input) (Provider, error) {
	err := tx.Require(capability.IntegrationsManage)
	if err != nil {
		return Provider{}, err
	}
	row := models.IdentityProvider{TenantID: tx.Tenant(), ID: ids.New(), Slug: input.Slug, Name: input.Name, Status: models.ProviderActive, Issuer: input.Issuer,
		ClientID: input.ClientID, Scopes: input.Scopes, Claims: models.ProviderClaims{Email: input.EmailClaim, Name: input.NameClaim, Groups: input.GroupsClaim}, EmailTrust: input.EmailTrust, Domains: input.Domains,
		Provisioning: input.Provisioning, OrgUnitID: input.OrgUnitID, RoleIDs: input.RoleIDs, Groups: input.Groups,
		StepUp: models.ProviderStepUp{ACR: input.StepUpACR, AMR: input.StepUpAMR, MaxAge: input.StepUpMaxAge}, CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
	err = settle(ctx, tx, &row)
	if err != nil {
		return Provider{}, err
	}
	_, err = tx.NewInsert().Model(&row).Exec(ctx)
	if err != nil {
		return Provider{}, fmt.Errorf("create identity provider: %w", err)
	}
	return newProvider(row), ledger.Append(ctx, tx, eventOf("identity_provider.created", row))
}

// Update changes an identity provider. It needs what Create needs. Again changes nothing. Errors: not_found, stale_update,
// validation_failed.
func Update(ctx context.Context, tx *db.Tx, id ids.ID, patch Patch) (Provider, error) {
	err := tx.Require(capability.IntegrationsManage)
	if err != nil {
		return Provider{}, err
	}
	old, err := lock(ctx, tx, id)
	if err != nil {
		return Provider{}, err
	}
	err = db.Fresh(patch.UpdatedAt, old.UpdatedAt)
	if err != nil {
		return Provider{}, err
	}
	row := patch.over(old)
	err = settle(ctx, tx, &row)
	if err != nil {
		return Provider{}, err
	}
	if row.Issuer != old.Issuer {
		err = refuseOtherIssuer(ctx, tx, id)
		if err != nil {
			return Provider{}, err
		}
	}
	if same(row, old) {
		return newProvider(old), nil
	}
	row.UpdatedAt = tx.ChangedAt(old.UpdatedAt)
	_, err = tx.NewUpdate().Model(&row).Where("tenant_id = ? and id = ?", tx.Tenant(), id).ExcludeColumn("tenant_id", "id", "slug", "created_at").Exec(ctx)
	if err != nil {
		return Provider{}, fmt.Errorf("update identity provider: %w", err)
	}
	return newProvider(row), ledger.Append(ctx, tx, eventOf("identity_provider.updated", row))
}

func same(a, b models.IdentityProvider) bool {
	return a.Name == b.Name && a.Status == b.Status && a.Issuer == b.Issuer && a.ClientID == b.ClientID && slices.Equal(a.Scopes, b.Scopes) &&
		a.Claims == b.Claims && a.EmailTrust == b.EmailTrust && slices.Equal(a.Domains, b.Domains) && a.Provisioning == b.Provisioning &&
		a.OrgUnitID == b.OrgUnitID && slices.Equal(a.RoleIDs, b.RoleIDs) && slices.Equal(a.Groups, b.Groups) &&
		slices.Equal(a.StepUp.ACR, b.StepUp.ACR) && slices.Equal(a.StepUp.AMR, b.StepUp.AMR) && a.StepUp.MaxAge == b.StepUp.MaxAge
}

// Disable keeps everybody from signing in with a provider. It needs what Update needs.
func Disable(ctx context.Context, tx *db.Tx, id ids.ID) (Provider, error) {
	status := models.ProviderDisabled
	return Update(ctx, tx, id, Patch{Status: &status})
}

// Secret is the client secret of an identity provider.
type Secret struct {
	Secret string `json:"secret" maxLength:"1000" doc:"As the provider gave it; empty: there is none any more. It is stored sealed, and shown to nobody"`
}

// SetSecret stores the client secret of an identity provider, or takes it away; a key of the client goes in either case. It needs integrations.manage. Errors: not_found.
func SetSecret(ctx context.Context, tx *db.Tx, authority *access.Authority, id ids.ID, input Secret) (Provider, error) {
	err := tx.Require(capability.IntegrationsManage)
	if err != nil {
		return Provider{}, err
	}
	row, err := lock(ctx, tx, id)
	if err != nil {
		return Provider{}, err
	}
	row.SealedSecret, row.SealedKey, row.PublicKey = nil, nil, nil
	if input.Secret != "" {
		row.SealedSecret, err = authority.Seal(secretName(row), []byte(input.Secret))
		if err != nil {
			return Provider{}, err
		}
	}
	row.UpdatedAt = tx.ChangedAt(row.UpdatedAt)
	return saveClient(ctx, tx, row, "identity_provider.secret_set")
}

func secretName(row models.IdentityProvider) string {
	return "identity provider/" + row.TenantID.String() + "/" + row.ID.String()
}

func lock(ctx context.Context, tx *db.Tx, id ids.ID) (models.IdentityProvider, error) {
	_, err := tx.Exec(ctx, "select from identity_providers where tenant_id = $1 and id = $2 for no key update", tx.Tenant(), id)
	if err != nil {
		return models.IdentityProvider{}, fmt.Errorf("lock identity provider: %w", err)
	}
	return find(ctx, tx, "id = ?", id)
}

func (p Patch) over(row models.IdentityProvider) models.IdentityProvider {
	put(&row.Name, p.Name)
	put(&row.Issuer, p.Issuer)
	put(&row.ClientID, p.ClientID)
	put(&row.Scopes, p.Scopes)
	put(&row.Claims.Email, p.EmailClaim)
	put(&row.Claims.Name, p.NameClaim)
	put(&row.Claims.Groups, p.GroupsClaim)
	put(&row.EmailTrust, p.EmailTrust)
	put(&row.Domains, p.Domains)
	put(&row.Provisioning, p.Provisioning)
	put(&row.OrgUnitID, p.OrgUnitID)
	put(&row.RoleIDs, p.RoleIDs)
	put(&row.Groups, p.Groups)
	put(&row.StepUp.ACR, p.StepUpACR)
	put(&row.StepUp.AMR, p.StepUpAMR)
	put(&row.StepUp.MaxAge, p.StepUpMaxAge)
	put(&row.Status, p.Status)
	return row
}

func put[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// refuseOtherIssuer keeps the accounts of a provider from meaning other people.
func refuseOtherIssuer(ctx context.Context, tx *db.Tx, id ids.ID) error {
	var known bool
	err := tx.QueryRow(ctx, "select exists (select from user_accounts where tenant_id = $1 and source = $2 and source_id = $3)",
		tx.Tenant(), people.FromOIDC, id).Scan(&known)
	if err != nil {
		return fmt.Errorf("look for accounts: %w", err)
	}
	if known {
		return errs.Invalid(errs.Field{Path: "issuer", Code: "in_use", Message: "people have accounts of this provider, and another issuer knows others; make a new provider"})
	}
	return nil
}

func eventOf(what string, row models.IdentityProvider) ledger.Event {
	return ledger.Event{Type: what, SubjectType: "identity_provider", SubjectID: row.ID, Payload: map[string]any{
		"slug": row.Slug, "status": row.Status, "issuer": row.Issuer, "clientId": row.ClientID, "emailTrust": row.EmailTrust, "domains": row.Domains,
		"provisioning": row.Provisioning, "orgUnitId": row.OrgUnitID, "roleIds": row.RoleIDs, "groups": row.Groups, "clientAuth": clientAuth(row), "stepUp": row.StepUp}}
}
