package sample

import "assess/config"

// BaseURL is http.base_url in the stores of tests.
const BaseURL = "https://assess.example.org"

// KeySecret seals the signing keys of tests.
const KeySecret = "not a secret, since every test knows it"

// Auth gives the default settings of signing in with a secret for signing keys.
func Auth() config.Auth {
	o := config.Default().Auth
	o.KeySecret = KeySecret
	return o
}
