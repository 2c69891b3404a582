// Package peer runs an OpenID provider next to a test: npm's oidc-provider, which the OpenID Foundation has certified, as a
// process of its own. Its sign-in page (provider.mjs) believes any name that somebody types, and has a box for a second
// factor.
//
// scripts/oidc installs it. Where it is missing tests are skipped, but with CI set they fail. Only tests may import this
// package.
package peer
