package migrations

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"
)

//go:embed *.sql
var files embed.FS

const suffix = ".tx.up.sql"

// Migration is one file. Name is the name of the file without its ending, such as "0001_scope";
// Hash is the SHA-256 of SQL in hexadecimal.
type Migration struct {
	Name, Hash, SQL string
}

// File is the name of the file.
func (m Migration) File() string { return m.Name + suffix }

// Applied is a row of applied_migrations.
type Applied struct {
	Name, Hash string
	AppliedAt  time.Time
}

// All gives the migrations that the program carries, in order.
var All = sync.OnceValue(func() []Migration {
	all, err := read(files)
	if err != nil {
		panic(err) // they are part of the program
	}
	return all
})

func read(from fs.FS) ([]Migration, error) {
	names, err := fs.Glob(from, "*"+suffix)
	if err != nil {
		return nil, err
	}
	var all []Migration
	for _, name := range names {
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return nil, fmt.Errorf("read migration %s: %w", name, err)
		}
		hash := sha256.Sum256(text)
		all = append(all, Migration{strings.TrimSuffix(name, suffix), hex.EncodeToString(hash[:]), string(text)})
	}
	return all, nil
}

// Hash names the schema: a change in any file gives another hash.
func Hash() string {
	h := sha256.New()
	for _, m := range All() {
		fmt.Fprintln(h, m.Name, m.Hash)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Missing gives the migrations of all that are not applied, in order. An error names a file
// that differs from the one that was applied under its name. Applied migrations that are not
// among all are from a newer program, and do not matter here.
func Missing(all []Migration, applied []Applied) ([]Migration, error) {
	hashes := map[string]string{}
	for _, a := range applied {
		hashes[a.Name] = a.Hash
	}
	var missing []Migration
	for _, m := range all {
		hash, there := hashes[m.Name]
		if !there {
			missing = append(missing, m)
			continue
		}
		if hash != m.Hash {
			return nil, &EditedError{m.File(), hash, m.Hash}
		}
	}
	return missing, nil
}

// EditedError says that a file differs from the one that was applied to the database under its name.
type EditedError struct {
	File, Applied, Hash string
}

// Error names the file and both hashes.
func (e *EditedError) Error() string {
	return fmt.Sprintf("migrations/%s is not what was applied to this database (SHA-256 %.12s…, applied %.12s…)", e.File, e.Hash, e.Applied)
}
