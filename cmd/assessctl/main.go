// Command assessctl runs an assessment service from the command line.
package main

import (
	"os"

	"assess/pkg/surface/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
