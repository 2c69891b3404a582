// Command assessd serves the assessment service over HTTP.
package main

import (
	"os"

	"assess/pkg/surface/app"
)

func main() {
	os.Exit(app.Main(os.Args[1:], os.Stdout, os.Stderr))
}
