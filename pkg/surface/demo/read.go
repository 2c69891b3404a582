package demo

import (
	"io/fs"
	"strconv"
)

const maxOptions = 26 // letters A to Z

func readItems(fsys fs.FS) ([]Item, error) {
	t, err := readTable(fsys, "items.csv", "item_id", "qtype", "key", "n_options")
	if err != nil {
		return nil, err
	}
	items := make([]Item, 0, len(t.rows))
	seen := map[string]bool{}
	for _, r := range t.rows {
		item, err := parseItem(r)
		if err != nil {
			return nil, err
		}
		if seen[item.ID] {
			return nil, r.fail("item_id", "%q appears twice", item.ID)
		}
		seen[item.ID] = true
		items = append(items, item)
	}
	if len(items) == 0 {
		return nil, &FileError{File: t.file, Reason: "there are no items"}
	}
	return items, nil
}

func parseItem(r row) (Item, error) {
	item := Item{ID: r.cell("item_id"), Key: r.cell("key"), Stem: r.cell("stem"), Topic: r.cell("topic")}
	if item.ID == "" {
		return Item{}, r.fail("item_id", "it is empty")
	}
	switch r.cell("qtype") {
	case "single":
	case "multiple":
		item.Multiple = true
	default:
		return Item{}, r.fail("qtype", "%q is neither single nor multiple", r.cell("qtype"))
	}
	options, err := strconv.Atoi(r.cell("n_options"))
	if err != nil || options < 2 || options > maxOptions {
		return Item{}, r.fail("n_options", "%q is not a number from 2 to %d", r.cell("n_options"), maxOptions)
	}
	item.Options = options
	if reason := item.refuse(item.Key); reason != "" || item.Key == "" {
		return Item{}, r.fail("key", "%q is no answer to this item %s", item.Key, reason)
	}
	return item, nil
}

// refuse says why letters cannot be an answer to the item; "" when they can. No letter
// at all is an answer: the item was omitted.
func (item Item) refuse(letters string) string {
	last := byte('A' + item.Options - 1)
	for i := range len(letters) {
		switch {
		case letters[i] < 'A' || letters[i] > last:
			return "(letters go from A to " + string(rune(last)) + ")"
		case i > 0 && letters[i] <= letters[i-1]:
			return "(letters must be sorted, each once)"
		}
	}
	if !item.Multiple && len(letters) > 1 {
		return "(one letter at most)"
	}
	return ""
}

func readResponses(fsys fs.FS, items []Item) ([]Person, error) {
	t, err := readTable(fsys, "responses.csv", itemColumns(items)...)
	if err != nil {
		return nil, err
	}
	err = refuseUnknownItems(t, items)
	if err != nil {
		return nil, err
	}
	persons := make([]Person, 0, len(t.rows))
	seen := map[string]bool{}
	for _, r := range t.rows {
		person := Person{ID: r.cell("person_id")}
		if person.ID == "" || seen[person.ID] {
			return nil, r.fail("person_id", "%q is empty or appears twice", person.ID)
		}
		seen[person.ID] = true
		person.Responses, err = parseAnswers(r, items)
		if err != nil {
			return nil, err
		}
		persons = append(persons, person)
	}
	return persons, nil
}

func parseAnswers(r row, items []Item) ([]string, error) {
	answers := make([]string, len(items))
	for i, item := range items {
		answers[i] = r.cell(item.ID)
		if reason := item.refuse(answers[i]); reason != "" {
			return nil, r.fail(item.ID, "%q is no answer to this item %s", answers[i], reason)
		}
	}
	return answers, nil
}

func itemColumns(items []Item) []string {
	columns := []string{"person_id"}
	for _, item := range items {
		columns = append(columns, item.ID)
	}
	return columns
}

// refuseUnknownItems finds a column that is not an item. All items are columns already, so
// only a wider table can have one.
func refuseUnknownItems(t *table, items []Item) error {
	known := map[string]bool{}
	for _, name := range itemColumns(items) {
		known[name] = true
	}
	for _, name := range t.columns {
		if !known[name] {
			return &FileError{t.file, 1, name, "the item is not in items.csv"}
		}
	}
	return nil
}
