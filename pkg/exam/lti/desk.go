package lti

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"github.com/coreos/go-oidc/v3/oidc"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
)

// The addresses for platforms and their people, relative to http.base_url. A tenant's slug follows the first two.
const (
	LoginPath    = "/api/v1/lti/login/"
	KeysPath     = "/api/v1/lti/keys/"
	LaunchPath   = "/api/v1/lti/launch"
	RegisterPath = "/api/v1/lti/register"
	// DeepLinksPath is where platforms send teachers who pick what an activity hands out. The secret of a pick follows.
	DeepLinksPath = "/api/v1/lti/deep-links"
)

// Desk takes the launches of learning platforms.
type Desk struct {
	store     *db.Store
	authority *access.Authority
	client    *http.Client
	base      string
	mu        sync.Mutex
	known     map[string]oidc.KeySet
	tokens    map[string]token
}

// NewDesk makes a desk that calls platforms with the client and is reached at the service's address.
func NewDesk(store *db.Store, authority *access.Authority, client *http.Client, baseURL string) *Desk {
	return &Desk{store: store, authority: authority, client: client, base: strings.TrimRight(baseURL, "/"), known: map[string]oidc.KeySet{}, tokens: map[string]token{}}
}

// keysOf are the keys of a platform, which follow a rotation at once.
func (d *Desk) keysOf(ctx context.Context, row models.LTIPlatform) oidc.KeySet {
	at := row.ID.String() + " " + row.KeysURL
	d.mu.Lock()
	defer d.mu.Unlock()
	keys := d.known[at]
	if keys == nil {
		// They are read when a token needs one, also long after this call.
		keys = oidc.NewRemoteKeySet(oidc.ClientContext(context.WithoutCancel(ctx), d.client), row.KeysURL)
		d.known[at] = keys
	}
	return keys
}

// The reasons of a refusal.
const (
	unknownPlatform   = "unknown_platform"
	unknownDeployment = "unknown_deployment"
	wrongState        = "state"
	wrongNonce        = "nonce"
	expiredToken      = "expired"
	wrongAudience     = "audience"
	wrongIssuer       = "issuer"
	wrongSignature    = "signature"
	wrongMessage      = "message_type"
	wrongVersion      = "version"
	wrongTarget       = "target"
	nobody            = "anonymous"
	noLink            = "no_link"
	otherOrgUnit      = "org_unit"
	deniedThere       = "denied"
	noApp             = "no_app"
	noReturn          = "return_url"
	otherItems        = "accept_types"
	mayNotPick        = "not_allowed"
	inFrame           = "frame"
)

func refused(reason, message string, args ...any) error {
	return errs.New(errs.LTILaunchRefused, message, args...).With("reason", reason)
}

func unavailable(why string) error { return away(nil, why) }

// away tells callers what is wrong with a platform, in words that contain neither its address nor its answer.
func away(err error, why string) error {
	return errs.Wrap(errs.LTIPlatformUnavailable, err, "The learning platform does not answer as it should: %s. Try again later.", why).With("reason", why)
}

// scopeOf is the scope of the work of a launch in an org unit.
func scopeOf(tenant, orgUnit ids.ID) db.Scope {
	scope := db.System(tenant, "lti")
	scope.OrgUnit = orgUnit
	return scope
}
