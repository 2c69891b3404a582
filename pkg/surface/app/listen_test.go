package app_test

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assess/config"
	"assess/pkg/surface/app"
)

// A taken address is told before a database is made.
func TestATakenAddressIsToldAtOnce(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	c := config.Default()
	c.HTTP.Listen = taken.Addr().String()
	c.Database.Embedded, c.Database.EmbeddedDir = true, filepath.Join(t.TempDir(), "pg")
	err = app.Serve(t.Context(), c, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "http.listen") {
		t.Errorf("got %v, want an error that names http.listen", err)
	}
	if _, err := os.Stat(c.Database.EmbeddedDir); err == nil {
		t.Error("a database was made")
	}
}
