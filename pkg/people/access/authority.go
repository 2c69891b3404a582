package access

import (
	"github.com/maypok86/otter/v2"

	"assess/config"
	"assess/pkg/kernel/db"
)

// Authority issues and checks tokens.
type Authority struct {
	store   *db.Store
	options config.Auth
	keys    *keyring
	grants  *grantCache
	tokens  *otter.Cache[string, verified]
}

// NewAuthority makes an Authority; run Follow with it, so that it may cache.
func NewAuthority(store *db.Store, o config.Auth) *Authority {
	return &Authority{
		store:   store,
		options: o,
		keys:    &keyring{store: store, secret: o.KeySecret},
		grants:  newGrantCache(store),
		tokens:  otter.Must(&otter.Options[string, verified]{MaximumSize: 50_000}),
	}
}
