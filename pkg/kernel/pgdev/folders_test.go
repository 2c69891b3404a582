package pgdev

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSocketFolder(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, home string
		moved      bool
	}{
		{"short", "/srv/assess", false},
		{"longest", "/" + strings.Repeat("a", longestSocketPath-len("//socket/")-len(socketName)), false},
		{"too long", "/" + strings.Repeat("a", longestSocketPath-len("//socket/")-len(socketName)+1), true},
		{"comma", "/srv/a,b", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := socketFolder(test.home)
			if length := len(got + "/" + socketName); length > longestSocketPath {
				t.Errorf("the socket's path has %d bytes", length)
			}
			if moved := !strings.HasPrefix(got, test.home); moved != test.moved {
				t.Errorf("got %s, moved %v, want %v", got, moved, test.moved)
			}
		})
	}
}

func TestFolderOfSomebodyElseIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink("/", link); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{link, file} {
		if err := preparePrivate(folder, account{uid: os.Geteuid(), gid: os.Getegid()}); err == nil {
			t.Errorf("%s was taken for a folder of ours", folder)
		}
	}
}
