package access

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/job"
	"assess/pkg/people/people"
)

// LoginInput asks for a magic link.
type LoginInput struct {
	Tenant  string `json:"tenant" minLength:"1" maxLength:"63" doc:"Slug of the tenant" example:"north-college"`
	Email   string `json:"email" minLength:"3" maxLength:"320" doc:"E-mail address of the user" example:"ada@example.org"`
	OrgUnit string `json:"orgUnit,omitempty" maxLength:"63" doc:"Slug of the org unit to sign in to; default: the user's first"`
}

// RequestLink queues a magic link for an address. Whether the address is known shows
// neither in the outcome nor in the work done: an unknown one gets a link that leads
// nowhere and is never mailed. rate_limited after too many calls for the address or from
// the network address.
func (a *Authority) RequestLink(ctx context.Context, in LoginInput, remote string) error {
	tenant, email := strings.ToLower(strings.TrimSpace(in.Tenant)), strings.ToLower(strings.TrimSpace(in.Email))
	err := a.CountAddress(ctx, remote)
	if err != nil {
		return err
	}
	err = Allow(ctx, a.store, Limit{a.options.LoginPerEmail, time.Minute}, "login email "+tenant+" "+email)
	if err != nil {
		return err
	}
	tenantID, err := a.store.TenantBySlug(ctx, tenant)
	if errors.Is(err, errs.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return a.store.Write(ctx, db.System(tenantID, "login"), func(tx *db.Tx) error {
		return a.queueLink(ctx, tx, email, in.OrgUnit)
	})
}

func (a *Authority) queueLink(ctx context.Context, tx *db.Tx, email, orgUnit string) error {
	user, org, err := linkTarget(ctx, tx, email, orgUnit)
	if err != nil {
		return err
	}
	link := ids.New()
	_, err = tx.Exec(ctx, `
		insert into magic_links (tenant_id, id, user_id, org_unit_id, created_at, expires_at)
		values ($1, $2, $3, $4, $5, $6)`,
		tx.Tenant(), link, ids.Ref(user), ids.Ref(org), tx.Now(), tx.Now().Add(a.options.MagicLinkLifetime))
	if err != nil {
		return fmt.Errorf("store magic link: %w", err)
	}
	return job.Insert(ctx, tx, MailLink{Tenant: tx.Tenant(), Link: link})
}

// linkTarget finds the user and the org unit to sign in to; none and none when there is
// no such active member.
func linkTarget(ctx context.Context, tx *db.Tx, email, orgUnit string) (ids.ID, ids.ID, error) {
	user, err := people.UserByEmail(ctx, tx, email)
	if errors.Is(err, errs.NotFound) || errors.Is(err, errs.ValidationFailed) {
		return ids.None, ids.None, nil
	}
	if err != nil {
		return ids.None, ids.None, err
	}
	g, err := loadGrants(ctx, tx, user.ID)
	if err != nil {
		return ids.None, ids.None, err
	}
	if !g.active {
		return ids.None, ids.None, nil
	}
	for _, o := range user.OrgUnits {
		if orgUnit == "" && o.ID == g.orgUnits[0] || o.Slug == orgUnit {
			return user.ID, o.ID, nil
		}
	}
	return ids.None, ids.None, nil
}
