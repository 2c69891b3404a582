package httpapi

import (
	"time"

	"assess/pkg/kernel/capability"
)

// On a busy machine a job can take longer than a caller waits for it.
func init() { quickFor = time.Minute }

// Line is a line of the route list as the tests see it.
type Line struct {
	Method, Path, ID string
	Needs            []capability.Capability
	Public, Once     bool
	LargeBody, Own   bool
	Upload, Linked   bool
}

// Lines gives the whole route list.
func Lines() []Line {
	var lines []Line
	for _, r := range new(Server).routes() {
		lines = append(lines, Line{r.Method, r.Path, r.ID, r.Needs, r.Public, r.Once, r.LargeBody, r.Own, r.Upload, r.Linked})
	}
	return lines
}
