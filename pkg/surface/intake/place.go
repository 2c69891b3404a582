package intake

import (
	"regexp"
	"strconv"

	"assess/pkg/kernel/content"
	"assess/pkg/kernel/errs"
)

// place says which row and column of a record a problem of its input is about.
type place[T any] func(r record[T], f errs.Field) (row, string)

// report adds the problems of one record to its rows.
func report[T any](r record[T], problems []errs.Field, at place[T]) {
	for _, p := range problems {
		row, column := at(r, p)
		row.found(column, p.Code, p.Message)
	}
}

var recordPath = regexp.MustCompile(`^\w*\[(\d+)\]\.?(.*)$`)

// reportAll adds the problems of a package that was given the values of records
// ("questions[3].stem"). It says whether each of them belongs to a record.
func reportAll[T any](records []record[T], problems []errs.Field, at place[T]) bool {
	all := true
	for _, p := range problems {
		m := recordPath.FindStringSubmatch(p.Path)
		if m == nil {
			all = false
			continue
		}
		i, err := strconv.Atoi(m[1])
		if err != nil || i >= len(records) {
			all = false
			continue
		}
		p.Path = m[2]
		report(records[i], []errs.Field{p}, at)
	}
	return all
}

// locate adds a package's complaints about records to their rows, and says whether err has
// nothing else. Other errors are about the call.
func locate[T any](err error, records []record[T], at place[T]) bool {
	problem := errs.Of(err)
	return problem.Code == errs.ValidationFailed && len(problem.Fields) > 0 && reportAll(records, problem.Fields, at)
}

var localePath = regexp.MustCompile(`\.locales\.([^.\[]+)`)

// rowOfLocale gives the row of the language that a path is about.
func rowOfLocale(rows []row, path string) (row, bool) {
	m := localePath.FindStringSubmatch(path)
	if m == nil {
		return rows[0], false
	}
	silent := rows[0]
	for _, r := range rows {
		lang := r.text("lang")
		if locale, _ := content.NormaliseLocale(lang); lang != "" && locale == m[1] {
			return r, true
		}
		if lang == "" || m[1] == undetermined && r.unreadable("lang") {
			silent = r
		}
	}
	return silent, true
}
