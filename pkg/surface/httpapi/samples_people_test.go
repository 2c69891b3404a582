package httpapi_test

import (
	"maps"
	"strings"

	"assess/pkg/kernel/ids"
)

func init() {
	maps.Copy(noun, map[string]func(p place) map[string]ids.ID{
		"updateRole":     func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Role} },
		"deleteRole":     func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Role} },
		"getUser":        func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.User} },
		"grantRole":      func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.User} },
		"revokeRole":     func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.User, "roleId": p.Granted} },
		"updateUser":     func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.User} },
		"deactivateUser": func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.User} },
		"reactivateUser": func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.User} },
		"listAccounts":   func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.User} },
		"linkAccount":    func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.User} },
		"unlinkAccount":  func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.User, "accountId": p.Account} },

		"getIdentityProvider":       identityProvider,
		"updateIdentityProvider":    identityProvider,
		"disableIdentityProvider":   identityProvider,
		"setIdentityProviderSecret": identityProvider,
		"testIdentityProvider":      identityProvider,
		"makeIdentityProviderKey":   identityProvider,

		"getGroup":        group,
		"updateGroup":     group,
		"previewGroup":    group,
		"listMembers":     group,
		"addMembers":      group,
		"rotateJoinToken": group,
		"dropJoinToken":   group,
		"removeMember":    func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Group, "userId": p.User} },
		"deleteGroup":     func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.SpareGroup} },
		"joinGroup":       func(place) map[string]ids.ID { return nil }, // its path holds a token
	})
	maps.Copy(body, map[string]func(p place) any{
		"createRole": func(place) any {
			return map[string]any{"name": "R " + ids.New().String(), "capabilities": []string{"reporting.view"}}
		},
		"updateRole":     func(place) any { return map[string]any{"description": "changed"} },
		"refreshToken":   func(place) any { return nil },
		"createUser":     func(place) any { return map[string]any{"email": ids.New().String() + "@example.org", "name": "N"} },
		"updateUser":     func(place) any { return map[string]any{"name": "New name"} },
		"deactivateUser": func(place) any { return nil },
		"reactivateUser": func(place) any { return nil },
		"linkAccount":    func(p place) any { return map[string]any{"providerId": p.IDP, "subject": ids.New().String()} },
		"createIdentityProvider": func(p place) any {
			return map[string]any{"slug": "s" + ids.New().String(), "name": "N", "issuer": "https://login.example.org", "clientId": "assess", "orgUnitId": p.OrgUnit}
		},
		"updateIdentityProvider":    func(place) any { return map[string]any{"name": "New name"} },
		"disableIdentityProvider":   func(place) any { return nil },
		"setIdentityProviderSecret": func(place) any { return map[string]any{"secret": "not a secret"} },
		"testIdentityProvider":      func(place) any { return nil },
		"makeIdentityProviderKey":   func(place) any { return nil },
		"stepUp":                    toProvider,
		"linkMyAccount":             toProvider,
		"createGroup":               func(place) any { return map[string]any{"name": "G " + ids.New().String()} },
		"updateGroup":               func(place) any { return map[string]any{"description": "changed"} },
		"previewGroup":              func(place) any { return map[string]any{"membership_rule": sampleRule} },
		"addMembers":                func(p place) any { return map[string]any{"userIds": []ids.ID{p.Actor}} },
		"rotateJoinToken":           func(place) any { return nil },
		"joinGroup":                 func(place) any { return nil },
		"grantRole":                 func(p place) any { return map[string]any{"roleId": p.Spare} },
		"previewUsers":              csv("email\nada@example.org\n"),
		"commitUsers":               func(place) any { return map[string]any{"csv": "email\n" + ids.New().String() + "@example.org\n"} },
	})
}

func toProvider(p place) any {
	return map[string]any{"provider": p.Strong, "redirectUri": "http://127.0.0.1:4711/", "codeChallenge": strings.Repeat("x", 43)}
}

func identityProvider(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.IDP} }

func group(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Group} }

var sampleRule = map[string]any{"all": []any{map[string]any{"key": "cohort", "op": "exists"}}}
