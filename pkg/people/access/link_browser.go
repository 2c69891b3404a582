package access

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Door is where the code of a link leads: to a submission, or without one to a report.
type Door struct {
	Submission, Link, OrgUnit ids.ID
	ExpiresAt                 time.Time
	// Open says that this browser has brought the code before.
	Open bool
	// SharedBy is the name of who made a link to a report; empty where they have none any more.
	SharedBy string
}

// NewBrowser makes the secret of a browser that brings a code; empty for text that is no code. It tells
// that browser from all others, and leads nowhere before OpenDoor.
func NewBrowser(code string) string {
	tenant := tenantOf(code)
	if tenant == ids.None {
		return ""
	}
	return newLinkToken(tenant)
}

var errCode = errs.New(errs.LinkInvalid, "This link is unknown, has expired, was withdrawn, or has been opened in another browser. Ask for a new one.")

// doorSQL: a code is good for the browser that brought it first, however often that comes again, so
// that a double click or a reload does no harm.
const doorSQL = `
select submission_id, id, org_unit_id, expires_at, browser_hash is not null, created_by from link_principals
where tenant_id = $1 and code_hash = $2 and revoked_at is null and expires_at > $4 and (browser_hash is null or browser_hash = $3)`

// FindDoor says where a code leads, and changes nothing: scanners of mail open links, too. Errors:
// link_invalid.
func (a *Authority) FindDoor(ctx context.Context, code, browser string) (Door, error) {
	return a.door(ctx, code, browser, func(*db.Tx, Door) error { return nil }, a.store.Read)
}

// OpenDoor binds the link of a code to the browser that brings it; note writes down that it did, in the
// same transaction, the first time. Of two browsers that come at once, one gets it. Errors: link_invalid.
func (a *Authority) OpenDoor(ctx context.Context, code, browser string, note func(*db.Tx, Door) error) (Door, error) {
	if tenantOf(browser) == ids.None || tenantOf(browser) != tenantOf(code) {
		return Door{}, errCode
	}
	hash := sha256.Sum256([]byte(browser))
	return a.door(ctx, code, browser, func(tx *db.Tx, d Door) error {
		bound, err := tx.Exec(ctx, "update link_principals set browser_hash = $3, opened_at = $4 where tenant_id = $1 and id = $2 and browser_hash is null",
			tx.Tenant(), d.Link, hash[:], tx.Now())
		if err != nil {
			return fmt.Errorf("open a link: %w", err)
		}
		if bound > 0 {
			return note(tx, d)
		}
		if d.Open {
			return nil
		}
		var same bool // another one may have come at the same moment
		return tx.QueryRow(ctx, "select true from link_principals where tenant_id = $1 and id = $2 and browser_hash = $3",
			tx.Tenant(), d.Link, hash[:]).Scan(&same)
	}, a.store.Write)
}

func (a *Authority) door(ctx context.Context, code, browser string, then func(*db.Tx, Door) error,
	in func(context.Context, db.Scope, func(*db.Tx) error) error,
) (Door, error) {
	var d Door
	tenant := tenantOf(code)
	if tenant == ids.None {
		return d, errCode
	}
	codeHash, browserHash := sha256.Sum256([]byte(code)), sha256.Sum256([]byte(browser))
	err := in(ctx, db.System(tenant, "link"), func(tx *db.Tx) error {
		var submission *ids.ID
		var maker string
		err := tx.QueryRow(ctx, doorSQL, tenant, codeHash[:], browserHash[:], tx.Now()).
			Scan(&submission, &d.Link, &d.OrgUnit, &d.ExpiresAt, &d.Open, &maker)
		if submission != nil {
			d.Submission = *submission
		} else if err == nil {
			d.SharedBy, err = NameOfMaker(ctx, tx, maker)
		}
		if err == nil {
			err = then(tx, d)
		}
		if errors.Is(err, pgx.ErrNoRows) {
			return errCode
		}
		return err
	})
	return d, err
}
