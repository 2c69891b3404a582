package config

import (
	"fmt"
	"path/filepath"
	"strings"
)

// beforeFolder begins the address of a store that is a folder, which may be relative.
const beforeFolder = "file://"

// resolve makes every folder absolute, so that each program means the same one wherever it is started.
// Folders in the settings file start from the file's own folder. Everything else is next to the private
// database; with another database, it is where the settings file is, or in the working directory without one.
func (l *loader) resolve(c *Config) error {
	file, err := filepath.Abs(filepath.Dir(l.file)) // for "" this is the working directory
	if err != nil {
		return fmt.Errorf("find the working directory: %w", err)
	}
	if c.Database.Embedded && !l.inFile("database.embedded_dir") {
		c.Database.EmbeddedDir, err = filepath.Abs(c.Database.EmbeddedDir)
		if err != nil {
			return fmt.Errorf("find the working directory: %w", err)
		}
	}
	c.Database.EmbeddedDir = within(file, c.Database.EmbeddedDir)
	for key, folder := range map[string]*string{"mail.folder": &c.Mail.Folder, "blob.url": &c.Blob.URL, "ledger.checkpoint_url": &c.Ledger.CheckpointURL} {
		base := file
		if !l.inFile(key) && (c.Database.Embedded || l.source(key) == "") {
			base = filepath.Dir(c.Database.EmbeddedDir)
		}
		*folder = within(base, *folder)
	}
	return nil
}

// inFile says that the settings file decides on a key.
func (l *loader) inFile(key string) bool { return strings.HasPrefix(l.source(key), "file ") }

// within gives the path of a folder, or the address of a store, that starts from another folder. The address of a
// bucket does not change, nor does an empty value.
func within(base, folder string) string {
	path, isAddress := strings.CutPrefix(folder, beforeFolder)
	if folder == "" || strings.Contains(folder, "://") && !isAddress || filepath.IsAbs(path) {
		return folder
	}
	path = filepath.Join(base, path)
	if isAddress {
		return beforeFolder + filepath.ToSlash(path)
	}
	return path
}
