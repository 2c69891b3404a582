package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// machine says where and when the figures were taken.
type machine struct {
	Processor  string `json:"processor"`
	Cores      int    `json:"cores"`
	Go         string `json:"go"`
	PostgreSQL string `json:"postgresql"`
	Date       string `json:"date"`
}

func (m machine) String() string {
	return fmt.Sprintf("%s, %d cores, %s, PostgreSQL %s", m.Processor, m.Cores, m.Go, m.PostgreSQL)
}

func (h *house) about(ctx context.Context) (machine, error) {
	m := machine{Processor: processor(), Cores: runtime.NumCPU(), Go: runtime.Version(), Date: time.Now().UTC().Format(time.DateOnly)}
	err := h.super.QueryRow(ctx, "select current_setting('server_version')").Scan(&m.PostgreSQL)
	m.PostgreSQL, _, _ = strings.Cut(m.PostgreSQL, " ")
	return m, err
}

func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		name, value, _ := strings.Cut(line, ":")
		if strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
