package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// wal is what was written to the log: records, their bytes without page images, which depend on the checkpoints
// and not on the work, and those images; and how many of the records are commits.
type wal struct {
	records, bytes, images, commits int
	// relations holds the same by table, index or kind of record.
	relations map[string]wal
}

func (w *wal) add(of wal) {
	w.records += of.records
	w.bytes += of.bytes
	w.images += of.images
	w.commits += of.commits
}

// walSince reads the log from a position to its end with pg_waldump, which is installed next to the server.
func (h *house) walSince(ctx context.Context, from string) (wal, error) {
	postmaster, err := h.postmaster()
	if err != nil {
		return wal{}, err
	}
	server, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", postmaster))
	if err != nil {
		return wal{}, err
	}
	to, err := h.walPosition(ctx)
	if err != nil {
		return wal{}, err
	}
	names, err := h.relations(ctx)
	if err != nil {
		return wal{}, err
	}
	dump := exec.CommandContext(ctx, filepath.Join(filepath.Dir(server), "pg_waldump"),
		"--path", filepath.Join(h.postgres.Home(), "data", "pg_wal"), "--start", from, "--end", to)
	dump.Stderr = os.Stderr
	out, err := dump.StdoutPipe()
	if err != nil {
		return wal{}, err
	}
	err = dump.Start()
	if err != nil {
		return wal{}, err
	}
	w, err := readWAL(out, names)
	if err != nil {
		return wal{}, err
	}
	return w, dump.Wait()
}

// walPosition is how far the log is flushed: everything committed is before it.
func (h *house) walPosition(ctx context.Context) (string, error) {
	var lsn string
	err := h.super.QueryRow(ctx, "select pg_current_wal_flush_lsn()::text").Scan(&lsn)
	return lsn, err
}

// relations gives the names of tables and indexes by the numbers of their files.
func (h *house) relations(ctx context.Context) (map[string]string, error) {
	names := map[string]string{}
	rows, err := h.super.Query(ctx, `
		select pg_relation_filenode(c.oid)::text, coalesce(of.relname, c.relname) || case when of.relname is not null then ' (large values)' else '' end
		from pg_class c left join pg_class of on of.reltoastrelid = c.oid where pg_relation_filenode(c.oid) is not null`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var file, name string
		err := rows.Scan(&file, &name)
		if err != nil {
			return nil, err
		}
		names[file] = name
	}
	return names, rows.Err()
}

// walLine finds the kind, the lengths without and with images, what was done, and the first
// relation that it was done to.
var walLine = regexp.MustCompile(`^rmgr: (\S+)\s+len \(rec/tot\):\s*(\d+)/\s*(\d+).* desc: (\S+)(?:.*?rel \d+/\d+/(\d+))?`)

func readWAL(from io.Reader, names map[string]string) (wal, error) {
	all := wal{relations: map[string]wal{}}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		found := walLine.FindStringSubmatch(lines.Text())
		if found == nil {
			continue
		}
		length, _ := strconv.Atoi(found[2])
		total, _ := strconv.Atoi(found[3])
		one := wal{records: 1, bytes: length, images: total - length}
		if found[1] == "Transaction" && strings.HasPrefix(found[4], "COMMIT") {
			one.commits = 1
		}
		name := names[found[5]]
		if name == "" {
			name = found[1]
		}
		of := all.relations[name]
		of.add(one)
		all.relations[name] = of
		all.add(one)
	}
	return all, lines.Err()
}
