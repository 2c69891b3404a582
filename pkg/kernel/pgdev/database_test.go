package pgdev_test

import (
	"testing"

	"assess/pkg/kernel/pgdev"
)

func TestEnsureDatabase(t *testing.T) {
	t.Parallel()
	server := start(t, pgdev.Options{Dir: folder(t)})
	const name = `odd "name"`
	for range 2 {
		if err := server.EnsureDatabase(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name, url, user string
		mayCreate       bool
	}{
		{"owner", server.OwnerURL(name), "assess_owner", true},
		{"app", server.AppURL(name), "assess", false},
		{"super", server.SuperURL(name), "postgres", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			conn := connect(t, test.url)
			if got := query(t, conn, "select current_user || ' in ' || current_database()"); got != test.user+" in "+name {
				t.Errorf("connected as %s", got)
			}
			_, err := conn.Exec(t.Context(), "create table public.made_by_"+test.name+"()")
			if got := err == nil; got != test.mayCreate {
				t.Errorf("may create tables: %v (%v), want %v", got, err, test.mayCreate)
			}
		})
	}
}
