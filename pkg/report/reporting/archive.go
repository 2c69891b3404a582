package reporting

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"time"

	"assess/pkg/kernel/sheet"
)

// sheets are the CSV files of an archive while its questions are read. The first goes into the
// archive at once; the others wait in unnamed files, since an archive takes its entries one after
// the other.
type sheets struct {
	all   []*sheet.Writer
	disks []*os.File
	rows  []int
}

func openTables(archive *zip.Writer) (*sheets, error) {
	s := &sheets{rows: make([]int, len(tables))}
	for i, t := range tables {
		to, err := s.open(archive, i)
		if err != nil {
			s.close()
			return nil, fmt.Errorf("open %s: %w", t.name, err)
		}
		w := sheet.NewWriter(to)
		s.all = append(s.all, w)
		err = w.Write(t.columns)
		if err != nil {
			s.close()
			return nil, fmt.Errorf("open %s: %w", t.name, err)
		}
	}
	return s, nil
}

func (s *sheets) open(archive *zip.Writer, i int) (io.Writer, error) {
	if i == 0 {
		return createEntry(archive, tables[i].name)
	}
	disk, err := os.CreateTemp("", "assess-")
	if err != nil {
		return nil, err
	}
	s.disks = append(s.disks, disk)
	return disk, os.Remove(disk.Name())
}

// add writes a piece to all files.
func (s *sheets) add(piece []exported) error {
	for i, t := range tables {
		for _, e := range piece {
			for _, row := range t.linesOf(e) {
				s.rows[i]++
				err := s.all[i].Write(row)
				if err != nil {
					return err
				}
			}
		}
		s.all[i].Flush()
	}
	return nil
}

// into moves the waiting files that have rows into the archive and lists everything in it.
func (s *sheets) into(archive *zip.Writer) ([]ManifestFile, error) {
	listed := []ManifestFile{}
	for i, t := range tables {
		s.all[i].Flush()
		err := s.all[i].Error()
		if err != nil {
			return nil, err
		}
		if i > 0 && s.rows[i] == 0 {
			continue
		}
		listed = append(listed, ManifestFile{t.name, s.rows[i]})
		if i == 0 {
			continue
		}
		err = moveInto(archive, t.name, s.disks[i-1])
		if err != nil {
			return nil, err
		}
	}
	return listed, nil
}

func moveInto(archive *zip.Writer, name string, disk *os.File) error {
	entry, err := createEntry(archive, name)
	if err != nil {
		return err
	}
	_, err = disk.Seek(0, io.SeekStart)
	if err != nil {
		return err
	}
	_, err = io.Copy(entry, disk)
	return err
}

// createEntry gives every entry the earliest date that an archive can hold: the same data make the
// same bytes.
func createEntry(archive *zip.Writer, name string) (io.Writer, error) {
	return archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
}

func (s *sheets) close() {
	for _, disk := range s.disks {
		disk.Close() //nolint:errcheck // it has no name: it is gone either way
	}
}
