package pgdev

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// longestSocketPath is the limit of macOS; Linux allows 107 bytes.
const longestSocketPath = 103

const socketName = ".s.PGSQL.5432"

// folders says where the parts of a server are; see the package's documentation.
type folders struct {
	home, data, socket, log, lock string
}

// prepareFolders chooses the folders for dir and makes the home; the others are made
// when a server is started.
func prepareFolders(dir string, who account) (folders, error) {
	home, err := prepareHome(dir, who)
	if err != nil {
		return folders{}, err
	}
	return folders{
		home:   home,
		data:   filepath.Join(home, "data"),
		socket: socketFolder(home),
		log:    filepath.Join(home, "log"),
		lock:   filepath.Join(home, "lock"),
	}, nil
}

func prepareHome(dir string, who account) (string, error) {
	if dir == "" {
		return "", errors.New("pgdev needs a folder for the database: Options.Dir is empty")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("resolve the database folder: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make the database folder: %w", err)
	}
	// The kernel reports a process's folder without links, and we compare with that.
	dir, err = filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("resolve the database folder: %w", err)
	}
	if !who.other || who.canEnter(dir) {
		return dir, nil
	}
	home := homeElsewhere(dir)
	if err := makeOwned(home, 0o711, os.Geteuid()); err != nil {
		return "", err
	}
	return home, nil
}

// homeElsewhere is for a folder that the account of the server cannot enter.
func homeElsewhere(dir string) string { return "/var/tmp/assess-" + shortHash(dir) }

// Exists says whether a server was ever made for a folder, and makes nothing.
func Exists(dir string) bool {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return false
	}
	for _, home := range []string{dir, homeElsewhere(dir)} {
		_, err := os.Stat(filepath.Join(home, "data", "PG_VERSION"))
		if !errors.Is(err, fs.ErrNotExist) {
			return true // where we may not look, somebody else's server is
		}
	}
	return false
}

func socketFolder(home string) string {
	folder := filepath.Join(home, "socket")
	// A comma parts the entries of unix_socket_directories, and a quote guards them.
	if len(folder)+1+len(socketName) > longestSocketPath || strings.ContainsAny(folder, `,"`) {
		return "/tmp/assess-" + shortHash(home)
	}
	return folder
}

// shortHash keys a path: 48 bits are plenty for the checkouts of one machine.
func shortHash(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:6])
}

// preparePrivate makes a folder that only the account (and root) can enter.
func preparePrivate(folder string, who account) error {
	if err := makeOwned(folder, 0o700, who.uid); err != nil {
		return err
	}
	if err := os.Lchown(folder, who.uid, who.gid); err != nil {
		return fmt.Errorf("give the folder to PostgreSQL's account: %w", err)
	}
	return nil
}

// makeOwned makes a folder, or takes an existing one that belongs to us or to the owner.
// Names under /tmp can be guessed: somebody else's folder, or a link, is refused.
func makeOwned(folder string, mode fs.FileMode, owner int) error {
	if err := os.Mkdir(folder, mode); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make a folder for PostgreSQL: %w", err)
	}
	info, err := os.Lstat(folder)
	if err != nil {
		return fmt.Errorf("look at PostgreSQL's folder: %w", err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || (int(stat.Uid) != owner && int(stat.Uid) != os.Geteuid()) {
		return fmt.Errorf("%s is not a folder of ours: remove it, or use another database folder", folder)
	}
	if err := os.Chmod(folder, mode); err != nil {
		return fmt.Errorf("protect PostgreSQL's folder: %w", err)
	}
	return nil
}
