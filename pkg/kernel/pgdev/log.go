package pgdev

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

const (
	longestLog  = 16 << 20
	longestTail = 4 << 10
)

// openLog appends to the log; one that has grown long becomes log.1 first.
func openLog(path string) (*os.File, error) {
	if logSize(path) > longestLog {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, fmt.Errorf("set PostgreSQL's old log aside: %w", err)
		}
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open PostgreSQL's log: %w", err)
	}
	return file, nil
}

func logSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// logTail gives the end of what was written since the log had the given size. It serves
// error messages, so a log that cannot be read is an empty one.
func logTail(path string, since int64) []byte {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	size := logSize(path)
	if since > size {
		since = 0 // the log was set aside in between
	}
	since = max(since, size-longestTail)
	tail, err := io.ReadAll(io.NewSectionReader(file, since, size-since))
	if err != nil {
		return nil
	}
	return bytes.TrimSpace(tail)
}
