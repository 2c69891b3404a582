// Package idp signs people in with the identity provider of their institution (OpenID Connect, code flow).
//
// A sign-in begins at Start, goes to the provider, and comes back at Return: with PKCE, a nonce, and a state that is good
// once, for ten minutes, in the browser that began it. It ends as a link in a mail does, in a code that the application
// trades for a token (package access). Calls to the provider go out while no transaction is open.
//
// A person is known by what the provider calls them (sub), never by an address, which changes hands. An address links an
// account to a user once, and only where the tenant said that the provider vouches for addresses of the domain, the
// user takes exams and does nothing else, and no other account of the provider is linked to them.
//
// Tables: identity_providers, sign_in_flows; user_accounts is kept by package people.
//
// Error codes: provider_unavailable, sign_in_refused, sign_in_expired, account_link_needed, not_found, forbidden,
// validation_failed, duplicate_slug, stale_update, rate_limited.
//
// Ledger events: identity_provider.created, .updated, .secret_set; user.account_linked, and those of package people for
// somebody who comes the first time.
package idp
