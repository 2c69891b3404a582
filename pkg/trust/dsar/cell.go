package dsar

import (
	"encoding/json"
	"fmt"
	"strings"

	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/wire"
)

// The words for the one who acted: no archive names other people.
const (
	thePerson  = "the person themselves"
	aMember    = "a member of staff"
	anOperator = "an operator"
	theService = "the service"
)

// who says of an actor ("user:<id>", "operator:<name>", "system:<job>") or of the id of a user what
// the subject may know.
func who(actor string, subject ids.ID) string {
	kind, name, _ := strings.Cut(actor, ":")
	switch {
	case actor == subject.String():
		return actor
	case name == subject.String():
		return thePerson
	case kind == "operator":
		return anOperator
	case kind == "system":
		return theService
	}
	return aMember
}

// anonymous gives the JSON of a column that names people: a text or a list of them.
func anonymous(raw json.RawMessage, subject ids.ID) (json.RawMessage, error) {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return wire.Marshal(who(one, subject))
	}
	var several []string
	err := json.Unmarshal(raw, &several)
	if err != nil {
		return nil, fmt.Errorf("read who acted: %w", err)
	}
	for i := range several {
		several[i] = who(several[i], subject)
	}
	return wire.Marshal(several)
}

// text makes JSON readable in one cell: words as they are, lists parted by semicolons, and
// values with parts of their own as JSON. Null is empty.
func text(raw json.RawMessage) string {
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return ""
	case raw[0] == '"':
		var s string
		_ = json.Unmarshal(raw, &s) // PostgreSQL wrote it
		return s
	case raw[0] == '[':
		var list []string
		if json.Unmarshal(raw, &list) == nil {
			return strings.Join(list, "; ")
		}
	}
	return string(raw)
}

// units are the unit endings of column names.
var units = map[string]string{"ms": "(ms)", "n": "(number)", "bytes": "(bytes)", "seconds": "(seconds)", "pct": "(share)"}

// abbreviations are written as people write them.
var abbreviations = map[string]string{"id": "ID", "ids": "IDs", "sha256": "SHA-256", "qtype": "type of question", "ref": "reference"}

// title makes the name of a column or table readable: "time_spent_ms" is "Time spent (ms)".
func title(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words {
		unit, is := units[w]
		if is && i == len(words)-1 && i > 0 {
			words[i] = unit
		} else if other, is := abbreviations[w]; is {
			words[i] = other
		}
	}
	all := strings.Join(words, " ")
	return strings.ToUpper(all[:1]) + all[1:]
}

// camel is the name of a column or table in JSON: "answered_at" is "answeredAt".
func camel(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words[1:] {
		if w != "" {
			words[i+1] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}
