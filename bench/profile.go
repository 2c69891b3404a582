package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"time"
)

// startProfile writes a processor profile into the folder until stop is called; without a
// folder it does nothing.
func startProfile(folder, name string) (func(), error) {
	if folder == "" {
		return func() {}, nil
	}
	file, err := os.Create(filepath.Join(folder, fmt.Sprintf("%s-%d.pprof", name, time.Now().UnixMilli())))
	if err != nil {
		return nil, err
	}
	err = pprof.StartCPUProfile(file)
	if err != nil {
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		file.Close()
	}, nil
}
