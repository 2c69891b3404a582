package lti

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/people/people"
)

// What happens to people nobody has linked.
const (
	IdentityCreate = "create"
	IdentityLink   = "link"
)

// PlatformInput describes a new platform.
type PlatformInput struct {
	Name     string           `json:"name" minLength:"1" maxLength:"200" example:"Moodle of North College"`
	Issuer   string           `json:"issuer" minLength:"1" maxLength:"500" doc:"As the platform says it, exactly" example:"https://moodle.north.example"`
	ClientID string           `json:"clientId" minLength:"1" maxLength:"300" example:"Q7Wn2cX0dE"`
	AuthURL  string           `json:"authUrl" minLength:"1" maxLength:"500" doc:"Where launches are authorised" example:"https://moodle.north.example/mod/lti/auth.php"`
	TokenURL string           `json:"tokenUrl" minLength:"1" maxLength:"500" doc:"Where the service gets tokens to send grades" example:"https://moodle.north.example/mod/lti/token.php"`
	KeysURL  string           `json:"keysUrl" minLength:"1" maxLength:"500" doc:"The public keys of the platform (JWKS)" example:"https://moodle.north.example/mod/lti/certs.php"`
	Audience string           `json:"audience,omitempty" maxLength:"500" doc:"For whom the service signs when it asks for a token, where the platform wants another than tokenUrl"`
	Identity string           `json:"identity,omitempty" enum:"create,link" doc:"create (the default): somebody new becomes a Candidate. link: somebody new signs in here once and links their account, or an administrator links it"`
	Roles    []models.LTIRole `json:"roles,omitempty" maxItems:"20" doc:"What a role in a course gives to people who come the first time, besides Candidate; only what the caller holds. Default: nothing"`
}

// PlatformPatch changes what it names and leaves the rest.
type PlatformPatch struct {
	Name      *string           `json:"name,omitempty" minLength:"1" maxLength:"200"`
	AuthURL   *string           `json:"authUrl,omitempty" minLength:"1" maxLength:"500"`
	TokenURL  *string           `json:"tokenUrl,omitempty" minLength:"1" maxLength:"500"`
	KeysURL   *string           `json:"keysUrl,omitempty" minLength:"1" maxLength:"500"`
	Audience  *string           `json:"audience,omitempty" maxLength:"500" doc:"Empty: tokenUrl"`
	Identity  *string           `json:"identity,omitempty" enum:"create,link"`
	Roles     *[]models.LTIRole `json:"roles,omitempty" maxItems:"20"`
	Status    *string           `json:"status,omitempty" enum:"active,disabled" doc:"disabled: it launches nothing and gets no grades"`
	UpdatedAt *time.Time        `json:"updatedAt,omitempty" doc:"The updatedAt that was read; stale_update when the platform has changed since"`
}

// Platform is a learning platform of a tenant.
type Platform struct {
	ID        ids.ID           `json:"id"`
	Name      string           `json:"name"`
	Status    string           `json:"status" enum:"active,disabled"`
	Issuer    string           `json:"issuer"`
	ClientID  string           `json:"clientId"`
	AuthURL   string           `json:"authUrl"`
	TokenURL  string           `json:"tokenUrl"`
	KeysURL   string           `json:"keysUrl"`
	Audience  string           `json:"audience"`
	Identity  string           `json:"identity" enum:"create,link"`
	Roles     []models.LTIRole `json:"roles" nullable:"false"`
	CreatedAt time.Time        `json:"createdAt"`
	UpdatedAt time.Time        `json:"updatedAt"`
}

