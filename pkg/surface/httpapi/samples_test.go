package httpapi_test

import "assess/pkg/kernel/ids"

// Each area describes valid requests to its routes in a file of its own,
// samples_<area>_test.go: noun names the records in the path, body gives the body. A route
// that is in neither has no parameters, or no body.
var (
	noun = map[string]func(p place) map[string]ids.ID{}
	body = map[string]func(p place) any{}
)

// tenantWide routes name records that the org units of a tenant share.
var tenantWide = map[string]bool{"updateRole": true, "deleteRole": true, "getUser": true, "updateUser": true, "deactivateUser": true,
	"reactivateUser": true, "grantRole": true, "listAccounts": true, "linkAccount": true, "unlinkAccount": true,
	"getIdentityProvider": true, "updateIdentityProvider": true, "disableIdentityProvider": true, "setIdentityProviderSecret": true, "testIdentityProvider": true, "makeIdentityProviderKey": true,
	"revokeRole": true, "listUserSubmissions": true}

// refusedByData are routes whose valid body above cannot succeed on the sample.
var refusedByData = map[string]bool{"commitEvaluations": true}

func csv(text string) func(place) any {
	return func(place) any { return map[string]any{"csv": text} }
}
