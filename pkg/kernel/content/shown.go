package content

import (
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"assess/pkg/kernel/wire"
)

// Shown is a document as it is read: the whole envelope (defaultLocale, locales), or, if
// the reader named a language, the payload of one locale (locale, schemaVersion, type,
// blocks), chosen in the fallback order of the specification, section 4.6.
type Shown struct {
	DefaultLocale string             `json:"defaultLocale,omitempty"`
	Locales       map[string]Payload `json:"locales,omitempty"`
	Locale        string             `json:"locale,omitempty"`
	SchemaVersion string             `json:"schemaVersion,omitempty"`
	Type          string             `json:"type,omitempty"`
	Blocks        []Block            `json:"blocks,omitempty"`

	encoded jsontext.Value
}

// In shows the document in one language; an empty lang shows all of them.
func (d Document) In(lang string) Shown {
	if lang == "" {
		return Shown{DefaultLocale: d.DefaultLocale, Locales: d.Locales}
	}
	locale, p := d.Resolve(lang)
	return Shown{Locale: locale, SchemaVersion: p.SchemaVersion, Type: p.Type, Blocks: p.Blocks}
}

// Document gives the envelope back, where all of it is shown.
func (s Shown) Document() Document {
	return Document{DefaultLocale: s.DefaultLocale, Locales: s.Locales}
}

// PlainText gives the text without marks; if all languages are shown, the text of the default one. It is empty for content
// that Ready encoded.
func (s Shown) PlainText() string {
	if s.Locale == "" {
		_, p := s.Document().Resolve("")
		return p.PlainText()
	}
	return Payload{SchemaVersion: s.SchemaVersion, Type: s.Type, Blocks: s.Blocks}.PlainText()
}

// MarshalJSONTo writes what Ready has encoded already.
func (s Shown) MarshalJSONTo(e *jsontext.Encoder) error {
	if s.encoded != nil {
		return e.WriteValue(s.encoded)
	}
	type plain Shown
	return json.MarshalEncode(e, plain(s))
}

// Equal says whether both show the same.
func (s Shown) Equal(other Shown) bool {
	s.encoded, other.encoded = nil, nil
	return reflect.DeepEqual(s, other)
}

// Ready is a document that is shown over and over: each form of it is encoded once.
type Ready struct {
	document Document
	forms    map[string]Shown
}

// Ready encodes the document in each of its languages, and in all of them.
func (d Document) Ready() Ready {
	r := Ready{d, make(map[string]Shown, len(d.Locales)+1)}
	for _, lang := range append(d.localeTags(), "") {
		s := d.In(lang)
		s.encoded, _ = wire.Marshal(s) // a document that cannot be encoded is encoded, and fails, where it is shown
		r.forms[lang] = s
	}
	return r
}

// In shows the document as Document.In does.
func (r Ready) In(lang string) Shown {
	if lang != "" {
		lang, _ = r.document.Resolve(lang)
	}
	return r.forms[lang]
}
