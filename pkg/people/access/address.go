package access

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"assess/pkg/kernel/db"
)

// AddressSpent says whether a network address has used up the calls without a token that it
// has a minute, and counts none. Errors: rate_limited.
func (a *Authority) AddressSpent(ctx context.Context, remote string) error {
	limit := a.perAddress()
	hash := sha256.Sum256([]byte(addressKey(remote)))
	var ahead float64
	err := a.store.Unscoped().QueryRow(ctx, `
		select coalesce((select extract(epoch from next_free - clock_timestamp()) from rate_limits where key = $1), 0)::float8`,
		hash[:]).Scan(&ahead)
	if err != nil {
		return fmt.Errorf("look at limit: %w", db.Translate(err))
	}
	if ahead <= limit.slack().Seconds() {
		return nil
	}
	return limit.refusal(ahead)
}

// CountAddress counts a call without a token. Requests for a link count, and so do calls that
// are invalid or try a link that does not work; redeeming a link does not, since everybody in a
// room may come from one address.
func (a *Authority) CountAddress(ctx context.Context, remote string) error {
	return Allow(ctx, a.store, a.perAddress(), addressKey(remote))
}

func (a *Authority) perAddress() Limit { return Limit{a.options.LoginPerAddress, time.Minute} }

func addressKey(remote string) string { return "login address " + remote }
