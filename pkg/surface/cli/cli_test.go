package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// asProgram names the setting with which this binary is assessctl, for tests that send it signals.
const asProgram = "TEST_AS_ASSESSCTL"

// The tests must not depend on the terminal and the settings of the person who runs them.
func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "ASSESS_") && name != "ASSESS_TEST_CITUS" || strings.HasPrefix(name, "LC_") {
			os.Unsetenv(name)
		}
	}
	os.Setenv("LANG", "C.UTF-8")
	os.Exit(m.Run())
}

// call is one run of assessctl and its output.
type call struct {
	out, err bytes.Buffer
	exit     int
}

func assessctl(args ...string) *call {
	c := &call{}
	c.exit = Main(args, strings.NewReader(""), &c.out, &c.err)
	return c
}

// piped is a session whose streams are not terminals.
func piped(format Format) (*Shell, *call) {
	c := &call{}
	s := newShell(strings.NewReader(""), &c.out, &c.err)
	s.Format = format
	return s, c
}
