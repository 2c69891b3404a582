package app_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/await"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
)

// The marks are in every field of a user that can tell who they are.
const (
	markName  = "Zzyzx Markworthy"
	markEmail = "zzyzx.mark@example.test"
	markMeta  = "badge-zzyzx-77"
)

// invite makes a candidate with marks in every field.
func (h *house) invite(t *testing.T) {
	t.Helper()
	h.insist(t, "/users", "u1", map[string]any{"email": markEmail, "name": markName, "metadata": map[string]any{"badge": markMeta},
		"roles": []string{capability.Candidate}}, nil)
}

// TestPersonalDataStaysInTheUserRecord sends a user with marks through everything that a
// running server does with people, and then looks for the marks in every table and in the
// log. Stored answers of idempotency keys may hold them until they are swept.
func TestPersonalDataStaysInTheUserRecord(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	d := h.start(t)
	h.token = h.admin(t)
	h.invite(t)
	status, p := h.call(t, http.MethodPost, "/users", "u2", map[string]any{"email": markEmail, "name": markName})
	if status != http.StatusConflict || strings.Contains(p.Message, "zzyzx") {
		t.Errorf("a second user of the address: got %d %q", status, p.Message)
	}
	h.insist(t, "/users/import/commit", "u3", map[string]any{
		"csv": fmt.Sprintf("email,name,meta.badge\n%s,%s,%s\n", markEmail, markName, markMeta)}, nil)
	h.email = markEmail
	h.askForLink(t)
	user := h.marked(t)
	h.users[0] = user
	h.sit(t, 0)
	h.move(t, user, "zzyzx.former@example.test")
	h.move(t, user, markEmail)
	d.terminate(t)
	if strings.Contains(strings.ToLower(d.log.String()), "zzyzx") {
		t.Errorf("the log tells who somebody is:\n%s", d.log)
	}
	if diff := cmp.Diff([]string{"public.idempotency_keys", "public.users"}, h.tablesWith(t, "zzyzx")); diff != "" {
		t.Error(diff)
	}
	// A proctor's reason for giving time is free text, and may name people no matter what the form says.
	if diff := cmp.Diff([]string{"public.session_actions"}, h.tablesWith(t, "crash test")); diff != "" || strings.Contains(d.log.String(), "crash test") {
		t.Errorf("the reason of a proctor is elsewhere too, maybe in the log: %s", diff)
	}
}

// move changes an address and waits until the former one was told of it and is forgotten.
func (h *house) move(t *testing.T, user ids.ID, address string) {
	t.Helper()
	status, p := h.call(t, http.MethodPatch, "/users/"+user.String(), ids.New().String(), map[string]any{"email": address})
	if status != http.StatusOK {
		t.Fatalf("got %d %q", status, p.Message)
	}
	await.Until(t, "a former address is forgotten", func() bool {
		kept := 1
		sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), "select count(*) from former_addresses where tenant_id = $1", tx.Tenant()).Scan(&kept)
		})
		return kept == 0
	})
}

func (h *house) admin(t *testing.T) string {
	t.Helper()
	var token access.Token
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		admin := sample.User(t, tx, capability.TenantAdmin)
		var err error
		token, err = access.NewAuthority(h.store, sample.Auth()).IssueToken(t.Context(), tx, admin.ID, ids.None)
		return err
	})
	return token.Token
}

func (h *house) marked(t *testing.T) ids.ID {
	t.Helper()
	var id ids.ID
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), "select id from users where email = $1", markEmail).Scan(&id)
	})
	return id
}

// tablesWith names the tables, of all schemas of ours, in which any column holds a word.
func (h *house) tablesWith(t *testing.T, word string) []string {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn, err := pgx.Connect(ctx, h.pg.SuperURL(database))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx) //nolint:errcheck // only read from
	rows, err := conn.Query(ctx, `select schemaname || '.' || tablename from pg_tables where schemaname in ('public', 'river') order by 1`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, table := range tables {
		var there bool
		// bytea shows as hex in a row's text; stored answers are the only bytea that holds text.
		err := conn.QueryRow(ctx, `select exists (select from `+table+` t where t::text ilike '%' || $1 || '%'
			or t::text ilike '%' || encode(convert_to($1, 'UTF8'), 'hex') || '%')`, word).Scan(&there)
		if err != nil {
			t.Fatal(err)
		}
		if there {
			found = append(found, table)
		}
	}
	return found
}