func newPlatform(row models.LTIPlatform) Platform {
	return Platform{ID: row.ID, Name: row.Name, Status: row.Status, Issuer: row.Issuer, ClientID: row.ClientID, AuthURL: row.AuthURL, TokenURL: row.TokenURL,
		KeysURL: row.KeysURL, Audience: row.Audience, Identity: row.Identity, Roles: orEmpty(row.Roles), CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC()}
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func mayRead(tx *db.Tx) error {
	if tx.Can(capability.IntegrationsManage) {
		return nil
	}
	return tx.Require(capability.IntegrationsRead)
}

// ListPlatforms lists the platforms of the tenant by their names. It needs integrations.read or integrations.manage.
func ListPlatforms(ctx context.Context, tx *db.Tx, page db.Page) (db.List[Platform], error) {
	err := mayRead(tx)
	if err == nil {
		page, err = page.Check()
	}
	if err != nil {
		return db.List[Platform]{}, err
	}
	var rows []models.LTIPlatform
	total, err := db.ReadPage(ctx, tx.NewSelect().Model(&rows).Where("tenant_id = ?", tx.Tenant()), page, &rows, "name", "id")
	if err != nil {
		return db.List[Platform]{}, fmt.Errorf("list platforms: %w", err)
	}
	return db.NewList(mapAll(rows, newPlatform), page, total), nil
}

func mapAll[A, B any](all []A, to func(A) B) []B {
	out := make([]B, len(all))
	for i, one := range all {
		out[i] = to(one)
	}
	return out
}

// GetPlatform reads a platform. It needs integrations.read or integrations.manage. Errors: not_found.
func GetPlatform(ctx context.Context, tx *db.Tx, id ids.ID) (Platform, error) {
	err := mayRead(tx)
	if err != nil {
		return Platform{}, err
	}
	row, err := findPlatform(ctx, tx, "id = ?", id)
	return newPlatform(row), err
}

// PlatformByName finds a platform by its name, ignoring case. It needs integrations.read or integrations.manage. Errors:
// not_found, also if several have the name.
func PlatformByName(ctx context.Context, tx *db.Tx, name string) (Platform, error) {
	err := mayRead(tx)
	if err != nil {
		return Platform{}, err
	}
	var rows []models.LTIPlatform
	err = tx.NewSelect().Model(&rows).Where("tenant_id = ? and lower(name) = lower(?)", tx.Tenant(), name).Limit(2).Scan(ctx)
	if err == nil && len(rows) != 1 {
		err = errs.New(errs.NotFound, "There is no such learning platform, or several have the name.")
	}
	if err != nil {
		return Platform{}, fmt.Errorf("find platform: %w", err)
	}
	return newPlatform(rows[0]), nil
}

func findPlatform(ctx context.Context, tx *db.Tx, condition string, args ...any) (models.LTIPlatform, error) {
	return findRow[models.LTIPlatform](ctx, tx, "learning platform", condition, args...)
}

// findRow reads the row of the tenant that a condition names. Errors: not_found.
func findRow[R any](ctx context.Context, tx *db.Tx, what, condition string, args ...any) (R, error) {
	var rows []R
	err := tx.NewSelect().Model(&rows).Where("tenant_id = ?", tx.Tenant()).Where(condition, args...).Scan(ctx)
	if err == nil && len(rows) == 0 {
		err = errs.New(errs.NotFound, "There is no such %s.", what)
	}
	if err != nil {
		var none R
		return none, fmt.Errorf("find %s: %w", what, err)
	}
	return rows[0], nil
}

// CreatePlatform adds a platform. It needs integrations.manage, and gives nobody what the caller does not hold. Errors:
// validation_failed, duplicate_platform.
func CreatePlatform(ctx context.Context, tx *db.Tx, input PlatformInput) (Platform, error) {
	err := tx.Require(capability.IntegrationsManage)
	if err != nil {
		return Platform{}, err
	}
	row := models.LTIPlatform{TenantID: tx.Tenant(), ID: ids.New(), Name: input.Name, Status: models.ProviderActive, Issuer: input.Issuer, ClientID: input.ClientID,
		AuthURL: input.AuthURL, TokenURL: input.TokenURL, KeysURL: input.KeysURL, Audience: input.Audience, Identity: input.Identity, Roles: input.Roles,
		CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
	err = settle(ctx, tx, &row)
	if err != nil {
		return Platform{}, err
	}
	return addPlatform(ctx, tx, row)
}

func addPlatform(ctx context.Context, tx *db.Tx, row models.LTIPlatform) (Platform, error) {
	_, err := tx.NewInsert().Model(&row).Exec(ctx)
	if err != nil {
		return Platform{}, fmt.Errorf("create platform: %w", err)
	}
	return newPlatform(row), ledger.Append(ctx, tx, platformEvent("created", row))
}

// UpdatePlatform changes a platform. It needs what CreatePlatform needs. Again changes nothing. Errors: not_found,
// stale_update, validation_failed.
func UpdatePlatform(ctx context.Context, tx *db.Tx, id ids.ID, patch PlatformPatch) (Platform, error) {
	err := tx.Require(capability.IntegrationsManage)
	if err != nil {
		return Platform{}, err
	}
	_, err = tx.Exec(ctx, "select from lti_platforms where tenant_id = $1 and id = $2 for no key update", tx.Tenant(), id)
	if err != nil {
		return Platform{}, fmt.Errorf("lock platform: %w", err)
	}
	old, err := findPlatform(ctx, tx, "id = ?", id)
	if err == nil {
		err = db.Fresh(patch.UpdatedAt, old.UpdatedAt)
	}
	if err != nil {
		return Platform{}, err
	}
	row := patch.over(old)
	err = settle(ctx, tx, &row)
	if err != nil {
		return Platform{}, err
	}
	if samePlatform(row, old) {
		return newPlatform(old), nil
	}
	row.UpdatedAt = tx.ChangedAt(old.UpdatedAt)
	_, err = tx.NewUpdate().Model(&row).Where("tenant_id = ? and id = ?", tx.Tenant(), id).ExcludeColumn("tenant_id", "id", "issuer", "client_id", "created_at").Exec(ctx)
	if err != nil {
		return Platform{}, fmt.Errorf("update platform: %w", err)
	}
	return newPlatform(row), ledger.Append(ctx, tx, platformEvent("updated", row))
}

func (p PlatformPatch) over(row models.LTIPlatform) models.LTIPlatform {
	put(&row.Name, p.Name)
	put(&row.AuthURL, p.AuthURL)
	put(&row.TokenURL, p.TokenURL)
	put(&row.KeysURL, p.KeysURL)
	put(&row.Audience, p.Audience)
	put(&row.Identity, p.Identity)
	put(&row.Roles, p.Roles)
	put(&row.Status, p.Status)
	return row
}

func put[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

func samePlatform(a, b models.LTIPlatform) bool {
	return a.Name == b.Name && a.Status == b.Status && a.AuthURL == b.AuthURL && a.TokenURL == b.TokenURL && a.KeysURL == b.KeysURL &&
		a.Audience == b.Audience && a.Identity == b.Identity && slices.Equal(a.Roles, b.Roles)
}

// settle fills in the defaults and checks the whole.
func settle(ctx context.Context, tx *db.Tx, row *models.LTIPlatform) error {
	row.Name, row.ClientID = strings.TrimSpace(row.Name), strings.TrimSpace(row.ClientID)
	row.Audience, row.Identity, row.Roles = cmp.Or(row.Audience, row.TokenURL), cmp.Or(row.Identity, IdentityCreate), orEmpty(row.Roles)
	bad := errs.Line("name", row.Name, 200, true)
	bad = append(bad, errs.Line("clientId", row.ClientID, 300, true)...)
	bad = append(bad, errs.Line("audience", row.Audience, 500, row.TokenURL != "")...)
	bad = append(bad, errs.OneOf("identity", row.Identity, []string{IdentityCreate, IdentityLink})...)
	bad = append(bad, errs.OneOf("status", row.Status, []string{models.ProviderActive, models.ProviderDisabled})...)
	for _, a := range [][2]string{{"issuer", row.Issuer}, {"authUrl", row.AuthURL}, {"tokenUrl", row.TokenURL}, {"keysUrl", row.KeysURL}} {
		bad = append(bad, checkAddress(a[0], a[1])...)
	}
	worse, err := checkRoles(ctx, tx, row.Roles)
	if err != nil {
		return err
	}
	return errs.Invalid(append(bad, worse...)...)
}

func checkAddress(path, address string) []errs.Field {
	u, err := url.Parse(address)
	if err == nil && u.Scheme == "https" && hostForm.MatchString(u.Host) && u.User == nil && u.Fragment == "" && !strings.ContainsAny(address, " \t\r\n") {
		return nil
	}
	return []errs.Field{{Path: path, Code: "invalid", Message: "expected an address that begins with https://"}}
}

// hostForm is a host that may be part of the policy of a page (pkg/surface/httpapi), where a semicolon would end it.
var hostForm = regexp.MustCompile(`^[^;,'"<>*]+$`)

// checkRoles refuses roles that the caller does not hold.
func checkRoles(ctx context.Context, tx *db.Tx, roles []models.LTIRole) ([]errs.Field, error) {
	given := mapAll(roles, func(r models.LTIRole) ids.ID { return r.RoleID })
	bad, err := people.CheckRoles(ctx, tx, given)
	for i := range bad {
		bad[i].Path = strings.Replace(bad[i].Path, "roleIds[", "roles[", 1) + ".roleId"
	}
	for i, r := range roles {
		bad = append(bad, errs.Line(fmt.Sprintf("roles[%d].role", i), r.Role, 300, true)...)
	}
	return bad, err
}

func platformEvent(what string, row models.LTIPlatform) ledger.Event {
	return ledger.Event{Type: "lti_platform." + what, SubjectType: "lti_platform", SubjectID: row.ID, Payload: map[string]any{"status": row.Status, "issuer": row.Issuer,
		"clientId": row.ClientID, "authUrl": row.AuthURL, "tokenUrl": row.TokenURL, "keysUrl": row.KeysURL, "identity": row.Identity, "roles": row.Roles}}
}
