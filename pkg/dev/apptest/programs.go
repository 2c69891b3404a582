package apptest

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
)

var built = sync.OnceValues(func() (string, error) {
	folder := os.Getenv("ASSESS_PROGRAMS")
	if folder != "" {
		return folder, nil
	}
	folder, err := os.MkdirTemp("", "assess")
	if err != nil {
		return "", fmt.Errorf("make a folder for the programs: %w", err)
	}
	said, err := exec.Command("go", "build", "-o", folder+"/", "assess/cmd/assessd", "assess/cmd/assessctl").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, said)
	}
	return folder, nil
})

// Programs gives the folder of assessd and assessctl: the one that ASSESS_PROGRAMS names, where they were built
// for other uses too, or a new one.
func Programs(t testing.TB) string {
	t.Helper()
	folder, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return folder
}
