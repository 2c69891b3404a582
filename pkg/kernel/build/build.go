// Package build says which build a program is.
package build

import (
	"runtime"
	"runtime/debug"
	"sync"
)

// Build has the facts that the compiler wrote into the program.
type Build struct {
	Version  string `json:"version"`  // the tag of the commit, or one made of its time and hash; "unknown" outside of a repository
	Commit   string `json:"commit"`   // the whole hash; empty outside of a repository
	Time     string `json:"time"`     // of the commit, RFC 3339
	Modified bool   `json:"modified"` // whether files differed from the commit
	Go       string `json:"go"`
	Platform string `json:"platform"` // system/processor, as linux/amd64
}

// This is the build of the program that runs.
var This = sync.OnceValue(func() Build {
	b := Build{Version: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
})
