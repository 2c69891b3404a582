package lti

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/people/access"
)

// TicketLifetime is how long a link for a registration works.
const TicketLifetime = 24 * time.Hour

// Registration is a link that lets a platform register itself, once.
type Registration struct {
	ID        ids.ID    `json:"id"`
	URL       string    `json:"url" doc:"What an administrator of the platform opens there (Moodle: Tool URL). Shown once"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// CreateRegistration makes a link that lets a platform register itself, once, within a day. It needs integrations.manage. Errors: validation_failed where http.base_url is
// none that platforms can call.
func CreateRegistration(ctx context.Context, tx *db.Tx) (Registration, error) {
	err := tx.Require(capability.IntegrationsManage)
	if err != nil {
		return Registration{}, err
	}
	if len(checkAddress("", tx.BaseURL())) > 0 {
		return Registration{}, errs.Invalid(errs.Field{Path: "http.base_url", Code: "invalid", Message: fmt.Sprintf(
			"the link begins with it, and platforms call only addresses that begin with https://: set it to the public address of the service; it is %q", tx.BaseURL())})
	}
	ticket := access.NewToken(tx.Tenant())
	r := Registration{ID: ids.New(), URL: tx.BaseURL() + RegisterPath + "?" + url.Values{"ticket": {ticket}}.Encode(), ExpiresAt: tx.Now().Add(TicketLifetime).UTC()}
	_, err = tx.Exec(ctx, "insert into lti_registrations (tenant_id, id, ticket_hash, created_by, created_at, expires_at) values ($1, $2, $3, $4, $5, $6)",
		tx.Tenant(), r.ID, hashOf(ticket), tx.Actor().String(), tx.Now(), r.ExpiresAt)
	if err != nil {
		return Registration{}, fmt.Errorf("store a link for a registration: %w", err)
	}
	return r, ledger.Append(ctx, tx, ledger.Event{Type: "lti_registration.created", SubjectType: "lti_registration", SubjectID: r.ID})
}

// RegisterInput has the parameters with which a platform opens the link (LTI Dynamic Registration
// 1.0, section 3.3).
type RegisterInput struct{ Ticket, Configuration, Token string }

// configuration is what a platform says about itself.
type configuration struct {
	Issuer      string `json:"issuer"`
	AuthURL     string `json:"authorization_endpoint"`
	TokenURL    string `json:"token_endpoint"`
	KeysURL     string `json:"jwks_uri"`
	RegisterURL string `json:"registration_endpoint"`
	Audience    string `json:"authorization_server"`
}

// registered is how a platform answers a registration.
type registered struct {
	ClientID string `json:"client_id"`
	Tool     struct {
		Deployment string `json:"deployment_id"`
	} `json:"https://purl.imsglobal.org/spec/lti-tool-configuration"`
}

// Register registers the tenant as a tool at the platform that opened the link, and keeps the platform. Nobody launches
// anything by it until an administrator allows a deployment. Errors: link_invalid, lti_platform_unavailable,
// duplicate_platform, rate_limited.
func (d *Desk) Register(ctx context.Context, input RegisterInput, remote string) (Platform, error) {
	tenant := access.TenantOf(input.Ticket)
	err := d.authority.CountAddress(ctx, remote)
	if err == nil && tenant == ids.None {
		err = spent()
	}
	if err != nil {
		return Platform{}, err
	}
	slug := ""
	err = d.store.Read(ctx, db.System(tenant, "lti"), func(tx *db.Tx) error {
		err := tx.QueryRow(ctx, `
			select t.slug from lti_registrations r join tenants t on t.id = r.tenant_id
			where r.tenant_id = $1 and r.ticket_hash = $2 and r.used_at is null and r.expires_at > $3`, tx.Tenant(), hashOf(input.Ticket), tx.Now()).Scan(&slug)
		if errors.Is(err, pgx.ErrNoRows) {
			return spent()
		}
		return err
	})
	if err != nil {
		return Platform{}, err
	}
	c, err := d.configurationAt(ctx, input.Configuration)
	if err != nil {
		return Platform{}, err
	}
	said, err := d.introduce(ctx, c, slug, input.Token)
	if err != nil {
		return Platform{}, err
	}
	var p Platform
	err = d.store.Write(ctx, db.System(tenant, "lti"), func(tx *db.Tx) error {
		p, err = keepPlatform(ctx, tx, input.Ticket, c, said)
		return err
	})
	return p, err
}

func spent() error {
	return errs.New(errs.LinkInvalid, "This link is unknown, expired or used. Ask an administrator of the service for a new one.")
}

// configurationAt reads what a platform says of itself; it says it at its own host (section 3.4).
func (d *Desk) configurationAt(ctx context.Context, address string) (configuration, error) {
	var c configuration
	if len(checkAddress("", address)) > 0 {
		return c, unavailable("it does not say where its configuration is")
	}
	err := d.ask(ctx, http.MethodGet, address, map[string]string{"Accept": "application/json"}, nil, &c)
	if err != nil {
		return c, err
	}
	for _, one := range []string{c.Issuer, c.AuthURL, c.TokenURL, c.KeysURL, c.RegisterURL} {
		if len(one) > 500 || len(checkAddress("", one)) > 0 {
			return c, unavailable("its configuration lacks an address, or has one that does not begin with https://")
		}
	}
	if hostOf(c.Issuer) != hostOf(address) {
		return c, unavailable("its configuration is that of another platform")
	}
	return c, nil
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// introduce says to a platform what the tool is (section 3.5).
func (d *Desk) introduce(ctx context.Context, c configuration, tenant, token string) (registered, error) {
	var said registered
	launch := d.base + LaunchPath
	body, err := json.Marshal(map[string]any{
		"application_type": "web", "response_types": []string{"id_token"}, "grant_types": []string{"implicit", "client_credentials"},
		"initiate_login_uri": d.base + LoginPath + tenant, "redirect_uris": []string{launch}, "client_name": "Assessment service", "jwks_uri": d.base + KeysPath + tenant,
		"token_endpoint_auth_method": "private_key_jwt", "scope": strings.Join(scopes, " "),
		"https://purl.imsglobal.org/spec/lti-tool-configuration": map[string]any{
			"domain": hostOf(d.base), "target_link_uri": launch, "description": "Exams", "claims": []string{"iss", "sub", "name", "given_name", "family_name"},
			"messages": []map[string]any{{"type": resourceLink, "target_link_uri": launch}, {"type": deepLinking, "target_link_uri": d.base + DeepLinksPath}},
		}})
	if err != nil {
		return said, fmt.Errorf("say what the tool is: %w", err)
	}
	header := map[string]string{"Content-Type": "application/json", "Accept": "application/json"}
	if token != "" {
		header["Authorization"] = "Bearer " + token
	}
	err = d.ask(ctx, http.MethodPost, c.RegisterURL, header, body, &said)
	if err == nil && (said.ClientID == "" || len(said.ClientID) > 300) {
		err = unavailable("it gives no client id")
	}
	return said, err
}

// scopes are the scopes that the tool may request from a platform.
var scopes = []string{scopeScore, scopeMembers}

const (
	scopeScore   = "https://purl.imsglobal.org/spec/lti-ags/scope/score"
	scopeMembers = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"
)

// keepPlatform uses the link up and stores the platform.
func keepPlatform(ctx context.Context, tx *db.Tx, ticket string, c configuration, said registered) (Platform, error) {
	n, err := tx.Exec(ctx, "update lti_registrations set used_at = $3 where tenant_id = $1 and ticket_hash = $2 and used_at is null and expires_at > $3", tx.Tenant(), hashOf(ticket), tx.Now())
	if err == nil && n == 0 {
		err = spent()
	}
	if err != nil {
		return Platform{}, err
	}
	row := models.LTIPlatform{TenantID: tx.Tenant(), ID: ids.New(), Name: hostOf(c.Issuer), Status: models.ProviderActive, Issuer: c.Issuer, ClientID: said.ClientID,
		AuthURL: c.AuthURL, TokenURL: c.TokenURL, KeysURL: c.KeysURL, Audience: line(c.Audience, 500), CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
	err = settle(ctx, tx, &row)
	if err != nil {
		return Platform{}, err
	}
	p, err := addPlatform(ctx, tx, row)
	if err != nil || said.Tool.Deployment == "" || len(said.Tool.Deployment) > maxID {
		return p, err
	}
	_, err = tx.Exec(ctx, "insert into lti_deployments (tenant_id, id, platform_id, deployment_id, created_at, updated_at) values ($1, $2, $3, $4, $5, $5)",
		tx.Tenant(), ids.New(), row.ID, said.Tool.Deployment, tx.Now())
	if err != nil {
		return p, fmt.Errorf("write down a deployment: %w", err)
	}
	return p, nil
}
