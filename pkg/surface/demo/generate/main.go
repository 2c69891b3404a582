// Command generate writes the generated files of the shipped sample anew, out of
// data/questions.csv and data/parameters.csv. Run it with "go generate ./pkg/surface/demo".
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"assess/pkg/surface/demo"
)

func main() {
	err := write("data")
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	files, err := demo.Build(os.DirFS(dir), demo.DefaultPersons, demo.DefaultSeed)
	if err != nil {
		return err
	}
	for name, content := range files {
		err = os.WriteFile(filepath.Join(dir, name), content, 0o644)
		if err != nil {
			return err
		}
	}
	return nil
}
