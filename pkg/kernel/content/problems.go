package content

import (
	"strconv"
	"strings"

	"assess/pkg/kernel/errs"
)

// The codes of field problems.
const (
	CodeMalformedJSON   = "malformed_json"
	CodeWrongType       = "wrong_type"
	CodeUnknownField    = "unknown_field"
	CodeRequired        = "required"
	CodeOutOfRange      = "out_of_range"
	CodeInvalidText     = "invalid_text"
	CodeInvalidLocale   = "invalid_locale"
	CodeDuplicateLocale = "duplicate_locale"
	CodeMissingDefault  = "missing_default_locale"
	CodeUnknownSchema   = "unknown_schema"
	CodeUnknownBlock    = "unknown_block"
	CodeUnknownMark     = "unknown_mark"
	CodeDuplicateMark   = "duplicate_mark"
	CodeUnsafeLink      = "unsafe_link"
	CodeInvalidAsset    = "invalid_asset"
	CodeRaggedTable     = "ragged_table"
	CodeTooDeep         = "too_deep"
	CodeTooManyNodes    = "too_many_nodes"
	CodeTooLarge        = "too_large"
)

// MaxProblems bounds how many problems of one document are reported.
const MaxProblems = 1000

// problems collects the mistakes in a document. Messages never repeat the author's text.
type problems struct {
	fields []errs.Field
	// spoilt are the paths whose value has no usable shape: a rule that fails there or
	// below would only say the same again.
	spoilt map[string]bool
}

func (p *problems) add(path, code, message string) {
	if len(p.fields) >= MaxProblems || p.isSpoilt(path) {
		return
	}
	p.fields = append(p.fields, errs.Field{Path: path, Code: code, Message: message})
}

// spoil reports a problem of shape.
func (p *problems) spoil(path, code, message string) {
	p.add(path, code, message)
	if len(p.fields) >= MaxProblems {
		return
	}
	if p.spoilt == nil {
		p.spoilt = map[string]bool{}
	}
	p.spoilt[path] = true
}

func (p *problems) isSpoilt(path string) bool {
	if len(p.spoilt) == 0 {
		return false
	}
	for i := range len(path) {
		if (path[i] == '.' || path[i] == '[') && p.spoilt[path[:i]] {
			return true
		}
	}
	return p.spoilt[path] || p.spoilt[""]
}

// member is the path of a field in an object. A name can be as long as a client likes;
// the path shows its beginning.
func member(path, name string) string {
	const shown = 64
	if len(name) > shown {
		name = strings.ToValidUTF8(name[:shown], "") + "…"
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

// element is the path of an element in an array.
func element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
