package assess_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"gopkg.in/yaml.v3"

	"assess/config"
	"assess/pkg/dev/dbtest"
)

// Settings that deploy/ and the scripts name must exist, also after one is renamed or removed.
func TestDeploymentNamesSettingsThatExist(t *testing.T) {
	t.Parallel()
	named := 0
	err := fs.WalkDir(os.DirFS("."), "deploy", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		for _, name := range variable.FindAllString(read(t, path), -1) {
			named++
			if name != "ASSESS_CONFIG" && !slices.ContainsFunc(config.Keys(), func(key string) bool {
				return name == "ASSESS_"+strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
			}) {
				t.Errorf("%s: there is no setting %s", path, name)
			}
		}
		return nil
	})
	if err != nil || named < 5 {
		t.Fatal(named, "settings", err)
	}
}

func TestComposeMountsFilesThatExist(t *testing.T) {
	t.Parallel()
	var compose struct {
		Services map[string]struct {
			Build     struct{ Context, Dockerfile string }
			Volumes   []string
			DependsOn map[string]any `yaml:"depends_on"`
		}
		Volumes map[string]any
	}
	err := yaml.Unmarshal([]byte(read(t, "deploy/compose.yaml")), &compose)
	if err != nil || len(compose.Services) < 3 {
		t.Fatal(len(compose.Services), "services", err)
	}
	for name, s := range compose.Services {
		for _, v := range s.Volumes {
			from, _, _ := strings.Cut(v, ":")
			_, err := os.Stat(filepath.Join("deploy", from))
			_, declared := compose.Volumes[from]
			if strings.HasPrefix(from, ".") && err != nil || !strings.HasPrefix(from, ".") && !declared {
				t.Errorf("%s mounts %s, which is not there", name, from)
			}
		}
		for other := range s.DependsOn {
			if _, there := compose.Services[other]; !there {
				t.Errorf("%s waits for %s, which is not there", name, other)
			}
		}
		if s.Build.Context != "" {
			read(t, filepath.Join("deploy", s.Build.Context, s.Build.Dockerfile))
		}
	}
}

// The roles that an administrator makes are the roles that the tests run with, except for their passwords.
func TestRolesOfDeploymentAreThoseOfTheTests(t *testing.T) {
	t.Parallel()
	urls := dbtest.Fresh(t)
	super, err := pgx.Connect(t.Context(), urls.Super)
	if err != nil {
		t.Fatal(err)
	}
	defer super.Close(t.Context()) //nolint:errcheck // the database goes with the test
	script := strings.NewReplacer("assess_app", "tried_app", "assess_owner", "tried_owner", "role assess ", "role tried ",
		"database assess ", "database "+pgx.Identifier{super.Config().Database}.Sanitize()+" ",
		":'login_password'", "'a'", ":'owner_password'", "'b'").Replace(read(t, "deploy/roles.sql"))
	tx, err := super.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context()) //nolint:errcheck // which takes the roles away
	_, err = tx.Exec(t.Context(), script)
	if err != nil {
		t.Fatal(err)
	}
	for tried, ours := range map[string]string{"tried_app": "assess_app", "tried": "assess", "tried_owner": "assess_owner"} {
		var got, want, gotMember, wantMember string
		err = tx.QueryRow(t.Context(), `
			with roles as (select rolname, format('%s%s%s%s%s%s', rolsuper, rolcreatedb, rolcreaterole, rolbypassrls, rolcanlogin, rolreplication) as may,
			  coalesce((select string_agg(replace(roleid::regrole::text, 'tried', 'assess'), ' ') from pg_auth_members where member = r.oid), '') as member
			  from pg_roles r)
			select a.may, b.may, a.member, b.member from roles a, roles b where a.rolname = $1 and b.rolname = $2`,
			tried, ours).Scan(&got, &want, &gotMember, &wantMember)
		if err != nil || got != want || gotMember != wantMember {
			t.Errorf("%s: got %s %q, the tests have %s %q (%v)", ours, got, gotMember, want, wantMember, err)
		}
	}
	var temporary bool
	err = tx.QueryRow(t.Context(), "select has_database_privilege('tried', current_database(), 'temporary')").Scan(&temporary)
	if err != nil || temporary {
		t.Errorf("the login may make temporary tables: %v (%v)", temporary, err)
	}
}

// The service may write only to its StateDirectory, so files have their place there.
func TestSystemdKeepsFilesWhereTheServiceMayWrite(t *testing.T) {
	t.Parallel()
	c, err := config.Load("deploy/systemd/config.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, folder, found := strings.Cut(read(t, "deploy/systemd/assessd.service"), "\nStateDirectory=")
	folder, _, _ = strings.Cut(folder, "\n")
	if !found || !strings.HasPrefix(c.Blob.URL, "file:///var/lib/"+folder+"/") {
		t.Errorf("blob.url is %s, StateDirectory %s", c.Blob.URL, folder)
	}
}
