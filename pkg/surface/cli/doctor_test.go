package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"assess/config"
	"assess/migrations"
	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/pgdev"
)

// emptyDatabase has an owner and no schema.
func emptyDatabase(t *testing.T) dbtest.URLs {
	t.Helper()
	server := dbtest.Server(t)
	name := fmt.Sprintf("assess_cli_%d_%d", os.Getpid(), time.Now().UnixNano())
	err := server.EnsureDatabase(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.Background()
		conn, err := pgx.Connect(ctx, server.SuperURL("postgres"))
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close(ctx)
		_, err = conn.Exec(ctx, "drop database "+name+" with (force)")
		if err != nil {
			t.Error(err)
		}
	})
	return dbtest.URLs{Super: server.SuperURL(name), Owner: server.OwnerURL(name), App: server.AppURL(name)}
}

// On a cluster doctor names the nodes, too, which TestDistribute looks at.
func TestDoctor(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	d := newDesk(t)
	d.say("doctor", "doctor -o json", "doctor -o csv")
	d.check("doctor_fine.txt")
}

func TestDoctorLooksAtTheApplication(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		app, base string
		origins   []string
		want      string
	}{
		{"", "https://api.example.org", nil, ""},
		{"https://app.example.org/start", "https://api.example.org", nil, StateWarning},
		{"https://app.example.org:8443/", "https://api.example.org", []string{"https://app.example.org"}, StateWarning},
		{"https://app.example.org/start", "https://api.example.org", []string{"https://app.example.org"}, StateOK},
		{"https://app.example.org/", "https://api.example.org", []string{"*"}, StateOK},
		{"https://example.org/app", "https://example.org/service", nil, StateOK},
	} {
		c := config.Default()
		c.Auth.AppURL, c.HTTP.BaseURL, c.HTTP.CORSOrigins = tt.app, tt.base, tt.origins
		d := &Diagnosis{State: StateOK}
		examineApp(c, d)
		got := ""
		if len(d.Findings) > 0 {
			got = d.Findings[0].State
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.app, got, tt.want)
		}
	}
}

func TestDoctorFindsProblems(t *testing.T) {
	t.Parallel()
	fresh := dbtest.Fresh(t)
	for _, tt := range []struct {
		name, settings string
		want           []string
	}{
		{"no database named", "log: {level: info}", []string{"no database is named", "set database.url"}},
		{"no server", "database: {url: 'postgres://assess@127.0.0.1:1/assess'}", []string{"problem  connection", "Remedy: start PostgreSQL"}},
		{"unknown login", "database: {url: '" + strings.Replace(fresh.App, "assess@", "stranger@", 1) + "'}", []string{"problem  connection", "Remedy: check user and password"}},
		{"superuser", "database: {url: '" + fresh.Super + "'}", []string{"is a superuser", "Remedy: log in as a plain role"}},
		{"owner", "database: {url: '" + fresh.Owner + "'}", []string{"owns tables", "keep this one for migrations"}},
		{"wrong settings", "database: {max_conns: 0, host: x}", []string{"database.host", "unknown key", "database.max_conns"}},
		{"no mail server", "database: {url: '" + fresh.App + "'}\nmail: {mode: smtp, smtp: {host: 127.0.0.1, port: 1}}", []string{"problem  mail", "does not answer"}},
		{"no superuser", "database: {url: '" + fresh.App + "', admin_url: 'postgres://root@127.0.0.1:1/assess'}", []string{"problem  database.admin_url"}},
		{"no replica", "database: {url: '" + fresh.App + "', report_url: 'postgres://assess@127.0.0.1:1/assess'}", []string{"problem  database.report_url"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "assess.yaml")
			err := os.WriteFile(file, []byte(tt.settings), 0o600)
			if err != nil {
				t.Fatal(err)
			}
			got := assessctl("doctor", "--config", file)
			if got.exit != exitFailed {
				t.Errorf("exit %d, want 1", got.exit)
			}
			for _, want := range tt.want {
				if !strings.Contains(got.out.String(), want) {
					t.Errorf("%q is missing from:\n%s", want, &got.out)
				}
			}
		})
	}
}

func TestDoctorWarns(t *testing.T) {
	t.Parallel()
	now := time.Date(2031, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tt := range []struct {
		name    string
		examine func(*Diagnosis)
		want    string
	}{
		{"tested version", func(d *Diagnosis) { d.version(18) }, StateOK},
		{"newer version", func(d *Diagnosis) { d.version(19) }, StateWarning},
		{"clocks agree", func(d *Diagnosis) { d.clocks(now, now.Add(time.Second), now.Add(-time.Second)) }, StateOK},
		{"database ahead", func(d *Diagnosis) { d.clocks(now, now, now.Add(5*time.Second)) }, StateWarning},
		{"database behind", func(d *Diagnosis) { d.clocks(now, now, now.Add(-5*time.Second)) }, StateWarning},
		{"slow answer", func(d *Diagnosis) { d.clocks(now, now.Add(9*time.Second), now.Add(5*time.Second)) }, StateOK},
		{"much room", func(d *Diagnosis) { d.disk("/data", 8*config.GiB) }, StateOK},
		{"little room", func(d *Diagnosis) { d.disk("/data", 512*config.MiB) }, StateWarning},
		{"no room", func(d *Diagnosis) { d.disk("/data", config.MiB) }, StateProblem},
		{"a problem stays one", func(d *Diagnosis) { d.problem("x", "", ""); d.warn("y", "", "") }, StateProblem},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := &Diagnosis{State: StateOK}
			tt.examine(d)
			if d.State != tt.want {
				t.Errorf("got %s, want %s: %v", d.State, tt.want, d.Findings)
			}
		})
	}
}

