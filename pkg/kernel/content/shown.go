package content

// Shown is a document as it is read: the whole envelope (defaultLocale, locales), or, where
// a language was asked for, the payload of one locale (locale, schemaVersion, type, blocks)
// in the fallback order of the specification, section 4.6.
type Shown struct {
	DefaultLocale string             `json:"defaultLocale,omitempty"`
	Locales       map[string]Payload `json:"locales,omitempty"`
	Locale        string             `json:"locale,omitempty"`
	SchemaVersion string             `json:"schemaVersion,omitempty"`
	Type          string             `json:"type,omitempty"`
	Blocks        []Block            `json:"blocks,omitempty"`
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
