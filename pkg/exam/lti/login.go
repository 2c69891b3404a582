package lti

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
)

// FlowLifetime is how long a launch may stay at the platform.
const FlowLifetime = 10 * time.Minute

// perAddress bounds the launches that begin at one network address, where a whole campus may be.
var perAddress = access.Limit{N: 6000, Per: time.Minute}

// maxValue bounds what a platform sends, in bytes.
const maxValue = 4096

// LoginInput has the parameters that begin a launch (1EdTech Security Framework, section 5.1.1.1).
type LoginInput struct{ Tenant, Issuer, ClientID, LoginHint, MessageHint string }

// Login begins a launch in a browser and says where to send it. browser is the secret that the browser keeps until it comes
// back. Errors: lti_launch_refused, rate_limited.
func (d *Desk) Login(ctx context.Context, input LoginInput, browser, remote string) (string, error) {
	err := access.Allow(ctx, d.store, perAddress, "lti login "+remote)
	if err != nil {
		return "", err
	}
	row, err := d.platformOf(ctx, input)
	if errors.Is(err, errs.LTILaunchRefused) {
		counted := d.authority.CountAddress(ctx, remote)
		if counted != nil {
			return "", counted
		}
	}
	if err != nil {
		return "", err
	}
	state, nonce := access.NewToken(row.TenantID), rand.Text()+rand.Text()
	err = d.store.Write(ctx, db.System(row.TenantID, "lti"), func(tx *db.Tx) error {
		_, err := tx.Exec(ctx, `
			insert into lti_flows (tenant_id, id, platform_id, state_hash, browser_hash, nonce_hash, created_at, expires_at) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
			tx.Tenant(), ids.New(), row.ID, hashOf(state), hashOf(browser), hashOf(nonce), tx.Now(), tx.Now().Add(FlowLifetime))
		return err
	})
	if err != nil {
		return "", fmt.Errorf("store a launch: %w", err)
	}
	return d.authorise(row, input, state, nonce)
}

// platformOf finds the platform that begins a launch. A tenant that is not there has none.
func (d *Desk) platformOf(ctx context.Context, input LoginInput) (models.LTIPlatform, error) {
	unknown := refused(unknownPlatform, "This learning platform is not connected here. Whoever runs it compares the addresses and the client id with what an administrator here has set.")
	var row models.LTIPlatform
	for _, value := range []string{input.Issuer, input.ClientID, input.LoginHint, input.MessageHint} {
		if len(value) > maxValue {
			return row, unknown
		}
	}
	if input.Issuer == "" || input.LoginHint == "" {
		return row, unknown
	}
	tenant, err := d.store.TenantBySlug(ctx, input.Tenant)
	if errors.Is(err, errs.NotFound) {
		return row, unknown
	}
	if err != nil {
		return row, err
	}
	err = d.store.Read(ctx, db.System(tenant, "lti"), func(tx *db.Tx) error {
		var rows []models.LTIPlatform
		q := tx.NewSelect().Model(&rows).Where("tenant_id = ? and issuer = ? and status = ?", tx.Tenant(), input.Issuer, models.ProviderActive)
		if input.ClientID != "" {
			q = q.Where("client_id = ?", input.ClientID)
		}
		err := q.Limit(2).Scan(ctx)
		if err != nil {
			return fmt.Errorf("find the platform of a launch: %w", err)
		}
		if len(rows) != 1 { // without a client id, two of one issuer are nobody
			return unknown
		}
		row = rows[0]
		return nil
	})
	return row, err
}

func hashOf(secret string) []byte {
	hash := sha256.Sum256([]byte(secret))
	return hash[:]
}

// authorise is where the browser goes at the platform (section 5.1.1.2).
func (d *Desk) authorise(row models.LTIPlatform, input LoginInput, state, nonce string) (string, error) {
	to, err := url.Parse(row.AuthURL)
	if err != nil {
		return "", fmt.Errorf("read the address of a platform: %w", err)
	}
	q := to.Query()
	for name, value := range map[string]string{"scope": "openid", "response_type": "id_token", "response_mode": "form_post", "prompt": "none", "client_id": row.ClientID,
		"redirect_uri": d.base + LaunchPath, "state": state, "nonce": nonce, "login_hint": input.LoginHint} {
		q.Set(name, value)
	}
	if input.MessageHint != "" {
		q.Set("lti_message_hint", input.MessageHint)
	}
	to.RawQuery = q.Encode()
	return to.String(), nil
}

// flow is a launch that came back.
type flow struct {
	row   models.LTIPlatform
	nonce []byte
}

// resume takes up a launch, once, in the browser that began it. Another browser does not use it up.
func (d *Desk) resume(ctx context.Context, state, browser string) (flow, error) {
	tenant := access.TenantOf(state)
	if tenant == ids.None || browser == "" {
		return flow{}, stateGone()
	}
	var f flow
	err := d.store.Write(ctx, db.System(tenant, "lti"), func(tx *db.Tx) error {
		var err error
		f, err = takeFlow(ctx, tx, state, browser)
		return err
	})
	return f, err
}

func stateGone() error {
	return refused(wrongState, "This launch is over, was used before, or began in another browser. Go back to the course and open the activity again.")
}

func takeFlow(ctx context.Context, tx *db.Tx, state, browser string) (flow, error) {
	var f flow
	var platform ids.ID
	err := tx.QueryRow(ctx, `
		update lti_flows set used_at = $4 where tenant_id = $1 and state_hash = $2 and browser_hash = $3 and used_at is null and expires_at > $4
		returning platform_id, nonce_hash`, tx.Tenant(), hashOf(state), hashOf(browser), tx.Now()).Scan(&platform, &f.nonce)
	if errors.Is(err, pgx.ErrNoRows) {
		return f, stateGone()
	}
	if err != nil {
		return f, fmt.Errorf("take up a launch: %w", err)
	}
	f.row, err = findPlatform(ctx, tx, "id = ? and status = ?", platform, models.ProviderActive)
	if errors.Is(err, errs.NotFound) {
		return f, stateGone()
	}
	return f, err
}
