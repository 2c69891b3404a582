package delivery

import "assess/pkg/content"

// Content is authored content: the whole envelope (defaultLocale, locales), or, where a
// language was asked for, the payload of one locale (locale, schemaVersion, type, blocks)
// in the fallback order of the specification, section 4.6.
type Content struct {
	DefaultLocale string                     `json:"defaultLocale,omitempty"`
	Locales       map[string]content.Payload `json:"locales,omitempty"`
	Locale        string                     `json:"locale,omitempty"`
	SchemaVersion string                     `json:"schemaVersion,omitempty"`
	Type          string                     `json:"type,omitempty"`
	Blocks        []content.Block            `json:"blocks,omitempty"`
}

func contentIn(d content.Document, lang string) Content {
	if lang == "" {
		return Content{DefaultLocale: d.DefaultLocale, Locales: d.Locales}
	}
	locale, p := d.Resolve(lang)
	return Content{Locale: locale, SchemaVersion: p.SchemaVersion, Type: p.Type, Blocks: p.Blocks}
}
