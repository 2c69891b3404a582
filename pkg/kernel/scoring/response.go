package scoring

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"unicode/utf8"

	"assess/pkg/kernel/errs"
)

// Response is an answer: exactly one of the members is given. No Response at all means
// omitted, and so do no options and blank text.
type Response struct {
	OptionIDs []string `json:"optionIds,omitzero"`
	Text      *string  `json:"text,omitempty"`
	Number    *float64 `json:"number,omitempty"`
	Pairs     []Pair   `json:"pairs,omitzero"`
	// Gaps has by the id of a gap its text, its number as text, or the id of an option.
	Gaps map[string]string `json:"gaps,omitzero"`
}

// ParseResponse reads {"optionIds":["A"]}, {"text":"..."}, {"number":1.5}, {"pairs":[["p1","A"]]} or {"gaps":{"g1":"..."}};
// null gives nil, which clears the answer. Anything else is reported, with paths under path.
func ParseResponse(path string, raw json.RawMessage) (*Response, []errs.Field) {
	if !utf8.Valid(raw) {
		return nil, problem(path, CodeInvalidText, "the text is not valid UTF-8")
	}
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return nil, problem(path, CodeRequired, "an answer is required; null clears it")
	}
	if !json.Valid(raw) {
		return nil, problem(path, CodeMalformedJSON, "the JSON cannot be read")
	}
	if string(raw) == "null" {
		return nil, nil
	}
	var fields map[string]json.RawMessage
	err := json.Unmarshal(raw, &fields)
	if err != nil {
		return nil, problem(path, CodeWrongType, "expected an object or null")
	}
	return parseFields(path, fields)
}

func parseFields(path string, fields map[string]json.RawMessage) (*Response, []errs.Field) {
	var r Response
	var problems []errs.Field
	kinds := 0
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		at := member(path, name)
		switch name {
		case "optionIds":
			r.OptionIDs = []string{}
			problems = append(problems, into(at, fields[name], &r.OptionIDs, "expected an array of strings")...)
		case "text":
			r.Text = new(string)
			problems = append(problems, into(at, fields[name], r.Text, "expected a string")...)
		case "number":
			r.Number = new(float64)
			problems = append(problems, into(at, fields[name], r.Number, "expected a number of double precision")...)
		case "pairs":
			r.Pairs = []Pair{}
			problems = append(problems, into(at, fields[name], &r.Pairs, "expected an array of pairs: a prompt and an option")...)
		case "gaps":
			r.Gaps = map[string]string{}
			problems = append(problems, into(at, fields[name], &r.Gaps, "expected an object of strings: what is in each gap")...)
		default:
			problems = append(problems, errs.Field{Path: at, Code: CodeUnknownField, Message: "there is no such field here"})
			continue
		}
		kinds++
	}
	if kinds != 1 {
		problems = append(problems, errs.Field{Path: path, Code: CodeWrongKind, Message: "expected exactly one of optionIds, text, number, pairs and gaps"})
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return &r, nil
}

// into reads a value that must not be null, nor hold null, which encoding/json would
// pass over in silence.
func into(path string, raw json.RawMessage, target any, expected string) []errs.Field {
	err := json.Unmarshal(raw, target)
	if err != nil || string(raw) == "null" || holdsNull(raw) {
		return problem(path, CodeWrongType, expected)
	}
	return nil
}

func holdsNull(raw json.RawMessage) bool {
	var elements []any
	var members map[string]any
	if json.Unmarshal(raw, &elements) == nil {
		return slices.Contains(elements, nil)
	}
	err := json.Unmarshal(raw, &members)
	return err == nil && slices.Contains(slices.Collect(maps.Values(members)), nil)
}

func problem(path, code, message string) []errs.Field {
	return []errs.Field{{Path: path, Code: code, Message: message}}
}

func member(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
