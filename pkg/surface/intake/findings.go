package intake

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/plural"
)

// maxListed bounds the lists of a result (decisions, section 9).
const maxListed = 1_000

// Problem is something wrong with a line: an error or a warning. Line counts from 1, the
// header's; Column is spelled as in the file, and missing for a problem of the whole line.
// Message never repeats a cell: cells may be personal.
type Problem struct {
	Line    int    `json:"line"`
	Item    string `json:"item,omitempty" doc:"The question of a question bank: its id, in an archive behind its path"`
	Column  string `json:"column,omitempty"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// findings collects problems.
type findings struct {
	errors, warnings []Problem
	// more counts the errors that the list has no room for.
	more int
	// first gives the first message of each line with an error.
	first map[int]string
	// told are the problems of the chunk that is being planned, so that none comes twice; an
	// entry without a code is a cell that cannot be read.
	told map[told]bool
	// unusable says that the file as a whole is; broken, that it will turn out to be.
	unusable, broken bool
	// items says that the file is a CASE package: lines count its items, and columns are paths.
	items bool
	// places says where the items of a question bank are; lines count them until the report.
	places []itemPlace
}

type told struct {
	line                  int
	column, code, message string
}

func newFindings() findings {
	return findings{errors: []Problem{}, warnings: []Problem{}, first: map[int]string{}, told: map[told]bool{}}
}

func (f *findings) add(line int, column, code, message string) {
	if _, known := f.first[line]; !known {
		f.first[line] = message
	}
	if len(f.errors) == maxListed {
		f.more++
		return
	}
	f.errors = append(f.errors, Problem{Line: line, Column: column, Code: code, Message: message})
}

// fail adds a problem of the file as a whole.
func (f *findings) fail(line int, column, code, message string) {
	f.unusable = true
	f.add(line, column, code, message)
}

// sort puts errors and warnings in the order of the file: a plan finds some of them later than
// others.
func (f *findings) sort() {
	for _, found := range [][]Problem{f.errors, f.warnings} {
		slices.SortStableFunc(found, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	}
}

// locate puts the places of items in the problems, once they are sorted.
func (f *findings) locate() {
	for _, found := range [][]Problem{f.errors, f.warnings} {
		for i, p := range found {
			found[i].Item, found[i].Line = f.placeOf(p.Line)
		}
	}
}

// placeOf gives the item on a line, and its line in its file.
func (f *findings) placeOf(line int) (string, int) {
	if line < 1 || line > len(f.places) {
		return "", line
	}
	at := f.places[line-1]
	return at.item, at.line
}

func (f *findings) warn(line int, column, code, message string) {
	if len(f.warnings) < maxListed {
		f.warnings = append(f.warnings, Problem{Line: line, Column: column, Code: code, Message: message})
	}
}

// blame says why a row without an error of its own is not valid.
func (f *findings) blame() string {
	if f.unusable || f.broken {
		return "the file as a whole has an error"
	}
	return "another row of the same record has an error"
}

func (f *findings) bad(line int) bool {
	_, known := f.first[line]
	return f.unusable || f.broken || known
}

// refusal is the import_invalid error of everything found.
func (f *findings) refusal() *errs.Error {
	noun := "line"
	if f.items || f.places != nil {
		noun = "item"
	}
	e := errs.New(errs.ImportInvalid, "The file has errors on %s; nothing was written.", plural.Of(len(f.first), noun)).
		With("errorCount", len(f.first)).With("moreErrors", f.more)
	if len(f.warnings) > 0 {
		e = e.With("warnings", f.warnings)
	}
	for _, p := range f.errors {
		path := fmt.Sprintf("line %d", p.Line)
		switch {
		case f.items:
			path = p.Column
		case p.Item != "":
			path = strings.TrimSuffix("item "+p.Item+", "+p.Column, ", ")
		case p.Column != "":
			path += ", column " + p.Column
		}
		e.Fields = append(e.Fields, errs.Field{Path: path, Code: p.Code, Message: p.Message, Line: p.Line, Item: p.Item, Column: p.Column})
	}
	return e
}
