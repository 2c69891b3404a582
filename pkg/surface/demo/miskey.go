package demo

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
)

// Miskeyed gives the data set as it is when an author keys an item wrong: key replaces the right
// key, and the answers of the candidates stay as they are. The right key is in d.
func (d Dataset) Miskeyed(item, key string) (Dataset, error) {
	at := slices.IndexFunc(d.Items, func(i Item) bool { return i.ID == item })
	if at < 0 {
		return Dataset{}, fmt.Errorf("demo: there is no item %q", item)
	}
	d.Items = slices.Clone(d.Items)
	d.Items[at].Key = key
	if d.questions == nil {
		return d, nil
	}
	rows, err := csv.NewReader(bytes.NewReader(d.questions)).ReadAll()
	if err != nil {
		return Dataset{}, fmt.Errorf("demo: read questions.csv: %w", err)
	}
	id, correct := slices.Index(rows[0], "externalId"), slices.Index(rows[0], "correct")
	if id < 0 || correct < 0 {
		return Dataset{}, fmt.Errorf("demo: questions.csv has no columns externalId and correct")
	}
	for _, row := range rows[1:] {
		if row[id] == item {
			row[correct] = key
		}
	}
	d.questions = encode(rows)
	return d, nil
}
