package pgdev

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// ErrNoPrograms says that the machine lacks a PostgreSQL server, and what to do.
var ErrNoPrograms = errors.New("no PostgreSQL server programs of version 15 or newer found: " +
	"run `make setup` as root, or install Debian's package `postgresql`, or put the folder of initdb on PATH")

const (
	oldestMajor   = 15
	debianFolders = "/usr/lib/postgresql/*/bin"
)

// programs is a folder with initdb and postgres of one major version.
type programs struct {
	folder string
	major  int
}

func (p programs) path(name string) string { return filepath.Join(p.folder, name) }

// findPrograms prefers what PATH offers, then the newest version among the folders that
// match the pattern. With a major version other than 0 only that version will do, since
// only the version that made a cluster can open it.
func findPrograms(pattern string, major int) (programs, error) {
	var best programs
	for i, folder := range candidates(pattern) {
		found, ok := inspect(folder)
		if !ok || (major != 0 && found.major != major) {
			continue
		}
		if i == 0 {
			return found, nil
		}
		if found.major > best.major {
			best = found
		}
	}
	if best.major != 0 {
		return best, nil
	}
	if major != 0 {
		return programs{}, fmt.Errorf("the cluster was made by PostgreSQL %d: %w", major, ErrNoPrograms)
	}
	return programs{}, ErrNoPrograms
}

// Major is the version of PostgreSQL that makes new clusters here.
func Major() (int, error) {
	found, err := findPrograms(debianFolders, 0)
	return found.major, err
}

// candidates lists the folders to look into; the first is the one on PATH, or empty.
func candidates(pattern string) []string {
	folders, _ := filepath.Glob(pattern) // fails only for a malformed pattern, and ours are constants
	return append([]string{folderOnPath()}, folders...)
}

// folderOnPath follows links: PATH may have only a link to initdb, without postgres next to it.
func folderOnPath() string {
	found, err := exec.LookPath("initdb")
	if err != nil {
		return ""
	}
	resolved, err := filepath.EvalSymlinks(found)
	if err != nil {
		return ""
	}
	return filepath.Dir(resolved)
}

var versionLine = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// inspect says whether both programs are there and new enough.
func inspect(folder string) (programs, bool) {
	if folder == "" {
		return programs{}, false
	}
	p := programs{folder: folder}
	if _, err := exec.LookPath(p.path("initdb")); err != nil {
		return programs{}, false
	}
	out, err := exec.Command(p.path("postgres"), "--version").Output()
	if err != nil {
		return programs{}, false
	}
	match := versionLine.FindSubmatch(out)
	if match == nil {
		return programs{}, false
	}
	p.major, err = strconv.Atoi(string(match[1]))
	return p, err == nil && p.major >= oldestMajor
}
