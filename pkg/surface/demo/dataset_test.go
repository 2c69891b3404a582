package demo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// testdata is the folder of the real data sets.
func testdata() string {
	if dir := os.Getenv("ASSESS_TESTDATA"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "..", "..", "shared", "data")
}

func TestOpenRealDataSets(t *testing.T) {
	t.Parallel()
	type shape struct {
		Items, Multiple, Persons, Groups, Omitted int
		Times                                     bool
	}
	tests := []struct {
		folder string
		want   shape
	}{
		{"hci", shape{Items: 20, Persons: 669, Groups: 7}},
		{"iqitems", shape{Items: 16, Persons: 1525, Groups: 1, Omitted: 1143}},
		{"fims", shape{Items: 10, Persons: 6371, Groups: 2, Omitted: 2961}},
		{"swesat_q", shape{Items: 24, Persons: 1000, Omitted: 85}},
		{"medical_mrq", shape{Items: 100, Multiple: 100, Persons: 2392, Groups: 2, Omitted: 1257}},
		{"credential1", shape{Items: 170, Persons: 1636, Groups: 5, Omitted: 135, Times: true}},
		{"psych101", shape{Items: 100, Persons: 379, Omitted: 27}},
	}
	for _, tt := range tests {
		t.Run(tt.folder, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(testdata(), tt.folder)
			_, err := os.Stat(dir)
			if errors.Is(err, fs.ErrNotExist) && os.Getenv("CI") == "" {
				t.Skipf("no data set at %s; ASSESS_TESTDATA names the folder of the data sets", dir)
			}
			data, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			got := shape{
				Items: len(data.Items), Persons: len(data.Persons),
				Groups: len(data.GroupColumns), Times: hasTimes(data),
			}
			for i, item := range data.Items {
				if item.Multiple {
					got.Multiple++
				}
				got.Omitted += len(data.Persons) - answered(data.Persons, i)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("shape (-want +got):\n%s", diff)
			}
		})
	}
}

func answered(persons []Person, item int) int {
	n := 0
	for _, person := range persons {
		if person.Responses[item] != "" {
			n++
		}
	}
	return n
}

// small is a valid data set of two items and two persons. Columns and persons of its
// files come in different orders.
func small() map[string]string {
	return map[string]string{
		"items.csv":     "\ufeffitem_id,qtype,key,n_options,stem,topic\nX1,single,B,3,\"Which, of these?\",alpha\nX2,multiple,AC,4,,beta\n",
		"responses.csv": "person_id,X2,X1\na,AC,B\nb,,\n",
		"persons.csv":   "person_id,site\nc,west\nb,south\na,north\n",
		"times.csv":     "X1,person_id,X2\n,b,0\n1500,a,2000\n",
	}
}

