package apptest

import (
	"testing"

	"assess/config"
	"assess/pkg/dev/sample"
	"assess/pkg/people/access"
)

// Beside starts a second process of the same service: it shares the database and the files, but no memory. Its
// settings may differ.
func (a *App) Beside(t testing.TB, changes ...func(*config.Config)) *App {
	t.Helper()
	c := config.Default()
	c.Auth = sample.Auth()
	for _, change := range changes {
		change(&c)
	}
	other := *a
	other.Authority = access.NewAuthority(a.Store, c.Auth)
	other.serve(t, c)
	return &other
}
