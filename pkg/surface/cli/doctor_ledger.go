package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"assess/config"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/plural"
	"assess/pkg/people/access"
	"assess/pkg/trust/signer"
	"assess/pkg/trust/translog"
)

// examinedLogs bounds how many tenants doctor looks at, one read each.
const examinedLogs = 1000

// logs are the findings of doctor about the logs of tenants.
type logs struct {
	late, uncopied, sealed, beyond, outside int
	oldest, kept                            time.Duration
}

// examineLedger looks whether events come under signed checkpoints in time, whether the checkpoints have
// their copies outside the database, and whether the keys that sign can be opened.
func examineLedger(ctx context.Context, store *db.Store, c config.Config, d *Diagnosis) {
	auth, err := access.WithKeySecret(c)
	if err != nil {
		return // examineKeys has said so
	}
	var found logs
	tenants, err := store.Tenants(ctx)
	for _, tenant := range tenants[:min(len(tenants), examinedLogs)] {
		if err == nil {
			err = found.add(ctx, store, tenant, auth.KeySecret, c.Ledger.CheckpointEvery+time.Minute)
		}
	}
	if err != nil {
		d.problem("ledger", err.Error(), "look into the log of PostgreSQL")
		return
	}
	if len(tenants) > examinedLogs {
		d.warn("ledger", fmt.Sprintf("only %d of %d tenants were looked at", examinedLogs, len(tenants)), "assessctl ledger verify looks at one")
	}
	found.report(c, d)
}

// add looks at one tenant. Entries that wait for longer than allowed are late.
func (l *logs) add(ctx context.Context, store *db.Store, tenant ids.ID, secret string, allowed time.Duration) error {
	return store.Read(ctx, db.System(tenant, "doctor"), func(tx *db.Tx) error {
		at, err := translog.GetStanding(ctx, tx)
		if err != nil {
			return err
		}
		if age := ageOf(at.Since, tx.Now()); age > allowed {
			l.late, l.oldest = l.late+1, max(l.oldest, age)
		}
		if age := ageOf(at.Kept, tx.Now()); age > allowed {
			l.uncopied, l.kept = l.uncopied+1, max(l.kept, age)
		}
		if at.Beyond {
			l.beyond++
		}
		if at.Outside > 0 {
			l.outside++
		}
		err = signer.Check(ctx, tx, secret)
		if errors.Is(err, signer.ErrSealed) {
			l.sealed++
			return nil
		}
		return err
	})
}

func ageOf(at *time.Time, now time.Time) time.Duration {
	if at == nil {
		return 0
	}
	return now.Sub(*at)
}

func (l logs) report(c config.Config, d *Diagnosis) {
	copies := c.Ledger.CheckpointURL != ""
	if l.sealed > 0 {
		d.problem("ledger", fmt.Sprintf("auth.key_secret does not open the key that signs for %s: there is no new checkpoint, and no receipt",
			plural.Of(l.sealed, "tenant")), "give the secret that assessd has; where it is lost, assessctl ledger keys rotate --lost makes a new key outside the chain")
	}
	if l.late > 0 {
		d.warn("ledger", fmt.Sprintf("events of %s wait for a signed checkpoint, the oldest for %s", plural.Of(l.late, "tenant"), l.oldest.Round(time.Second)),
			"run assessd with jobs.enabled, or assessctl ledger sequence; its log says what stands in the way")
	}
	if copies && l.uncopied > 0 {
		d.problem("ledger", fmt.Sprintf("checkpoints of %s have no copy in ledger.checkpoint_url, the oldest for %s", plural.Of(l.uncopied, "tenant"), l.kept.Round(time.Second)),
			"look into the log of assessd: either the store cannot be written to, or it has another checkpoint of the same size, which means that the log was rewritten")
	}
	if l.beyond > 0 {
		d.problem("ledger", fmt.Sprintf("the copies of the checkpoints of %s are marked as made beyond the newest checkpoint, so none is made any more", plural.Of(l.beyond, "tenant")),
			"find out who changed ledger_logs.published, and set it to 0: what is outside already is compared and not replaced")
	}
	if l.outside > 0 {
		d.problem("ledger", fmt.Sprintf("trust_keys of %s has keys that no key of the chain signed", plural.Of(l.outside, "tenant")),
			"assessctl ledger verify names them; they count for nobody, unless they were made with ledger keys rotate --lost and told to those who check")
	}
	switch {
	case l.sealed+l.late+l.beyond+l.outside > 0 || copies && l.uncopied > 0:
	case copies:
		d.ok("ledger", "events are under signed checkpoints, which have their copies in ledger.checkpoint_url")
	default:
		d.ok("ledger", "events are under signed checkpoints; ledger.checkpoint_url is not set, so only who keeps checkpoints by hand can prove that none was replaced")
	}
}