func files(content map[string]string) fs.FS {
	fsys := fstest.MapFS{}
	for name, text := range content {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func TestRead(t *testing.T) {
	t.Parallel()
	got, err := Read(files(small()))
	if err != nil {
		t.Fatal(err)
	}
	want := Dataset{
		Items: []Item{
			{ID: "X1", Key: "B", Options: 3, Stem: "Which, of these?", Topic: "alpha"},
			{ID: "X2", Multiple: true, Key: "AC", Options: 4, Topic: "beta"},
		},
		Persons: []Person{
			{ID: "a", Groups: []string{"north"}, Responses: []string{"B", "AC"}, TimesMs: []int64{1500, 2000}},
			{ID: "b", Groups: []string{"south"}, Responses: []string{"", ""}, TimesMs: []int64{0, 0}},
		},
		GroupColumns: []string{"site"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Dataset{})); diff != "" {
		t.Errorf("data set (-want +got):\n%s", diff)
	}
}

func TestReadWithoutOptionalFiles(t *testing.T) {
	t.Parallel()
	content := small()
	delete(content, "persons.csv")
	delete(content, "times.csv")
	got, err := Read(files(content))
	if err != nil || hasTimes(got) || got.GroupColumns != nil {
		t.Errorf("Read = times %v, groups %q, %v; want neither and no error", hasTimes(got), got.GroupColumns, err)
	}
	delete(content, "responses.csv")
	_, err = Read(files(content))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without responses.csv: %v, want fs.ErrNotExist", err)
	}
}

func TestReadNamesThePlaceOfAProblem(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name           string
		file, old, new string
		want           FileError
	}{
		{"unknown type", "items.csv", "X2,multiple", "X2,several", FileError{"items.csv", 3, "qtype", "several"}},
		{"key out of range", "items.csv", "single,B", "single,D", FileError{"items.csv", 2, "key", "from A to C"}},
		{"empty key", "items.csv", "single,B", "single,", FileError{"items.csv", 2, "key", "no answer"}},
		{"two keys of a single choice", "items.csv", "single,B", "single,AB", FileError{"items.csv", 2, "key", "one letter"}},
		{"one option", "items.csv", "AC,4", "AC,1", FileError{"items.csv", 3, "n_options", "2 to 26"}},
		{"item twice", "items.csv", "X2,", "X1,", FileError{"items.csv", 3, "item_id", "twice"}},
		{"no items column", "items.csv", "key", "answer", FileError{"items.csv", 1, "key", "missing"}},
		{"row too short", "items.csv", "AC,4,,beta", "AC,4", FileError{"items.csv", 3, "", "wrong number of fields"}},
		{"item without responses", "responses.csv", "X2,X1", "X2,X3", FileError{"responses.csv", 1, "X1", "missing"}},
		{"responses of no item", "responses.csv", "X2,X1\na,AC,B\nb,,", "X2,X1,X3\na,AC,B,A\nb,,,", FileError{"responses.csv", 1, "X3", "not in items.csv"}},
		{"letters unsorted", "responses.csv", "AC", "CA", FileError{"responses.csv", 2, "X2", "sorted"}},
		{"letter out of range", "responses.csv", ",B", ",E", FileError{"responses.csv", 2, "X1", "from A to C"}},
		{"small letter", "responses.csv", ",B", ",b", FileError{"responses.csv", 2, "X1", "from A to C"}},
		{"person twice", "responses.csv", "b,,", "a,,", FileError{"responses.csv", 3, "person_id", "twice"}},
		{"person without group", "persons.csv", "a,north", "d,north", FileError{"persons.csv", 0, "", `"a"`}},
		{"group column twice", "persons.csv", "person_id,site\n", "site,site\n", FileError{"persons.csv", 1, "site", "twice"}},
		{"time is no number", "times.csv", "1500", "1.5", FileError{"times.csv", 3, "X1", "milliseconds"}},
		{"negative time", "times.csv", "1500", "-1", FileError{"times.csv", 3, "X1", "milliseconds"}},
		{"open quote", "times.csv", "1500", `"1500`, FileError{"times.csv", 3, "", "at byte"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			content := small()
			content[tt.file] = strings.Replace(content[tt.file], tt.old, tt.new, 1)
			_, err := Read(files(content))
			var got *FileError
			if !errors.As(err, &got) {
				t.Fatalf("Read = %v, want a FileError", err)
			}
			if got.File != tt.want.File || got.Line != tt.want.Line || got.Column != tt.want.Column ||
				!strings.Contains(got.Reason, tt.want.Reason) {
				t.Errorf("got %+v\nwant %+v", *got, tt.want)
			}
		})
	}
}

func TestFileErrorReadsLikeAPlace(t *testing.T) {
	t.Parallel()
	tests := []struct {
		err  FileError
		want string
	}{
		{FileError{"items.csv", 7, "key", "it is empty"}, "items.csv:7: key: it is empty"},
		{FileError{File: "items.csv", Reason: "the file is empty"}, "items.csv: the file is empty"},
	}
	for _, tt := range tests {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("Error() = %q, want %q", got, tt.want)
		}
	}
}

func hasTimes(d Dataset) bool { return len(d.Persons) > 0 && d.Persons[0].TimesMs != nil }
