package content

import (
	"encoding/json"
	"strings"

	"assess/pkg/kernel/errs"
)

// LegacyLocale is the language that content without an envelope is taken for
// (specification, section 2.8).
const LegacyLocale = "en"

// ParsePassage is Parse for passages, whose older clients send no envelope: the payload of a
// single locale, or plain text as a JSON string, becomes the LegacyLocale of an envelope.
// Nothing else may use it. Paths refer to the JSON as it was sent.
func ParsePassage(path string, raw json.RawMessage) (Document, []errs.Field) {
	value, problem := decode(path, raw)
	if problem != nil {
		return Document{}, []errs.Field{*problem}
	}
	r := &reader{}
	var legacy Document
	switch sent := value.(type) {
	case string:
		legacy = FromPlain(LegacyLocale, sent)
	case map[string]any:
		if !isPayload(sent) {
			return Parse(path, raw)
		}
		legacy = Document{DefaultLocale: LegacyLocale, Locales: map[string]Payload{LegacyLocale: r.payload(path, sent)}}
	default:
		return Parse(path, raw)
	}
	v := validator{problems: r.problems}
	v.payload(path, legacy.Locales[LegacyLocale])
	if len(v.fields) > 0 {
		return Document{}, v.fields
	}
	return legacy, nil
}

// isPayload tells a payload from an envelope: it has a payload's field and neither field
// of an envelope, which need each other.
func isPayload(sent map[string]any) bool {
	has := func(names string) bool {
		for name := range strings.FieldsSeq(names) {
			if _, ok := sent[name]; ok {
				return true
			}
		}
		return false
	}
	return has("schemaVersion type blocks") && !has("defaultLocale locales")
}
