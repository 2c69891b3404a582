package skill

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"

	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/spelling"
)

// CASE is a format for exchanging frameworks between systems: 1EdTech Competencies and Academic Standards
// Exchange, version 1.1. A package (CFPackage) has a document, items and associations; the associations
// of type isChildOf are the tree. An item becomes a skill:
//
//	identifier           identifier
//	humanCodingScheme    code
//	abbreviatedStatement name, where there is one
//	fullStatement        description; without abbreviatedStatement it is the name, and the description
//	                     too where a name has no room for it
//
// Everything else is kept as it came and goes out again. Levels and competency tags have no place in CASE.

// object is a JSON object of a package; most of it is only passed on.
type object map[string]json.RawMessage

// readObject reads an object; nil if the text is none.
func readObject(raw json.RawMessage) object {
	var o object
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

// str gives a text of an object, empty if it has none.
func (o object) str(key string) string {
	var s string
	if json.Unmarshal(o[key], &s) != nil {
		return ""
	}
	return s
}

// id gives an identifier of an object, None if it has none.
func (o object) id(key string) ids.ID {
	id, err := ids.Parse(key, o.str(key))
	if err != nil {
		return ids.None
	}
	return id
}

func (o object) put(key string, value any) {
	raw, err := marshal(value)
	if err == nil {
		o[key] = raw
	}
}

// marshal does not escape <, > and &.
func marshal(value any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// nameOf gives the name and the description of the skill that an item becomes.
func nameOf(item object) (name, description string) {
	short, full := strings.TrimSpace(item.str("abbreviatedStatement")), strings.TrimSpace(item.str("fullStatement"))
	if short != "" {
		return brief(short, maxName), full
	}
	name = brief(full, maxName)
	if name != full {
		description = full
	}
	return name, description
}

// setName gives an item a name and a description, such that nameOf returns them. An item that has them already does not change.
func setName(item object, name, description string) bool {
	n, d := nameOf(item)
	if n == name && d == description {
		return false
	}
	if description == "" {
		delete(item, "abbreviatedStatement")
		item.put("fullStatement", name)
		return true
	}
	item.put("abbreviatedStatement", name)
	item.put("fullStatement", description)
	return true
}

// brief makes one line of a text, and cuts it if it is too long.
func brief(s string, most int) string {
	s = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, spelling.Name(s)))
	if runes := []rune(s); len(runes) > most {
		return strings.TrimSpace(string(runes[:most-1])) + "…"
	}
	return s
}

// unstorable says why jsonb cannot keep a valid JSON text in UTF-8; empty when it can. Numbers with an
// exponent of more than three digits are refused with it, and deep nesting.
func unstorable(text []byte) string {
	const maxNesting = 200
	depth, exponent := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			end, why := skipString(text, i+1)
			if why != "" {
				return why
			}
			i, exponent = end, 0
		case c == '{' || c == '[':
			if depth++; depth > maxNesting {
				return "it is nested too deeply"
			}
		case c == '}' || c == ']':
			depth--
		case (c == 'e' || c == 'E') && i > 0 && text[i-1] >= '0' && text[i-1] <= '9':
			exponent = 1
		case exponent > 0 && c >= '0' && c <= '9':
			if exponent++; exponent > 4 {
				return "it has a number that is too large"
			}
		case c != '+' && c != '-':
			exponent = 0
		}
	}
	return ""
}

// skipString gives the end of a string that begins at a place.
func skipString(text []byte, i int) (end int, why string) {
	high := false
	for ; text[i] != '"'; i++ {
		if text[i] != '\\' || text[i+1] != 'u' {
			if high {
				return i, "it has half a character"
			}
			if text[i] == '\\' {
				i++
			}
			continue
		}
		code := strings.ToLower(string(text[i+2 : i+6]))
		isHigh, isLow := code >= "d800" && code < "dc00", code >= "dc00" && code < "e000"
		switch {
		case code == "0000":
			return i, "it has a NUL character"
		case high != isLow:
			return i, "it has half a character"
		}
		high, i = isHigh, i+5
	}
	if high {
		return i, "it has half a character"
	}
	return i, ""
}
