package apptest

import (
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"assess/config"
	"assess/pkg/dev/dbtest"
)

// Prepared is a service that was filled once. Tests get copies of it, which takes less than to fill each.
type Prepared struct {
	app      App
	database dbtest.URLs
	files    fs.FS
}

// Prepare runs a service with a tenant and has it filled, in a test below t; then the service ends.
func Prepare(t *testing.T, fill func(*testing.T, *App)) *Prepared {
	t.Helper()
	p := Prepared{database: dbtest.Lasting(t)}
	filled := t.Run("prepared", func(t *testing.T) {
		folder := t.TempDir()
		app := start(t, p.database, folder).NewTenant(t)
		fill(t, app)
		p.app = *app
		var err error
		p.files, err = read(os.DirFS(folder))
		if err != nil {
			t.Fatal(err)
		}
	})
	if !filled {
		t.FailNow()
	}
	return &p
}

// read takes a folder into memory.
func read(folder fs.FS) (fs.FS, error) {
	files := fstest.MapFS{}
	return files, fs.WalkDir(folder, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(folder, path)
		files[path] = &fstest.MapFile{Data: data, Mode: 0o600}
		return err
	})
}

// Start runs a copy until the test ends, with tenant and ids of the one that was filled.
func (p *Prepared) Start(t testing.TB, changes ...func(*config.Config)) *App {
	t.Helper()
	folder := t.TempDir()
	err := os.CopyFS(folder, p.files)
	if err != nil {
		t.Fatal(err)
	}
	app := start(t, dbtest.Copy(t, p.database), folder, changes...)
	app.Scope, app.Tenant, app.OrgUnit, app.OtherOrgUnit = p.app.Scope, p.app.Tenant, p.app.OrgUnit, p.app.OtherOrgUnit
	return app
}
