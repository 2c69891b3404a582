package config

import (
	"os"
	"path/filepath"
	"testing"
)

// defaultsHere are the defaults of a program that is started in the working directory, without a settings file.
func defaultsHere(t *testing.T) Config {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	c := Default()
	c.Database.EmbeddedDir = filepath.Join(here, "var/pg")
	c.Mail.Folder, c.Blob.URL = filepath.Join(here, "var/mail"), "file://"+filepath.Join(here, "var/blob")
	return c
}

// Two programs that are started in different folders look for files in the same place.
func TestFoldersDoNotDependOnTheWorkingDirectory(t *testing.T) {
	etc := t.TempDir()
	write := func(text string) string {
		path := filepath.Join(etc, "assess.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, tt := range []struct {
		name, file             string
		env                    map[string]string
		pg, mail, blob, copies string
	}{
		{name: "the file names nothing", file: "jobs: {workers: 3}", pg: etc + "/var/pg", mail: etc + "/var/mail", blob: "file://" + etc + "/var/blob"},
		{name: "the file names folders", file: "mail: {folder: post}\nblob: {url: 'file://./blobs'}\nledger: {checkpoint_url: 'file://./copies'}",
			pg: etc + "/var/pg", mail: etc + "/post", blob: "file://" + etc + "/blobs", copies: "file://" + etc + "/copies"},
		{name: "the file names a private database", file: "database: {embedded: true, embedded_dir: data/pg}", pg: etc + "/data/pg", mail: etc + "/data/mail", blob: "file://" + etc + "/data/blob"},
		{name: "a private database elsewhere", env: map[string]string{"ASSESS_DATABASE_EMBEDDED": "true", "ASSESS_DATABASE_EMBEDDED_DIR": "/srv/a/pg", "ASSESS_BLOB_URL": "file://./files", "ASSESS_LEDGER_CHECKPOINT_URL": "file://./copies"},
			pg: "/srv/a/pg", mail: "/srv/a/mail", blob: "file:///srv/a/files", copies: "file:///srv/a/copies"},
		{name: "a bucket and absolute folders", file: "mail: {folder: /post}", env: map[string]string{"ASSESS_BLOB_URL": "s3://bucket?region=r", "ASSESS_LEDGER_CHECKPOINT_URL": "file:///copies"},
			pg: etc + "/var/pg", mail: "/post", blob: "s3://bucket?region=r", copies: "file:///copies"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for k, v := range tt.env {
				t.Setenv(k, v)
			}
			path := ""
			if tt.file != "" {
				path = write(tt.file)
			}
			for _, folder := range []string{t.TempDir(), t.TempDir()} {
				t.Chdir(folder)
				c, err := Load(path, nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range []struct{ got, want string }{
					{c.Database.EmbeddedDir, tt.pg}, {c.Mail.Folder, tt.mail}, {c.Blob.URL, tt.blob}, {c.Ledger.CheckpointURL, tt.copies},
				} {
					if f.got != f.want {
						t.Errorf("in %s: got %q, want %q", folder, f.got, f.want)
					}
				}
			}
		})
	}
}
