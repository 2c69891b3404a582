package dbtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"assess/pkg/kernel/pgdev"
)

// URLs lead to one database in three roles.
type URLs struct {
	// Super may do anything; for looking at what policies hide.
	Super string
	// Owner owns the tables.
	Owner string
	// App is what the programs log in as.
	App string
	// Name is the name of the database.
	Name string
}

// Clone gives the database that all tests of this binary share. It is made on first use.
func Clone(t testing.TB) URLs {
	t.Helper()
	need(t)
	urls, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return urls
}

// Fresh gives one test a migrated database of its own; it is dropped when the test ends.
func Fresh(t testing.TB) URLs {
	t.Helper()
	return Copy(t, URLs{Name: need(t).template})
}

// Lasting gives a migrated database that stays until the test binary ends: one to fill and to copy.
func Lasting(t testing.TB) URLs {
	t.Helper()
	s := need(t)
	name, err := s.clone(s.template)
	if err != nil {
		t.Fatal(err)
	}
	return s.urls(name)
}

// Copy gives one test its own copy of a database; it is dropped when the test ends. Nobody may be
// connected to the original.
func Copy(t testing.TB, of URLs) URLs {
	t.Helper()
	s := need(t)
	name, err := s.clone(of.Name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.drop(name); err != nil {
			t.Error(err)
		}
	})
	return s.urls(name)
}

// Server gives the server that the databases live on.
func Server(t testing.TB) *pgdev.Server {
	t.Helper()
	return need(t).server
}

var shared = sync.OnceValues(func() (URLs, error) {
	s, err := joined()
	if err != nil {
		return URLs{}, err
	}
	name, err := s.clone(s.template)
	return s.urls(name), err
})

// joined lasts as long as the test binary.
var joined = sync.OnceValues(func() (*session, error) {
	dir, err := checkoutFolder()
	if err != nil {
		return nil, err
	}
	s, err := join(context.Background(), dir)
	if err != nil {
		return nil, err
	}
	return s, ensureKeeper(dir)
})

func need(t testing.TB) *session {
	t.Helper()
	s, err := joined()
	if errors.Is(err, pgdev.ErrNoPrograms) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// checkoutFolder is .pg/test-15 next to the nearest go.mod, named after the version of
// PostgreSQL that PATH offers: tests run in their package's folder, and each version has a
// cluster of its own.
func checkoutFolder() (string, error) {
	major, err := pgdev.Major()
	if err != nil {
		return "", err
	}
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the checkout: %w", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, ".pg", fmt.Sprintf("%s-%d", folderName(), major)), nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod above %s", start)
		}
	}
}
