package apidocs

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"sync"
)

//go:embed assets/page.html assets/scalar.js.gz assets/start.js
var files embed.FS

// asset is one script in both encodings.
type asset struct {
	version string // start of the SHA-256 of the stored bytes, in hex
	plain   func() ([]byte, error)
	gzipped []byte // nil when too small to be worth it
}

// loadAssets reads the embedded scripts. The large one is decompressed only for a client
// that does not accept gzip; every browser does.
func loadAssets() (map[string]asset, error) {
	reference, err := files.ReadFile("assets/scalar.js.gz")
	if err != nil {
		return nil, fmt.Errorf("apidocs: %w", err)
	}
	start, err := files.ReadFile("assets/start.js")
	if err != nil {
		return nil, fmt.Errorf("apidocs: %w", err)
	}
	return map[string]asset{
		"scalar.js": {
			version: version(reference),
			plain:   sync.OnceValues(func() ([]byte, error) { return decompress(reference) }),
			gzipped: reference,
		},
		"start.js": {
			version: version(start),
			plain:   func() ([]byte, error) { return start, nil },
		},
	}, nil
}

func version(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8])
}

func decompress(content []byte) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("apidocs: %w", err)
	}
	plain, err := io.ReadAll(reader)
	if err != nil {
		return nil, fmt.Errorf("apidocs: %w", err)
	}
	return plain, nil
}
