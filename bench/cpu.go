package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// tick is the unit of /proc: a hundredth of a second on Linux.
const tick = 10 * time.Millisecond

// spent is processor time, user and system together.
type spent struct{ client, server, postgres time.Duration }

func (s spent) since(before spent) spent {
	return spent{s.client - before.client, s.server - before.server, s.postgres - before.postgres}
}

func (s spent) and(more spent) spent {
	return spent{s.client + more.client, s.server + more.server, s.postgres + more.postgres}
}

// spentSoFar reads the processor time of this process, of the server, and of the database with all
// its backends, including backends that have ended.
func spentSoFar(server, postmaster int) (spent, error) {
	var own syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &own)
	if err != nil {
		return spent{}, err
	}
	s := spent{client: time.Duration(own.Utime.Nano() + own.Stime.Nano())}
	serverTime, err := readStat(server)
	if err != nil {
		return spent{}, err
	}
	s.server = serverTime.own
	main, err := readStat(postmaster)
	if err != nil {
		return spent{}, err
	}
	s.postgres = main.own + main.ended
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return spent{}, err
	}
	for _, path := range all {
		pid, _ := strconv.Atoi(strings.Split(path, "/")[2])
		p, err := readStat(pid)
		if err == nil && p.parent == postmaster {
			s.postgres += p.own
		}
	}
	return s, nil
}

// stat is what /proc says about a process: its parent, its own time, and the time of its children
// that have ended.
type stat struct {
	parent     int
	own, ended time.Duration
}

func readStat(pid int) (stat, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, err
	}
	// The name in parentheses may hold anything; the fields after it are numbers.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	var n [17]int64
	for i := range n {
		n[i], _ = strconv.ParseInt(fields[i], 10, 64)
	}
	return stat{parent: int(n[1]), own: time.Duration(n[11]+n[12]) * tick, ended: time.Duration(n[13]+n[14]) * tick}, nil
}