func TestDoctorSeesABacklog(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("tenant create northwind --name Northwind")
	conn, err := pgx.Connect(t.Context(), d.urls.Super)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	_, err = conn.Exec(t.Context(), `
		insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at)
		select id, 'submission', gen_random_uuid(), now() - interval '1 hour' from tenants`)
	if err == nil {
		_, err = conn.Exec(t.Context(), `
			insert into report_skill_stale (tenant_id, org_unit_id, skill_id, revision, marked_at)
			select id, gen_random_uuid(), gen_random_uuid(), 1, now() - interval '1 day' from tenants`)
	}
	if err != nil {
		t.Fatal(err)
	}
	got := d.run("doctor")
	for _, want := range []string{"projector: 1 change waits for its report", "percentiles: the overviews of 1 skill are more than"} {
		if got.exit != exitDone || !strings.Contains(got.out.String(), "warning  "+want) {
			t.Errorf("exit %d, not %q:\n%s", got.exit, want, &got.out)
		}
	}
	d.must("percentiles recompute --tenant northwind")
	if again := d.run("doctor").out.String(); strings.Contains(again, "overviews") {
		t.Errorf("after they were derived:\n%s", again)
	}
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	d := deskOn(t, emptyDatabase(t))
	d.say("tenant list", "doctor")
	dry := d.run("migrate --dry-run").out.String()
	place := 0
	for _, m := range migrations.All() {
		at := strings.Index(dry[place:], m.SQL)
		if at < 0 {
			t.Fatalf("a dry run does not print %s, or not in its place", m.File())
		}
		place += at
	}
	if got := d.count("select count(*) from pg_tables where schemaname in ('public', 'river')"); got != 0 {
		t.Errorf("a dry run made %d tables", got)
	}
	d.say("migrate", "migrate", "migrate -o json", "tenant list")
	var names, applied []string
	for _, m := range migrations.All() {
		names, applied = append(names, m.Name), append(applied, "applied "+m.Name+"\n")
	}
	said := strings.NewReplacer(strings.Join(names, ", "), "<every migration>", strings.Join(applied, ""), "applied <every migration>\n").Replace(d.said.String())
	d.said.Reset()
	d.said.WriteString(said)
	d.check("migrate.txt")
}

func TestMigrateSaysWhatAnAdministratorHasToDo(t *testing.T) {
	t.Parallel()
	urls := dbtest.Fresh(t)
	file := filepath.Join(t.TempDir(), "assess.yaml")
	for _, tt := range []struct{ name, settings, want string }{
		{"no owner's URL", "database: {url: '" + urls.App + "'}", "ASSESS_DATABASE_OWNER_URL"},
		{"no owner", "database: {owner_url: '" + strings.Replace(urls.Owner, "assess_owner@", "landlord@", 1) + "'}", `create role "landlord" login`},
		{"no server", "database: {owner_url: 'postgres://o:secret@127.0.0.1:1/a'}", "cannot connect"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := os.WriteFile(file, []byte(tt.settings), 0o600)
			if err != nil {
				t.Fatal(err)
			}
			got := assessctl("migrate", "--config", file)
			if got.exit == exitDone || !strings.Contains(got.err.String(), tt.want) || strings.Contains(got.err.String(), "secret") {
				t.Errorf("exit %d, stderr:\n%s", got.exit, &got.err)
			}
		})
	}
}

func TestSetupSQL(t *testing.T) {
	t.Parallel()
	want := `  create role assess_app nologin;
  create role "clerk" login password '...' in role assess_app;
  create role "landlord" login password '...';
  create database "school" owner "landlord";`
	got := setupSQL("postgres://landlord:secret@h/school", "postgres://clerk:secret@h/school")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// openFolder is one that PostgreSQL's account can enter too.
func openFolder(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "cli-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	err = os.Chmod(folder, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// TestEmbedded goes from nothing to a tenant with only the private server.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	dbtest.Server(t) // skips where there are no server programs
	d := deskOn(t, dbtest.URLs{})
	folder := openFolder(t)
	err := os.WriteFile(d.settings, []byte(fmt.Sprintf("database: {embedded_dir: %q}\n", folder)), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if got := d.run("tenant list --embedded"); got.exit != exitUsage || !strings.Contains(got.err.String(), "there is no private database in "+folder) || pgdev.Exists(folder) {
		t.Errorf("without a private database: exit %d, stderr %q", got.exit, &got.err)
	}
	d.must("migrate --embedded")
	d.must("tenant create northwind --name Northwind --embedded")
	if got := d.must("doctor --embedded"); !strings.Contains(got, "private database: runs in") || !strings.Contains(got, "disk: ") {
		t.Errorf("doctor:\n%s", got)
	}
	_, err = pgdev.Attach(t.Context(), pgdev.Options{Dir: folder, Durable: true})
	if err == nil {
		t.Error("the server that assessctl started still runs")
	}
}
