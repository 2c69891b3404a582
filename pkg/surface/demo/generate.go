package demo

import (
	"io/fs"
	"strconv"
	"strings"
	"unicode"

	"assess/pkg/kernel/scoring"
)

// Build makes the generated files of the sample out of questions.csv and
// parameters.csv: items.csv, persons.csv, responses.csv and times.csv, by name.
func Build(source fs.FS, persons int, seed uint64) (map[string][]byte, error) {
	items, err := itemsOfQuestions(source)
	if err != nil {
		return nil, err
	}
	simulated, err := readParameters(source, items)
	if err != nil {
		return nil, err
	}
	cohort := Generate(simulated, persons, seed)
	return map[string][]byte{
		"items.csv":     itemsCSV(items),
		"persons.csv":   personsCSV(cohort),
		"responses.csv": answersCSV(items, cohort, func(c Candidate, i int) string { return c.Responses[i] }),
		"times.csv":     answersCSV(items, cohort, Candidate.timeCell),
	}, nil
}

// itemsOfQuestions takes the items from the English rows of questions.csv.
func itemsOfQuestions(source fs.FS) ([]Item, error) {
	t, err := readTable(source, "questions.csv", "externalId", "qtype", "stem", "correct", "terms", "lang")
	if err != nil {
		return nil, err
	}
	var items []Item
	for _, r := range t.rows {
		if r.cell("lang") != "en" {
			continue
		}
		items = append(items, Item{
			ID:       r.cell("externalId"),
			Multiple: scoring.QType(r.cell("qtype")).Type().Answer == scoring.SeveralOptions,
			Key:      r.cell("correct"),
			Options:  countOptions(r),
			Stem:     r.cell("stem"),
			Topic:    topicTitle(r.cell("terms")),
		})
	}
	return items, nil
}

func countOptions(r row) int {
	n := 0
	for n < maxOptions && r.cell("option"+letter(n)) != "" {
		n++
	}
	return n
}

// topicTitle makes "Chemical safety" out of "topic:chemical-safety;difficulty:easy".
func topicTitle(terms string) string {
	for _, term := range strings.Split(terms, ";") {
		slug, found := strings.CutPrefix(term, "topic:")
		if !found || slug == "" {
			continue
		}
		title := []rune(strings.ReplaceAll(slug, "-", " "))
		title[0] = unicode.ToUpper(title[0])
		return string(title)
	}
	return ""
}

func itemsCSV(items []Item) []byte {
	rows := [][]string{{"item_id", "qtype", "key", "n_options", "stem", "topic"}}
	for _, item := range items {
		qtype := "single"
		if item.Multiple {
			qtype = "multiple"
		}
		rows = append(rows, []string{item.ID, qtype, item.Key, strconv.Itoa(item.Options), item.Stem, item.Topic})
	}
	return encode(rows)
}

func personsCSV(cohort Cohort) []byte {
	rows := [][]string{{"person_id", "group"}}
	for _, candidate := range cohort {
		rows = append(rows, append([]string{candidate.ID}, candidate.Groups...))
	}
	return encode(rows)
}

func answersCSV(items []Item, cohort Cohort, cell func(Candidate, int) string) []byte {
	rows := [][]string{itemColumns(items)}
	for _, candidate := range cohort {
		cells := []string{candidate.ID}
		for i := range items {
			cells = append(cells, cell(candidate, i))
		}
		rows = append(rows, cells)
	}
	return encode(rows)
}

// timeCell is empty for an item that was never reached.
func (c Candidate) timeCell(item int) string {
	if c.TimesMs[item] == 0 {
		return ""
	}
	return strconv.FormatInt(c.TimesMs[item], 10)
}
