package intake

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

var animals = []column{{name: "externalId", alias: "id", required: true}, {name: "soundMade"}, {name: "meta.", prefix: true}}

// read gives the rows as "line:id=sound" and the problems as "line:column:code".
func read(data string, delimiter rune) (rows, problems, warnings []string) {
	f := open(Input{Data: []byte(data), Delimiter: delimiter}, animals)
	for r := range f.scan() {
		rows = append(rows, fmt.Sprintf("%d:%s=%s", r.line, r.text("externalId"), r.text("soundMade")))
	}
	show := func(all []Problem) (shown []string) {
		for _, p := range all {
			shown = append(shown, fmt.Sprintf("%d:%s:%s", p.Line, p.Column, p.Code))
		}
		return shown
	}
	return rows, show(f.errors), show(f.warnings)
}

func TestReadFile(t *testing.T) {
	t.Parallel()
	type list = []string
	tests := []struct {
		name, in             string
		rows, errs, warnings list
	}{
		{"commas", "externalId,soundMade\ncow,moo\n", list{"2:cow=moo"}, nil, nil},
		{"semicolons", "externalId;soundMade\ncow;moo,moo\n", list{"2:cow=moo,moo"}, nil, nil},
		{"tabs", "externalId\tsoundMade\ncow\tmoo;moo\n", list{"2:cow=moo;moo"}, nil, nil},
		{"a comma in the header of a file with semicolons", "externalId;soundMade;\"a,b,c,d\"\ncow;moo;\n", list{"2:cow=moo"}, nil, list{"1:a,b,c,d:unknown_column"}},
		{"byte order mark", "\ufeffexternalId,soundMade\ncow,moo\n", list{"2:cow=moo"}, nil, nil},
		{"carriage returns", "externalId,soundMade\r\ncow,moo\r\n", list{"2:cow=moo"}, nil, nil},
		{"no line feed at the end", "externalId,soundMade\ncow,moo", list{"2:cow=moo"}, nil, nil},
		{"names in other spellings", "EXTERNAL_ID, Sound-Made \ncow,moo\n", list{"2:cow=moo"}, nil, nil},
		{"alias", "ID,sound made\ncow,moo\n", list{"2:cow=moo"}, nil, nil},
		{"columns in another order", "soundMade,id\nmoo,cow\n", list{"2:cow=moo"}, nil, nil},
		{"lines of quoted cells count", "id,soundMade\ncow,\"moo\nmoo\"\npig,oink\n", list{"2:cow=moo moo", "4:pig=oink"}, nil, nil},
		{"empty lines count", "\nid,soundMade\n\ncow,moo\n,,\n , \npig,oink\n", list{"4:cow=moo", "7:pig=oink"}, nil, nil},
		{"short row", "id,soundMade\ncow\n", list{"2:cow="}, nil, nil},
		{"row with too many cells", "id,soundMade\ncow,moo,boo\npig,oink\n", list{"2:cow=moo", "3:pig=oink"}, list{"2::too_many_cells"}, nil},
		{"unknown column", "id,colour\ncow,black\n", list{"2:cow="}, nil, list{"1:colour:unknown_column"}},
		{"unnamed column", "id,\ncow,x\n", list{"2:cow="}, nil, nil},
		{"missing column", "soundMade\nmoo\n", list{"2:=moo"}, list{"1:externalId:missing_column"}, nil},
		{"two columns of one meaning", "id,External ID\ncow,pig\n", list{"2:cow="}, list{"1:External ID:duplicate_column"}, nil},
		{"nothing", "", nil, list{"1::empty_file"}, nil},
		{"header alone", "id\n", nil, nil, nil},
		{"not UTF-8", "id,soundMade\ncow,moo\npig,\xe4\n", list{"2:cow=moo", "3:pig=\ufffd"}, list{"3:soundMade:invalid_utf8"}, nil},
		{"the replacement character is UTF-8", "id,soundMade\ncow,\ufffd\n", list{"2:cow=\ufffd"}, nil, nil},
		{"NUL", "id,soundMade\ncow,m\x00\n", list{"2:cow=m"}, list{"2:soundMade:nul"}, nil},
		{"quote that does not match", "id,soundMade\ncow,moo\npig,\"oink\nduck,quack\n", list{"2:cow=moo"}, list{"3::malformed_csv"}, nil},
		{"carriage returns alone", "externalId,soundMade\rcow,\"moo\rmoo\"\rpig,oink\r", list{"2:cow=moo moo", "4:pig=oink"}, nil, nil},
		{"empty cells beyond the header", "id,soundMade\ncow,moo,, \npig,oink,,x\n", list{"2:cow=moo", "3:pig=oink"}, list{"3::too_many_cells"}, nil},
		{"lines of delimiters alone", ",,\n;;\n", nil, list{"2:externalId:missing_column"}, list{"2:;;:unknown_column"}},
		{"delimiters alone before and after the header", ",,\nid,soundMade,\n,,,,,\ncow,moo,\n,,,,\n", list{"4:cow=moo"}, nil, nil},
		{"the delimiter is said", "sep=;\r\nid;soundMade\r\ncow;moo\r\n", list{"3:cow=moo"}, nil, nil},
		{"another delimiter is said", "\ufeff\"sep=|\"\nid|soundMade\ncow|moo,\n", list{"3:cow=moo,"}, nil, nil},
		{"line breaks in the header and in names", "\"External\nId\",\"Sound\r\n Made\"\n\"sea\ncow\",moo\n", list{"4:sea cow=moo"}, nil, nil},
		{"UTF-16, little endian", inUTF16("id\tsoundMade\r\ncow\tmuh ä\r\n", false), list{"2:cow=muh ä"}, nil, nil},
		{"UTF-16, big endian", inUTF16("id,soundMade\ncow,muh ä\n", true), list{"2:cow=muh ä"}, nil, nil},
		{"a formula that was tamed", "id,soundMade\n'=cow,'-a;'=b;-5;'x\n", list{"2:=cow=-a;=b;-5;'x"}, nil, nil},
		{"quote inside a cell", "id,soundMade\ncow,m\"o\npig,oink\n", nil, list{"2::malformed_csv"}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			rows, errors, warnings := read(test.in, 0)
			if diff := cmp.Diff([]list{test.rows, test.errs, test.warnings}, []list{rows, errors, warnings}); diff != "" {
				t.Errorf("rows, errors, warnings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDelimiterCanBeSaid(t *testing.T) {
	t.Parallel()
	rows, _, _ := read("id;soundMade\ncow;moo\n", ';')
	if diff := cmp.Diff([]string{"2:cow=moo"}, rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	_, problems, _ := read("id;soundMade\ncow;moo\n", ',')
	if diff := cmp.Diff([]string{"1:externalId:missing_column"}, problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestFamilyKeepsTheSpellingOfItsKeys(t *testing.T) {
	t.Parallel()
	f := open(Input{Data: []byte("id,Meta.Home Town,meta.b,meta.\ncow,Meadow,,x\n")}, animals)
	for r := range f.scan() {
		if diff := cmp.Diff(map[string]any{"Home Town": "Meadow"}, r.family("meta.")); diff != "" {
			t.Errorf("family (-want +got):\n%s", diff)
		}
	}
}

func TestListsAreBoundedAndCounted(t *testing.T) {
	t.Parallel()
	f := open(Input{Data: []byte("id\n" + strings.Repeat("cow,moo\n", 1500))}, animals)
	for range f.scan() { //nolint:revive // reads to the end
	}
	if len(f.errors) != 1000 || f.more != 500 || len(f.first) != 1500 {
		t.Errorf("%d errors listed, %d more, %d lines; want 1000, 500 and 1500", len(f.errors), f.more, len(f.first))
	}
}

func TestCells(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		read     func(row) any
		want     any
		bad      bool
	}{
		{"number", "1.5", func(r row) any { return *r.number("id") }, 1.5, false},
		{"number with a comma", `"1,5"`, func(r row) any { return *r.number("id") }, 1.5, false},
		{"no number", "x", func(r row) any { return r.number("id") == nil }, true, true},
		{"infinite", "inf", func(r row) any { return r.number("id") == nil }, true, true},
		{"whole", "12", func(r row) any { return *r.whole("id") }, 12, false},
		{"negative", "-1", func(r row) any { return r.whole("id") == nil }, true, true},
		{"too large", "2147483648", func(r row) any { return r.whole("id") == nil }, true, true},
		{"yes", "YES", func(r row) any { return *r.yes("id") }, true, false},
		{"no", "0", func(r row) any { return *r.yes("id") }, false, false},
		{"maybe", "maybe", func(r row) any { return r.yes("id") == nil }, true, true},
		{"list", `" a ;;b; "`, func(r row) any { return fmt.Sprint(r.list("id")) }, "[a b]", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := open(Input{Data: []byte("id\n" + test.in + "\n")}, []column{{name: "id"}})
			for r := range f.scan() {
				if got := test.read(r); got != test.want {
					t.Errorf("got %v, want %v", got, test.want)
				}
			}
			if got := len(f.errors) > 0; got != test.bad {
				t.Errorf("problems %v, want some: %v", f.errors, test.bad)
			}
		})
	}
}

func inUTF16(text string, big bool) string {
	var out []byte
	for _, unit := range append([]uint16{0xfeff}, utf16.Encode([]rune(text))...) {
		if big {
			out = binary.BigEndian.AppendUint16(out, unit)
		} else {
			out = binary.LittleEndian.AppendUint16(out, unit)
		}
	}
	return string(out)
}

// If a file is not a table, the error says what it is, in every kind of import.
func TestWhatIsNoTableIsCalledByItsName(t *testing.T) {
	t.Parallel()
	var zipped, book bytes.Buffer
	for to, name := range map[*bytes.Buffer]string{&zipped: "a.txt", &book: "xl/workbook.xml"} {
		w := zip.NewWriter(to)
		if _, err := w.Create(name); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for data, want := range map[string]string{
		zipped.String(): "a ZIP archive", book.String(): "an Excel workbook (XLSX)", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "an old Excel workbook (XLS)",
		"<?xml version=\"1.0\"?><a/>": "XML", " <!DOCTYPE html><html>": "a web page (HTML)", "%PDF-1.7": "a PDF", "\x1f\x8b\x08\x00": "a compressed file (gzip)",
		"\x89PNG\x0d\x0a\x1a\x0a": "a picture (png)", `[{"id":"cow"}]`: "JSON", "i\x00d\x00,\x00": "text in UTF-16 without a byte order mark",
		"\xff\xfe\x00\x00i\x00\x00\x00": "text in UTF-32",
	} {
		f := open(Input{Data: []byte(data)}, animals)
		if len(f.errors) != 1 || f.errors[0].Code != "not_csv" || !strings.HasPrefix(f.errors[0].Message, "this is "+want+";") || !f.unusable {
			t.Errorf("%s: got %v", want, f.errors)
		}
	}
}

func FuzzReadFile(f *testing.F) {
	f.Add("id,soundMade\ncow,\"moo\nmoo\"\n", ',')
	f.Add("\ufeffid;meta.x\r\n\";\"\r\n", rune(0))
	f.Add("id\t\"\n\x00\xff", '\t')
	f.Fuzz(func(t *testing.T, data string, delimiter rune) {
		in := Input{Data: []byte(data), Delimiter: delimiter}
		if in.check() != nil {
			return
		}
		text, _ := asText(in.Data)
		lines := 1 + strings.Count(string(text), "\n")
		last := 0
		file := open(Input{Data: in.Data, Delimiter: delimiter}, animals)
		for r := range file.scan() {
			if r.line <= last || r.line > lines {
				t.Fatalf("line %d follows line %d of %d", r.line, last, lines)
			}
			last = r.line
			r.family("meta.")
			r.number("soundMade")
		}
		for _, p := range file.errors {
			if p.Line < 1 || p.Line > lines {
				t.Fatalf("problem on line %d of %d: %v", p.Line, lines, p)
			}
		}
	})
}

func FuzzParseQuestion(f *testing.F) {
	f.Add("q,mcq,S,a,b,A,en,plain\n")
	f.Add("q,mrq,# S,a,b,\"A;B\",de,markdown\nq,mrq,S,a,b,AB,en,plain\n")
	f.Fuzz(func(t *testing.T, rows string) {
		file := open(Input{Data: []byte("id,qtype,stem,optionA,optionC,correct,lang,format\n" + rows), Delimiter: ','}, questions.columns)
		if file.unusable {
			return
		}
		var first *question
		for r := range file.scan() {
			q := parseQuestion(r, Input{})
			if first == nil {
				first = &q
			} else {
				first.merge(r, q)
			}
			input, err := first.input()
			if err != nil {
				t.Fatal(err)
			}
			report(record[question]{rows: []row{r}, value: *first}, input.Problems(""), placeInQuestion)
		}
	})
}
