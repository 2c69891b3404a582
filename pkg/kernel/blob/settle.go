package blob

import (
	"os"
	"path/filepath"
)

// settle makes a file of a folder survive a loss of power: its bytes, and its name in each
// folder above it, which may be new as well. A bucket has done so by itself.
func (s *Store) settle(name string) error {
	if s.folder == "" {
		return nil
	}
	place := filepath.Join(s.folder, filepath.FromSlash(name))
	for {
		err := flush(place)
		if err != nil || place == filepath.Clean(s.folder) {
			return err
		}
		place = filepath.Dir(place)
	}
}

func flush(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	err = f.Sync()
	if err != nil {
		f.Close() //nolint:errcheck // the error before tells more
		return err
	}
	return f.Close()
}
