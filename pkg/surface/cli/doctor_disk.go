package cli

import (
	"fmt"
	"syscall"

	"assess/config"
)

// The free space below which doctor warns, and below which PostgreSQL is about to stop.
const (
	spaceLow  = 1 * config.GiB
	spaceGone = 128 * config.MiB
)

func examineDisk(folder string, d *Diagnosis) {
	var fs syscall.Statfs_t
	err := syscall.Statfs(folder, &fs)
	if err != nil {
		d.warn("disk", "the free space of "+folder+" cannot be read: "+err.Error(), "check the folder")
		return
	}
	d.disk(folder, config.Bytes(fs.Bavail)*config.Bytes(fs.Bsize))
}

func (d *Diagnosis) disk(folder string, free config.Bytes) {
	finding := fmt.Sprintf("%d MiB are free in %s", free/config.MiB, folder)
	remedy := "make room, or move database.embedded_dir to a larger disk"
	switch {
	case free < spaceGone:
		d.problem("disk", finding, remedy)
	case free < spaceLow:
		d.warn("disk", finding, remedy)
	default:
		d.ok("disk", finding)
	}
}
