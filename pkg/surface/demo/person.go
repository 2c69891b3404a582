package demo

import (
	"errors"
	"io/fs"
	"strconv"
)

// readGroups fills Groups of the persons from persons.csv and gives its group columns.
// Persons who answered nothing are passed over; one who is missing is an error.
func readGroups(fsys fs.FS, persons []Person) ([]string, error) {
	t, err := readTable(fsys, "persons.csv", "person_id")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rows, err := rowByPerson(t, persons)
	if err != nil {
		return nil, err
	}
	var columns []string
	for _, name := range t.columns {
		if name != "person_id" {
			columns = append(columns, name)
		}
	}
	for i, r := range rows {
		for _, name := range columns {
			persons[i].Groups = append(persons[i].Groups, r.cell(name))
		}
	}
	return columns, nil
}

// readTimes fills TimesMs of the persons from times.csv.
func readTimes(fsys fs.FS, items []Item, persons []Person) error {
	t, err := readTable(fsys, "times.csv", itemColumns(items)...)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	rows, err := rowByPerson(t, persons)
	if err != nil {
		return err
	}
	for i, r := range rows {
		persons[i].TimesMs, err = parseTimes(r, items)
		if err != nil {
			return err
		}
	}
	return nil
}

func parseTimes(r row, items []Item) ([]int64, error) {
	times := make([]int64, len(items))
	for i, item := range items {
		cell := r.cell(item.ID)
		if cell == "" {
			continue
		}
		ms, err := strconv.ParseInt(cell, 10, 64)
		if err != nil || ms < 0 {
			return nil, r.fail(item.ID, "%q is not a whole number of milliseconds", cell)
		}
		times[i] = ms
	}
	return times, nil
}

// rowByPerson gives the row of each person, in the order of persons.
func rowByPerson(t *table, persons []Person) ([]row, error) {
	byID := make(map[string]row, len(t.rows))
	for _, r := range t.rows {
		id := r.cell("person_id")
		if _, again := byID[id]; again {
			return nil, r.fail("person_id", "%q appears twice", id)
		}
		byID[id] = r
	}
	rows := make([]row, len(persons))
	for i, person := range persons {
		r, ok := byID[person.ID]
		if !ok {
			return nil, &FileError{File: t.file, Reason: "person " + strconv.Quote(person.ID) + " of responses.csv is missing"}
		}
		rows[i] = r
	}
	return rows, nil
}
