package demo

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

//go:embed data/*.csv
var embedded embed.FS

// Item is one question of a data set.
type Item struct {
	ID       string
	Multiple bool   // several options may be right
	Key      string // the right options as sorted letters, "A" or "ACD"
	Options  int    // number of options, 2 to 26, lettered from A
	Stem     string // empty where it is not public
	Topic    string // may be empty
}

// Person is one candidate with all answers. Responses and TimesMs run parallel to the
// items of the data set.
type Person struct {
	ID        string
	Groups    []string // values of Dataset.GroupColumns
	Responses []string // sorted letters; empty when the item was omitted
	TimesMs   []int64  // milliseconds; 0 where nothing was measured; nil without times.csv
}

// Dataset is an exam with its items and the answers of its candidates.
type Dataset struct {
	Items        []Item
	Persons      []Person // in the order of responses.csv
	GroupColumns []string
	questions    []byte // questions.csv, nil where the folder has none
}

// Open reads the data set in a folder. Problems of a file are a *FileError.
func Open(dir string) (Dataset, error) { return Read(os.DirFS(dir)) }

// Sample gives the shipped data set. It panics when the embedded files are damaged,
// which a test rules out.
func Sample() Dataset {
	data, err := Read(sampleFiles())
	if err != nil {
		panic(fmt.Sprintf("demo: the shipped sample: %v", err))
	}
	return data
}

func sampleFiles() fs.FS {
	files, err := fs.Sub(embedded, "data")
	if err != nil {
		panic(err) // the name is a constant and valid
	}
	return files
}

// Read reads a data set from the root of a file system. Problems of a file are a
// *FileError; a missing items.csv or responses.csv satisfies fs.ErrNotExist.
func Read(fsys fs.FS) (Dataset, error) {
	var data Dataset
	var err error
	data.Items, err = readItems(fsys)
	if err != nil {
		return Dataset{}, err
	}
	data.Persons, err = readResponses(fsys, data.Items)
	if err != nil {
		return Dataset{}, err
	}
	data.GroupColumns, err = readGroups(fsys, data.Persons)
	if err != nil {
		return Dataset{}, err
	}
	err = readTimes(fsys, data.Items, data.Persons)
	if err != nil {
		return Dataset{}, err
	}
	data.questions, err = fs.ReadFile(fsys, "questions.csv")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Dataset{}, fmt.Errorf("demo: read data set: %w", err)
	}
	return data, nil
}
